"""Games, their rule sets and their records."""
