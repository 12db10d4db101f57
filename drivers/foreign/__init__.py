"""Drivers of other distributions: each runs in a child process of its own, behind one checked channel."""
