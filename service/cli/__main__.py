"""``python -m inkeek.service.cli``: the command line without an installed `inkeek`."""

from __future__ import annotations

from . import main

main(prog_name="inkeek")
