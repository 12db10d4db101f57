"""Matches and their games."""
