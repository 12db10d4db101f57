"""The garbage collector in processes that make many objects."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from inkeek.service.processes.garbage import MIDDLE, SHORT, YOUNG, collect_less


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """The collector as Python starts it. Other tests run with less of it."""
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    yield
    collect_less()


def test_garbage_that_was_in_use_during_a_run_is_found_in_time() -> None:
    """Cycles that outlive two runs of the collector, as a page does that is being made meanwhile."""

    class Page:
        def __init__(self) -> None:
            self.itself = self

    pages: weakref.WeakSet[Page] = weakref.WeakSet()

    collect_less(SHORT)
    most = 0
    for _ in range(3 * MIDDLE):
        page = Page()
        pages.add(page)
        objects = [[] for _ in range(SHORT * (YOUNG + 1) + 1)]  # so many that a page outlives two runs
        assert page.itself is page
        del objects
        most = max(most, len(pages))
    assert most <= MIDDLE + 5
