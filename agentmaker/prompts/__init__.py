"""Every built-in text, overridable, in English and Chinese."""

from agentmaker.prompts.en import ENGLISH
from agentmaker.prompts.registry import PromptRegistry, PromptTemplate
from agentmaker.prompts.zh import CHINESE

DEFAULT_PROMPTS = PromptRegistry(ENGLISH)

PROMPT_PACKS = {"en": DEFAULT_PROMPTS, "zh": PromptRegistry(CHINESE)}


def prompts_for(language: str) -> PromptRegistry:
    """The texts of *language*, a code such as ``"zh"`` or ``"zh-CN"``.

    Raises:
        ValueError: there is no pack for it.
    """
    pack = PROMPT_PACKS.get(language.replace("_", "-").split("-")[0].lower())
    if pack is None:
        raise ValueError(
            f"no prompts in {language!r}: use one of {', '.join(PROMPT_PACKS)}, "
            "or translate one with with_overrides()"
        )
    return pack


__all__ = [
    "DEFAULT_PROMPTS",
    "PROMPT_PACKS",
    "PromptRegistry",
    "PromptTemplate",
    "prompts_for",
]
