"""Which twin of the kernel runs: the compiled one where it was built, else the same file interpreted.

``RECORDS_KERNEL=interpreted`` or ``compiled`` in the environment forces one; tests and benchmarks ask for both by name.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from . import kernel as _default

MODES = ("compiled", "interpreted")


@cache
def kernel_module(mode: str | None = None) -> ModuleType:
    """The kernel module in `mode`; without one, as the environment says, else the faster one there is.

    :raises ValueError: an unknown mode. :raises ImportError: the compiled kernel was not built.
    """
    mode = mode or os.environ.get("RECORDS_KERNEL") or mode_of(_default)
    if mode not in MODES:
        raise ValueError(f"no kernel mode {mode!r}: expected one of {', '.join(MODES)}")
    if mode == mode_of(_default):
        return _default
    if mode == "compiled":
        raise ImportError("the compiled kernel was not built: install with Cython and a C compiler")
    spec = importlib.util.spec_from_file_location("records._kernel_interpreted", Path(__file__).with_name("kernel.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def mode_of(module: ModuleType) -> str:
    return "interpreted" if str(module.__file__).endswith(".py") else "compiled"
