"""Playing turns: over the API, and on the live page."""
