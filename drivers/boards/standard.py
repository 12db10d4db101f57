"""Boards that speak the project's own protocol (`docs/protocol.md`)."""

from __future__ import annotations

from importlib import metadata

from drivers.base import Environment, Guidance, Resume
from drivers.ports.connection import PortConnection
from drivers.ports.environment import SystemEnvironment
from drivers.ports.finder import Hello
from drivers.protocol.messages import SIDES, ErrorLight, HostMessage, LightsOut, PitLight, RowLight
from drivers.protocol.session import Session
from records import NORTH, SOUTH


class StandardBoard:
    """The driver of boards with one sensor a pit and buttons for each side."""

    name = "inkeek"
    title = "Inkeek board (serial protocol 1)"

    def open(self, url: str, resume: Resume | None = None) -> PortConnection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        return SystemEnvironment(url, Hello)

    def connect(self, environment: Environment, resume: Resume | None = None) -> PortConnection:
        """See `base.SupportsRecording.connect`."""
        return PortConnection(StandardSession("inkeek", version(), resume), environment)


class StandardSession(Session):
    """The session with the lights of this kind of board."""

    def guide(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self.show(lights(guidance))


def lights(guidance: Guidance) -> tuple[HostMessage, ...]:
    """The lines that show it, as "What the lights mean" in the protocol says: always all of them."""
    lines: list[HostMessage] = [LightsOut()]
    mend = guidance.refused or bool(guidance.errors)
    if guidance.over:
        lines += (RowLight(SIDES[side], "blink") for side in (SOUTH, NORTH))
    elif guidance.disputed:
        lines += (RowLight(SIDES[side], "on") for side in (SOUTH, NORTH))
        lines.append(ErrorLight(True))
    elif guidance.to_move is not None and guidance.pending:
        lines.append(RowLight(SIDES[guidance.to_move], "blink"))
    elif guidance.to_move is not None:
        lines.append(RowLight(SIDES[guidance.to_move], "blink" if guidance.trial else "on"))
        if mend:
            lines.append(ErrorLight(True))
            lines += (PitLight(pit, "error") for pit in sorted(guidance.errors))
    if guidance.over or not mend:  # while something is to be mended nothing else is lit: it would mislead
        lines += (PitLight(pit, "on") for pit in sorted(guidance.last))
    return tuple(lines)


def version() -> str:
    """The host's, as boards are told it."""
    try:
        return metadata.version("inkeek")
    except metadata.PackageNotFoundError:
        return "0"  # run from a checkout that is not installed
