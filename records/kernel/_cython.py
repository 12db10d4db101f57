"""Stands in for the `cython` module where Cython is not installed: what the interpreted kernel uses of it."""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
