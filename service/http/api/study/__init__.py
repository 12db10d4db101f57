"""What a position is worth, and what was played from it."""
