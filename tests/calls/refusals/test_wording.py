from __future__ import annotations

import pytest

from agentmaker.calls.refusals.plain import plain
from agentmaker.calls.refusals.wording import about_input, is_overflow

TOO_LONG = [
    # it is over
    "Your prompt is far too long for this engine",
    "prompt_too_long",
    "PromptTooLongError",
    "Input tokens exceed what the deployment was built for",
    "The conversation history no longer fits: context overflow",
    "The transcript does not fit into the window",
    "Rejected: sequence of 9,001 is longer than the position table",
    "the whole conversation has reached its maximum context, limit reached",
    "context window is full, start over",
    "Not enough context left for this prompt",
    "tokens in this call are over the limit",
    "llm.ContextOverflowException: (no details)",
    "the text you pasted in is too long",
    "Request length exceeds the window",
    "window size 4096 exceeded",
    "Context limit hit",
    "Maximum prompt size is 4096",
    "Request body too large for this model. Max size: 8000 tokens.",
    "your question runs past what this model's context can take",
    "max_seq_len violated by the sequence",
    "The model reached the end of its context",
    "these messages would fill 130% of the context window",
    "assertion failed: prompt_len 8201 >= max_len 8192",
    "the prompt has 33010 tokens, the model takes 32768",
    "seq_len 66000 surpasses max_position_embeddings",
    "could not find a KV slot: the prompt is larger than the context",
    "Kontekst modelu przekroczony",
    # for the memory that is kept for one request
    "Request length 9214 exceeds KV cache pool size 4096",
    "Prompt length 9214 is greater than cache_size 4096",
    "The prompt exceeds the capacity of the KV cache",
    "KV cache too small: prompt of 9214 tokens, maximum 4096",
    "Invalid 'messages[2].content': string too long. Expected at most 500 characters.",
    # it may be so long at most
    "input must be shorter than 4096 tokens",
    "The length of the prompt must be <= 4096",
    "Prompt may have at most 2k tokens",
    "Range of prompt length should be [1, 3000]",
    "inputs tokens + max_new_tokens must be <= 100",
    # be shorter
    "Please shorten your messages",
    "Try again with a shorter prompt.",
    "Kindly reduce the size of the input",
    # the numbers say so
    "This engine holds at most 4,096 tokens, your messages make 4,500.",
    "model window: 8k tokens. your request has 9000 tokens.",
    "tokens: 70 + 40 > 100",
    "Got 5,000 input tokens; only 4,096 are available",
    "A maximum of 4096 tokens can be processed by this model, 9214 given",
    "model window: 4,096 / used: 9,214",
    "this call holds 9214 prompt tokens and the deployment accepts 4096",
    "n_ctx exceeded: prompt has 9214 tokens, n_ctx is 4096",
    "Your plan has a context window of 4,096 tokens, and the prompt has 9,214",
    # in other languages
    "输入内容过长",
    "对话超出了模型的上下文窗口",
    "请缩短输入后重试",
    "請求過長：輸入超過上限",
    "入力が上限を超えています",
    "プロンプトが長すぎます",
    "입력이 최대 길이를 초과했습니다",
    "Die Eingabe überschreitet die maximale Länge",
    "Der Prompt ist zu lang",
    "Le contexte dépasse la taille maximale",
    "Votre prompt est trop long",
    "La entrada excede el máximo del modelo",
    "O contexto ultrapassa o limite",
    "Контекст превышает допустимую длину",
    "Слишком длинный промпт",
    "Il contesto supera il massimo",
    "Das Kontextfenster ist voll",
    "El contexto está lleno",
    "上下文已满",
]

NOT_TOO_LONG = [
    # too much in too short a time
    "Too many tokens, please wait a moment",
    "Request too large: tokens per min (TPM): Limit 10, Requested 50, reduce your messages",
    "input tokens exceed the rate limit of this tier",
    "daily token limit exceeded",
    "prompt quota exceeded",
    "每分钟输入 token 数超过限制",
    "Zu viele Anfragen: Token pro Minute überschritten",
    "Your request of 45,000 tokens exceeds the tokens-per-minute limit of 30,000",
    # what an account may spend
    "You have exceeded the token limit for your plan",
    "Organization token budget exceeded",
    "Your account has exceeded its token limit",
    "Token limit exceeded for this API key",
    # the output, not the input
    "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
    "max_tokens must be less than or equal to 8000, which is below the `context_window`",
    "max_output_tokens exceeds the maximum of 4096",
    "Range of max_tokens should be [1, 4096]",
    "max_completion_tokens: Input should be less than or equal to 4096",
    "thinking.budget_tokens must be less than max_tokens",
    "输出长度超过上限",
    "Thinking budget exceeds maximum of 32768 tokens",
    "reasoning tokens exceed the maximum of 32768",
    # a setting of the window
    "num_ctx exceeds the server maximum of 8192",
    "context_length must be less than or equal to 131072",
    "n_ctx 16384 is larger than the maximum of 8192",
    "max_model_len must be at most 8192",
    # how many, not how long
    "Too many messages: the maximum is 600 messages per request",
    "Number of messages exceeds limit of 2048",
    "The message count exceeds the maximum of 600",
    "messages: too many turns, at most 100 turns are allowed",
    "Conversation has 700 messages, more than the limit of 600",
    "Zu viele Nachrichten: maximal 600",
    "消息数量超过上限 600",
    # one field of the request
    "Invalid 'user': string too long. Expected a string with maximum length 64, but got 90.",
    "Invalid 'messages[1].tool_calls[0].id': string too long. Maximum length 40, got 52.",
    "tools[0].function.name is longer than 64 characters",
    "Invalid 'tools': array too long. Expected an array with maximum length 128, got 200.",
    "Input image exceeds 5 MB",
    "The prompt has too many images: 12 > 10",
    "input batch of 64 exceeds 32",
    "The max allowed tokens per submitted batch is 120000. Your batch has 121138 tokens.",
    "Input too long for field 'user': max 64 characters",
    "stop: no more than 4 sequences",
    "工具描述过长",
    "画像が大きすぎます",
    # a lower bound
    "input must be longer than 3 words",
    "Input should be greater than or equal to 1",
    "Context caching: content is too small to be cached, the minimum token count is 4096",
    # other lengths and other limits
    "context deadline exceeded",
    "prompt took too long to process",
    "context canceled",
    "CUDA out of memory: prompt too long",
    "KV cache exceeded while prefilling the prompt",
    "KV cache is full: 4100 of 4096 tokens in use",
    "bufio.Scanner: token too long",
    "Invalid JSON: nesting in messages exceeds 10",
    "access token is too long",
    "Unknown parameter: 'context_length_exceeded_policy'",
    "Request Entity Too Large",
    "Request body too large",
    "Request Too Long",
    "no such role; context_window_fallbacks=None",
    "roles must alternate in messages",
    "",
]


@pytest.mark.parametrize("words", TOO_LONG)
def test_words_that_say_the_prompt_is_too_long_are_understood(words):
    assert is_overflow(plain(words))


@pytest.mark.parametrize("words", NOT_TOO_LONG)
def test_cases_46_and_47_words_that_only_look_like_it_are_not(words):
    assert not is_overflow(plain(words))


def test_sentences_on_other_things_are_left_out_of_what_is_read():
    text = plain("max_tokens is too large: 9. Your prompt has 5 tokens. The image is 3 MB.")
    assert about_input(text).strip() == "your prompt has 5 tokens"
