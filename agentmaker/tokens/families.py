"""Which vocabulary a model counts by, read from its name."""

from __future__ import annotations

import re
from functools import lru_cache

COMPOSED = frozenset({"qwen3"})
"""The vocabularies that see texts in Unicode's composed form (NFC)."""

_PREFIX = re.compile(r"^.*[/\\]")
_TUNED = re.compile(r"^ft:([^:]*).*")  # behind the model stand names that its owner chose
_POINT = re.compile(r"(?<=\d)p(?=\d)")  # qwen2p5, llama-v3p1

# The first match wins, so a distilled model comes before the model it learned from. A family
# whose newer generations have another vocabulary ends in a guard against their numbers. Names
# that have stood for several vocabularies (kimi-latest, deepseek-r1:8b) are left out.
_RULES = (
    ("gpt_oss", r"\bgpt-?oss"),
    ("o200k_base", r"\bgpt-?(?:4[.-]?(?:o|[15](?!\d))|5(?!\d))|\bchatgpt-4o|\bcodex-mini"),
    ("o200k_base", r"(?:^|:)o[134](?![\w.])"),
    ("cl100k_base", r"\bgpt-?(?:4(?![\w.])|3[.-]?5)"),
    ("cl100k_base", r"\btext-embedding-(?:3|ada-002)|^(?:babbage|davinci)-002"),
    ("llama3", r"\bllama-?v?3(?!\d)|\bdistill-llama|\bdeepseek-r1:70b"),
    ("llama2", r"\bllama-?v?2(?!\d)|\btinyllama|\bvicuna"),
    ("codellama", r"\bcode-?llama"),
    ("qwen3", r"\bqwen-?(?:1[.-]5|2(?:[.-]5)?|3)(?![.\d]|-[5-9](?![\db]))|\b(?:qwq|qvq)\b"),
    ("qwen3", r"\bqwen-?(?:max|plus|turbo)(?!-latest|-2026)\b|\bdistill-qwen"),
    ("qwen3", r"\bdeepseek-r1:(?:1\.5|7|14|32)b"),
    ("deepseek_v3", r"\bdeepseek[-_.:]?(?:chat|reasoner|v[34](?!\d)|r1(?!:(?:8b|latest)))"),
    ("glm4", r"\bglm-?(?:4(?!\d)|z1)"),
    ("kimi_k3", r"\bkimi-?k3"),
    ("kimi_k2", r"\bkimi-?(?:k2|linear)"),
    ("mistral_v3", r"\bmistral-nemo\b|\bministral|\bdevstral|\bmagistral|\bvoxtral|\bpixtral-12b"),
    ("mistral_v3", r"\bmistral-small(?!-2[34](?!b)|-instruct-2409|:22b)"),
    ("mistral_v3", r"\bmistral-large-(?:3|2512|latest)|\bmistral-medium-(?:3|25)"),
    ("mistral_v2", r"\bmistral-7b.*v0\.3|\bopen-mistral-7b|\bmixtral[-:]8x22b|\bpixtral-large"),
    ("mistral_v2", r"\bmistral-large|\bmistral-small(?:-24?02|-2312|:22b)|\bmistral(?:$|:)"),
    ("mistral_v2", r"\bcodestral[-:](?:22b|240)"),
    ("mistral_v1", r"\bmixtral|\bmistral-(?:7b|tiny|medium-2312)"),
    ("gemma4", r"\bgemma-?4|\bgemini-3\.[15]"),
    ("gemma3", r"\bgemma-?3|\bgemini-(?:2|3(?!\.))"),
    ("gemma2", r"\bgemma(?:-?2|-?1|[-:]\d+b|$)"),
    ("phi4", r"\bphi-?4(?![.\d]|-m)"),
    ("olmo2", r"\bolmo-?2(?![.\d])"),
)
_FAMILIES = tuple((family, re.compile(pattern)) for family, pattern in _RULES)


@lru_cache(maxsize=256)
def family_of(model: str) -> str | None:
    """The vocabulary of *model*, None when it is unknown or not offered.

    Case, provider prefixes (``azure/gpt-4o``), dates, sizes and tags (``qwen3:14b``) do not
    matter.
    """
    name = _TUNED.sub(r"\1", _PREFIX.sub("", model.strip().lower()))
    name = _POINT.sub(".", name).replace("_", "-")
    return next((family for family, pattern in _FAMILIES if pattern.search(name)), None)
