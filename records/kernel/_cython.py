"""The `cython` module; where it is not installed, a stand-in with what the interpreted kernel uses of it."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any


def _cast(type: Any, value: Any) -> Any:
    """The value as it is: Python's numbers have no sizes."""
    return value


try:
    import cython as cython
except ImportError:
    cython = SimpleNamespace(
        compiled=False, nogil=nullcontext(), cast=_cast, double=None, int=None, uint=None, ulonglong=None
    )
