"""Which kernel runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inkeek.records.kernel import loader


def test_interpreted_without_cython() -> None:
    """An installation has no Cython: the kernel's stand-in must do."""
    program = (
        "import sys; sys.modules['cython'] = None\n"
        "from inkeek.records import ruleset\n"
        "rules = ruleset('oware', kernel='interpreted')\n"
        "print(rules.perft(rules.start(), 3), rules.legal_moves(rules.start()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("190 ")


def test_modes_are_the_kernels_they_name() -> None:
    assert loader.mode_of(loader.kernel_module("interpreted")) == "interpreted"
    assert loader.kernel_module("interpreted") is loader.kernel_module("interpreted")


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernel mode 'fast': expected one of compiled, interpreted"):
        loader.kernel_module("fast")
