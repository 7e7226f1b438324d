"""What a strict OpenAI-compatible server refuses before it counts a single token."""

from agentmaker.testing.strict.request import violations
from agentmaker.testing.strict.violation import Violation

__all__ = ["Violation", "violations"]
