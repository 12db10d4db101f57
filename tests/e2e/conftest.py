"""Every test here runs real processes; they find the driver where an installation declares it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _installed(installed: None) -> None:
    """See `tests.conftest.installed`."""
