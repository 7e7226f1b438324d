"""Which vocabulary a model counts by, read from its name."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"^(?:ft:|.*/)")
_POINT = re.compile(r"(?<=\d)p(?=\d)")  # qwen2p5, llama-v3p1

# The first match wins, so a distilled model comes before the model it learned from. A family
# whose newer generations have another vocabulary ends in a guard against their numbers.
_RULES = (
    ("gpt_oss", r"\bgpt-?oss"),
    ("o200k_base", r"\bgpt-?(?:4o|4\.1|4\.5|5)|\bchatgpt-|^o[134](?![\w.])|\bcodex-mini"),
    ("cl100k_base", r"\bgpt-?(?:4(?![\w.])|3\.?5)"),
    ("llama3", r"\bllama-?v?3(?!\d)|\bdistill-llama|\bdeepseek-r1:70b"),
    ("llama2", r"\bllama-?v?2(?!\d)|\btinyllama|\bvicuna"),
    ("codellama", r"\bcode-?llama"),
    ("qwen3", r"\bqwen-?(?:1\.5|2(?:\.5)?|3)(?![.\d])|\bqw[qv]|\bdeepseek-r1:(?:1\.5|7|8|14|32)b"),
    ("qwen3", r"\bqwen-?(?:coder|long|max|plus|turbo|vl)\b|\bdistill-qwen"),
    ("deepseek_v3", r"\bdeepseek[-_.:]?(?:chat|reasoner|v[34]|r1)"),
    ("glm4", r"\bglm-?(?:4(?!\d)|z1)"),
    ("kimi_k3", r"\bkimi-?k3"),
    ("kimi_k2", r"\bkimi|\bmoonshot"),
    ("mistral_v3", r"nemo\b|\bministral|\bdevstral|\bmagistral|\bvoxtral|\bpixtral-12b"),
    ("mistral_v3", r"\bmistral-(?:small(?!-240[29])|medium-3|large-(?:3|2512|latest))"),
    ("mistral_v2", r"\bmistral-7b.*v0\.3|\bopen-mistral-7b|\bmixtral[-:]8x22b"),
    ("mistral_v2", r"\bmistral-(?:large|small)|\bmistral(?:$|:)|\bcodestral[-:](?:22b|240)"),
    ("mistral_v1", r"\bmixtral|\bmistral-(?:7b|tiny)"),
    ("gemma4", r"\bgemma-?4"),
    ("gemma3", r"\bgemma-?3|\bgemini-(?:2|3)"),
    ("gemma2", r"\bgemma(?:-?2|-?1|[-:]\d+b|$)"),
    ("phi4", r"\bphi-?4(?!-m)"),
    ("olmo2", r"\bolmo-?2"),
)
_FAMILIES = tuple((family, re.compile(pattern)) for family, pattern in _RULES)


def family_of(model: str) -> str | None:
    """The vocabulary of *model*, None when it is unknown or not offered.

    Case, provider prefixes (``azure/gpt-4o``), dates, sizes and tags (``qwen3:14b``) do not
    matter.
    """
    name = _POINT.sub(".", _PREFIX.sub("", model.strip().lower())).replace("_", "-")
    return next((family for family, pattern in _FAMILIES if pattern.search(name)), None)
