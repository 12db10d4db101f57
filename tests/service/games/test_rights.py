"""Rights that end while something leans on them: each way in which one ends, once."""

from datetime import UTC, datetime, timedelta

import pytest

from inkeek.service.games.rights import Right, ended_jobs, ended_rights
from inkeek.service.games.write import Write
from inkeek.service.storage import BoardRow, KeyRow, Limit
from inkeek.service.storage.clock import stamp
from inkeek.service.storage.tables.jobs import JobRow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HERE, THERE = "Narok Open", "Kajiado Cup"
LATER, EARLIER = stamp(NOW + timedelta(hours=1)), stamp(NOW - timedelta(hours=1))
EVENT = Limit("event", HERE.upper())


@pytest.fixture
def game(games):
    return games.create("enkeshui", {}, {"Event": HERE}, Write("api")).id


@pytest.fixture
def put(store):
    """Stores the key with the id `k` and the secret `s`, as it is with these changes."""
    row = KeyRow("k", "token", "x", ("read",), "s", EARLIER, None, None, None)

    def put(**changes):
        with store.writing() as transaction:
            changed = row._replace(**changes)
            if transaction.keys.get("k") is None:
                transaction.keys.add(changed)
            else:
                transaction.keys.put(changed)

    put()
    return put


def is_over(store, right):
    job = JobRow("j", "k", "queued", right.games, {}, 0, 1, None, EARLIER, EARLIER)
    with store.reading() as transaction:
        of_stream = ended_rights(transaction, [right], stamp(NOW)) == {right}
        of_job = ended_jobs(transaction, [job], stamp(NOW)) == [job]
    return of_stream, of_job


@pytest.mark.parametrize(
    ("changes", "over"),
    [
        ({}, (False, False)),
        ({"expires": LATER}, (False, False)),
        ({"expires": stamp(NOW)}, (True, True)),
        ({"revoked": EARLIER}, (True, True)),
        ({"hash": "new"}, (True, False)),  # rotated: a job is the key's, whichever secret it has
        ({"hash": "new", "previous_hash": "s", "previous_until": LATER}, (False, False)),
        ({"hash": "new", "previous_hash": "s", "previous_until": stamp(NOW)}, (True, False)),
        ({"hash": "new", "previous_hash": "s", "previous_until": LATER, "revoked": EARLIER}, (True, True)),
    ],
)
def test_a_right_ends_with_its_key(store, put, game, changes, over):
    put(**changes)
    assert is_over(store, Right("s", games=(game,))) == over


def test_a_key_that_is_not_there_gives_no_right(store):
    assert is_over(store, Right("s")) == (True, True)


def test_a_right_ends_when_the_limit_no_longer_covers_the_game(store, games, put, game):
    put(limit=EVENT)
    right = Right("s", EVENT, (game,))
    assert is_over(store, right) == (False, False)
    games.retag(game, {"Event": THERE}, Write("api"))
    assert is_over(store, right) == (True, True)
    assert is_over(store, right._replace(games=("nothing",))) == (True, True)


def test_a_right_ends_when_its_key_gets_another_limit(store, put, game):
    put(limit=EVENT)
    other = Limit("game", game)
    assert is_over(store, Right("s", other, (game,)))[0]
    put(limit=other)
    assert is_over(store, Right("s", other, (game,))) == (False, False)
    assert is_over(store, Right("s", EVENT))[0]


def test_what_was_followed_without_a_limit_goes_on(store, games, put, game):
    """As on this machine, where reading has none."""
    put(limit=EVENT)
    games.retag(game, {"Event": THERE}, Write("api"))
    assert not is_over(store, Right("s", None, (game,)))[0]


def test_a_right_to_a_board_ends_when_its_game_moves(store, games, put, game):
    put(limit=EVENT)
    with store.writing() as transaction:
        transaction.boards.add(BoardRow("b", "far", "far:x", game, "open", None, None, 0, {}, 1, EARLIER, EARLIER))
    right = Right("s", EVENT, board="b")
    assert not is_over(store, right)[0]
    games.retag(game, {"Event": THERE}, Write("api"))
    assert is_over(store, right)[0]
    assert is_over(store, right._replace(board="nothing"))[0]
