from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inkeek.drivers.foreign import listing
from inkeek.drivers.foreign.faults import Plugin
from tests.misbehaving.distribution import install


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Declares drivers as another distribution would."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.getcwd(), os.environ.get("PYTHONPATH", "")]))

    def declare(*plugins: Plugin) -> None:
        install(folder, *plugins)

    yield declare
    listing.forget()
