import json
import re

import pytest

from inkeek.records import write_game
from inkeek.service.games.events.planning import Events
from inkeek.service.games.library import persons
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive, verify
from inkeek.service.maintenance.archive import StoredCounts
from inkeek.service.storage import PersonRow
from inkeek.service.storage.store import Store
from tests.service.maintenance.examples import import_examples


@pytest.fixture
def store(database):
    """The example of every game, one of somebody who was taken out, and one that goes on."""
    store = Store(database)
    games = import_examples(store)
    row = games.create("bof", {}, {"South": "Sokoine", "North": "Änn"}, Write("api", "Sokoine"))
    games.play(row.id, games.load(row.id).legal(9)[0], Write("api", "Sokoine"))
    persons.take_out(games, Events(store, games, most=100), store, "sokoine", Write("api"))
    row = games.create("bof", {}, {"South": "Änn", "Date": "2026.01.02"}, Write("api"))
    games.play(row.id, games.load(row.id).legal(9)[0], Write("board:S:b:7"))
    yield store
    store.close()


@pytest.fixture
def other(tmp_path):
    """An empty store, always of SQLite: what was written on one kind is read on another."""
    store = Store(f"sqlite:///{tmp_path / 'other.sqlite3'}", 5.0)
    store.upgrade()
    yield store
    store.close()


@pytest.fixture
def lines(store):
    return list(archive.export(store))


def say(store):
    """Say something of three players of new games: one is written otherwise, one is shown by initials, one is joined to
    another; a name of theirs plays the other one later."""
    games = Games(store, max_plies=10)
    for south, north in (("Tom", "Ole"), ("Resiato", "Naserian")):
        games.create("bof", {}, {"South": south, "North": north}, Write("api"))
    events = Events(store, games, most=100)
    persons.rename(events, store, "naserian", "Naserian K.", Write("api"))
    persons.join(events, store, "tom", "Resiato", Write("api"))
    persons.set_initials(store, "ole", True, Write("api"))
    games.create("bof", {}, {"South": "Tom", "North": "Resiato"}, Write("api"))


def said(store):
    with store.reading() as transaction:
        return {row.key: row for row in transaction.persons.all()}


def test_what_is_said_about_players_is_there_in_a_copy(store, other):
    say(store)
    lines = list(archive.export(store))
    assert archive.check(other, lines) == []
    for _ in range(2):
        archive.load(other, lines)
        assert list(archive.export(other)) == lines
    with other.reading() as there:
        assert [row.name for row in there.names.players("t", 9)] == ["Resiato"]
        assert there.names.shown(["ole", "naserian k."]) == {"ole": "O.", "naserian k.": "Naserian K."}


def test_what_is_said_here_about_players_stays(store, other):
    say(store)
    games = Games(other, max_plies=10)
    games.create("bof", {}, {"South": "Tom", "North": "Resiato"}, Write("api"))  # so they are two persons here
    games.create("bof", {}, {"South": "Naserian", "North": "Ben"}, Write("api"))
    persons.rename(Events(other, games, most=100), other, "naserian", "Naserian the elder", Write("api"))
    before = said(other)
    archive.load(other, list(archive.export(store)))
    assert said(other) == {**before, "ole": PersonRow("ole", initials=True)}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (PersonRow("Tom"), "'Tom'"),
        (PersonRow("tom", joined="tom"), "'tom'"),
        (PersonRow("tom", joined="resiato", initials=True), "'tom'"),
        (PersonRow("tom", name="T\u200bom"), "U[+]200B"),
    ],
)
def test_what_nobody_can_have_said_about_a_player_is_a_fault(other, row, says):
    head, end = archive.export(other)
    (fault,) = archive.check(other, [head, json.dumps({"person": row._asdict()}), end])
    assert re.search(says, fault)


def test_what_was_written_is_read_back_whole(store, lines, other):
    assert archive.check(other, lines) == []
    done = archive.load(other, lines)
    assert done == StoredCounts(verify.count(store), len(lines) - 2)
    assert list(archive.export(other)) == lines
    assert [one.faults for one in verify.verify(other)] == [()] * done.games
    with store.reading() as here, other.reading() as there:
        assert there.games.page(50) == here.games.page(50)


def test_an_empty_store_is_an_archive_too(other):
    lines = list(archive.export(other))
    assert [json.loads(line) for line in lines] == [
        {"inkeek": "events", "version": 1},
        {"end": {"games": 0, "events": 0}},
    ]
    assert archive.check(other, lines) == []
    assert archive.load(other, lines) == StoredCounts()


def test_what_is_stored_already_is_passed_over(store, lines):
    assert archive.check(store, lines) == []
    assert archive.load(store, lines) == StoredCounts()


def test_of_two_versions_of_a_game_both_are_kept_once_whatever_comes_when(store, lines, other):
    archive.load(other, lines)
    ongoing = json.loads(lines[-2])["game"]
    Games(other, max_plies=10).retag(ongoing, {"North": "Ben"}, Write("api"))
    assert archive.load(other, lines) == StoredCounts()  # an older export
    games = Games(store, max_plies=10)
    games.play(ongoing, games.load(ongoing).legal(9)[0], Write("api"))
    later = list(archive.export(store))
    assert archive.check(other, later) == []
    done = archive.load(other, later)
    ((own, beside),) = done.beside.items()
    assert (done.games, own) == (1, ongoing)
    there, here = Games(other, max_plies=10).load(beside), games.load(ongoing)
    assert there.row.tags["OtherVersion"] == ongoing
    assert [(one.time, one.actor, one.kind) for one in there.events] == [(o.time, o.actor, o.kind) for o in here.events]
    assert archive.load(other, later) == StoredCounts()
    assert [one.faults for one in verify.verify(other)] == [()] * (verify.count(store) + 1)


def test_a_game_that_came_as_a_record_is_not_stored_again(store, lines, other):
    games = Games(other, max_plies=5000)
    for line in lines:
        if '"kind": "created"' in line:
            game = Games(store, max_plies=5000).load(json.loads(line)["game"])
            text = write_game(game.record.with_tags(GameId=game.id))
            assert all(one.ok for one in import_games(games, text.encode().splitlines(keepends=True), 1, Write("x")))
    before = {row.id for row in games.page(99)[0]}
    for _ in range(2):
        done = archive.load(other, lines)
        assert (done.games, done.events, done.beside) == (0, 0, {})
        assert done.present == {game_id: game_id for game_id in before}
    assert {row.id for row in games.page(99)[0]} == before


def test_a_game_that_was_typed_in_here_too_is_not_stored_again(store, lines, other):
    games = Games(other, max_plies=9)
    mine = games.create("bof", {}, {"South": "Änn", "Date": "2026.01.02"}, Write("api"))
    ongoing = json.loads(lines[-2])["game"]
    games.play(mine.id, games.load(mine.id).legal(9)[0], Write("api"))
    assert archive.load(other, lines).present == {ongoing: mine.id}


def test_two_games_of_an_archive_stay_two(store, other):
    games = Games(store, max_plies=9)
    for _ in range(2):
        row = games.create("bof", {}, {"South": "Ben"}, Write("api"))
        games.play(row.id, games.load(row.id).legal(9)[0], Write("api"))
    lines = list(archive.export(store))
    archive.load(other, lines)
    assert list(archive.export(other)) == lines


def test_a_game_that_went_on_gets_its_later_events(store, lines, other):
    archive.load(other, lines)
    ongoing = json.loads(lines[-2])["game"]
    games = Games(store, max_plies=10)
    games.play(ongoing, games.load(ongoing).legal(9)[0], Write("api"))
    games.retag(ongoing, {"North": "Ben"}, Write("api"))
    later = list(archive.export(store))
    assert archive.check(other, later) == []
    assert archive.load(other, later) == StoredCounts(0, 2)
    assert list(archive.export(other)) == later
    assert [one.faults for one in verify.verify(other)] == [()] * verify.count(store)


def test_an_import_that_broke_off_goes_on(lines, other):
    half = lines[: len(lines) // 2]
    archive.load(other, half[: max(i for i, line in enumerate(half) if '"seq": 1,' in line)])
    assert archive.check(other, lines) == []
    archive.load(other, lines)
    assert sorted(archive.export(other)) == sorted(lines)


def without(lines, number):
    return lines[:number] + lines[number + 1 :]


def changed(lines, number, **fields):
    return [*lines[:number], json.dumps({**json.loads(lines[number]), **fields}), *lines[number + 1 :]]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda lines: [], ""),
        (lambda lines: lines[1:], "^line 1: "),
        (lambda lines: ['{"inkeek": "events", "version": 2}', *lines[1:]], "^line 1: "),
        (lambda lines: lines[:-1], '"end"'),
        (lambda lines: without(lines, 3), "event 3 "),
        (lambda lines: without(lines, -2), r"events=\d+"),
        (lambda lines: changed(lines, 2, actor="somebody"), "event 2 "),
        (lambda lines: changed(lines, 2, seq=True), "^line 3: seq: "),
        (lambda lines: changed(lines, 2, data=[]), "^line 3: data: "),
        (lambda lines: changed(lines, 2, more=1), "^line 3: more: .*game, seq"),
        (lambda lines: changed(lines, 2, actor="\ud800"), "^line 3: "),
        (lambda lines: [*lines[:2], "nonsense\n", *lines[2:]], "^line 3: .*JSON"),
        (lambda lines: [*lines[:2], "[" * 100_000, *lines[2:]], "^line 3: "),
        (lambda lines: [*lines, lines[1]], r"^line \d+: "),
        (lambda lines: [*lines[:-2], lines[1], *lines[-2:]], "^game "),
    ],
)
@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_what_is_wrong_is_reported(lines, other, spoil, says):
    faults = archive.check(other, spoil(lines))
    assert any(re.search(says, fault) for fault in faults), faults


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_no_more_faults_are_reported_than_anyone_reads(lines, other):
    assert len(archive.check(other, [lines[0], *["nonsense\n"] * 1000])) == archive.MAX_FAULTS


def test_the_boards_of_an_archive_of_an_earlier_version_are_passed_over(lines, other):
    end = {"end": {**json.loads(lines[-1])["end"], "boards": 1}}
    earlier = [*lines[:-1], json.dumps({"board": {"id": "b1", "serial": "S"}}), json.dumps(end)]
    assert archive.check(other, earlier) == []
    assert archive.load(other, earlier).games == verify.count(other)


def test_lines_are_read_in_bounded_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_LINE", 10)
    path = tmp_path / "x"
    path.write_text("a" * 25 + "\nb\n")
    with path.open() as file:
        assert [len(line) for line in archive.lines_of(file)] == [11, 11, 4, 2]
