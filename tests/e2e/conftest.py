"""Every test here runs real processes; they find the driver where an installation declares it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import Service


@pytest.fixture(autouse=True)
def _installed(installed: None) -> None:
    """See `tests.conftest.installed`."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A running service on a folder of its own."""
    made = Service(tmp_path)
    try:
        made.start()
        yield made
    finally:
        made.stop()
