"""Stands in for the `cython` module where Cython is not installed: what the kernel uses of it when it is interpreted."""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
