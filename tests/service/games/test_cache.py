"""Games that are known are those that would be read."""

from dataclasses import replace
from itertools import combinations

from inkeek.records import Move
from inkeek.service.games.repository import EVENTS_PER_GAME, GameCache, Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store
from tests.service.boards_double import set_status


def game(services, plies=0):
    row = services.games.create("bof", {}, {}, Write("api"))
    for move in ("a", "B", "b")[:plies]:
        services.games.play(row.id, Move.parse(move), Write("api"))
    return row.id


def test_a_game_that_has_not_changed_is_the_one_that_was_read(services):
    game_id = game(services, 2)
    loaded = services.games.load(game_id)
    assert services.games.load(game_id) is loaded
    services.games.play(game_id, Move.parse("b"), Write("api"))
    again = services.games.load(game_id)
    assert (again.row.ply, len(again.record.plies), len(again.events)) == (3, 3, 4)


def test_what_another_process_wrote_is_seen(services, database):
    game_id = game(services, 1)
    assert services.games.load(game_id).row.ply == 1
    other = Store(database)
    Games(other, max_plies=10).play(game_id, Move.parse("B"), Write("api"))
    other.close()
    assert [str(ply.move) for ply in services.games.load(game_id).record.plies] == ["ax5", "Bx2"]


def test_not_more_is_kept_than_fits(services):
    known = GameCache(max_size=5 + 2 * EVENTS_PER_GAME)
    loaded = [services.games.load(game(services, plies)) for plies in (1, 1, 2, 0)]
    for one in loaded:
        known.keep((one.id,), one)
    assert [known.find(one.id, (one.id,)) is one for one in loaded] == [False, False, True, True]
    known.keep((loaded[3].id,), replace(loaded[3], events=loaded[2].events * 4))
    assert [known.find(one.id, (one.id,)) is one for one in loaded] == [False, False, True, False]


def test_games_without_turns_take_their_share(services):
    known = GameCache(max_size=3 * (1 + EVENTS_PER_GAME))
    loaded = [services.games.load(game(services)) for _ in range(5)]
    for one in loaded:
        known.keep((one.id,), one)
    assert [known.find(one.id, (one.id,)) is one for one in loaded] == [False, False, True, True, True]


def test_a_board_that_was_bound_is_seen(services):
    game_id = game(services, 1)
    loaded = services.games.load(game_id)
    board = services.boards.bind("loop://", "inkeek", game_id)
    again = services.games.load(game_id)
    assert (again.board.id, again.events) == (board.id, loaded.events)


def test_a_version_differs_when_anything_of_the_game_does(services):
    game_id = game(services, 1)
    before = services.store.version(game_id)
    assert services.store.version(game_id) == before
    with services.store.writing() as transaction:
        row = transaction.games.get(game_id)
        transaction.games.put(row._replace(tags={"Event": "x"}))
    tagged = services.store.version(game_id)
    board = services.boards.bind("loop://", "inkeek", game_id)
    bound = services.store.version(game_id)
    set_status(services.boards, board.id, message="hm")
    versions = before, tagged, bound, services.store.version(game_id)
    assert all(one != other for one, other in combinations(versions, 2))
    assert services.store.version("nothing") is None


def test_a_version_within_a_transaction_sees_what_it_did(services):
    with services.store.together():
        game_id = game(services, 1)
        assert services.store.version(game_id) is not None
        assert services.games.load(game_id).row.ply == 1
