"""All settings with defaults and bounds: the fields of `Settings`.

A setting comes from an option of the command line, else from the environment (``INKEEK_PORT`` for `port`), else from
the file that ``config`` names, else it is the default. Unknown names are refused.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_data_path
from tzlocal import get_localzone

from inkeek.records.text import decode_utf8

from .errors import SettingError
from .files import read_bounded

PREFIX = "INKEEK_"
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable in which prometheus_client looks for its folder
TOKEN_VARIABLE = "INKEEK_TOKEN"  # not a setting: the token of `inkeek board attach`
LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
PLAIN, ENCRYPTED = "plain", "tls"  # what the file `phones` may say
WEB, DESK, JOBS = ROLES = "web", "desk", "jobs"
SHARED_MEMORY = "/dev/shm"
DATABASE_FILE = "inkeek.sqlite3"  # in the folder of data
_SITE = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?", re.ASCII)
_ORIGIN = re.compile(
    r"null|(?!http://[^/]*:80$|https://[^/]*:443$)[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?",
    re.ASCII,
)
MAX_FILE = 1 << 20  # bytes of the file of settings


def _setting(
    default: Any, says: str, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"says": says, "low": low, "high": high, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """All settings, within their bounds. Times are in seconds, sizes in bytes."""

    config: str = _setting("", "TOML file of settings; cannot be set in that file")
    data: str = _setting("", "database folder; empty: the user's data folder")
    time_zone: str = _setting("", "zone of the times on pages, such as Africa/Nairobi; empty: that of this machine")
    database: str = _setting("", "database URL; empty: an SQLite file in the data folder")
    roles: str = _setting(",".join(ROLES), "parts of the service that run here, separated by commas")
    max_connections: int = _setting(
        40, "connections to PostgreSQL of all processes together, at least 4 and 4 for each of the workers", 8, 1000
    )
    host: str = _setting("127.0.0.1", "address to serve on; other than loopback, every request needs a token")
    phones: str = _setting(
        "",
        "file whose presence lets other devices of the network in, as host 0.0.0.0 does; with the text tls the service "
        "makes itself a certificate; a page writes it",
    )
    port: int = _setting(8000, "TCP port to serve on; 0: any free one", 0, 65535)
    allowed_hosts: str = _setting(
        "", "host names of the service besides loopback, separated by commas; with TLS, links have the first"
    )
    allowed_origins: str = _setting(
        "",
        "origins whose pages may use the API with a token, as browsers write them, such as https://app.example, "
        "capacitor://localhost or null, separated by commas",
    )
    frame_ancestors: str = _setting(
        "", "sites that may show /games/ID/embed in a frame, such as https://club.example, separated by spaces"
    )
    proxies: int = _setting(0, "reverse proxies in front whose X-Forwarded headers are trusted", 0, 5)
    tls_cert: str = _setting("", "certificate chain, PEM; empty: no TLS")
    tls_key: str = _setting("", "private key of the certificate, PEM")
    workers: int = _setting(1, "web processes", 1, 64)
    threads: int = _setting(16, "writes that each web process handles at once, and requests that wait", 4, 512)
    client_timeout: float = _setting(10.0, "how long a client may take for a request, or pause within it", 0.1, 600)
    link_lifetime: float = _setting(900.0, "lifetime of a one-time sign-in link", 10, 86400)
    session_lifetime: float = _setting(2592000.0, "lifetime of a browser's session", 60, 31536000)
    rate: float = _setting(50.0, "average requests per second of a remote client; 0: no limit", 0, 100000)
    rate_burst: int = _setting(500, "burst of requests of a remote client", 1, 1_000_000)
    log_format: str = _setting("text", "format of logs; json: one object per line", choices=LOG_FORMATS)
    log_level: str = _setting("info", "level of logs; info: one line per request", choices=LOG_LEVELS)
    max_body: int = _setting(1 << 20, "bytes in a request body", 1 << 10, 1 << 28)
    max_import: int = _setting(16 << 20, "bytes in an import", 1 << 10, 1 << 30)
    max_import_games: int = _setting(10_000, "games in an import", 1, 1_000_000)
    max_plies: int = _setting(5_000, "turns in a game", 1, 100_000)
    idempotency_kept: float = _setting(86400.0, "how long the answer to an Idempotency-Key is kept", 1, 31536000)
    max_page: int = _setting(200, "games in a page of the list", 1, 1_000)
    max_event_games: int = _setting(5_000, "games of an event whose standings are computed", 1, 100_000)
    max_legal: int = _setting(500, "legal turns in an answer", 1, 5_000)
    max_streams: int = _setting(2000, "live streams of each web process", 1, 10_000)
    max_boards: int = _setting(8, "boards open at once", 1, 500)
    max_feed: int = _setting(100_000, "events that one answer of the feed in NDJSON reads", 1, 10_000_000)
    max_findings: int = _setting(3, "findings that run or wait in each web process; half without a key", 1, 100)
    finding_time: float = _setting(10.0, "how long a finding may take, with waiting", 0.1, 600)
    max_analyses: int = _setting(6, "analyses that run or wait in each web process; half without a key", 1, 100)
    analysis_time: float = _setting(10.0, "most seconds for the analysis of a position", 0.1, 600)
    job_workers: int = _setting(1, "processes that analyze games in the background; 0: none", 0, 64)
    dask: str = _setting(
        "", "address of a Dask scheduler whose workers analyze games; empty: processes of this machine"
    )
    max_jobs: int = _setting(5, "analyses of games of each key that run or wait", 1, 1000)
    max_job_games: int = _setting(1000, "games in an analysis", 1, 100_000)
    stream_poll: float = _setting(0.005, "interval at which a process with live streams polls the database", 0.001, 60)
    stream_heartbeat: float = _setting(5.0, "interval of heartbeats on an idle stream", 0.05, 60)
    stream_lifetime: float = _setting(3600.0, "duration of a stream; its reader reconnects", 0.1, 86400)
    plug_poll: float = _setting(
        0.5, "interval at which the desk looks for boards that are plugged in, and asks new ports; 0: never", 0, 60
    )
    desk_poll: float = _setting(0.2, "interval at which the desk looks for new boards and turns", 0.01, 60)
    board_still: float = _setting(2.0, "how long a board without buttons must be still for its turn to count", 0.2, 60)
    recordings: str = _setting("", "folder for recordings of board sessions; empty: no recordings")
    recordings_size: int = _setting(1 << 28, "bytes of all recordings; the oldest are deleted", 1 << 20, 1 << 33)
    backup_folder: str = _setting("", "folder that gets a backup each hour of play; empty: the one chosen on /backup")
    tables: str = _setting("", "folder of endgame tables; empty: `tables` in the data folder")
    without_rooms: str = _setting("", "optional parts of the service to leave out, separated by commas")
    lock_timeout: float = _setting(10.0, "how long to wait for a lock on the database", 0.1, 600)

    @property
    def data_folder(self) -> Path:
        if self.data:
            return Path(self.data)
        return user_data_path("inkeek")

    @functools.cached_property
    def zone(self) -> ZoneInfo:
        """The zone of `time_zone`."""
        return ZoneInfo(self.time_zone) if self.time_zone else get_localzone()

    @property
    def tables_folder(self) -> Path:
        return Path(self.tables) if self.tables else self.data_folder / "tables"

    @property
    def rules_folder(self) -> Path:
        return self.data_folder / "rules"

    @property
    def key_file(self) -> Path:
        """Where the club's key is."""
        return self.data_folder / "key.pem"

    @property
    def database_url(self) -> str:
        return self.database or f"sqlite:///{quote(str(self.data_folder / DATABASE_FILE))}"

    @property
    def waiting_threads(self) -> int:
        """How many threads of a web process may wait for something to happen."""
        return max(1, self.threads - 4)

    @functools.cached_property
    def parts(self) -> frozenset[str]:
        """The parts in `roles`."""
        return frozenset(role.strip() for role in self.roles.split(","))

    @property
    def desk_connections(self) -> int:
        """How many of `max_connections` the desk has, one of them for its lock."""
        return max(3, self.max_connections // 5) if DESK in self.parts else 0

    @property
    def jobs_connections(self) -> int:
        """How many of `max_connections` the process of jobs has."""
        return 2 if JOBS in self.parts else 0

    @property
    def web_connections(self) -> int:
        """How many each web process has, besides one that imports. While there are streams, one looks for changes."""
        return (self.max_connections - self.desk_connections - self.jobs_connections) // self.workers - 1

    @property
    def finding_threads(self) -> int:
        """How many threads of a web process may wait for findings; at least one other thread waits for nothing."""
        return min(self.max_findings, max(1, self.threads - self.waiting_threads - 1))

    @property
    def phones_choice(self) -> str:
        """What the file `phones` says: `PLAIN` or `ENCRYPTED`; empty: no other device of the network is let in."""
        try:
            text = read_bounded(self.phones, MAX_FILE).decode("utf-8", "replace") if self.phones else None
        except OSError:
            return ""
        return "" if text is None else ENCRYPTED if text.strip() == ENCRYPTED else PLAIN

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect, and not through a proxy."""
        return is_loopback(self.host) and not self.proxies

    @property
    def left_out(self) -> frozenset[str]:
        """The names in `without_rooms`."""
        return frozenset(name.strip() for name in self.without_rooms.split(",") if name.strip())

    @property
    def served_names(self) -> frozenset[str]:
        """The names in `allowed_hosts`."""
        return frozenset(name.strip().lower() for name in self.allowed_hosts.split(",") if name.strip())

    @property
    def public_name(self) -> str:
        """The first name in `allowed_hosts`, if others reach the service by it: with TLS, its own or a proxy's."""
        return self.allowed_hosts.partition(",")[0].strip() if self.proxies or self.tls_cert else ""

    @functools.cached_property
    def origins(self) -> frozenset[str]:
        """The origins in `allowed_origins`."""
        return frozenset(origin.strip() for origin in self.allowed_origins.split(",") if origin.strip())


def memory_folder() -> str | None:
    """Return a folder in memory for temporary files, None if there is none.

    On a disk, touching a file can wait for the file system's journal, which every stored event makes it write.
    """
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None


NAMES = tuple(f.name for f in fields(Settings))


def read_settings(environ: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """Return the settings that `flags` (None means "not given"), the environment and the file of settings give.

    :raises SettingError: an unknown name or a value out of bounds; the message says what is allowed.
    """
    values: dict[str, tuple[str, object]] = {}
    for key, text in environ.items():
        if key.startswith(PREFIX) and key != TOKEN_VARIABLE:
            values[_check_name(key.removeprefix(PREFIX).lower(), key)] = (key, text)
    for name, value in (flags or {}).items():
        if value is not None:
            values[_check_name(name, name)] = (name, value)
    path = str(values["config"][1]) if "config" in values else ""
    if path:
        values = {**_read_file(path), **values}
    resolved: dict[str, Any] = {name: _convert(name, *given) for name, given in values.items()}
    settings = Settings(**resolved)
    _check_together(settings)
    return settings


def _read_file(path: str) -> dict[str, tuple[str, object]]:
    """Return the settings of a TOML file by name: their names in messages, and their values.

    :raises SettingError: the file cannot be read, or holds an unknown name.
    """
    try:
        given = tomllib.loads(decode_utf8(read_bounded(path, MAX_FILE)))
    except (OSError, ValueError) as error:
        raise SettingError(f"config is {path!r}: {error}") from error
    except RecursionError as error:
        raise SettingError(f"config is {path!r}: its values are nested too deeply") from error
    if "config" in given:
        raise SettingError(f"{path}: config cannot be set in the file itself; remove it")
    return {_check_name(name, name, f" in {path}"): (f"{name} (in {path})", value) for name, value in given.items()}


def _check_together(settings: Settings) -> None:
    """:raises SettingError: settings that exclude each other, an invalid site, or a folder that no URL can name."""
    try:
        settings.data.encode()
    except UnicodeEncodeError as error:
        raise SettingError(f"data is {settings.data!r}: expected a name in UTF-8; rename the folder") from error
    if not settings.parts <= set(ROLES):
        raise SettingError(f"roles is {settings.roles!r}: expected one or more of {', '.join(ROLES)}, with commas")
    for site in settings.frame_ancestors.split():
        if not _SITE.fullmatch(site):
            raise SettingError(f"frame_ancestors names {site!r}: expected sites such as https://club.example")
    for origin in settings.origins:
        if not _ORIGIN.fullmatch(origin):
            raise SettingError(
                f"allowed_origins names {origin!r}: expected each origin as browsers write it, such as "
                "https://app.example, without a path, a default port or *"
            )
    try:
        settings.zone  # noqa: B018
    except (ZoneInfoNotFoundError, ValueError) as error:
        found = f"time_zone is {settings.time_zone!r}" if settings.time_zone else "this machine's zone is not known"
        raise SettingError(f"{found}: expected time_zone as in the tz database, such as Africa/Nairobi") from error
    if settings.database.startswith("postgresql") and settings.max_connections < 4 + 4 * settings.workers:
        raise SettingError(
            f"max_connections is {settings.max_connections}, but {settings.workers} workers need at least "
            f"{4 + 4 * settings.workers}"
        )
    if bool(settings.tls_cert) != bool(settings.tls_key):
        given, missing = ("tls_cert", "tls_key") if settings.tls_cert else ("tls_key", "tls_cert")
        raise SettingError(f"{given} is set without {missing}: set both for TLS")


@functools.lru_cache(maxsize=256)  # every request asks
def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_address(host: str) -> bool:
    """Return whether `host` is an IP address, not a name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def as_environ(settings: Settings) -> dict[str, str]:
    """Return the environment with which a child process reads the same settings: without the file, which may have
    changed since it was read."""
    given = replace(settings, config="")
    return {PREFIX + name.upper(): str(getattr(given, name)) for name in NAMES}


def _check_name(name: str, shown: str, place: str = "") -> str:
    if name in NAMES:
        return name
    near = difflib.get_close_matches(name, NAMES, 1)
    hint = f"did you mean {near[0]!r}?" if near else "the settings are " + ", ".join(NAMES)
    raise SettingError(f"there is no setting {shown!r}{place}; {hint}")


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
    except (TypeError, ValueError, OverflowError) as error:
        word = "a whole number" if kind is int else "a number"
        raise SettingError(f"{shown} is {value!r}: expected {word}") from error
    low, high = spec.metadata["low"], spec.metadata["high"]
    if not low <= number <= high:
        raise SettingError(f"{shown} is {value!r}: expected {low:g} to {high:g}")
    return number
