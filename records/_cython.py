"""Stands in for the `cython` module where Cython is not installed: every name the kernel uses, doing nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

compiled = False


def _same(thing: Any) -> Any:
    return thing


cclass = cfunc = ccall = nogil = inline = final = with_gil = _same


def _option(*_args: Any, **_options: Any) -> Callable[[Any], Any]:
    return _same


exceptval = boundscheck = wraparound = cdivision = initializedcheck = _option
