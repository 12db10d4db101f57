"""The drivers of this project, one kind of board a file. They use the same contract as plugins."""
