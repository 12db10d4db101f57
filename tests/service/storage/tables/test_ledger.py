import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from inkeek.records import ruleset
from inkeek.service.games.event_data import CreatedData, TagsData
from inkeek.service.games.event_kinds import content_of
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance.verify import rebuild, verify, verify_game
from inkeek.service.storage import GENESIS, LedgerHead
from inkeek.service.storage.integrity.chain import chained
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.feed import FeedCursor, FeedFilter
from inkeek.service.storage.tables.ledger import LISTED_AT_ONCE

WRITE_API = Write("api")


def play(games, game_id, turns=1):
    for _ in range(turns):
        games.play(game_id, games.load(game_id).legal(1)[0], WRITE_API)


def entries(store, after=0, limit=1000):
    store.update_ledger()
    with store.reading() as transaction:
        return transaction.ledger.entries_after(after, limit)


def assert_whole(store):
    """The entries are chained, without holes, and name each event of each game once and in order."""
    found = entries(store)
    notes = [entry.note for entry in found]
    assert list(chained(LedgerHead(), notes)) == found
    sealed = {}
    for entry in found:
        assert entry.first == sealed.get(entry.game, (0, GENESIS))[0] + 1
        sealed[entry.game] = (entry.seq, entry.head)
    with store.reading() as transaction:
        rows = transaction.games.page(1000)[0]
        numbers = {game_id: number for number, game_id in transaction.games.numbered(0, 1000)}
        assert transaction.ledger.head() == (len(found), found[-1].hash if found else GENESIS)
    assert sealed == {row.id: (row.seq, row.hash) for row in rows}
    assert all(entry.number == numbers[entry.game] for entry in found)
    return found


def test_the_entries_of_a_game_are_found_among_those_that_are_listed_and_the_last_ones(store, games):
    first = games.create("bof", {}, {}, WRITE_API).id
    contents = [content_of(CreatedData("bof", {}, None, {}, [], str(ruleset("bof").start())), "api")]
    store.update_ledger()
    for count in (LISTED_AT_ONCE - 4, 1, LISTED_AT_ONCE + 2):
        games.add_all([games.prepare(contents, WRITE_API) for _ in range(count)])
        store.update_ledger()
        play(games, first)
        store.update_ledger()
    found = [entry for entry in entries(store, limit=9999) if entry.game == first]
    assert [entry.seq for entry in found] == [1, 2, 3, 4]
    with store.reading() as transaction:
        assert transaction.ledger.of_game(first) == (found, [])
        last = transaction.ledger.head().position
        for where in (FeedFilter(game_id=first), FeedFilter(first, kind="turn")):
            page = transaction.feed.read(FeedCursor(found[1].position - 1), 9, last, where)
            assert [item.cursor.position for item in page.items] == [entry.position for entry in found[1:]]
        assert transaction.ledger.list_fault() is None
    with store.writing() as transaction:
        transaction.ledger._session.exec_driver_sql("UPDATE ledger_games SET number = 7 WHERE position = 1")
        assert transaction.ledger.list_fault() is not None
        assert verify_game(transaction, first).faults
        transaction.ledger.list_again()
        assert transaction.ledger.list_fault() is None
        assert not verify_game(transaction, first).faults


def test_a_wrong_list_of_entries_is_reported_and_rebuilt(store, games):
    games.create("bof", {}, {}, WRITE_API)
    store.update_ledger()
    with store.writing() as transaction:
        transaction.ledger._session.exec_driver_sql("INSERT INTO ledger_games VALUES (7, 1)")
    assert [report.id for report in verify(store) if report.faults] == [None]
    assert all(not report.faults for report in rebuild(store))
    assert [report.id for report in verify(store) if report.faults] == []


def test_every_event_of_every_game_stands_in_the_ledger_in_order(store, games):
    assert assert_whole(store) == []
    first = games.create("bof", {}, {}, WRITE_API).id
    play(games, first)
    second = games.create("oware", {}, {}, WRITE_API).id
    play(games, first)
    games.end(second, "agreement", None, WRITE_API)
    found = assert_whole(store)
    assert [(entry.game, entry.first, entry.seq) for entry in found] == [
        (first, 1, 1),
        (first, 2, 2),
        (second, 1, 1),
        (first, 3, 3),
        (second, 2, 2),
    ]
    assert entries(store, after=2, limit=2) == found[2:4]


def test_what_is_stored_together_is_one_entry_for_each_game(store, games):
    created = CreatedData("bof", {}, None, {}, [], str(ruleset("bof").start()))
    new = [
        games.prepare([content_of(created, "api"), content_of(TagsData({"Round": "1"}), "api")], WRITE_API)
        for _ in range(3)
    ]
    games.add_all(new)
    assert [(entry.game, entry.first, entry.seq) for entry in assert_whole(store)] == [
        (game.row.id, 1, 2) for game in new
    ]


def test_what_is_undone_leaves_no_entry(store, games):
    game = games.create("bof", {}, {}, WRITE_API).id

    def fail():
        with games.edit(game, WRITE_API) as editor:
            editor.append(TagsData({}))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert len(assert_whole(store)) == 1


def test_a_whole_transaction_together_is_in_the_ledger(store, games):
    with store.together():
        game = games.create("bof", {}, {}, WRITE_API).id
        games.retag(game, {"Round": "1"}, WRITE_API)
    assert [(entry.first, entry.seq) for entry in assert_whole(store)] == [(1, 2)]


def test_writers_and_readers_at_once_see_one_order(store, database):
    """Readers extend the ledger while writers append; positions that were read never change."""
    over = threading.Event()

    def write(seed):
        own = Store(database, 30.0)
        games = Games(own, max_plies=5000)
        try:
            ids = [games.create("bof", {}, {}, WRITE_API).id for _ in range(2)]
            for turn in range(10):
                play(games, ids[(seed + turn) % 2])
        finally:
            own.close()

    def read():
        own = Store(database, 30.0)
        seen = []
        try:
            while True:
                last = over.is_set()
                seen += entries(own, after=seen[-1].position if seen else 0, limit=7)
                if last and len(entries(own)) == len(seen):
                    return seen
        finally:
            own.close()

    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        writers = [pool.submit(write, seed) for seed in range(3)]
        try:
            for writer in writers:
                writer.result()
        finally:
            over.set()
        found = assert_whole(store)
        assert len(found) == 3 * 12
        assert [reader.result() for reader in readers] == [found, found]
