"""Local rule sets in the database and in the user's folder, and games that are played by them."""

import io
from pathlib import Path

import pytest

from inkeek.records import Game, Move, OptionError, read_games
from inkeek.records.rules.ruleset import read_ruleset
from inkeek.service.errors import Conflict, NotFound
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.maintenance.verify import kept_faults
from inkeek.service.storage import RulesetRow
from inkeek.service.storage.store import Store

EXAMPLES = Path("docs/examples/rules")
AYOAYO = (EXAMPLES / "ayoayo.toml").read_text("utf-8")
ID = read_ruleset(AYOAYO).id
OTHER = AYOAYO.replace("each = 4", "each = 3")
WRITE = Write("test")


def test_a_rule_set_is_added_once_and_found_and_another_of_its_id_is_refused(games):
    rulesets = games.rulesets
    assert [rulesets.add(AYOAYO, "cli")[1] for _ in range(2)] == [True, False]
    assert rulesets.find(ID) == read_ruleset(AYOAYO) == rulesets.all()[0]
    assert rulesets.text(ID) == AYOAYO
    with pytest.raises(Conflict, match=f"{ID}-2"):
        rulesets.add(OTHER, "cli")
    with pytest.raises(OptionError, match="rely"):
        rulesets.add(AYOAYO.replace("relay", "rely"), "cli")
    for least in (9, 5):
        with pytest.raises(OptionError, match="no turn can be played at the start"):
            rulesets.add(AYOAYO.replace("[start]", f"[start]\nleast = {least}"), "cli")
    with pytest.raises(OptionError, match="goes on for ever"):
        rulesets.add(AYOAYO.replace('last = "2+"', 'last = "1+"'), "cli")
    rulesets.remove(ID)
    with pytest.raises(NotFound):
        rulesets.remove(ID)
    assert rulesets.add(OTHER, "cli")[1]


def test_a_game_carries_its_rules_which_then_stay(games):
    games.rulesets.add(AYOAYO, "cli")
    row = games.create(ID, {}, {}, WRITE)
    games.play(row.id, Move.parse("a"), WRITE)
    with pytest.raises(Conflict, match=row.id):
        games.rulesets.remove(ID)
    (record,) = read_games(io.StringIO(games.load(row.id).pmn()))
    assert not record.errors
    assert record.rules().info.table == read_ruleset(AYOAYO).table
    with games.store.writing() as transaction:
        transaction.rulesets.remove(ID)  # as in another service, to which the game was moved
    assert Games(games.store, max_plies=100).load(row.id).record.replay().turns
    with pytest.raises(Conflict, match=row.id):
        games.rulesets.add(OTHER, "cli")
    assert games.rulesets.add(AYOAYO, "cli")[1]


def test_a_match_goes_on_by_its_rules(games):
    games.rulesets.add(AYOAYO, "cli")
    matches = Matches(games.store, games)
    series = matches.begin(ID, "games 2", {}, {}, WRITE)
    games.end(series.rows[0].id, "resignation", "South", WRITE)
    row = matches.go_on(series.id, "", {}, WRITE)
    assert games.load(row.id).rules.info.table == read_ruleset(AYOAYO).table


def test_files_of_the_folder_are_found_and_a_bad_one_hides_no_other(store, tmp_path):
    games = Games(store, max_plies=100, rules_folder=tmp_path)
    assert games.rulesets.all() == []
    (tmp_path / "good.toml").write_text(AYOAYO, "utf-8")
    (tmp_path / "bad.toml").write_text('id = "x:y"', "utf-8")
    (tmp_path / "idle.toml").write_text(AYOAYO.replace("[start]", "[start]\nleast = 9").replace(ID, "x:idle"), "utf-8")
    assert [info.id for info in games.rulesets.all()] == [ID]
    assert games.rulesets.text(ID) == AYOAYO
    assert games.rulesets.find("x:y").is_known is False
    with pytest.raises(Conflict):
        games.rulesets.add(OTHER, "cli")
    (tmp_path / "good.toml").write_text(OTHER, "utf-8")
    assert games.rulesets.find(ID) == read_ruleset(OTHER)


def test_the_archive_has_the_rule_sets(games, tmp_path):
    games.rulesets.add(AYOAYO, "cli")
    lines = list(archive.export(games.store))
    target = Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")
    target.upgrade()
    for _ in range(2):
        assert archive.check(target, lines) == []
        archive.load(target, lines)
    moved = Games(target, max_plies=100).rulesets
    assert moved.text(ID) == AYOAYO
    moved.remove(ID)
    moved.add(OTHER, "cli")
    assert archive.check(target, lines) == []
    archive.load(target, lines)
    assert moved.text(ID) == OTHER
    target.close()


def test_a_row_that_cannot_be_read_hides_no_other_and_is_reported(games):
    games.rulesets.add(AYOAYO, "cli")
    with games.store.writing() as transaction:
        transaction.rulesets.add(RulesetRow("x:y", 'id = "x:y"', "2026-01-01T00:00:00.000Z", "cli"))
    assert [info.id for info in games.rulesets.all()] == [ID]
    with games.store.reading() as transaction:
        (fault,) = kept_faults(transaction)
    assert "x:y" in fault


def test_a_game_that_is_not_known_here_is_kept_without_rules(games):
    row = games.create(ID, {}, {}, WRITE, "4.4/4.4 0-0 s 0")
    assert "Rules" not in row.tags
    assert not games.load(row.id).rules.info.is_known
    assert games.rulesets.add(AYOAYO, "cli")[1]
    assert Game(tags={"Game": ID, "Setup": "4.4/4.4 0-0 s 0"}).rules().id == ID
