"""Pages are sent without what only readers of their source need: indentation, and comments of styles and scripts."""

from __future__ import annotations

import mimetypes
import re
import sys
from functools import lru_cache
from pathlib import Path, PurePath
from typing import cast

from flask import Blueprint, Response, current_app, request, send_from_directory
from jinja2.ext import Extension
from rcssmin import cssmin
from rjsmin import jsmin

from inkeek.service.http.rooms import current_rooms

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
    `static`: their names begin with the name of the room."""

    def send_static_file(self, filename: str) -> Response:
        max_age = current_app.get_send_file_max_age(filename)
        room, _, name = filename.partition("/")
        folder: str | Path = cast(str, self.static_folder)
        folders = {one.room.name: one.folder for one in current_rooms() if one.folder is not None}
        if room in folders:
            folder, filename = folders[room] / "static", name
        suffix = PurePath(filename).suffix
        if suffix not in MINIFIERS:
            return send_from_directory(folder, filename, max_age=max_age)
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
