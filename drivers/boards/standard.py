"""Boards that speak the project's own protocol (`docs/protocol.md`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

from drivers.base import Guidance, Resume
from drivers.ports.driver import PortDriver
from drivers.ports.finder import HelloProbe
from drivers.protocol.frames import Frame
from drivers.protocol.messages import LIGHTS_OUT, SIDES, error_light, pit_light, row_light
from drivers.protocol.session import ProtocolSession


class StandardBoard(PortDriver):
    """The driver for boards with one sensor a pit and buttons for each side."""

    name = "inkeek"
    title = "Inkeek board (serial protocol 1)"
    probe = HelloProbe

    def session(self, token: Callable[[], str], resume: Resume | None) -> StandardSession:
        """See `PortDriver.session`."""
        return StandardSession("inkeek", version(), resume)


class StandardSession(ProtocolSession):
    """The protocol session, with guidance shown by the board's lights."""

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self.set_lights(lights(guidance))


def lights(guidance: Guidance) -> tuple[Frame, ...]:
    """Return all the lines that show the guidance; see "What the lights mean" in `docs/protocol.md`."""
    lines = [LIGHTS_OUT]
    mend = guidance.refused or bool(guidance.errors)
    if guidance.over:
        lines += (row_light(side, "blink") for side in SIDES)
    elif guidance.disputed:
        lines += (row_light(side, "on") for side in SIDES)
        lines.append(error_light(True))
    elif guidance.to_move is not None:
        blinks = guidance.pending or guidance.trial
        lines.append(row_light(guidance.to_move.letter, "blink" if blinks else "on"))
        if mend and not guidance.pending:
            lines.append(error_light(True))
            lines += (pit_light(pit, "error") for pit in sorted(guidance.errors))
            lines += (pit_light(pit, "blink") for pit in sorted(guidance.offered - guidance.errors))
    if guidance.over or not mend:  # every lit pit must be one to correct
        lines += (pit_light(pit, "on") for pit in sorted(guidance.last))
    return tuple(lines)


def version() -> str:
    """This host's version, as boards receive it."""
    try:
        return metadata.version("inkeek")
    except metadata.PackageNotFoundError:
        return "0"  # a source tree that is not installed
