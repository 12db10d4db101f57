"""Boards that speak the project's own protocol (`docs/protocol.md`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import metadata

from records import NORTH, SOUTH

from ..base import Guidance, Resume
from ..link import Link
from ..messages import SIDES, ErrorLight, HostMessage, LightsOut, PitLight, RowLight
from ..session import Session
from ..transport import Transport


class StandardBoard:
    """The driver of boards with one sensor a pit and buttons for each side."""

    name = "inkeek"
    title = "Inkeek board (serial protocol 1)"

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock

    def open(self, url: str, resume: Resume | None = None) -> Link:
        """See `base.Driver.open`."""
        session = Session("inkeek", _version(), resume)
        return Link(session, Transport.open(url), lambda: Transport.open(url), self._clock, lights)


def lights(guidance: Guidance) -> tuple[HostMessage, ...]:
    """The lines that show it, as "What the lights mean" in the protocol says: always all of them."""
    lines: list[HostMessage] = [LightsOut()]
    mend = guidance.refused or bool(guidance.errors)
    if guidance.over:
        lines += (RowLight(SIDES[side], "blink") for side in (SOUTH, NORTH))
    elif guidance.to_move is not None:
        lines.append(RowLight(SIDES[guidance.to_move], "on"))
        if mend:
            lines.append(ErrorLight(True))
            lines += (PitLight(pit, "error") for pit in sorted(guidance.errors))
    if guidance.over or not mend:  # while something is to be mended nothing else is lit: it would mislead
        lines += (PitLight(pit, "on") for pit in sorted(guidance.last))
    return tuple(lines)


def _version() -> str:
    try:
        return metadata.version("inkeek")
    except metadata.PackageNotFoundError:
        return "0"  # run from a checkout that is not installed
