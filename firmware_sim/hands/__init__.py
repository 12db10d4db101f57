"""The simulated players: the planned game, what the hands do turn by turn, and the mistakes they make."""
