"""A mirror of a service, written from docs/event-kinds.md and docs/notation.md alone. It imports nothing of ours."""
