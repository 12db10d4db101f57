import json
from itertools import chain, count
from pathlib import Path

import pytest

from inkeek.records import Move, read_games, write_game
from inkeek.records.game import read_json_lines, write_json_line
from inkeek.service.disputes.disputes import add_claim, open_dispute
from inkeek.service.disputes.rulings import Terms, propose, rule
from inkeek.service.errors import Disputed, GameEnded
from inkeek.service.games import repository
from inkeek.service.games.library import transfer
from inkeek.service.games.library.transfer import export_games, import_games, import_records
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import EVERYTHING
from inkeek.service.storage.store import Store

EXAMPLES = sorted((Path(__file__).parents[4] / "docs" / "examples").glob("*.pmn"))

GOOD = '[South "A"]\n[Game "enkeshui"]\n[Options "pits=8 setup=fours-right"]\n\n1. c *\n'
BAD = '[South "B"]\n[Game "enkeshui"]\n[Options "pits=8 setup=fours-right"]\n\n1. a *\n'


def lines(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def rounds(*texts: str) -> list[bytes]:
    """The lines of records, of which each has another round."""
    return lines("\n".join(f'[Round "{number}"]\n{text}' for number, text in enumerate(texts, 1)))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_imported_record_is_written_out_as_it_was(services, path):
    with path.open("rb") as file:
        answers = list(import_games(services.games, file, 100, Write("import")))
    assert [entry.ok for entry in answers] == [True] * len(answers)
    assert answers
    for entry, game in zip(answers, read_games(path.read_text("utf-8").splitlines(keepends=True)), strict=True):
        assert services.games.load(entry.id).pmn() == write_game(game)
        assert services.games.integrity(entry.id) == []


def test_lines_that_are_left_out_are_listed(services):
    escaped = GOOD.replace("1. c", "% two turns not seen\n1. c")
    (entry,) = import_games(services.games, lines(escaped), 100, Write("import"))
    assert entry.ok
    assert ["two turns not seen" in str(warning) for warning in entry.left_out] == [True]


def test_each_game_is_reported_of_and_a_bad_one_does_not_stop_the_rest(services):
    answers = list(import_games(services.games, rounds(GOOD, BAD, GOOD), 100, Write("import")))
    assert [(entry.index, entry.ok) for entry in answers] == [(1, True), (2, False), (3, True)]
    error = answers[1].error
    assert (error.line, error.ply) == (13, 1)
    assert "empty" in error.message
    assert "c" in error.legal
    assert len(services.games.page(10)[0]) == 2


def test_games_that_cannot_be_stored_together_are_stored_alone(services, monkeypatch):
    """The id of the second game is taken, which is found out when the batch is stored."""
    monkeypatch.setattr(repository, "beside", lambda game, game_id: game)
    taken = services.games.create("bof", {}, {}, Write("api")).id
    ids = chain(["first", taken], map(str, count()))
    games = Games(services.store, max_plies=100, new_id=lambda: next(ids))
    answers = list(import_games(games, rounds(*[GOOD] * 3), 100, Write("import")))
    assert [(entry.index, entry.ok) for entry in answers] == [(1, True), (2, False), (3, True)]
    assert "another writer was first" in answers[1].error.message
    assert {row.id for row in games.page(9)[0]} == {"first", taken, answers[2].id}
    assert [games.integrity(one) for one in ("first", answers[2].id)] == [[], []]


@pytest.mark.parametrize(("batch", "characters"), [(1, 9999), (2, 9999), (3, 9999), (9, 1), (9, 600)])
def test_answers_come_in_order_whatever_is_stored_together(services, monkeypatch, batch, characters):
    monkeypatch.setattr(transfer, "MOST_GAMES", batch)
    monkeypatch.setattr(transfer, "MOST_CHARACTERS", characters)
    answers = list(import_games(services.games, rounds(GOOD, BAD, GOOD, GOOD, BAD, GOOD), 5, Write("import")))
    assert [(entry.index, entry.ok) for entry in answers] == list(enumerate([True, False, True, True, False, False], 1))
    stored = [row.id for row in services.games.page(9)[0]]
    assert stored == [entry.id for entry in answers if entry.ok][::-1]


@pytest.mark.parametrize(("most", "copied"), [(1, 4), (4, 2), (5, 1), (9, 0)])
def test_the_log_is_copied_after_so_many_events(services, monkeypatch, most, copied):
    calls: list[int] = []
    monkeypatch.setattr(transfer, "MOST_GAMES", 1)
    monkeypatch.setattr("inkeek.service.games.library.transfer.CHECKPOINT", most)
    monkeypatch.setattr(services.store, "checkpoint", lambda: calls.append(1))
    assert all(answer.ok for answer in import_games(services.games, rounds(*[GOOD] * 4), 9, Write("import")))
    assert len(calls) == copied


def test_a_line_that_is_no_text_is_reported(services):
    answers = list(
        import_games(services.games, [b'[South "\xff"]\n', b'[Game "enkeshui"]\n', b"\n", b"*\n"], 100, Write("import"))
    )
    assert [entry.ok for entry in answers] == [False]
    assert "UTF-8" in answers[0].error.message


def test_too_many_games_are_reported(services):
    answers = list(import_games(services.games, rounds(*[GOOD] * 4), 2, Write("import")))
    assert [entry.ok for entry in answers] == [True, True, False]
    assert "more than 2" in answers[2].error.message


def test_an_unfinished_record_goes_on(services):
    (answer,) = import_games(services.games, lines(GOOD), 10, Write("import"))
    loaded = services.games.load(answer.id)
    assert loaded.row.state == "live"
    assert services.games.play(answer.id, loaded.legal(1)[0], Write("api")).row.ply == 2


def test_the_score_of_a_game_that_goes_on_is_kept_until_it_ends(services):
    [entry] = import_games(services.games, lines('[Game "kalah"]\n[Score "0-1"]\n\n1. a *\n'), 100, Write("import"))
    assert services.games.load(entry.id).record.tags["Score"] == "0-1"
    services.games.end(entry.id, "resignation", "South", Write("api"))
    ended = services.games.load(entry.id)
    assert "Score" not in ended.record.tags
    assert "Score" not in ended.row.tags
    assert services.games.integrity(entry.id) == []


def test_a_resigned_record_keeps_its_end(services):
    text = GOOD.replace("[Game", '[Result "0-1"]\n[Game').replace("\n\n1.", '\n[Termination "resignation"]\n\n1.')
    (answer,) = import_games(services.games, lines(text.replace(" *", " 0-1")), 10, Write("import"))
    assert answer.ok, answer
    row = services.games.row(answer.id)
    assert (row.state, row.result, row.termination, row.winner) == ("ended", "0-1", "resignation", "North")


@pytest.mark.parametrize(
    ("text", "termination"),
    [
        ('[Game "bof"]\n[Setup "1.2.0.0.0/0.0.0.0.0 16-21 s 8"]\n\n5. a *\n', "normal"),
        ('[Game "bof"]\n[Termination "resignation"]\n\n1. a 0-1\n', "resignation"),
    ],
)
def test_a_result_that_no_tag_says_is_stored_and_mentioned(services, text, termination):
    (answer,) = import_games(services.games, lines(text), 10, Write("import"))
    row = services.games.row(answer.id)
    assert (row.state, row.result, row.termination, row.winner) == ("ended", "0-1", termination, "North")
    assert [type(warning) for warning in answer.warnings] == [str]  # as JSON needs it


def test_nothing_imports_nothing(services):
    assert list(import_games(services.games, [], 10, Write("import"))) == []


def test_a_race_a_setup_and_variations_are_kept(services):
    raced = (
        '[South "W"]\n[North "E"]\n[Result "*"]\n[Game "enkeshui"]\n[Options "pits=8 race=right-hand"]\n'
        '[Race "h H North"]\n[RacePosition "1.0.5.5.6.5.0.2/0.2.6.5.5.5.0.1 0-0 n 0"]\n\n1... D *\n'
    )
    laid = (
        '[Game "enkeshui"]\n[Options "pits=10 setup=0.0.3.3.3.3.3.3.3.3/0.0.3.3.3.3.3.3.3.3"]\n[Annotator "X"]\n\n'
        "{before} 1. c! {one} ( 1. d $7 ( 1. e ) 1... C ) *\n"
    )
    for text in (raced, laid):
        (game,) = read_games(text.splitlines(keepends=True))
        assert game.errors == (), text
        (answer,) = import_games(services.games, lines(text), 1, Write("import"))
        assert answer.ok, answer
        assert services.games.load(answer.id).pmn() == write_game(game)
        assert services.games.integrity(answer.id) == []
        loaded = services.games.load(answer.id)
        services.games.play(answer.id, loaded.legal(1)[0], Write("api"))
        assert services.games.integrity(answer.id) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_lines_of_an_export_are_imported_as_they_were(services, path):
    with path.open("rb") as file:
        ids = [entry.id for entry in import_games(services.games, file, 100, Write("import"))]
    exported = [
        write_json_line(game.record.with_tags(Site="B").to_json())
        for _, game in export_games(services.games, EVERYTHING)
    ]
    answers = list(import_records(services.games, read_json_lines(exported), 100, Write("import")))
    assert [entry.ok for entry in answers] == [True] * len(ids)
    for entry, before in zip(answers, ids, strict=True):
        assert entry.id != before
        record = services.games.load(before).record
        assert services.games.load(entry.id).pmn() == write_game(record.with_tags(Site="B"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "JSON"),
        ("\xff", "UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "expected an object"),
        ("{}", "tags"),
        ('{"tags": {"Game": "enkeshui"}, "comments": [], "plies": [], "more": 1}', "more"),
        ('{"tags": {"Game": "chess"}, "comments": [], "plies": [], "ended": null}', "chess"),
    ],
)
def test_a_line_that_is_no_game_is_reported_with_its_number(services, line, says):
    (answer,) = import_records(
        services.games, read_json_lines([b"\n", line.encode("latin-1"), b"\n"]), 10, Write("import")
    )
    assert (answer.index, answer.ok, answer.error.line) == (1, False, 2)
    assert says in answer.error.message


def test_a_line_with_a_turn_that_cannot_be_tells_the_legal_ones(services):
    (game,) = read_games(lines(GOOD))
    record = json.loads(json.dumps(game.to_json()))
    record["plies"][0]["move"] = "a"
    (answer,) = import_records(services.games, read_json_lines([json.dumps(record).encode()]), 10, Write("import"))
    assert (answer.ok, answer.error.line, answer.error.ply) == (False, 1, 1)
    assert "c" in answer.error.legal


def test_the_statistics_of_the_database_are_updated_after_many_games(services, monkeypatch):
    monkeypatch.setattr("inkeek.service.games.library.transfer.MANY", 2)
    updated = []
    monkeypatch.setattr(services.store, "update_statistics", lambda: updated.append(True))
    for many in (1, 2):
        assert (
            len(list(import_games(services.games, rounds(*[f'[Event "{many}"]\n{GOOD}'] * many), 9, Write("import"))))
            == many
        )
    assert updated == [True]


def test_an_export_that_nobody_reads_on_holds_few_events(services, monkeypatch):
    games = services.games
    ids = [games.create("enkeshui", {}, {}, Write("api")).id for _ in range(60)]
    read = []
    snapshots = type(games).snapshots
    monkeypatch.setattr(transfer, "READ_EVENTS", 8)
    monkeypatch.setattr(type(games), "snapshots", lambda self, ids: (read.append(len(ids)), snapshots(self, ids))[1])
    exported = export_games(games, EVERYTHING)
    next(exported)
    assert read == [1]
    assert [game.id for _, game in exported] == ids[1:]
    assert max(read) == 8
    assert sum(read) == 60


def test_an_export_reads_many_games_at_once(services, monkeypatch):
    assert len(list(import_games(services.games, rounds(*[GOOD] * 30), 99, Write("import")))) == 30
    transactions = []
    reading = services.store.reading
    monkeypatch.setattr(services.store, "reading", lambda: transactions.append(True) or reading())
    assert len([game.pmn() for _, game in export_games(services.games, EVERYTHING)]) == 30
    assert len(transactions) <= 10


def test_a_game_keeps_its_id_and_one_that_conflicts_is_stored_beside_it(services):
    def taken(text: str) -> list[transfer.ImportResult]:
        return list(import_games(services.games, lines(text), 99, Write("import")))

    text = '[Game "bof"]\n[South "{0}"]\n[GameId "k3v9wqz2mt"]\n\nc *\n'
    (first,) = taken(text.format("Ada"))
    assert (first.id, first.present) == ("k3v9wqz2mt", False)
    again, other, twice = taken("\n".join(text.format(name) for name in ("Ada", "Bo", "Bo")))
    assert (again.id, again.present) == ("k3v9wqz2mt", True)
    assert other.id != first.id
    assert (other.present, twice.id, twice.present) == (False, other.id, True)
    assert "k3v9wqz2mt" in other.warnings[-1]
    assert services.games.row(other.id).tags["OtherVersion"] == "k3v9wqz2mt"
    assert [one.present for one in taken(text.format("Bo"))] == [True]
    assert services.games.integrity(other.id) == []


@pytest.mark.parametrize("about", ["turn", "board", "end"])
def test_an_open_dispute_is_open_after_export_and_import(services, tmp_path, about):
    games = services.games
    game = games.create("bof", {}, {"South": "Ada", "North": "Bo"}, Write("api")).id
    for _ in range(3):
        games.play(game, games.load(game).legal(1)[0], Write("api", "Ada"), ["said before"])
    if about == "end":
        games.end(game, "resignation", "South", Write("api"))
    seen, kind = "4.?.4.4.4/4.4.4.4.4 0-? n 3", "end" if about == "end" else "turn"
    ply = 4 if about == "board" else None
    dispute = open_dispute(games, game, "South", "no", Write("api", "Ada"), seen, kind, ply=ply)
    add_claim(games, dispute.id, "seven, not six", Write("api", "Ada"))
    propose(games, dispute.id, "South", Terms("stands"), Write("api", "Ada"))
    text = games.load(game).pmn()
    elsewhere = Store(f"sqlite:///{tmp_path / 'elsewhere.sqlite3'}")
    elsewhere.upgrade()
    there = Games(elsewhere, max_plies=100)
    (result,) = import_games(there, text.encode().splitlines(keepends=True), 1, Write("import"))
    found = there.load(result.id)
    (row,) = found.state.disputes
    assert (row.ply, row.about, row.claim, row.seen) == (dispute.ply, dispute.about, "seven, not six", dispute.seen)
    assert found.row.dispute == row.seq
    assert found.pmn() == text
    assert there.integrity(result.id) == []
    with pytest.raises((Disputed, GameEnded)):
        there.play(result.id, Move.parse("c"), Write("api"))
    rule(there, row.id, Terms("stands"), Write("api:judge:k3", "Judge"))
    elsewhere.close()
