"""The rules: a game's options, its start, its turns and its end."""
