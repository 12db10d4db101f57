"""Series of games, on pages and over the API; `games.matches` has their rules."""
