"""Boards far from the service (`docs/far.md`).

On the bench `inkeek board attach` runs a `process`: the desk of one board, over a `copy` of its board and game. What
follows from the board goes by `delivery` to the service, and waits in a `spool` while the service cannot be reached. In
the service `reports` says what a report does.
"""
