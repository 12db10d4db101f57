"""`inkeek board attach`: a board's desk far from the service (`docs/far.md`).

A recorder puts what the board says into a spool, a courier takes it from there to the service, and lamps bring back
what the board's lights should show.
"""

from __future__ import annotations

from .agent import Plan, RemoteAgent
from .client import Client, Refusal, Unreachable

__all__ = ["Client", "Plan", "Refusal", "RemoteAgent", "Unreachable"]
