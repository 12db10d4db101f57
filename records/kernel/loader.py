"""Loads the kernel: the compiled one where it was built, else the same file interpreted."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from inkeek.records.rules.ruleset import Value
from inkeek.records.rules.table import Family

from . import sowing as _default

MODES = ("compiled", "interpreted")


@cache
def kernel_module(mode: str | None = None) -> ModuleType:
    """The kernel module in `mode`; without one, the faster one there is.

    :raises ValueError: an unknown mode.
    :raises ImportError: the compiled kernel was not built.
    """
    mode = mode or mode_of(_default)
    if mode not in MODES:
        raise ValueError(f"no kernel mode {mode!r}: expected one of {', '.join(MODES)}")
    if mode == mode_of(_default):
        return _default
    if mode == "compiled":
        raise ImportError("the compiled kernel was not built: install again with Cython and a C compiler")
    spec = importlib.util.spec_from_file_location(f"{__package__}._interpreted", Path(__file__).with_name("sowing.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def mode_of(module: ModuleType) -> str:
    """The mode a kernel module is in, one of `MODES`."""
    return "interpreted" if str(module.__file__).endswith(".py") else "compiled"


class Kernels(threading.local):
    """A kernel for each thread, all under the same rules: threads never meet in one, and none is made for each call."""

    def __init__(self, kernel: Callable[[], Any]) -> None:
        self.kernel = kernel()


@lru_cache(64)  # games under the same rules share them: one kernel is 10 kB
def kernels_of(mode: str | None, family: Family, seeds: int, options: tuple[tuple[str, Value], ...]) -> Kernels:
    """The kernels for a family of games under these options."""
    kernel_class = kernel_module(mode).Kernel
    return Kernels(lambda: kernel_class(family, dict(options), seeds))
