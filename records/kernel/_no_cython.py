"""What the interpreted kernel uses of the `cython` module, for where Cython is not installed."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any


class _Type:
    """Any type of C, an array or a view of it: numbers have no sizes here."""

    def __getitem__(self, size: Any) -> _Type:
        return self


compiled = False
nogil = nullcontext()
Py_ssize_t = bint = double = int = longlong = schar = short = uchar = uint = ulonglong = _Type()


def cast(type: Any, value: Any) -> Any:
    return value


def declare(**types: Any) -> None:
    pass


def cfunc(function: Any) -> Any:
    return function


cclass = final = inline = cfunc
