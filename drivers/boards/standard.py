"""Boards that speak the project's own protocol (`docs/protocol.md`)."""

from __future__ import annotations

from collections.abc import Callable

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.ports.driver import PortDriver
from inkeek.drivers.ports.environment import HelloProbe
from inkeek.drivers.protocol.session import Lights, ProtocolSession
from inkeek.records import NORTH, SOUTH, Side, __version__
from inkeek.records.errors import ErrorText


class StandardBoard(PortDriver):
    """The driver for boards with one sensor a pit and buttons for each side."""

    name = "inkeek"
    title: str = ErrorText("Inkeek board (serial protocol 1)")
    probe = HelloProbe

    def session(self, token: Callable[[], str], resume: Resume | None) -> StandardSession:
        """See `PortDriver.session`."""
        return StandardSession("inkeek", __version__, resume)


class StandardSession(ProtocolSession):
    """The protocol session, with guidance shown by the board's lights."""

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self.set_lights(lights(guidance))


def lights(guidance: Guidance) -> Lights:
    """Return the lights that show the guidance; see "What the lights mean" in `docs/protocol.md`."""
    rows = dict.fromkeys(Side, "off")
    pits: dict[int, str] = {}
    error = False
    mend = guidance.refused or bool(guidance.errors)
    if guidance.over:
        rows = dict.fromkeys(Side, "blink")
    elif guidance.disputed:
        rows = dict.fromkeys(Side, "on")
        error = True
    elif guidance.to_move is not None:
        rows[guidance.to_move] = "blink" if guidance.pending or guidance.trial else "on"
        error = mend and not guidance.pending
        if error:
            pits = {**dict.fromkeys(guidance.offered, "blink"), **dict.fromkeys(guidance.errors, "error")}
    if guidance.over or not mend:  # every lit pit must be one to correct
        pits = dict.fromkeys(guidance.last, "on")
    question = guidance.question if error else ""
    return Lights(pits, (rows[SOUTH], rows[NORTH]), error, question)
