"""Annotations of games, and the jobs that analyze them."""
