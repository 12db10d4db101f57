"""The review of a game: its turns with remarks and variations, and its analysis."""
