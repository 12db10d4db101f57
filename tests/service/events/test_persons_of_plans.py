"""Every field of a plan that is declared to hold a person follows the person."""

import pytest

from inkeek.service.games.events import plan as plans
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.http.names import shown_plan

WRITE = Write("api")


class Helper(plans.Part, frozen=True):
    id: int
    name: plans.PersonName
    stand_in: plans.PersonName = ""


class JudgedPlan(plans.EventPlan, frozen=True):
    umpire: plans.PersonName = ""
    helpers: tuple[Helper, ...] = ()


@pytest.fixture
def names(services, monkeypatch):
    """What reads all persons of the plan of a cup, each as given or `shown`. Asha is in every place, Ben plays too."""
    monkeypatch.setattr(plans, "EventPlan", JudgedPlan)
    monkeypatch.setattr(plans, "FIELDS", (*plans.FIELDS, "umpire", "helpers"))
    services.games.create("bof", {}, {"South": "Asha", "North": "Ben"}, WRITE)
    players = (plans.EventPlayer(1, "Asha"), plans.EventPlayer(2, "Ben"))
    cup = JudgedPlan("Cup", players=players, umpire="Asha", helpers=(Helper(1, "Ben", "Asha"), Helper(2, "Asha")))
    services.events.create(cup, WRITE)

    def read(shown=False):
        plan = plans.plan_of(services.events.load("cup"))
        plan = shown_plan(plan) if shown else plan
        return [plan.umpire, *(one.name for one in plan.players), *(one.name for one in plan.helpers)], [
            one.stand_in for one in plan.helpers
        ]

    return read


def everywhere(name):
    return [name, name, "Ben", "Ben", name], [name, ""]


def test_a_person_is_renamed_restored_hidden_and_taken_out_in_every_place(app, services, names):
    events, store = services.events, services.store
    assert names() == everywhere("Asha")
    assert persons.rename(events, store, "asha", "Asha Noor", WRITE) == "asha noor"
    assert names() == everywhere("Asha Noor")
    number = persons.load_person(store, "asha noor").changes[0].number
    assert persons.undo(events, store, "asha noor", number, WRITE, is_admin=False) == "asha"
    assert names() == everywhere("Asha")
    persons.set_initials(store, "asha", True, WRITE)
    with app.test_request_context():
        assert names(shown=True) == everywhere("A.")
    assert names() == everywhere("Asha")
    stand_in = persons.take_out(services.games, events, store, "asha", WRITE).name
    assert names() == everywhere(stand_in)
    with store.reading() as transaction:
        changes = transaction.changes.newest("event", ["cup"], 9)
    assert "asha" not in str(changes).casefold()
