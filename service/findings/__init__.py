"""What happened in a turn: accounts of what lies on the board."""
