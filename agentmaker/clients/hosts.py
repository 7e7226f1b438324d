"""Which dialect a server's address and a model's name suggest. Everything here is data.

Only what is documented, or attested by many who met the refusal, is in the table; an unknown
server gets the conversation as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from agentmaker.calls.forms.dialects import DEFAULT, GEMMA, MISTRAL, Dialect, changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one server or one family of models wants.

    Attributes:
        host: a pattern for the host, with or without its port; ``"*"`` for any.
        model: what the model's name begins with, as a regular expression; "" for any.
        wants: fields of the dialect.
        why: the refusal that is known, or where it is documented.
    """

    name: str
    wants: Mapping[str, Any]
    why: str
    host: str = "*"
    model: str = ""

    def fits(self, hosts: tuple[str, ...], model: str) -> bool:
        return any(fnmatchcase(host, self.host) for host in hosts) and bool(
            re.match(self.model, model)
        )


_REASONERS = r"o\d|gpt-[5-9]"
_MISTRALS = (
    r"(?:mistral|ministral|mixtral|pixtral|devstral|magistral|codestral|mathstral|voxtral|open-mi)"
)
_DROPS_DEVELOPER = (
    r"(?:qwen-?2\.5|qwen-?3|qwq|glm-?4|deepseek|minimax|kimi|(?:nous-)?hermes|smollm"
    r"|(?:c4ai-)?command-r)"
)
_DROPS_A_SYSTEM = (
    r"(?:smollm-?3|minimax-m|(?:nvidia-)?nemotron-(?:3-)?nano|bielik|reka|falcon-?h1|gpt-oss"
    r"|deepseek-r1)"
)

RULES = (
    Rule(
        name="mistral",
        model=_MISTRALS,
        wants=changes(MISTRAL),
        why="Unexpected role 'user' after role 'tool'; Expected last role User or Tool; "
        "Tool call id must be a-z, A-Z, 0-9, with a length of 9",
    ),
    Rule(
        name="mixtral",
        model=r"mistral-7b-instruct-v0\.[12]|mixtral-8x7b",
        wants={"system": "user", "tools": "text"},
        why="Only user and assistant roles are supported!",
    ),
    Rule(
        name="mistral-nemo",
        model=r"mistral-7b-instruct-v0\.3|mistral-(?:nemo|large)-instruct-2407",
        wants={"system": "user"},
        why="prints the system prompt in the last message alone, if that is the user's",
    ),
    Rule(
        name="mistral-large",
        model=r"mistral-small-24b-instruct-2501|mistral-large-instruct-2411|pixtral-12b-2409",
        wants={"tools": "text"},
        why="Only user, system and assistant roles are supported!",
    ),
    Rule(
        name="devstral",
        model=r"devstral|ministral-3(?!b)",
        wants={"empty_content": "empty"},
        why="list object has no element 0, where a server makes a list of null",
    ),
    Rule(
        name="gemma",
        model=r"gemma(?!-?[4-9](?!b))",
        wants=changes(GEMMA),
        why="System role not supported; Conversation roles must alternate",
    ),
    Rule(
        name="llama-2",
        model=r"(?:meta-)?llama-?2",
        wants={"roles": "alternate", "system": "one", "developer": "system", "tools": "text"},
        why="Conversation roles must alternate",
    ),
    Rule(
        name="llama-3",
        model=r"(?:meta-)?llama-?3\.[1-3]",
        wants={"calls": "single"},
        why="This model only supports single tool-calls at once!",
    ),
    Rule(
        name="command-r",
        model=r"(?:c4ai-)?command-r(?!-?7b)|aya",
        wants={"roles": "alternate", "system": "one", "developer": "system"},
        why="Conversation roles must alternate",
    ),
    Rule(
        name="c4ai",
        # The names of the weights: under the others their maker's own servers know tools.
        model=r"c4ai-command-r(?!-?7b)|command-r$|aya",
        wants={"tools": "text"},
        why="Conversation roles must alternate",
    ),
    Rule(
        name="qwen3",
        model=r"qwen-?3|qwq|gpt-oss",
        wants={"empty_content": "empty"},
        why="argument of type 'NoneType' is not iterable, where a server hands null on",
    ),
    Rule(
        name="qwen3.5",
        model=r"qwen-?3\.[5-9]",
        wants={"roles": "alternate", "system": "one", "developer": "system"},
        why="System message must be at the beginning; Unexpected message role; "
        "No user query found in messages",
    ),
    Rule(
        name="apertus",
        model="apertus",
        wants={"system": "one", "developer": "system", "content": "text"},
        why="Invalid message role; Invalid user message",
    ),
    Rule(
        name="nemotron-h",
        model=r"(?:nvidia-)?nemotron-h-",
        wants={"system": "one", "developer": "system", "tools": "text"},
        why="Unexpected role: tool",
    ),
    Rule(
        name="exaone",
        model=r"exaone-?4|spark|llama-3-firefunction|vicuna",
        wants={"developer": "system"},
        why="Unknown role: developer",
    ),
    Rule(
        name="developer-dropped",
        model=_DROPS_DEVELOPER,
        wants={"developer": "system"},
        why="their templates print nothing of that role, and say nothing of it",
    ),
    Rule(
        name="system-dropped",
        model=_DROPS_A_SYSTEM,
        wants={"system": "one"},
        why="their templates print one of several leading system messages, and drop the others",
    ),
    Rule(
        name="openai",
        host="api.openai.com",
        model=_REASONERS,
        wants={"cap": "max_completion_tokens"},
        why="Unsupported parameter: 'max_tokens' is not supported with this model",
    ),
    Rule(
        name="azure",
        host="*.openai.azure.com",
        model=_REASONERS,
        wants={"cap": "max_completion_tokens"},
        why="Unsupported parameter: 'max_tokens' is not supported with this model",
    ),
    Rule(
        name="mistral",
        host="api.mistral.ai",
        wants={**changes(MISTRAL), "reasoning": "strip", "cap": "max_tokens"},
        why="extra_forbidden for reasoning_content and max_completion_tokens",
    ),
    Rule(
        name="deepseek",
        host="api.deepseek.com",
        wants={"developer": "system", "reasoning": "require", "cap": "max_tokens"},
        why="unknown variant `developer`; Missing `reasoning_content` field",
    ),
    Rule(
        name="moonshot",
        host="api.moonshot.*",
        wants={"developer": "system", "cap": "max_tokens"},
        why="unsupported role ROLE_UNSPECIFIED; documents max_tokens",
    ),
    Rule(
        name="kimi",
        host="api.moonshot.*",
        model="kimi",
        wants={"reasoning": "require"},
        why="thinking is enabled but reasoning_content is missing in assistant tool call message",
    ),
    Rule(
        name="groq",
        host="api.groq.com",
        wants={"reasoning": "strip"},
        why="property 'reasoning_content' is unsupported",
    ),
    Rule(
        name="cerebras",
        host="api.cerebras.ai",
        wants={"reasoning": "strip", "cap": "max_completion_tokens"},
        why="property 'reasoning_content' is unsupported; refuses both caps together",
    ),
    Rule(
        name="zhipu",
        host="open.bigmodel.cn",
        wants={"developer": "system", "cap": "max_tokens"},
        why="1214 for the developer role; documents max_tokens",
    ),
    Rule(
        name="zai",
        host="api.z.ai",
        wants={"developer": "system", "cap": "max_tokens"},
        why="1214 for the developer role; documents max_tokens",
    ),
    Rule(
        name="dashscope",
        host="dashscope*.aliyuncs.com",
        wants={"developer": "system"},
        why="developer is not one of ['system', 'assistant', 'user', 'tool', 'function']",
    ),
    Rule(
        name="volcengine",
        host="*.volces.com",
        wants={"developer": "system"},
        why="invalid value: `developer`, supported values are: `system`, `assistant`, ...",
    ),
    Rule(
        name="ollama",
        host="*:11434",
        wants={"empty_content": "empty"},
        why="invalid message content type: <nil>",
    ),
)


LEARNING = "learning"
"""The name for the chosen dialect that also learns."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The dialect that address and model suggest, chosen for each model; one that may learn."""

    learns: bool = False

    def dialect(self, base_url: str | None, model: str) -> Dialect:
        return suggested(base_url or "", model, learns=self.learns)


@lru_cache(maxsize=1_024)
def suggested(base_url: str, model: str, *, learns: bool = False) -> Dialect:
    """The default dialect with everything that fits the server at *base_url* and *model*."""
    address = urlsplit(base_url)
    hosts = (address.hostname or "", address.netloc.rpartition("@")[2].lower())
    name = model.strip().lower().rpartition("/")[2].removeprefix("ft:")
    fitting = [rule for rule in RULES if rule.fits(hosts, name)]
    wanted = {key: value for rule in fitting for key, value in rule.wants.items()}
    if not fitting:
        return replace(DEFAULT, learns=learns)
    names = "+".join(dict.fromkeys(rule.name for rule in fitting))
    return Dialect(name=names, learns=learns, **wanted)
