"""What a driver is, and what an open board is: the two protocols a plugin implements (`docs/drivers.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from records import Side

from .events import Event, Numbered

Resume = tuple[str, int]  # (boot, seq) of the last event whose consequences are durable


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the players should be told by lights: an offer, which a board without lights ignores.

    `to_move`: whose turn it is, or who must mend; None: nobody's. `errors`: pits that hold too many or too
    few. `refused`: the turn on the board was not recorded. `over`: the game has ended. `last`: the pits that the
    last recorded turn began from and ended in.
    """

    to_move: Side | None
    errors: frozenset[int] = frozenset()
    over: bool = False
    refused: bool = False
    last: frozenset[int] = frozenset()


class Connection(Protocol):
    """An open board. One thread uses it."""

    def poll(self, timeout: float) -> Sequence[Event]:
        """What happened, in order; waits up to about `timeout` seconds for the first. Also keeps the line
        alive, and reopens it when it was lost: call it at least every second."""

    def acknowledge(self, event: Numbered) -> None:
        """Say that this event and all before it are durable: the board may forget them.

        :raises DriverError: the event was never delivered here. One of an earlier boot is silently fine.
        """

    def show(self, guidance: Guidance) -> None:
        """Show this from now on, also after a reconnection."""

    def close(self) -> None:
        """Give the port back. May be called twice."""


class Driver(Protocol):
    """One kind of board. Instances are made without arguments and open nothing by themselves."""

    name: str  # short, stable, as in "inkeek"
    title: str  # for people

    def open(self, url: str, resume: Resume | None = None) -> Connection:
        """Open the board on a port.

        `resume` is the last event that was acknowledged or could have been: delivery goes on with the one
        after it.

        :raises DriverError: the URL is none, or the port cannot be opened now.
        """
