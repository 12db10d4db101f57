"""The pages of games: the list, a new game, the rules; and what pages show of a game."""
