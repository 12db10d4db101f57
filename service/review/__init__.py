"""The review of a game, and its annotations."""
