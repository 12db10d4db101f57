"""Live streams: the events of a game, and the feed of all games."""
