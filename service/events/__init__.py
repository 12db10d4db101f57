"""Planned events with their rounds, on pages and over the API; `games.events` has the rules of a plan."""
