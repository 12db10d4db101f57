"""Players and events by name, and records as a stream."""
