"""Portable Mancala Notation: reader, canonical writer, tags, commands, JSON form (`docs/notation.md`)."""
