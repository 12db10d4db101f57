"""Games that are known are those that would be read."""

from dataclasses import replace

from records import Move
from service.games.cache import GameCache
from service.games.repository import Games
from service.games.write import Write
from service.storage import Store


def game(parts, plies=0):
    row = parts.games.create("bof", {}, {}, Write("api"))
    for move in ("a", "B", "b")[:plies]:
        parts.games.play(row.id, Move.parse(move), Write("api"))
    return row.id


def test_a_game_that_has_not_changed_is_the_one_that_was_read(parts):
    game_id = game(parts, 2)
    loaded = parts.games.load(game_id)
    assert parts.games.load(game_id) is loaded
    parts.games.play(game_id, Move.parse("b"), Write("api"))
    again = parts.games.load(game_id)
    assert (again.row.ply, len(again.record.plies), len(again.events)) == (3, 3, 4)


def test_what_another_process_wrote_is_seen(parts, database):
    game_id = game(parts, 1)
    assert parts.games.load(game_id).row.ply == 1
    other = Store(database)
    Games(other, max_plies=10).play(game_id, Move.parse("B"), Write("api"))
    other.close()
    assert [str(ply.move) for ply in parts.games.load(game_id).record.plies] == ["ax5", "Bx2"]


def test_not_more_events_are_kept_than_told(parts):
    known = GameCache(max_events=5)
    loaded = [parts.games.load(game(parts, plies)) for plies in (1, 1, 2, 0)]
    for one in loaded:
        known.keep((one.id,), one)
    assert [known.find(one.id, (one.id,)) is one for one in loaded] == [False, False, True, True]
    known.keep((loaded[3].id,), replace(loaded[3], events=loaded[2].events * 3))
    assert [known.find(one.id, (one.id,)) is one for one in loaded] == [False, False, True, False]


def test_a_board_that_was_bound_is_seen(parts):
    game_id = game(parts, 1)
    loaded = parts.games.load(game_id)
    board = parts.boards.bind("loop://", "inkeek", game_id)
    again = parts.games.load(game_id)
    assert (again.board.id, again.events) == (board.id, loaded.events)


def test_a_glance_differs_when_anything_of_the_game_does(parts):
    game_id = game(parts, 1)
    before = parts.store.glance(game_id)
    assert parts.store.glance(game_id) == before
    with parts.store.writing() as transaction:
        row = transaction.games.get(game_id)
        transaction.games.put(replace(row, tags={"Event": "x"}))
    tagged = parts.store.glance(game_id)
    board = parts.boards.bind("loop://", "inkeek", game_id)
    bound = parts.store.glance(game_id)
    parts.boards.report(board.id, {**board.status, "message": "hm"})
    assert len({before, tagged, bound, parts.store.glance(game_id)}) == 4
    assert parts.store.glance("nothing") is None


def test_a_glance_within_a_transaction_sees_what_it_did(parts):
    with parts.store.together():
        game_id = game(parts, 1)
        assert parts.store.glance(game_id) is not None
        assert parts.games.load(game_id).row.ply == 1
