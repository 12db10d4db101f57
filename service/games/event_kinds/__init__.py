"""The kinds of events of a game: what the data of each holds, and what the record says of it. Pure.

A kind is a class below `EventData`, declared only here. Its docstring and its fields make the schemas of the API and
`docs/event-kinds.md`.
"""
