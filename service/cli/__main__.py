"""``python -m service.cli``, for when the package is not installed."""

from __future__ import annotations

from . import main

main(prog_name="inkeek")
