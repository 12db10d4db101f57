"""Scenarios: which game is played on which board, and what goes wrong."""
