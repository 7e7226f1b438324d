from __future__ import annotations

from agentmaker.calls.memory.learnt import LASTING, MOST, LearntLimits


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_holds_for_its_model_and_for_a_while():
    clock = Clock()
    limits = LearntLimits(clock)
    limits.learn("m", 4_096)
    assert (limits.of("m"), limits.of("other")) == (4_096, None)
    clock.now += LASTING - 1
    assert limits.of("m") == 4_096
    clock.now += 1
    assert limits.of("m") is None


def test_the_newest_word_counts():
    limits = LearntLimits(Clock())
    limits.learn("m", 4_096)
    limits.learn("m", 8_192)
    assert limits.of("m") == 8_192


def test_limits_are_remembered_for_so_many_models_and_the_oldest_are_forgotten():
    limits = LearntLimits(Clock())
    limits.learn("first", 1_000)
    for number in range(MOST - 1):
        limits.learn(f"m{number}", 1_000)
    limits.learn("first", 2_000)
    limits.learn("last", 1_000)
    assert (limits.of("m0"), limits.of("m1")) == (None, 1_000)
    assert (limits.of("first"), limits.of("last")) == (2_000, 1_000)
