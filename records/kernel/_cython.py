"""Stands in for the `cython` module where Cython is not installed: what the interpreted kernel uses of it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

compiled = False
nogil = nullcontext()
double = int = ulonglong = None  # types, which `cast` ignores


def cast(type: Any, value: Any) -> Any:
    """The value as it is: Python's numbers have no sizes."""
    return value
