import re

from msgspec.structs import replace

from inkeek.service.events import plans
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, TableBoard
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from tests.service.clients import signed_in

PAGE = "/events/cup/changes"
WRITE = Write("page:Koinet:k3f9")


def test_the_page_says_who_changed_what(app, services, client, monkeypatch):
    events = services.events
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("Anyango", "Barasa", "Chebet"), 1))
    events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="swiss"), WRITE)
    events.change("cup", 1, lambda plan: replace(plan, place="Narok", legs=1, tie_breaks=("direct",)), WRITE)
    events.change("cup", 2, lambda plan: replace(plan, boards=(TableBoard(1, "/dev/ttyACM7"),)), WRITE)
    row = events.begin_round("cup", 3, Write("api", "Nasieku"))
    events.change_table("cup", row.version, 1, 1, {"result": "north"}, WRITE)
    events.change_table("cup", row.version, 1, 2, {"result": "half"}, WRITE)
    invitation = services.invitations.create("keeper", "Cup", "1", Write("page", "Koinet"))
    guest, *_ = services.invitations.join(invitation.id, "Farah")
    services.invitations.set_keeper("cup", guest.id, WRITE)
    services.invitations.end("cup", guest.id, WRITE)
    page = client.get(PAGE).text
    for words in ("Anyango", "Narok", "/dev/ttyACM7", "Nasieku", "Koinet", "Farah"):
        assert words in page, words
    assert "k3f9" not in page
    assert PAGE in client.get("/events/cup").text
    assert PAGE not in signed_in(app, "read").get("/events/cup").text
    assert signed_in(app, "read").get(PAGE).status_code == 403
    monkeypatch.setattr(plans, "MOST_CHANGES", 5)
    first = client.get(PAGE).text
    older = client.get(re.search(r'href="?(/events/cup/changes\?before=\d+)', first)[1]).text
    assert ("Narok" in first, "Narok" in older) == (False, True)
    assert not re.search('rel="?next', older)


def test_the_page_names_nobody_who_was_taken_out(services, client):
    services.games.create("bof", {}, {"South": "Barasa", "North": "Anyango"}, WRITE)
    services.events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=(EventPlayer(1, "Barasa"),)), WRITE)
    persons.take_out(services.games, services.events, services.store, "barasa", WRITE)
    page = client.get(PAGE).text
    assert page.count("<li") >= 2
    assert "Barasa" not in page
