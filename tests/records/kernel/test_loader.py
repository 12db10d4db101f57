"""Which twin of the kernel runs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from records.kernel import loader, sowing


def test_interpreted_without_cython() -> None:
    """An installation has no Cython: the kernel's stand-in must do."""
    program = (
        "import sys; sys.modules['cython'] = None\n"
        "from records import ruleset\n"
        "rules = ruleset('oware', kernel='interpreted')\n"
        "print(rules.perft(rules.start(), 3), rules.legal_moves(rules.start()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("190 ")


def test_modes_are_the_twins_they_name() -> None:
    assert loader.mode_of(loader.kernel_module("interpreted")) == "interpreted"
    assert loader.kernel_module("interpreted") is loader.kernel_module("interpreted")


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernel mode 'fast': expected one of compiled, interpreted"):
        loader.kernel_module("fast")


def test_the_constants_in_c_are_those_of_the_source() -> None:
    """`sowing.pxd` says them again for Cython, which has no other way to make them real constants."""
    declared = Path(sowing.__file__).with_name("sowing.pxd").read_text("utf-8")
    enum = declared.split("cdef enum:")[1].split("\n\n")[0]
    constants = dict(line.split(" = ") for line in map(str.strip, enum.splitlines()) if line)
    source = loader.kernel_module("interpreted")
    assert constants == {name: str(getattr(source, name)) for name in constants}
    guard = inspect.getsource(source).split("if not cython.compiled:\n")[1].split("\n\nMIX")[0]
    assert set(constants) == set(re.findall(r"^    ([A-Z_]+) =", guard, re.MULTILINE))
