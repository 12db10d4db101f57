"""Pages and lists with many names: how many queries they take."""

import pytest
import sqlalchemy

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.http.names import name_id

WRITE = Write("api")
SMALL, LARGE = "Pair", "Hundred"
ADDRESSES = (
    "/events/{0}",
    "/events/{0}/hall",
    "/games?event={0}",
    "/api/v1/games?event={0}&limit=100",
    "/api/v1/players?prefix={0}&limit=200",
    "/api/v1/events/{1}/standings",
)


@pytest.fixture
def queries():
    """The queries that were run."""
    found = []

    def note(_connection, _cursor, statement, *_):
        found.append(statement)

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", note)
    yield found
    sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", note)


@pytest.fixture
def club(services, client):
    """An event with two players and one with a hundred, some of them shown by initials."""
    for event, count in ((SMALL, 2), (LARGE, 100)):
        players = tuple(EventPlayer(number, f"{event} {number}") for number in range(1, count + 1))
        services.events.create(EventPlan(event, games=(OfferedGame("oware"),), players=players, format="all"), WRITE)
        services.events.begin_round(event.casefold(), 1, WRITE)
        persons.set_initials(services.store, f"{event.casefold()} 1", True, WRITE)
    return client


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_hundred_names_take_as_many_queries_as_two(club, queries, address):
    counts = []
    for event in (SMALL, SMALL, LARGE):  # the first time, some things are read that stay in memory
        queries.clear()
        answer = club.get(address.format(event, name_id(event.casefold())))
        assert answer.status_code == 200
        assert f"{event} 2" in answer.text
        counts.append(len(queries))
    assert counts[1] == counts[2]
