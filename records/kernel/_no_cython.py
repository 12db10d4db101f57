"""What the interpreted kernel uses of the `cython` module, for where Cython is not installed."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

compiled = False
nogil = nullcontext()
double = int = uint = ulonglong = None  # numbers have no sizes here


def cast(type: Any, value: Any) -> Any:
    return value


def declare(**types: Any) -> None:
    pass


def cfunc(function: Any) -> Any:
    return function


cclass = final = inline = cfunc
