"""The parts by themselves: what deserves a place in the window, and what becomes of the rest.

Nothing here needs a server: ``ScriptedLLM`` is a model that says what it is told to.
"""

import anyio

from agentmaker import (
    CallableSource,
    ContextBuilder,
    ContextConfig,
    HistoryCompactor,
    Message,
    RetrievalResult,
    ToolCall,
    WindowBudget,
    WindowBudgetConfig,
)
from agentmaker.context import reduce_agent
from agentmaker.testing import ScriptedLLM


def search_docs(query: str) -> list[RetrievalResult]:
    meals = "Meals are capped at 80 per day, no receipt needed."
    hotels = "Hotels are capped at 500 per night, receipt required."
    return [
        RetrievalResult(content=meals, score=0.9, source="rag"),
        RetrievalResult(content=hotels, score=0.7, source="rag"),
    ]


print("--- a context from sources")
builder = ContextBuilder(ContextConfig.for_window(None, fallback_window=8000))
context = builder.build(
    "how much can I spend on meals?",
    sources=[CallableSource("rag", search_docs)],
    system_prompt="You are a finance assistant.",
)
print(context)

print("\n--- one account for the whole window")
recap = "The user asked how to get a refund and was told to check Settings > Billing."
llm = ScriptedLLM([recap], context_window=200_000)
budget = WindowBudget.for_run(
    llm=llm, cfg=WindowBudgetConfig(), system_tokens=800, tool_tokens=1200
)
print(f"the reply             {budget.output_reserve:8,}")
print(f"system and tools      {budget.fixed:8,}")
print(f"the retrieved block   {budget.rag_budget:8,}")
print(f"the agent's own work  {budget.trajectory_budget(rag_in_scope=False):8,}")
print(f"the window            {budget.window:8,}")

print("\n--- an old conversation as a recap")
history = [
    Message(content="How do I get a refund?", role="user"),
    Message(content="Open Settings then Billing.", role="assistant"),
    Message(content="I did that but I am still stuck.", role="user"),
    Message(content="Let me escalate this for you.", role="assistant"),
]
for message in HistoryCompactor(llm, keep_recent=2, trigger_tokens=10).compact(history):
    print(message.role, "::", message.content)

print("\n--- a tool loop in 140 tokens")
work = [Message("Which order of customer 1188 is late?")]
for day in range(1, 8):
    call = ToolCall(id=f"call_{day}", name="get_order", arguments=f'{{"id": "W-70{day}"}}')
    found = f"Order W-70{day} was shipped on 2024-05-0{day} and arrived on time."
    work.append(Message(None, "assistant", tool_calls=(call,)))
    work.append(Message(found, "tool", tool_call_id=call.id))


async def reduced():
    # Without a summariser the older steps become an extract; with one, a checked summary.
    return await reduce_agent(work, summarize=None, budget=140, keep_recent_steps=1)


for message in anyio.run(reduced):
    print(message.role, "::", message.content or message.tool_calls[0].arguments)
