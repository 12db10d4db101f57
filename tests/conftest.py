"""Fixtures that several folders use, options of pytest, and the tier of each test (`tests/tiers.py`)."""

from __future__ import annotations

import copy
import functools
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from pebble import CONSTS

from inkeek.drivers import registry
from inkeek.service import app as service_app, create_app, rooms
from inkeek.service.app import Application
from inkeek.service.http.api import openapi
from inkeek.service.http.context import services_of
from inkeek.service.http.rooms import LoadedRoom
from inkeek.service.http.routes import register_routes
from inkeek.service.http.services import Services
from inkeek.service.processes.garbage import collect_less
from inkeek.service.processes.workers import calculator
from inkeek.service.settings import Settings, memory_folder
from tests.databases import KINDS, PostgreSQL, running_postgresql, sqlite_database
from tests.service.clients import with_token
from tests.service.http.web.browsing import BROWSERS
from tests.service.page_text import PageResponse
from tests.tiers import is_slow, is_slow_file, needs_linux, place

# How long an example takes says more of the machine, and of what else it does, than of the code.
settings.register_profile(
    "explore", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("same examples", settings.get_profile("explore"), derandomize=True)
settings.load_profile("same examples")

GENERATORS = Path(__file__).parents[1] / "build/generators"  # where `.ci/generators` installs them
CONSTS.sleep_unit = 0.01  # seconds: processes that calculate end with each application, and their pool looks this often
FINDING_TIME = 600.0  # seconds, on a busy machine
ROOM = 4 << 30  # bytes of temporary files that the tests may leave at once
if (memory := memory_folder()) is not None and shutil.disk_usage(memory).free > ROOM:
    # A commit of SQLite waits for a disk; a new database of PostgreSQL is hundreds of files, and waits for its journal.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)
    os.environ.setdefault("TMPDIR", memory)
    tempfile.tempdir = None  # pytest has asked for it before


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, tests in (
        ("postgresql", "on PostgreSQL"),
        ("micropython", "under MicroPython"),
        ("generators", "of generated clients"),
        ("proxies", "of nginx and Caddy"),
    ):
        parser.addoption(
            f"--{name}",
            choices=("can", "must"),
            default="can",
            help=f"must: fail tests {tests} instead of skipping them where they cannot run",
        )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    path = collection_path.relative_to(config.rootpath).as_posix()
    left_out = config.option.markexpr == "not slow" and is_slow_file(path)
    left_out |= sys.platform != "linux" and needs_linux(path)
    return True if left_out and collection_path.is_file() else None


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    collect_less()  # each application is garbage in cycles, and Python looks for it among all modules and tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_slow(item):
            item.add_marker("slow")
    items.sort(key=lambda item: place(item.nodeid))


@pytest.fixture(scope="session")
def postgresql(request: pytest.FixtureRequest) -> Iterator[PostgreSQL]:
    """A server for each test process."""
    with running_postgresql(must=request.config.getoption("--postgresql") == "must") as server:
        yield server


@pytest.fixture(scope="session")
def node_programs(request: pytest.FixtureRequest) -> Path:
    """The folder of the programs of `.ci/generators`. Without them, skips the test, or fails it with ``must``."""
    if shutil.which("node") is None or not (GENERATORS / "installed").is_file():
        reason = "the generators of clients are not installed: run .ci/generators, which needs npm"
        pytest.fail(reason) if request.config.getoption("--generators") == "must" else pytest.skip(reason)
    return GENERATORS / "node_modules/.bin"


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    """Runs every test that uses a database once on each kind."""
    return str(request.param)


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new database with the tables."""
    with _database(database_kind, request, tmp_path, empty=False) as url:
        yield url


@pytest.fixture
def empty_database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new database without tables."""
    with _database(database_kind, request, tmp_path, empty=True) as url:
        yield url


def _database(kind: str, request: pytest.FixtureRequest, folder: Path, *, empty: bool) -> AbstractContextManager[str]:
    if kind == "sqlite":
        return sqlite_database(folder, empty=empty)
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.database(empty=empty)


class CompiledTemplates(BytecodeCache):
    """The templates that an application of this process has compiled."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


COMPILED_TEMPLATES = CompiledTemplates()


def with_compiled_templates(app: Application) -> Environment:
    environment = Flask.create_jinja_environment(app)
    environment.bytecode_cache = COMPILED_TEMPLATES
    return environment


REGISTERED = (  # the fields of an application that blueprints add to
    "blueprints",
    "view_functions",
    "error_handler_spec",
    "before_request_funcs",
    "after_request_funcs",
    "teardown_request_funcs",
    "template_context_processors",
    "url_value_preprocessors",
    "url_default_functions",
)


class LastingRoutes:
    """The routes of all applications of a test process: to register them takes most of the time to create one."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], Flask] = {}

    def register(self, app: Flask, rooms: Sequence[LoadedRoom]) -> None:
        """As `register_routes`, which only the first application with these rooms calls."""
        key = tuple(room.room.name for room in rooms)
        if key not in self._first:
            self._first[key] = Application(app.import_name, static_folder=None, template_folder=None)
            register_routes(self._first[key], rooms)
        first = self._first[key]
        app.url_map = first.url_map
        app.jinja_env.filters.update(first.jinja_env.filters)
        app.jinja_env.globals = first.jinja_env.globals | app.jinja_env.globals
        for name in REGISTERED:
            getattr(app, name).update(_copied(getattr(first, name)))


def _copied(registered: Any) -> Any:
    """A copy of tables and lists that an application adds to."""
    if not isinstance(registered, dict):
        return copy.copy(registered) if isinstance(registered, list) else registered
    copied = copy.copy(registered)  # some have defaults
    copied.update({key: _copied(value) for key, value in registered.items()})
    return copied


class LastingProcesses(calculator.Processes):
    """Processes that calculate for all applications of a test process: to start one takes longer than most tasks."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End what an application still calculates, and keep the other processes for the next application."""
        with self._lock:
            for future in self._futures:
                future.cancel()


lasting_processes = functools.cache(LastingProcesses)


@functools.cache
def _document(blueprints: tuple[openapi.ApiBlueprint, ...], settings: Settings) -> dict[str, Any]:
    return openapi.document(blueprints, settings)


def shared_document(blueprints: Sequence[openapi.ApiBlueprint], settings: Settings) -> dict[str, Any]:
    """The OpenAPI document, which is made once for all applications with the same settings: it names no place."""
    return _document(tuple(blueprints), replace(settings, data="", database=""))


Drivers = list[tuple[EntryPoint, registry.Plugin]]
look_for_drivers: Callable[[Iterable[EntryPoint] | None], Drivers] = registry._plugins


look_for_points = registry.installed_points
Places = tuple[tuple[str, int], ...]  # the folders of the path, and when each changed last


def _places() -> Places:
    there = [(name, Path(name)) for name in sys.path]
    return tuple((name, folder.stat().st_mtime_ns) for name, folder in there if folder.exists())


@functools.cache
def _drivers_on(places: Places) -> Drivers:
    return look_for_drivers(None)


@functools.cache
def _points_on(places: Places, group: str) -> list[EntryPoint]:
    return look_for_points(group)


def lasting_drivers(points: Iterable[EntryPoint] | None) -> Drivers:
    """The installed drivers, looked for again when a folder of the path has changed: that reads hundreds of files."""
    return list(_drivers_on(_places())) if points is None else look_for_drivers(points)


def lasting_points(group: str) -> list[EntryPoint]:
    """The entry points of a group, likewise."""
    return list(_points_on(_places(), group))


# Every application of a test process has these, wherever it is created.
service_app.register_routes = LastingRoutes().register
Application.create_jinja_environment = with_compiled_templates  # type: ignore[method-assign]
openapi._document = shared_document  # type: ignore[assignment]
registry._plugins = lasting_drivers
rooms.installed_points = lasting_points  # type: ignore[attr-defined]


@pytest.fixture
def app(database: str, tmp_path: Path) -> Iterator[Flask]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calculator, "Processes", lasting_processes)
        app = create_app(
            {
                "data": str(tmp_path),
                "database": database,
                "stream_poll": 0.01,
                "stream_heartbeat": 0.05,
                "desk_poll": 0.01,
                "finding_time": FINDING_TIME,
                "analysis_time": 400.0,
            }
        )
    app.response_class = PageResponse
    yield app
    services_of(app).close()


@pytest.fixture
def services(app: Flask) -> Services:
    return services_of(app)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client whose token has all scopes."""
    return with_token(app)


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser of this machine, driven for the whole run."""
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Declares the project's drivers as an installed package would, if none is installed or an older one is."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"][registry.GROUP]
    if not points.keys() <= {driver.name for driver in registry.drivers() if driver.error is None}:
        info = tmp_path / "site" / "inkeek-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: inkeek\nVersion: 0\n")
        lines = [f"{name} = {target}" for name, target in points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *lines, ""]))
        monkeypatch.syspath_prepend(info.parent)
        path = os.pathsep.join([str(info.parent), os.getcwd(), os.environ.get("PYTHONPATH", "")])
        monkeypatch.setenv("PYTHONPATH", path)
