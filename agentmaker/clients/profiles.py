"""The servers LLMClient knows by name. Everything here is data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentmaker.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Profile:
    """Where a provider's server is, and what it is asked with by default.

    Attributes:
        env: the environment variable its key is read from.
        model: the default model, "" where only the user can know.
        needs_key: whether the server wants a key at all.
    """

    base_url: str
    env: str
    model: str = ""
    needs_key: bool = True


PROFILES = {
    "dashscope": Profile(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"
    ),
    "deepseek": Profile("https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-v4-flash"),
    "groq": Profile("https://api.groq.com/openai/v1", "GROQ_API_KEY", "llama-3.3-70b-versatile"),
    "lmstudio": Profile("http://localhost:1234/v1", "LMSTUDIO_API_KEY", needs_key=False),
    "mistral": Profile("https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-large-latest"),
    "moonshot": Profile("https://api.moonshot.cn/v1", "MOONSHOT_API_KEY", "kimi-k2.5"),
    "ollama": Profile("http://localhost:11434/v1", "OLLAMA_API_KEY", needs_key=False),
    "openai": Profile("https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-4.1-mini"),
    "openrouter": Profile(
        "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openai/gpt-4.1-mini"
    ),
    "qwen": Profile(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"
    ),
    "together": Profile("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "vllm": Profile("http://localhost:8000/v1", "VLLM_API_KEY", needs_key=False),
    "zhipu": Profile("https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY", "glm-4.7"),
}


def profile_of(provider: str, base_url: str | None = None) -> Profile:
    """The profile called *provider*; with a *base_url*, any name is a provider.

    Raises:
        ConfigError: the name is unknown and there is no *base_url*.
    """
    if provider in PROFILES:
        return PROFILES[provider]
    if not base_url:
        raise ConfigError(
            f"unknown provider {provider!r}: pass base_url= with the address of its server, "
            f"or use one of {', '.join(PROFILES)}"
        )
    return Profile(base_url, env=f"{re.sub(r'[^A-Z0-9]+', '_', provider.upper())}_API_KEY")
