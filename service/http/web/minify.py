"""Pages are sent without what only readers of their source need: indentation, and comments of styles and scripts."""

from __future__ import annotations

import mimetypes
import re
import sys
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import Any, cast

from flask import Blueprint, Response, current_app, request, send_from_directory
from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, PrefixLoader
from jinja2.ext import Extension
from rcssmin import cssmin
from rjsmin import jsmin

MINIFIERS = {".css": cssmin, ".js": jsmin}
MAX_FILES = 64  # whose minified text is kept
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
    """A blueprint whose style sheets and scripts are minified. A room keeps its own beside its code, in `templates` and
    `static`: their names begin with the name of the room's folder."""

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
        suffix = PurePath(filename).suffix
        if suffix not in MINIFIERS:
            return super().send_static_file(filename)
        max_age = current_app.get_send_file_max_age(filename)
        room, _, name = filename.partition("/")
        folder: str | Path = cast(str, self.static_folder)
        if room in self._rooms:
            folder, filename = self._rooms[room] / "static", name
        response = send_from_directory(folder, filename, conditional=False, max_age=max_age)
        response.direct_passthrough = False
        text = response.get_data(as_text=True)
        response.close()  # the file
        response.set_data(minified(text, suffix))
        response.make_conditional(request)
        return response


@lru_cache(MAX_FILES)
def minified(text: str, suffix: str) -> str:
    """A style sheet or a script, by its suffix."""
    return cast(str, MINIFIERS[suffix](text))
