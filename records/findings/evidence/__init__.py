"""What is known of a turn: as a value, as text, and what is wrong with it."""
