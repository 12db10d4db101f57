"""A mirror of a service, written from docs/event-kinds.md and docs/notation.md alone: `records` and `facts` import
nothing of ours. `one_fact` compares them with a service."""
