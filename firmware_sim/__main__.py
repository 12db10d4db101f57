"""``python -m inkeek.firmware_sim``."""

from __future__ import annotations

from .cli import main

main(prog_name=f"python -m {__package__}")
