from datetime import UTC, datetime

import pytest
from flask import Flask

from inkeek.service import create_app
from inkeek.service.http.access.keys import Keys
from inkeek.service.http.context import services_of
from tests.databases import sqlite_database


@pytest.fixture
def make(tmp_path):
    """Makes applications over one database, with the settings given."""
    made = []

    def make(**settings) -> Flask:
        made.append(create_app({"data": str(tmp_path), **settings}))
        return made[-1]

    with sqlite_database(tmp_path, empty=False):
        yield make
    for app in made:
        services_of(app).store.close()


class Time:
    """An evening, as a clock that stands until a test moves it."""

    now = datetime(2026, 11, 21, 18, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def keys(services, time):
    return Keys(services.store, clock=time)
