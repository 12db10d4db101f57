"""No record costs a reader much more than a good file of its size. Work is counted, not timed; `hostile` times it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import FrameType

import pytest

from inkeek.records import Game, Rules
from tests.records import hostile

SIZE = 6_000
# Times as many calls, with what a lenient reader lists as left out; each takes less time than one of a good file, where
# regular expressions do the most.
MOST = 24
LAPS = 10  # so many laps take as long as a call


def work(reading: Callable[[bytes], Iterator[Game]], data: bytes, monkeypatch: pytest.MonkeyPatch) -> float:
    """What reading takes for each byte: calls of functions, and laps of sowing."""
    calls = 0
    kernels = {}
    load = Rules._load

    def counted_load(rules: Rules, *arguments: object) -> object:
        kernel = load(rules, *arguments)
        kernels.setdefault(id(kernel), (kernel, kernel.laps_sown()))
        return kernel

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with monkeypatch.context() as patch:
        patch.setattr(Rules, "_load", counted_load)
        before = sys.getprofile()
        sys.setprofile(count)
        try:
            for _ in reading(data):
                pass
        finally:
            sys.setprofile(before)
    laps = sum(kernel.laps_sown() - sown for kernel, sown in kernels.values())
    return (calls + laps / LAPS) / len(data)


@cache
def usual(reading: Callable[[bytes], Iterator[Game]]) -> float:
    with pytest.MonkeyPatch.context() as patch:
        return work(reading, hostile.good(SIZE).encode(), patch)


@pytest.mark.parametrize("name", hostile.CASES)
@pytest.mark.parametrize("reading", [hostile.read, hostile.read_lenient])
def test_work_is_in_proportion_to_size(name, reading, monkeypatch):
    took = work(reading, hostile.made(name, SIZE), monkeypatch)
    assert took <= MOST * usual(reading)
