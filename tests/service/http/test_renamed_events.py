"""Whoever still has the address of an event that was renamed reads and changes the event."""

import pytest
from flask import url_for

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from inkeek.service.games.write import Write
from inkeek.service.http.names import name_id
from inkeek.service.storage import Limit
from tests.service.clients import with_token

WRITE = Write("api")
SHOWN = '{"name": ["Cup"], "game.bof": ["yes"]}'
PLAN = {"version": "1", "shown": SHOWN, "name": "Cup", "game.bof": "yes", "place": "Narok", "player": ["1", "2"]}
FORMS = {  # what the forms of the pages send
    "web.set_event_rules": {"rung": "warning", "appeal_minutes": "20"},
    "web.change_event_plan": PLAN,
    "web.begin_round": {"version": "", "south": "1", "north": "2"},
    "web.change_table": {"round": "1", "table": "1", "result": "1-0"},
    "web.invite": {"role": "organizer"},
    "web.withdraw_invitation": {},
    "web.change_guest": {"do": "end"},
}
BODIES = {  # what the operations of the API take
    "names.set_event_rules": {"ladder": ["warning"], "appeal_minutes": 30},
    "evenings.change_event_plan": {"place": "Narok"},
    "evenings.begin_round": {"pairings": [{"south": 1, "north": 2}]},
    "evenings.change_table": {"result": "1-0"},
    "invitations.create_invitation": {"role": "organizer"},
    "invitations.withdraw_invitation": None,
    "invitations.set_keeper": None,
    "invitations.end_guest": None,
}


@pytest.fixture
def renamed(app, client, services):
    """An event of three names, with an invitation to its table and who came with it."""
    players = (EventPlayer(1, "Ann"), EventPlayer(2, "Ben"))
    services.events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players), WRITE)
    client.post("/events/cup/people", data={"role": "keeper", "table": "1"})
    (made,), _ = services.invitations.of_event("cup")
    app.test_client().post(f"/join/{made.code}", data={"name": "Farah", "do": "keep"})
    for before, after in (("cup", "Old Cup"), ("old cup", "New Cup")):
        client.patch(f"/api/v1/events/{name_id(before)}/plan", json={"name": after})
    (made,), (guest,) = services.invitations.of_event("new cup")
    return {"invitation_id": made.id, "guest_id": guest.key.id, "number": 1, "table": 1}


def routes(app):
    """The routes with an event in their address: of pages by its name, of operations by its id."""
    return {
        rule.endpoint: rule
        for rule in app.url_map.iter_rules()
        if "event_id" in rule.arguments or rule.rule.startswith("/events/<path:name>")
    }


def address(app, endpoint, given):
    """The address under the first name."""
    named = {"name": "cup", "event_id": name_id("cup"), **given}
    with app.test_request_context():
        return url_for(endpoint, **{name: named[name] for name in routes(app)[endpoint].arguments})


def test_all_that_changes_an_event_is_tried(app):
    found = {name for name, rule in routes(app).items() if rule.methods & {"POST", "PUT", "PATCH", "DELETE"}}
    assert found == {*FORMS, *BODIES}


@pytest.mark.parametrize("endpoint", FORMS)
def test_a_form_of_a_renamed_event_goes_on_with_it(app, client, services, renamed, endpoint):
    if endpoint == "web.change_table":
        services.events.begin_round("new cup", None, WRITE, [(1, 2)])
    form = {**FORMS[endpoint], "version": services.events.load("new cup").version}
    answer = client.post(address(app, endpoint, renamed), data=form, follow_redirects=True)
    assert (answer.status_code, answer.request.path[:15]) == (200, "/events/new cup")


@pytest.mark.parametrize("endpoint", BODIES)
def test_an_operation_on_a_renamed_event_goes_on_with_it(app, client, services, renamed, endpoint):
    if endpoint == "evenings.change_table":
        services.events.begin_round("new cup", None, WRITE, [(1, 2)])
    (method,) = routes(app)[endpoint].methods & {"POST", "PUT", "PATCH", "DELETE"}
    answer = client.open(address(app, endpoint, renamed), method=method, json=BODIES[endpoint])
    assert answer.status_code in (200, 201, 204), answer.text


def test_what_is_read_of_a_renamed_event_is_found(app, client, renamed):
    """Pages lead to their new address; operations answer."""
    for endpoint, rule in routes(app).items():
        if "GET" not in rule.methods:
            continue
        answer = client.get(address(app, endpoint, renamed))
        is_page = endpoint.startswith("web.")
        assert answer.status_code == (302 if is_page else 200), (endpoint, answer.text)
        assert not is_page or "new%20cup" in answer.location


def test_a_key_limited_to_another_event_learns_no_new_name(app, renamed):
    other = with_token(app, "arbiter", limit=Limit("event", "Other"))
    answer = other.patch(f"/api/v1/events/{name_id('cup')}/plan", json={"place": "Narok"})
    assert (answer.status_code, "New Cup" in answer.text) == (404, False)
