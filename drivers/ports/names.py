"""The names of ports: one device may have several, such as a link below ``/dev/serial/by-id``."""

from __future__ import annotations

import os
import re

_COM = re.compile(r"(?:\\\\\.\\)?(COM[0-9]+)", re.IGNORECASE)


def real_name(url: str) -> str:
    """The same text for all names of a port, as far as the system tells."""
    if url.startswith("/"):
        return os.path.realpath(url)
    if com := _COM.fullmatch(url):
        return com[1].upper()
    return url.lower() if "://" in url else url
