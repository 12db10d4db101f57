"""Fixtures of more than one folder: an application over a database of its own, and who asks it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from drivers import registry
from service import create_app
from service.http.context import services_of
from service.http.services import Services
from tests.databases import KINDS, PostgreSQL, running_postgresql, sqlite_database
from tests.service.clients import with_token


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--postgresql",
        choices=("can", "must"),
        default="can",
        help="must: tests on PostgreSQL fail, where they would be skipped because it cannot be had",
    )
    parser.addoption(
        "--micropython",
        choices=("can", "must"),
        default="can",
        help="must: tests under MicroPython fail, where they would be skipped because it cannot be had",
    )


@pytest.fixture(scope="session")
def postgresql(request: pytest.FixtureRequest) -> Iterator[PostgreSQL]:
    """A server of its own for each process that tests."""
    with running_postgresql(must=request.config.getoption("--postgresql") == "must") as server:
        yield server


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    """What asks for a database, here or below, is tested on each kind."""
    return str(request.param)


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database of its own, with the tables."""
    with _database(database_kind, request, tmp_path, empty=False) as url:
        yield url


@pytest.fixture
def empty_database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database of its own, without tables."""
    with _database(database_kind, request, tmp_path, empty=True) as url:
        yield url


def _database(kind: str, request: pytest.FixtureRequest, folder: Path, *, empty: bool) -> AbstractContextManager[str]:
    if kind == "sqlite":
        return sqlite_database(folder, empty=empty)
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.database(empty=empty)


@pytest.fixture
def app(database: str, tmp_path: Path) -> Iterator[Flask]:
    app = create_app(
        {
            "data": str(tmp_path),
            "database": database,
            "stream_poll": 0.01,
            "stream_heartbeat": 0.05,
            "desk_poll": 0.01,
        }
    )
    yield app
    services_of(app).close()


@pytest.fixture
def services(app: Flask) -> Services:
    return services_of(app)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Asks with a token that is good for all."""
    return with_token(app)


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The project's drivers as an installation declares them, where the tests run without one (or with an older)."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"][registry.GROUP]
    if not points.keys() <= registry.drivers().drivers.keys():
        info = tmp_path / "site" / "inkeek-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: inkeek\nVersion: 0\n")
        lines = [f"{name} = {target}" for name, target in points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *lines, ""]))
        monkeypatch.syspath_prepend(info.parent)
        path = os.pathsep.join([str(info.parent), os.getcwd(), os.environ.get("PYTHONPATH", "")])
        monkeypatch.setenv("PYTHONPATH", path)
