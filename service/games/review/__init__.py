"""Annotations of games, by hand and by analysis."""
