import re

import pytest

from inkeek.records import Move
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.events.standings import load_standings
from inkeek.service.games.write import Write
from inkeek.service.storage import Limit
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import form_fields

SETTINGS = {  # of the event Open, with the name of its first player mended
    "name": "Open", "game.oware": "yes", "format": "all", "legs": "1", "player": ["1", "2"], "name.1": "Lemayian",
    "name.2": "Ben",
    "state.1": "in", "state.2": "in",
}  # fmt: skip


def text(response):
    assert response.status_code == 200, response.status_code
    return response.get_data(as_text=True)


@pytest.fixture
def arbiter(app):
    return signed_in(app, "arbiter", "record")


@pytest.fixture
def game(new_game):
    new_game(tags={"South": "Lemayian", "North": "Koinet", "Event": "Cup"})
    return new_game(1, tags={"South": "Lemayan", "North": "Ben", "Event": "Cup", "Date": "2026.11.20", "Round": "2"})


def test_a_near_name_is_joined_and_separated_on_the_page_of_the_player(app, arbiter, game):
    page = text(arbiter.get("/players/lemayan"))
    near = form_fields(page, "form 2")  # after those of the head
    assert near["into"] == "lemayian"
    answer = arbiter.post("/players/lemayan", data={**near, "action": "join"})
    assert (answer.status_code, answer.location) == (303, "/players/lemayian")
    assert arbiter.get("/players/Lemayan").location == "/players/lemayian"
    number = re.search(r'name="?number"? value="?(\d+)', text(arbiter.get("/players/lemayian")))[1]
    undone = arbiter.post("/players/lemayian", data={"action": "undo", "number": number})
    assert undone.location == "/players/lemayan"
    assert arbiter.post("/players/lemayan", data={"action": "undo", "number": number}).status_code in (404, 409)
    assert "<form" not in text(signed_in(app, "read").get("/players/lemayan")).partition("<main")[2]


def test_what_is_refused_stands_on_the_page_of_the_player(arbiter, game):
    for form, status in (
        ({"action": "join", "into": "Lemayan"}, 422),
        ({"action": "join", "into": "Ben"}, 409),
        ({"action": "name", "name": "Lemayian"}, 409),
        ({"action": "dance"}, 400),
    ):
        assert arbiter.post("/players/lemayan", data=form).status_code == status
    assert arbiter.post("/players/lemayan/privacy", data={"action": "initials"}).status_code == 403


def test_only_an_administrator_shows_initials_and_pages_honour_them(app, arbiter, game, games):
    admin = signed_in(app, "admin")
    answer = admin.post("/players/lemayan/privacy", data={"action": "initials"})
    for address in (
        answer.location,
        "/",
        "/players",
        "/events/cup",
        f"/games/{game}/review",
        f"/games/{game}/card.svg",
    ):
        shown = text(signed_in(app, "read").get(address))
        assert "L." in shown, address
        assert "Lemayan" not in shown, address
    assert games.row(game).tags["South"] == "Lemayan"
    number = re.search(r'name="?number"? value="?(\d+)', text(admin.get("/players/lemayan")))[1]
    undo = {"action": "undo", "number": number}
    assert arbiter.post("/players/lemayan", data=undo).status_code == 403
    assert admin.post("/players/lemayan", data=undo).status_code == 303
    assert "Lemayan" in text(arbiter.get("/players/lemayan"))


def test_taking_out_needs_a_confirmation(app, game, games):
    admin = signed_in(app, "admin")
    assert admin.post("/players/lemayan/privacy", data={"action": "remove"}).status_code == 400
    answer = admin.post("/players/lemayan/privacy", data={"action": "remove", "confirm": "yes"})
    assert games.row(game).tags["South"] in text(admin.get(answer.location))
    assert admin.get("/players/lemayan").status_code == 404


def test_tags_are_corrected_on_the_page_of_the_game(app, client, games, game):
    fields = {"South": "Lemayian", "was.South": "Lemayan", "Date": "2026-11-21", "was.Date": "2026-11-20"}
    unchanged = {"North": "Ben", "was.North": "Ben", "Board": "7", "was.Board": "", "Round": "", "was.Round": "2"}
    recorder = signed_in(app)
    answer = recorder.post(f"/games/{game}/tags", data={**fields, **unchanged})
    assert answer.status_code == 303
    tags = games.row(game).tags
    assert tags == {"South": "Lemayian", "North": "Ben", "Event": "Cup", "Date": "2026.11.21", "Board": "7"}
    changed = games.load(game).events[-1]
    assert (changed.kind, changed.data["tags"]["Round"]) == ("tags", None)
    assert changed.source.startswith("page:Naisula")
    assert signed_in(app, "read").post(f"/games/{game}/tags", data=fields).status_code == 403
    refused = recorder.post(f"/games/{game}/tags", data={"South": "x" * 70_000, "was.South": "Lemayian"})
    assert refused.status_code in (413, 422)


@pytest.mark.parametrize("place", ["player", "plan"])
def test_a_mended_name_is_mended_in_the_plan_of_the_event_too(arbiter, app, services, games, place):
    players = (EventPlayer(1, "Lemayan"), EventPlayer(2, "Ben"))
    services.events.create(
        EventPlan("Open", games=(OfferedGame("oware"),), players=players, format="all"), Write("api")
    )
    plan = plan_of(services.events.begin_round("open", 1, Write("api")))
    game = plan.rounds[0].pairings[0].game
    services.invitations.join(services.invitations.create("watch", "Open", "", Write("page", "Wanjiru")).id, "Lemayan")
    if place == "player":
        answer = arbiter.post("/players/lemayan", data={"action": "name", "name": "Lemayian"})
    else:
        services.events.begin_round("open", 2, Write("api"), [(2, 1)])
        games.play(game, Move.parse("a"), Write("api"))
        answer = arbiter.post("/events/open/plan", data={**SETTINGS, "version": "3"})
        assert services.games.row(game).tags["South"] == "Lemayan"  # what is written in a record stays
        game = plan_of(services.events.load("open")).rounds[1].pairings[0].game
        assert services.games.row(game).tags["North"] == "Lemayian"
        assert arbiter.get("/players/lemayan").headers["Location"] == "/players/lemayian"
        form = {"South": "Lemayian", "was.South": "Lemayan"}
        assert arbiter.post(f"/games/{game}/tags", data=form).status_code == 409
    assert answer.status_code == 303
    assert [player.name for player in plan_of(services.events.load("open")).players] == ["Lemayian", "Ben"]
    if place != "plan":
        assert services.games.row(game).tags["South"] == "Lemayian"
    assert {one.name for one in load_standings(services.store, "open", 9).players} == {"Lemayian", "Ben"}
    assert [guest.key.name for guest in services.invitations.of_event("open")[1]] == ["Lemayian"]


def test_another_name_in_a_plan_is_another_person(arbiter, app, services, game):
    players = (EventPlayer(1, "Lemayan"), EventPlayer(2, "Ben"))
    services.events.create(
        EventPlan("Open", games=(OfferedGame("oware"),), players=players, format="all"), Write("api")
    )
    for version, name in (("1", "Zoe"), ("2", "Lemayan")):
        form = {**SETTINGS, "version": version, "name.1": name}
        assert arbiter.post("/events/open/plan", data=form).status_code == 303
    services.games.create("oware", {}, {"South": "Zoe"}, Write("api"))
    limited = signed_in(app, "arbiter", limit=Limit("event", "Open"))
    assert limited.post("/events/open/plan", data={**SETTINGS, "version": "3"}).status_code == 303
    assert {arbiter.get(f"/players/{name}").status_code for name in ("zoe", "lemayan")} == {200}


def test_a_name_is_corrected_in_all_games_of_a_match(app, games, services):
    match = services.matches.begin("oware", "games 2", {}, {"South": "Ann", "North": "Ben"}, Write("api")).id
    games.end(match, "resignation", "South", Write("api"))
    second = services.matches.go_on(match, "", {}, Write("api")).id
    answer = signed_in(app).post(f"/games/{second}/tags", data={"South": "Anna", "was.South": "Ann"})
    assert answer.status_code == 303
    assert [games.row(one).tags["South"] for one in (match, second)] == ["Anna", "Anna"]


def test_a_new_name_that_is_nearly_known_is_asked_about(app, games, game):
    recorder = signed_in(app)
    form = {"game": "oware", "South": "Lemayam", "North": "Koinet", "Event": "Cup"}
    created = recorder.post("/games/new", data=form).location
    asked = re.search(r'name="?South"? value="?(\w+)', text(recorder.get(created)).partition("game-top")[2])
    assert asked[1] in ("Lemayan", "Lemayian")


def test_the_form_suggests_the_names_of_the_event_and_the_newest(client, game):
    page = text(client.get("/games/new?game=oware"))
    suggested = set(re.findall(r'<option value="?([^">]+)"?>', page.partition("player-names")[2]))
    assert {"Lemayan", "Lemayian", "Ben", "Koinet", "Cup"} <= suggested


def test_every_list_of_games_names_a_person_one_way(arbiter, game):
    assert arbiter.post("/players/lemayan", data={"action": "join", "into": "lemayian"}).status_code == 303
    for path in ("/", "/games", "/players/lemayian", "/events/cup", "/events/cup/hall"):
        page = text(arbiter.get(path))
        assert "Lemayian" in page, path
        assert "Lemayan" not in re.sub(
            r"<(?:form|datalist|details).*?</(?:form|datalist|details)>", "", page, flags=re.DOTALL
        ), path
