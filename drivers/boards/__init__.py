"""The drivers that come with the project, one kind of board a file. They have no privileges over a plugin."""
