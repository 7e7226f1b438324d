from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.memory.remembered import Remembered


@given(st.integers(1, 5), st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=40))
def test_it_holds_what_was_used_last(maximum: int, uses: list[tuple[bool, int]]) -> None:
    remembered: Remembered[int, str] = Remembered(maximum)
    order: list[int] = []
    for puts, key in uses:
        known = key in order[-maximum:]
        if puts:
            remembered.put(key, f"{key}")
        else:
            assert remembered.get(key) == (f"{key}" if known else None)
        if puts or known:
            order = [*(each for each in order if each != key), key]
    assert len(remembered) == len(order[-maximum:])
    assert all(remembered.get(key) == f"{key}" for key in order[-maximum:])


def test_what_was_made_of_something_older_is_not_put_over_what_came_since() -> None:
    remembered: Remembered[str, str] = Remembered(3)
    assert remembered.put_over("a", "first", before="nothing")
    assert not remembered.put_over("a", "late", before="nothing")
    assert remembered.put_over("a", "second", before="first")
    assert remembered.get("a") == "second"


def test_of_several_keys_the_first_known_one_is_used() -> None:
    remembered: Remembered[str, int] = Remembered(2)
    remembered.put("a", 1)
    remembered.put("b", 2)
    assert remembered.first(["c", "a", "b"]) == 1
    assert remembered.first(["c"]) is None
    remembered.put("d", 3)
    assert (remembered.get("a"), remembered.get("b")) == (1, None)


def test_threads_may_share_it() -> None:
    remembered: Remembered[int, int] = Remembered(8)
    faults: list[BaseException] = []

    def use(seed: int) -> None:
        try:
            for number in range(3_000):
                remembered.put((seed + number) % 16, number)
                remembered.get((seed * number) % 16)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(remembered) == 8
