"""Which twin of the kernel runs: the compiled one where it was built, else the same file interpreted.

``RECORDS_KERNEL=interpreted`` or ``compiled`` in the environment forces one; tests and benchmarks ask for both by name.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from records.ruleset import RuleSet, Value, format_value

from . import sowing as _default
from .sowing import DIRECTION_CHOICES, FAMILIES

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
    spec = importlib.util.spec_from_file_location("records.kernel._interpreted", Path(__file__).with_name("sowing.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def mode_of(module: ModuleType) -> str:
    return "interpreted" if str(module.__file__).endswith(".py") else "compiled"


def kernel_config(info: RuleSet, options: Mapping[str, Value]) -> dict[str, int]:
    """What `Kernel` wants to know of the rules, as whole numbers."""
    return {
        "family": FAMILIES[info.family],
        "row": int(options["pits"]),
        "step": -1 if options.get("direction") == "cw" else 1,
        "skip_origin": int(options["skip_origin"]),
        "direction_choice": DIRECTION_CHOICES[format_value(options.get("direction_choice", "none"))],
        "specials_from_ply": 0 if options.get("bulls_on_first_move", True) else 2,
        "capture_after_relay": int(options.get("capture_after_relay", True)),
        "last_four": int(options.get("last_four") == "taker-of-previous"),
        "right_end_first": int(options.get("first_move") == "right-end"),
        "may_pass": int(options.get("no_move") == "pass"),
        "empty_capture": int(options.get("empty_capture", False)),
        "win_at": info.seeds_on_board(options) // 2 + 1 if options.get("majority_end") else 0,
    }
