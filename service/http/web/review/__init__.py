"""The review of a game: its turns with remarks and variations."""
