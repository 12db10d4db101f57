"""Matches, their set-ups, and the race before a game."""
