"""Engines as programs: the one of Inkeek, talking to any, and matches between them."""
