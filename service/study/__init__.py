"""What positions and games are worth, and what was played from them."""
