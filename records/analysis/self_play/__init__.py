"""Self-play: games that the search plays against itself, the collection of them that ships, and what they show."""
