"""A conversation of many windows, and every request fits.

Everything here runs on your machine: ``ModelServer`` stands in for the model, counts every
request exactly and refuses what does not fit. With a model of your own, ``client`` is your
``AsyncOpenAI`` and the rest stays the same.
"""

import anyio

import agentmaker
from agentmaker.observe import MemorySink
from agentmaker.testing import ModelServer

WINDOW = 4_000

CITIES = ["Lisbon", "Porto", "Madrid", "Sevilla", "Valencia", "Nice", "Genova", "Roma", "Bari"]


def request(city: str, number: int) -> str:
    wishes = f"A quiet room near the station, breakfast at 07:{number:02d}, a late checkout. " * 8
    return f"Booking BK-{4100 + number} in {city}: {wishes}Please confirm."


def answer(body: dict) -> str:
    """What the model says: the reply to the newest message it is shown."""
    booking = body["messages"][-1]["content"].rsplit("BK-", 1)[1][:4]
    return f"BK-{booking} is confirmed at {int(booking) % 90 + 60} EUR a night."


async def main() -> None:
    server = ModelServer(answer, window=WINDOW)
    sink = MemorySink()

    client = agentmaker.wrap(server.client(), window=WINDOW, output_tokens=500, sinks=[sink])

    messages = [{"role": "system", "content": "You are a travel agent."}]
    for number in range(60):
        city = CITIES[number % len(CITIES)]
        messages.append({"role": "user", "content": request(city, number)})
        reply = await client.chat.completions.create(model="gpt-4o", messages=messages)
        messages.append(reply.choices[0].message)

    statuses = [received.status for received in server.requests]
    sent = [received.prompt_tokens for received in server.requests]
    print(f"{len(statuses)} requests, {statuses.count(200)} of them accepted")
    print(f"the largest had {max(sent):,} tokens, in a window of {WINDOW:,}\n")

    ledger = sink.last.ledger
    print("the last request     used  left out")
    for row in ledger:
        print(f"{row.name:16} {row.used:8,} {row.dropped:9,}")
    print(f"{'':16} {ledger.window:8,}\n")

    print("what was done:", "; ".join(ledger.reductions))
    print("the first booking is still known:", "BK-4100" in str(server.requests[-1].messages))
    print(f"and the program still holds all {len(messages)} messages")


anyio.run(main)
