"""What a room brings to the service. `docs/rooms.md` explains it, `rooms` lists those that there are.

Objects are named as entry points name them, ``package.module:attribute``: a room that is left out is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, NamedTuple

SITE, OWN, MORE = MENUS = "site", "own", "more"  # the head, the person's own pages, the foot of each page
TABLE_PREFIX = "room_"  # of the names of all tables of rooms, before the room's name


class Place(NamedTuple):
    """A place of a page to which a room can add something: where it is, and what its function gets."""

    says: str
    gets: tuple[str, ...] = ()


PLACES = {
    "game.head": Place("head of a game's live page and of its review; `view` is a `GamePage`", ("view", "ply")),
    "home": Place("first page, below the games"),
    "event": Place("page of an event, at its end", ("name",)),
    "event.files": Place("page of an event, before its tables for spreadsheets", ("name",)),
    "game.print": Place("review of a game, before its record as JSON", ("game_id",)),
    "game.files": Place("review of a game, among its files", ("game_id",)),
    "dispute.files": Place("page and sheet of a dispute, among its files", ("game_id", "seq")),
    "mine": Place("own page of a person, among its links"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: the endpoint of a page, its words, and the endpoints of pages that belong to it."""

    endpoint: str
    words: str
    menu: str = MORE
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoomCommand:
    """A command of `inkeek`, and its line in the help."""

    target: str
    line: str


@dataclass(frozen=True, slots=True)
class Room:
    """A subject with all that it brings; the service works without one that is `optional`. A name that begins with a
    dot is one in the `package`.

    `operations`: blueprints of the API. `pages`: of an optional room a `RoomPages`, of another one a module that puts
    routes on the blueprint of the pages. `package`: the package that is the room's own, with its `templates` and
    `static`. `tables`: its `MetaData`. `adds`: by a name of `PLACES`, a function that returns the HTML there.
    `position_page`, `share_page`: the endpoints of pages that show the `position` of their query, and that share the
    game `game_id` of it.
    """

    name: str
    says: str
    operations: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    package: str = ""
    commands: Mapping[str, RoomCommand] = field(default_factory=dict)
    tables: str = ""
    entries: tuple[Entry, ...] = ()
    adds: Mapping[str, str] = field(default_factory=dict)
    position_page: str = ""
    share_page: str = ""
    optional: bool = True

    def __post_init__(self) -> None:
        """:raises ValueError: it names a place or a menu that there is not."""
        if wrong := {*self.adds} - {*PLACES} or {entry.menu for entry in self.entries} - {*MENUS}:
            raise ValueError(f"there is no {min(wrong)!r}: expected one of {', '.join((*PLACES, *MENUS))}")

    def full_name(self, target: str) -> str:
        """The name of an object with the package that has it."""
        return f"{self.package}{target}" if target.startswith(".") else target

    def load(self, target: str) -> Any:
        """Import an object that it names."""
        return resolve_name(self.full_name(target))

    @property
    def targets(self) -> tuple[str, ...]:
        """The full names of all objects that it names."""
        commands = (command.target for command in self.commands.values())
        named = (*self.operations, *self.pages, *commands, self.package, self.tables, *self.adds.values())
        return tuple(map(self.full_name, filter(None, named)))
