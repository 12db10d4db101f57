"""Boards as SVG: their seeds and the paths of turns. `notebook` shows them in notebooks."""
