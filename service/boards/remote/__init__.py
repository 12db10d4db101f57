"""Boards far from the service (`docs/far.md`).

On the bench `inkeek board attach` runs an `agent`: a `recorder` puts the board's events into a `spool`, an `uploader`
delivers them, and `lights` fetches what the board's lights show. In the service they arrive in an `inbox`, which the
desk reads through `driver`.
"""
