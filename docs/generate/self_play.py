"""The tables of docs/selfplay.md, from the games of self-play that ship."""

from __future__ import annotations

from benchmarks.analysis.self_play import GAMES, read_figures, tables

PARTS = {"self-play": lambda _: tables(read_figures(GAMES))}
