import pytest

from service.errors import Conflict, OutsideLimit
from service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from service.games.events.planning import Events
from service.games.library import persons
from service.games.write import Write
from service.maintenance.verify import verify
from service.storage import Limit

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


@pytest.mark.parametrize("key", ["bem", "ann"])
@pytest.mark.parametrize("change", ["rename", "join"])
def test_an_undo_brings_back_what_the_change_did_to_events(store, games, events, key, change):
    games.create("bof", {}, {"South": "Benno", "North": "Zoe"}, WRITE)
    before = names(events, games)
    if change == "rename":
        after = persons.rename(events, store, key, "Benjamin", WRITE)
    else:
        after = persons.join(events, store, key, "Benno", WRITE)
    assert names(events, games)[0] != before[0]
    assert persons.undo(events, store, after, newest(store, after), WRITE, is_admin=False) == key
    assert names(events, games) == before
    assert [report for report in verify(store) if report.faults] == []


def test_an_undo_leaves_what_was_written_after_the_change(store, games, events):
    persons.rename(events, store, "bem", "Ben", WRITE)
    number = newest(store, "ben")
    events.rename_player({"ben"}, "Benjamin", WRITE, "cup")
    persons.undo(events, store, "ben", number, WRITE, is_admin=False)
    assert names(events, games)[0] == ["Ann", "Benjamin", "Cleo", "Dan"]


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


def test_who_may_change_no_game_of_the_event_renames_nobody_there(store, games, events):
    before = names(events, games)
    with pytest.raises(Conflict):
        persons.rename(events, store, "bem", "Dan", WRITE)
    with pytest.raises(OutsideLimit):
        persons.rename(events, store, "bem", "Ben", Write("api", limit=Limit("event", "Other")))
    assert names(events, games) == before
    assert persons.load_person(store, "bem").changes == ()
