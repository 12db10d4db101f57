"""Boards, ports and drivers as JSON objects."""

from __future__ import annotations

from typing import Annotated, Any, Self, get_args

from msgspec import UNSET, UnsetType

from inkeek.service.http.shape import Shape, Time

from .bindings import LogKind
from .status import BoardStatus


class BoardJson(Shape, kw_only=True):
    """A board and its status."""

    id: str
    driver: str
    port: str
    game: str
    wanted: str
    serial: str | None = None
    adapter: str | None = None
    boot: str | None = None
    seq: int = 0
    buttons: bool
    status: BoardStatus
    version: int
    created: Time
    updated: Time

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        return super().of(source, port=source.url, **given)


Desk = Annotated[str | None, "the desk that works, as a process on a machine; null: none does, and requests wait"]


class BoardsJson(Shape):
    items: list[BoardJson]
    desk: Desk


class PortJson(Shape):
    url: str
    title: str


class PortsJson(Shape):
    items: list[PortJson]


class FreePortJson(Shape):
    url: str
    title: str
    state: Annotated[str, "`asked`, `board`, `nobody` (no board answers) or `closed` (it cannot be opened)"]
    serial: Annotated[str | None, "serial number of the board"]
    row: Annotated[int | None, "its pits a row"]
    stores: Annotated[bool | None, "whether it weighs its stores"]
    reason: Annotated[str, "why it cannot be opened"]


class FreePortsJson(Shape):
    """The serial ports of the desk's machine at which no board is bound, and who is there."""

    items: list[FreePortJson]


class DriverJson(Shape):
    name: str
    title: str
    distribution: str
    version: str
    error: str | None


class DriversJson(Shape):
    items: list[DriverJson]


class LogEntryJson(Shape):
    number: int
    time: Time
    kind: Annotated[str, ", ".join(get_args(LogKind))]
    data: dict[str, Any]


class LogJson(Shape):
    items: list[LogEntryJson]


class RequestJson(Shape):
    number: int
    kind: str
    desk: Desk
    pit: int | UnsetType = UNSET
    seeds: int | UnsetType = UNSET
    question: str | UnsetType = UNSET
    at: int | UnsetType = UNSET


class AnsweredJson(Shape):
    ply: int
    move: str
    position: str
    recorded: Annotated[bool, "false: this turn was recorded before"]
