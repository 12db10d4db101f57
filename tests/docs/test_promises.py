"""docs/promises.md: each promise names files that keep it and a test that is there."""

from __future__ import annotations

import pytest

from docs.generate.promises import PROMISES, Promise, files_of
from tests.docs.pages import ROOT


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.what.partition(":")[0])
def test_what_keeps_and_proves_a_promise_is_there(promise: Promise) -> None:
    assert [pattern for pattern in promise.kept_by.split() if not files_of(pattern)] == []
    assert (ROOT / promise.proof).is_file()
