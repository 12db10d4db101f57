"""The blueprint of all pages: templates and static files of rooms, and pages without the indentation of templates."""

from __future__ import annotations

import mimetypes
import re
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from flask import Blueprint, Response, current_app, send_from_directory
from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, PrefixLoader
from jinja2.ext import Extension

TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
if sys.platform == "win32":  # there other programs may have said what files with these names are
    for _suffix, _type in TYPES.items():
        mimetypes.add_type(_type, _suffix)
_INDENTATION = re.compile("^[ \t]+", re.MULTILINE)


class Unindented(Extension):
    """Strip the indentation of templates when they are compiled. The line breaks stay, as white space may matter."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _INDENTATION.sub("", source)


class PagesBlueprint(Blueprint):
    """A blueprint with rooms. Each keeps templates, styles and scripts beside its code, in `templates` and `static`:
    their names begin with the name of the room's folder."""

    def __init__(self, *args: Any, rooms: Sequence[Path] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self._rooms = {room.name: room for room in rooms}

    @cached_property
    def jinja_loader(self) -> BaseLoader:
        rooms = {name: FileSystemLoader(room / "templates") for name, room in self._rooms.items()}
        return ChoiceLoader(
            [FileSystemLoader(Path(self.root_path, cast(str, self.template_folder))), PrefixLoader(rooms)]
        )

    def send_static_file(self, filename: str) -> Response:
        room, _, name = filename.partition("/")
        if room not in self._rooms:
            return super().send_static_file(filename)
        max_age = current_app.get_send_file_max_age(filename)
        return send_from_directory(self._rooms[room] / "static", name, max_age=max_age)
