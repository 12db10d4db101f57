"""All operations of the API (`docs/api.md`) in the order of its document, and all pages: those of the rooms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask import Flask

from inkeek.service.room import Room
from inkeek.service.rooms import is_own, leave_out
from inkeek.service.settings import Settings

from .api.blueprint import PREFIX, ApiBlueprint
from .api.health import blueprint as health
from .api.openapi import blueprint as docs, document, document_view
from .rooms import LoadedRoom, load_rooms
from .web.base import blueprint


def operations_of(rooms: Iterable[LoadedRoom]) -> tuple[ApiBlueprint, ...]:
    """The blueprints of the API that rooms bring."""
    return tuple(blueprint for room in rooms for blueprint in room.operations)


def usable_rooms(rooms: Iterable[Room], settings: Settings) -> list[LoadedRoom]:
    """The rooms that an application can have: one of another distribution that fails, or does not fit the others, is
    left out."""
    usable: list[LoadedRoom] = []
    for loaded in load_rooms(rooms):
        if not is_own(loaded.room):
            try:
                tried = Flask(__name__)
                register_routes(tried, [*usable, loaded])
                document(operations_of([*usable, loaded]), settings)
            except Exception as error:  # noqa: BLE001 - whatever it brings
                leave_out(loaded.room.name, error)
                continue
        usable.append(loaded)
    return usable


def register_routes(app: Flask, rooms: Sequence[LoadedRoom]) -> None:
    """Let an application answer all of them."""
    for part in (health, docs, blueprint):
        app.register_blueprint(part)
    for room in rooms:
        room.register(app)
    app.add_url_rule(f"{PREFIX}/openapi.json", view_func=document_view(operations_of(rooms)))
