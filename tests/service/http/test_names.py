"""Pages and lists with many names: how many queries they take."""

import pytest

from service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from service.games.library import persons
from service.games.write import Write
from service.http.names import name_id
from service.storage.database.session import Session

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
def queries(monkeypatch):
    """The queries that were run."""
    found = []

    def counted(method):
        def run(self, query, values=None):
            found.append(query)
            return method(self, query, values)

        return run

    for name in ("execute", "run"):
        monkeypatch.setattr(Session, name, counted(getattr(Session, name)))
    return found


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
