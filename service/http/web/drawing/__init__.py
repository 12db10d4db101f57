"""Boards as SVG, with their seeds, paths and looks."""
