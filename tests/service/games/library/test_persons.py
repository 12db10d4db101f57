from dataclasses import replace

import pytest

from inkeek.records import Move
from inkeek.service.errors import Conflict, Invalid, OutsideLimit
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of, with_players
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.standings import as_written, load_event, load_rows, standings
from inkeek.service.games.library import persons
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.write import Write
from inkeek.service.maintenance.verify import verify
from inkeek.service.storage import Limit

WRITE = Write("page:Koinet:k3f9", "Nasieku")


@pytest.fixture
def events(store, games):
    """A cup with two games in the first round: one has begun, the other has not."""
    events = Events(store, games, 1000)
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("Ann", "Bem", "Cleo", "Dan"), 1))
    events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="all"), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    begun = plan_of(row).rounds[0].pairings[0].game
    games.play(begun, games.load(begun).legal(1)[0], WRITE)
    return events


def names(events, games):
    """The players of the plan, and South and North of its games."""
    plan = plan_of(events.load("cup"))
    tags = [games.row(one.game).tags for one in plan.rounds[0].pairings]
    return [player.name for player in plan.players], [(one["South"], one["North"]) for one in tags]


def newest(store, key):
    return persons.load_person(store, key).changes[0].number


def all_said(store):
    with store.reading() as transaction:
        rows = transaction.changes._session.exec_driver_sql("SELECT key, data FROM changes")
        return " ".join(f"{row[0]} {row[1]}" for row in rows).casefold()


@pytest.mark.parametrize("begins", [False, True], ids=["", "whose games begin meanwhile"])
@pytest.mark.parametrize("key", ["bem", "ann"])
@pytest.mark.parametrize("change", ["rename", "join"])
def test_an_undo_brings_back_what_the_change_did_to_events(store, games, events, key, change, begins):
    games.create("bof", {}, {"South": "Benno", "North": "Zoe"}, WRITE)
    before = names(events, games)
    if change == "rename":
        after = persons.rename(events, store, key, "Benjamin", WRITE)
    else:
        after = persons.join(events, store, key, "Benno", WRITE)
    assert names(events, games)[0] != before[0]
    if begins:
        later = plan_of(events.load("cup")).rounds[0].pairings[1].game
        games.play(later, games.load(later).legal(1)[0], WRITE)
    assert persons.undo(events, store, after, newest(store, after), WRITE, is_admin=False) == key
    assert names(events, games) == before
    assert [report for report in verify(store) if report.faults] == []


def test_an_undo_leaves_what_was_written_after_the_change(store, games, events):
    games.create("bof", {}, {"South": "Bem"}, WRITE)
    persons.rename(events, store, "bem", "Ben", WRITE)
    number = newest(store, "ben")
    events.rename_player({"ben"}, "Benjamin", WRITE)
    persons.undo(events, store, "ben", number, WRITE, is_admin=False)
    assert names(events, games)[0] == ["Ann", "Benjamin", "Cleo", "Dan"]


def test_a_change_that_was_stored_with_the_number_of_a_player_is_undone(games, events):
    before = names(events, games)
    events.rename_player({"bem"}, "Ben", WRITE)
    events.restore_names([["cup", 2, "Bem", "Ben"]], WRITE)
    assert names(events, games) == before


def test_of_a_person_who_was_taken_out_no_change_says_the_name(store, games, events):
    persons.rename(events, store, "bem", "Ben", WRITE)
    found = persons.take_out(games, events, store, "ben", WRITE)
    players, seats = names(events, games)
    assert found.name in players
    assert found.name in {name for pair in seats for name in pair}
    assert not any(name in all_said(store) for name in ("bem", '"ben'))
    assert "cleo" not in all_said(store)  # what named both is deleted
    assert [change.kind for change in persons.load_person(store, found.name).changes] == ["removal"]
    assert [report for report in verify(store) if report.faults] == []


def test_a_name_that_is_taken_out_is_out_of_everything_that_is_shown(store, games, events):
    tags = {"South": "Ruth", "North": "Zoe", "SouthTeam": "Ruth; Bo", "Recorder": "ruth"}
    game_id = games.create("bof", {}, tags, WRITE).id
    games.play(game_id, Move.parse("c"), Write("api", actor="RUTH"), ["ruth was sure", "no Ruthven"])
    witness = games.create("bof", {}, {"South": "Zoe"}, WRITE).id
    games.play(witness, Move.parse("c"), Write("api", actor="Ruth"))
    removal = persons.take_out(games, events, store, "ruth", WRITE)
    assert (removal.games, removal.more) == (2, False)
    assert [(quote.game, quote.text) for quote in removal.quoted] == [(game_id, "ruth was sure")]
    for one in (game_id, witness):
        game = games.load(one)
        for shown in (game.pmn(), game.events, game.row, games.news(one, 0, 99), games.snapshots([one])[0].events):
            text = str(shown).replace("ruth was sure", "").replace("no Ruthven", "")
            assert "ruth" not in text.casefold()
            assert removal.name in text or shown == game.row
    assert persons.take_out(games, events, store, removal.name.casefold(), WRITE).games == 2
    assert [report for report in verify(store) if report.faults] == []


def test_who_may_change_no_game_of_the_event_renames_nobody_there(store, games, events):
    before = names(events, games)
    with pytest.raises(Conflict):
        persons.rename(events, store, "bem", "Dan", WRITE)
    with pytest.raises(OutsideLimit):
        persons.rename(events, store, "bem", "Ben", Write("api", limit=Limit("event", "Other")))
    assert names(events, games) == before
    assert persons.load_person(store, "bem").changes == ()


class TestOnePerson:
    @pytest.fixture
    def joined(self, store, games, events):
        """Benno Zuri, whose other name is Benjamin Otieno."""
        for name in ("Benno Zuri", "Benjamin Otieno"):
            games.create("bof", {}, {"South": name, "North": "Zoe"}, WRITE)
        return persons.join(events, store, "benjamin otieno", "Benno Zuri", WRITE)

    def test_plays_once_in_a_plan(self, events, joined):
        players = (EventPlayer(1, "Benno Zuri"), EventPlayer(2, "Benjamin Otieno"))
        with pytest.raises(Invalid, match="one person"):
            events.create(EventPlan("Other", games=(OfferedGame("bof"),), players=players), WRITE)
        events.create(EventPlan("Other", games=(OfferedGame("bof"),), players=players[:1]), WRITE)
        added = [{"id": 1}, {"name": "Benjamin Otieno"}]
        with pytest.raises(Invalid, match="one person"):
            events.change("other", None, lambda plan: with_players(plan, added), WRITE)

    def test_two_players_of_an_event_are_not_joined(self, store, events):
        with pytest.raises(Conflict, match="Cup"):
            persons.join(events, store, "ann", "Bem", WRITE)

    def test_no_new_name_and_no_undo_make_one_of_two(self, store, games, events):
        games.create("bof", {}, {"South": "Xenia", "North": "Zoe"}, WRITE)
        players = (EventPlayer(1, "Xenia"), EventPlayer(2, "Wanja"), EventPlayer(3, "Zoe"))
        events.create(EventPlan("Other", games=(OfferedGame("bof"),), players=players), WRITE)
        with pytest.raises(Conflict, match="Other"):
            persons.rename(events, store, "xenia", "Wanja", WRITE)
        persons.rename(events, store, "xenia", "Yael", WRITE)
        persons.undo(events, store, "yael", newest(store, "yael"), WRITE, is_admin=False)
        added = [{"id": 1}, {"id": 2}, {"id": 3}, {"name": "Yael"}]
        events.change("other", None, lambda plan: with_players(plan, added), WRITE)
        with pytest.raises(Conflict, match="Other"):
            persons.undo(events, store, "xenia", newest(store, "xenia"), WRITE, is_admin=False)

    def test_is_adopted_once_from_the_tags_of_games(self, games, events, joined):
        for name in ("Benno Zuri", "Benjamin Otieno"):
            games.create("bof", {}, {"South": name, "North": "Zoe", "Event": "Tags"}, WRITE)
        assert [player.name for player in events.adopted("tags").players] == ["Benno Zuri", "Zoe"]

    @pytest.mark.parametrize("prefix", ["benn", "benj", "Benjamin O"])
    def test_is_found_by_the_beginning_of_each_name(self, store, joined, prefix):
        with store.reading() as transaction:
            assert [row.key for row in transaction.names.players(prefix, 9)] == [joined]

    @pytest.mark.parametrize("word", ["zuri", "otie"])
    def test_is_found_by_later_words_of_each_name(self, store, joined, word):
        with store.reading() as transaction:
            assert [row.key for row in transaction.names.with_word(word, 9)] == [joined]

    def test_opponents_of_one_game_are_never_offered_as_one(self, store, games):
        games.create("bof", {}, {"South": "Anna", "North": "Zoe"}, WRITE)
        games.create("bof", {}, {"South": "Anne", "North": "Yael"}, WRITE)
        assert [row.name for row in persons.near_players(store, "Anna")] == ["Anne"]
        games.create("bof", {}, {"South": "Anna", "North": "Anne"}, WRITE)
        assert persons.near_players(store, "Anna") == persons.near_players(store, "anne") == []

    def test_is_written_one_way_in_an_event(self, store, games):
        games.create("bof", {}, {"South": "ANN", "North": "Zoe"}, WRITE)
        events = Events(store, games, 1000)
        players = (EventPlayer(1, "Ann", "Reds"), EventPlayer(2, "Ben", "Blues"), EventPlayer(3, "Cleo", "REDS"))
        events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="teams"), WRITE)
        rows, plan, known = load_rows(store, "cup", 1000)
        assert [one.name for one in standings(rows, known, plan)] == ["ANN", "Ben", "Cleo"]
        assert [player.name for player in plan.players] == ["ANN", "Ben", "Cleo"]
        assert [player.team for player in plan.players] == ["Reds", "Blues", "Reds"]
        games.create("bof", {}, {"South": "ANN", "North": "Zoe", "Event": "CUP"}, WRITE)
        assert load_event(store, "cup").name == "Cup"

    def test_a_series_that_has_begun_keeps_the_names(self, store, games):
        events = Events(store, games, 1000)
        players = (EventPlayer(1, "Ann"), EventPlayer(2, "Bem"))
        events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="all", legs=2), WRITE)
        first = plan_of(events.begin_round("cup", 1, WRITE)).pairings[0].game
        games.play(first, games.load(first).legal(1)[0], WRITE)
        games.end(first, "resignation", "South", WRITE)
        second = Matches(store, games).go_on(first, "", {}, WRITE)
        named = [{"id": 1}, {"id": 2, "name": "Ben"}]
        events.change("cup", None, lambda plan: with_players(plan, named), WRITE)
        assert {games.row(id).tags["North"] for id in (first, second.id)} == {"Bem"}


class TestPlan:
    """What a plan makes of the names of who has played (Ann and Dan), and who has not (Bem and Cleo)."""

    @pytest.fixture
    def change(self, store, events):
        def change(*names, limit=None):
            given = [{"id": id, "name": name} for id, name in enumerate(names, 1)]
            write = replace(WRITE, limit=limit)
            return persons.change_plan(events, store, "cup", None, lambda plan: with_players(plan, given), write)

        return change

    def test_a_new_name_of_who_has_played_is_the_persons(self, store, change):
        change("Annabel", "Bem", "Cleo", "Dan")
        person = persons.load_person(store, "ann")
        assert (person.key, person.joined) == ("annabel", ("ann",))

    def test_a_former_name_of_who_has_not_played_here_is_the_persons_again(self, store, events, change):
        persons.rename(events, store, "bem", "Zoe", WRITE)
        change("Ann", "Bem", "Cleo", "Dan")
        person = persons.load_person(store, "zoe")
        assert (person.key, person.joined) == ("bem", ("zoe",))
        with store.reading() as transaction:
            assert as_written(transaction, plan_of(events.load("cup"))).by_id[2].name == "Bem"

    @pytest.mark.parametrize("names", [("Dan", "Bem", "Cleo", "Ann"), ("Zoe", "Bem", "Cleo", "Dan")])
    def test_who_has_played_becomes_nobody_else(self, games, events, change, names):
        games.create("bof", {}, {"South": "Zoe"}, WRITE)
        with pytest.raises(Conflict, match="Ann"):
            change(*names)
        assert plan_of(events.load("cup")).by_id[1].name == "Ann"

    def test_a_game_whose_result_was_tapped_has_the_new_name(self, games, events, change):
        events.change_table("cup", None, 1, 2, {"result": "1-0"}, WRITE)
        change("Ann", "Ben", "Cleo", "Dan")
        assert games.row(plan_of(events.load("cup")).pairings[1].game).tags["South"] == "Ben"

    def test_who_is_limited_to_the_event_renames_nobody_who_has_played(self, change):
        with pytest.raises(OutsideLimit):
            change("Annabel", "Bem", "Cleo", "Dan", limit=Limit("event", "Cup"))
