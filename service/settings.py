"""Every setting, its default and its bounds, in one table: the fields of `Settings`.

A setting comes from a flag of the command line, else from the environment (``INKEEK_`` and the name in capitals), else
from the file that ``config`` names, else it is the default. Unknown names are refused.
"""

from __future__ import annotations

import difflib
import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from .errors import SettingError

PREFIX = "INKEEK_"
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable in which prometheus_client looks for its folder
TOKEN_VARIABLE = "INKEEK_TOKEN"  # no setting: what `inkeek board attach` shows to another service
SERVERS = ("auto", "gunicorn", "waitress")
LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")


SHARED_MEMORY = "/dev/shm"
MAX_FILE = 1 << 20  # bytes of a file of settings


def _setting(
    default: Any, says: str, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"says": says, "low": low, "high": high, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """All settings, resolved and within bounds. Times are in seconds, sizes in bytes."""

    config: str = _setting("", "file of settings, TOML; it stands in no such file itself")
    data: str = _setting("", "folder of the database; empty: the user's data folder")
    database: str = _setting("", "database URL; empty: an SQLite file in the data folder")
    host: str = _setting("127.0.0.1", "address to serve on; any but loopback gives nothing without a token")
    port: int = _setting(8000, "TCP port to serve on; 0: any free one", 0, 65535)
    allowed_hosts: str = _setting("", "names under which the service is asked, with commas between; besides loopback")
    proxies: int = _setting(0, "reverse proxies in front whose X-Forwarded headers are believed", 0, 5)
    tls_cert: str = _setting("", "certificate chain, PEM; empty: no TLS")
    tls_key: str = _setting("", "private key of the certificate, PEM")
    server: str = _setting("auto", "web server; auto: waitress where there is no fork", choices=SERVERS)
    workers: int = _setting(1, "web processes", 1, 64)
    threads: int = _setting(16, "threads of a web process; a live stream holds one", 4, 512)
    link_lifetime: float = _setting(900.0, "how long a one-time sign-in link is good", 10, 86400)
    session_lifetime: float = _setting(2592000.0, "how long a browser stays signed in", 60, 31536000)
    rate: float = _setting(50.0, "requests a second, on average, of a client from elsewhere; 0: no limit", 0, 100000)
    rate_burst: int = _setting(500, "requests at once of such a client", 1, 1_000_000)
    log_format: str = _setting("text", "how logs are written; json: an object a line", choices=LOG_FORMATS)
    log_level: str = _setting("info", "what is logged; info: a line a request", choices=LOG_LEVELS)
    max_body: int = _setting(1 << 20, "bytes in a request", 1 << 10, 1 << 28)
    max_import: int = _setting(16 << 20, "bytes in an import", 1 << 10, 1 << 30)
    max_import_games: int = _setting(10_000, "games in an import", 1, 1_000_000)
    max_plies: int = _setting(5_000, "turns in a game", 1, 100_000)
    idempotency_kept: float = _setting(86400.0, "how long the answer under an Idempotency-Key is kept", 1, 31536000)
    max_page: int = _setting(200, "games in a page of the list", 1, 1_000)
    max_legal: int = _setting(500, "legal turns listed in an answer", 1, 5_000)
    max_streams: int = _setting(12, "live streams of a web process; at least 2 fewer than threads", 1, 500)
    max_boards: int = _setting(8, "boards open at once", 1, 500)
    stream_poll: float = _setting(0.005, "how often a process with live streams looks for something new", 0.001, 60)
    stream_heartbeat: float = _setting(5.0, "a stream that has nothing to say says so this often", 0.05, 60)
    stream_lifetime: float = _setting(3600.0, "a stream ends after this long; its reader resumes", 0.1, 86400)
    desk_poll: float = _setting(0.2, "how often the desk looks for boards and turns entered elsewhere", 0.01, 60)
    board_still: float = _setting(2.0, "how long a board without buttons lies still until its turn counts", 0.2, 60)
    recordings: str = _setting("", "folder in which every session with a board is recorded; empty: none is")
    recordings_size: int = _setting(1 << 28, "bytes of recordings; the oldest are deleted", 1 << 20, 1 << 33)
    lock_timeout: float = _setting(10.0, "how long to wait for another writer of the database", 0.1, 600)

    @property
    def data_folder(self) -> Path:
        return Path(self.data) if self.data else user_data_path("inkeek")

    @property
    def database_url(self) -> str:
        return self.database or f"sqlite:///{self.data_folder / 'inkeek.sqlite3'}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can ask, and directly."""
        return is_loopback(self.host) and not self.proxies

    @property
    def served_names(self) -> frozenset[str]:
        """`allowed_hosts`, one by one."""
        return frozenset(name.strip().lower() for name in self.allowed_hosts.split(",") if name.strip())


def memory_folder() -> str | None:
    """A folder in memory for what no restart needs, None where there is none: on a disk, who touches a file waits while
    the file system writes its journal, which each event that is stored may have it do."""
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None


NAMES = tuple(f.name for f in fields(Settings))


def read_settings(environ: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """The settings that `flags` (by name; None is "not given") and the environment `environ` ask for.

    :raises SettingError: an unknown name or a value out of bounds; says what is allowed.
    """
    values: dict[str, tuple[str, object]] = {}
    for key, text in environ.items():
        if key.startswith(PREFIX) and key != TOKEN_VARIABLE:
            values[_known(key.removeprefix(PREFIX).lower(), key)] = (key, text)
    for name, value in (flags or {}).items():
        if value is not None:
            values[_known(name, name)] = (name, value)
    path = str(values["config"][1]) if "config" in values else ""
    if path:
        values = {**_read_file(path), **values}
    resolved: dict[str, Any] = {name: _convert(name, *given) for name, given in values.items()}
    settings = Settings(**resolved)
    _check_together(settings)
    return settings


def _read_file(path: str) -> dict[str, tuple[str, object]]:
    """The settings of a TOML file, by name, with what they are called in messages.

    :raises SettingError: the file cannot be read, or has an unknown name in it.
    """
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_FILE + 1)
        if len(text) > MAX_FILE:
            raise SettingError(f"config is {path!r}: a file of more than {MAX_FILE} bytes is no file of settings")
        told = tomllib.loads(text.decode("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingError(f"config is {path!r}: {error}") from error
    if "config" in told:
        raise SettingError(f"{path}: config names this file and cannot stand in it")
    return {_known(name, f"{name} (in {path})"): (f"{name} (in {path})", value) for name, value in told.items()}


def _check_together(settings: Settings) -> None:
    """:raises SettingError: settings that do not go together."""
    if settings.max_streams > settings.threads - 2:
        raise SettingError(
            f"max_streams is {settings.max_streams} and threads {settings.threads}: two threads must stay free of "
            f"streams; raise threads to {settings.max_streams + 2} or lower max_streams to {settings.threads - 2}"
        )
    if bool(settings.tls_cert) != bool(settings.tls_key):
        given, missing = ("tls_cert", "tls_key") if settings.tls_cert else ("tls_key", "tls_cert")
        raise SettingError(f"{given} is given without {missing}: TLS needs both")
    if settings.tls_cert and settings.server == "waitress":
        raise SettingError("server is 'waitress', which has no TLS: leave tls_cert out and put a proxy in front")


@functools.lru_cache(maxsize=256)  # it is asked of every request
def is_loopback(host: str) -> bool:
    """Whether `host` can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_address(host: str) -> bool:
    """Whether `host` is an IP address and no name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def as_environ(settings: Settings) -> dict[str, str]:
    """The environment that makes a child process read the same settings."""
    return {PREFIX + name.upper(): str(getattr(settings, name)) for name in NAMES}


def _known(name: str, shown: str) -> str:
    if name in NAMES:
        return name
    near = difflib.get_close_matches(name, NAMES, 1)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(NAMES)
    raise SettingError(f"there is no setting {shown!r}; {hint}")


def _convert(name: str, shown: str, value: object) -> object:
    spec = next(f for f in fields(Settings) if f.name == name)
    kind: Any = type(spec.default)
    choices: tuple[str, ...] = spec.metadata["choices"]
    if kind is str:
        if not isinstance(value, str) or (choices and value not in choices):
            raise SettingError(f"{shown} is {value!r}: expected {', '.join(choices) or 'text'}")
        return value
    try:
        if isinstance(value, bool) or (kind is int and isinstance(value, float)):
            raise TypeError
        number = kind(value)
    except (TypeError, ValueError) as error:
        word = "a whole number" if kind is int else "a number"
        raise SettingError(f"{shown} is {value!r}: expected {word}") from error
    low, high = spec.metadata["low"], spec.metadata["high"]
    if not low <= number <= high:
        raise SettingError(f"{shown} is {value!r}: expected {low:g} to {high:g}")
    return number
