"""The rooms of an application: what they name is imported, and what those of other distributions bring is checked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from flask import Blueprint, Flask, current_app
from jinja2 import BaseLoader, FileSystemLoader, PrefixLoader

from inkeek.service.room import Room
from inkeek.service.rooms import is_own, leave_out

from .access import need_of

EXTENSION = "inkeek.rooms"

View = TypeVar("View", bound=Callable[..., Any])

log = logging.getLogger(__name__)


class RoomPages:
    """The pages of an optional room. In applications that have the room they stand among those of the blueprint `web`;
    their endpoints are ``web.`` and the name of the view."""

    def __init__(self) -> None:
        self._rules: list[tuple[str, str, Any]] = []

    def get(self, rule: str) -> Callable[[View], View]:
        """Declare the view that answers GET at a path."""
        return self._decorator(rule, "GET")

    def post(self, rule: str) -> Callable[[View], View]:
        """Declare the view that answers POST at a path."""
        return self._decorator(rule, "POST")

    def _decorator(self, rule: str, method: str) -> Callable[[View], View]:
        def declare(view: View) -> View:
            self._rules.append((rule, method, view))
            return view

        return declare

    def check(self) -> None:
        """:raises LookupError: a view has no scope."""
        for _, _, view in self._rules:
            need_of(view)

    def register(self, app: Flask) -> None:
        """Let an application answer them."""
        for rule, method, view in self._rules:
            app.add_url_rule(rule, endpoint=f"web.{view.__name__}", view_func=view, methods=[method])


class RoomTemplates(Blueprint):
    """Lets an application find the templates of a room: their names begin with the room's."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(f"templates of {name}", __name__)
        self._loader = PrefixLoader({name: FileSystemLoader(folder / "templates")})

    @property
    def jinja_loader(self) -> BaseLoader:
        return self._loader


@dataclass(frozen=True)
class LoadedRoom:
    """A room with the objects that it names; `folder` is that of its package."""

    room: Room
    operations: tuple[Any, ...] = ()  # `ApiBlueprint`
    pages: tuple[RoomPages, ...] = ()
    folder: Path | None = None
    adds: Mapping[str, Any] = field(default_factory=dict)

    def added(self, place: str, values: Mapping[str, Any]) -> str:
        """What it adds to a place of a page. If a room of another distribution fails, the page stays without it."""
        if place not in self.adds:
            return ""
        try:
            return cast(str, self.adds[place](**values))
        except Exception:
            if is_own(self.room):
                raise
            log.exception("the room %r adds nothing to %r", self.room.name, place)
            return ""

    def register(self, app: Flask) -> None:
        """Let an application answer what it brings."""
        for blueprint in self.operations:
            app.register_blueprint(blueprint)
        for pages in self.pages:
            pages.register(app)
        if self.folder is not None and (self.folder / "templates").is_dir():
            app.register_blueprint(RoomTemplates(self.room.name, self.folder))


def load_room(room: Room) -> LoadedRoom:
    """Import what a room names.

    :raises Exception: what its modules raise, or that a view has no scope.
    """
    found = [room.load(target) for target in room.pages]
    pages = tuple(pages for pages in found if not isinstance(pages, ModuleType))  # a module has put its routes
    for one in pages:
        one.check()
    return LoadedRoom(
        room,
        tuple(room.load(target) for target in room.operations),
        pages,
        Path(cast(str, room.load(room.package).__file__)).parent if room.package else None,
        {place: room.load(target) for place, target in room.adds.items()},
    )


def load_rooms(rooms: Iterable[Room]) -> list[LoadedRoom]:
    """Import what rooms name. One of another distribution that fails is left out."""
    loaded = []
    for room in rooms:
        try:
            loaded.append(load_room(room))
        except (Exception, SystemExit) as error:
            if is_own(room):
                raise
            leave_out(room.name, error)
    return loaded


def current_rooms() -> list[LoadedRoom]:
    """The rooms of the application that handles the current request."""
    return cast("list[LoadedRoom]", current_app.extensions[EXTENSION])
