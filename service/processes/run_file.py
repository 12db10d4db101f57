"""Where the service of a data folder runs: a small file there, for whoever starts it once more."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import getpid
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from inkeek.records.structs import decode_json
from inkeek.service.settings import Settings

from . import system

NAME = "running.json"
ANSWERS_WITHIN = 1.0  # seconds
ANY = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # where this machine finds what listens to all networks

log = logging.getLogger(__name__)


class Running(msgspec.Struct, frozen=True):
    """A service: the number of its first process, and its address for this machine."""

    pid: int
    address: str


@contextmanager
def noted(settings: Settings) -> Iterator[None]:
    """Note for the block that this process serves, at the address in the settings."""
    path = settings.data_folder / NAME
    host = settings.host.strip("[]")
    host = ANY.get(host) or (f"[{host}]" if ":" in host else host)
    own = Running(getpid(), f"{'https' if settings.tls_cert else 'http'}://{host}:{settings.port}/")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(own))
    except OSError as error:
        log.warning("%s cannot be written, so a second start will not find this service: %s", path, error)
    try:
        yield
    finally:
        if _read(path) == own:
            with suppress(OSError):
                path.unlink()


def find_running(folder: Path) -> Running | None:
    """The service that serves this data folder. A file that a killed one left is none: its process is gone, or nobody
    listens there."""
    found = _read(folder / NAME)
    if found is None or not system.may_run(found.pid):
        return None
    parts = urlsplit(found.address)
    with suppress(OSError), socket.create_connection((parts.hostname or "", parts.port or 0), ANSWERS_WITHIN):
        return found
    return None


def _read(path: Path) -> Running | None:
    try:
        return decode_json(path.read_bytes(), Running)
    except (OSError, msgspec.MsgspecError):
        return None
