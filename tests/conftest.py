"""Fixtures of more than one folder: an application over a database of its own, and who asks it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from drivers import registry
from service import create_app
from service.current import EXTENSION, Parts
from tests.service.asking import with_token


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = create_app({"data": str(tmp_path), "stream_poll": 0.01, "stream_heartbeat": 0.05, "desk_poll": 0.01})
    app.extensions[EXTENSION].store.upgrade()
    yield app
    app.extensions[EXTENSION].store.close()


@pytest.fixture
def parts(app: Flask) -> Parts:
    parts: Parts = app.extensions[EXTENSION]
    return parts


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Asks with a token that is good for all."""
    return with_token(app)


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The project's driver as an installation declares it, where the tests run without one."""
    if "inkeek" not in registry.drivers().drivers:
        info = tmp_path / "site" / "inkeek-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: inkeek\nVersion: 0\n")
        (info / "entry_points.txt").write_text("[inkeek.drivers]\ninkeek = drivers.boards.standard:StandardBoard\n")
        path = os.pathsep.join([str(info.parent), os.getcwd(), os.environ.get("PYTHONPATH", "")])
        monkeypatch.setenv("PYTHONPATH", path)
