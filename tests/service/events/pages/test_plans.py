import json
import re
from html import unescape

import pytest
from msgspec.structs import replace

from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.events.plan import TableBoard, plan_of
from inkeek.service.games.library.persons import set_initials
from inkeek.service.games.write import Write
from inkeek.service.http.names import name_id
from inkeek.service.storage import Limit
from tests.service.boards_double import set_status
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import form_fields, visible_words

FORM = {
    "name": "Saturday Cup",
    "game.bof": "yes",
    "game.oware": "yes",
    "start.oware": "",
    "time.bof": "600",
    "pasted": "Ann\n\nBen; Red\nCleo\nDan\n",
    "format": "all",
    "legs": "1",
}
PAGE = "/events/saturday%20cup"


def stored(services):
    return plan_of(services.events.load("saturday cup"))


def test_an_evening_is_held_with_forms_alone(client, services):
    assert client.post("/events/new", data=FORM).headers["Location"].endswith(PAGE)
    assert [game.game for game in stored(services).games] == ["bof", "oware"]
    assert (stored(services).games[0].time_control, stored(services).players[1].team) == ("600", "Red")
    assert client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "1"}).status_code == 303
    assert client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "1"}).status_code == 409
    tables = {"version": "2", "round": "1", "table": "1"}
    assert client.post(f"{PAGE}/tables", data={**tables, "south": "2", "north": "4"}).status_code == 303
    changed = client.post(f"{PAGE}/tables", data={**tables, "version": "3", "result": "1-0"})
    assert changed.status_code == 303
    page = client.get(PAGE).text
    assert {"table-1", "table-2"} <= set(re.findall('id="(table-[0-9])"', page))
    assert "Ben" in page
    assert client.get(f"{PAGE}?game=oware").status_code == client.get(f"{PAGE}?round=1").status_code == 200


def test_the_result_of_a_game_that_nobody_records_is_one_tap_and_shown(client, services):
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "0"})
    live = f"/games/{stored(services).rounds[0].pairings[0].game}/live"
    assert 'class="time-limit"' in client.get(live).text
    buttons = 'name="result" value="1/2-1/2"'
    assert client.get(PAGE).text.count(buttons) == 2
    tap = {"version": "2", "round": "1", "table": "2", "result": "1/2-1/2"}
    assert client.post(f"{PAGE}/tables", data=tap).status_code == 303
    page = client.get(PAGE).text
    assert page.count(buttons) == page.count('class="table-result"') == 1
    assert '"table-result">Draw' in page
    assert client.post(f"{PAGE}/tables", data={**tap, "version": "3", "table": "1", "result": "0-1"}).status_code == 303
    page = client.get(PAGE).text
    players = stored(services).by_id
    assert f"{players[stored(services).rounds[0].pairings[0].north].name} wins" in page
    assert "adjudication" not in visible_words(page)


def test_an_evening_lists_no_game_twice_and_leaders_only_with_points(client):
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "0"})
    page = client.get(PAGE).text
    assert ('class="game-list"' in page, 'id="leaders-head"' in page) == (False, False)
    assert 'href="/games?event=Saturday+Cup"' in page
    client.post(f"{PAGE}/tables", data={"version": "2", "round": "1", "table": "2", "result": "1-0"})
    assert 'id="leaders-head"' in client.get(PAGE).text


def test_an_open_dispute_is_one_tap_from_the_event_and_the_hall_for_arbiters(app, client, services):
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "0"})
    game = stored(services).rounds[0].pairings[0].game
    services.games.play(game, services.games.load(game).legal(1)[0], Write("api"))
    seq = open_dispute(services.games, game, "South", "no", Write("api")).seq
    link = f'href="/games/{game}/disputes/{seq}"'
    page = client.get(PAGE).text
    assert page.index(link) < page.index('id="table-1"')
    assert "data-open-dispute" not in signed_in(app, "read").get(PAGE).text
    waiting = re.search('data-fresh="waiting">(.*?)</section>', page, re.DOTALL)[1]
    alerts = re.search('data-fresh="alerts"(.*?)</div>', client.get(f"{PAGE}/hall").text, re.DOTALL)[1]
    assert (link in waiting, link in alerts) == (True, True)
    reader = signed_in(app, "read").get(f"{PAGE}/hall").text
    assert link not in re.search('data-fresh="alerts"(.*?)</div>', reader, re.DOTALL)[1]


def test_an_unchanged_page_is_not_sent_again(app, client, services):
    client.post("/events/new", data=FORM)
    organizer = signed_in(app, "record", "arbiter", "invite", "read")
    guest, invited = (
        app.test_client(),
        services.invitations.create("keeper", "Saturday Cup", "1", Write("page", "Wanjiru")),
    )
    guest.post(f"/join/{invited.code}", data={"other": "Ann"})
    for reader, page in ((organizer, PAGE), (organizer, f"{PAGE}/people"), (guest, "/join")):
        first = reader.get(page)
        again = {"If-None-Match": first.headers["ETag"]}
        same = reader.get(page, headers=again)
        assert (first.status_code, same.status_code, same.data) == (200, 304, b"")
        services.events.change(
            "saturday cup", None, lambda plan: replace(plan, players=plan.players[:-1]), Write("api")
        )
        services.invitations.create("watch", "Saturday Cup", "", Write("page", "Wanjiru"))
        services.games.create("bof", {}, {"Event": "Saturday Cup", "Board": "1"}, Write("api"))
        assert reader.get(page, headers=again).status_code == 200


def test_readers_see_initials_in_the_pairings_and_the_organizer_names(app, client, services):
    client.post("/events/new", data={**FORM, "pasted": "Ann Achieng\nBen"})
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "0"})
    set_initials(services.store, "ann achieng", True, Write("api", "Wanjiru"))
    api = f"/api/v1/events/{name_id('saturday cup')}"
    pages = (PAGE, f"{PAGE}/plan", "/events/new?like=saturday+cup", f"{api}/plan")
    for path in (*pages, f"{api}/pairings.csv", f"{api}/tournament.trf"):
        reader, arbiter = (signed_in(app, *scopes).get(path).text for scopes in (("read",), ("arbiter", "read")))
        assert ("Ann Achieng" in reader, "A. A." in reader, "Ann Achieng" in arbiter) == (False, True, True), path


def test_the_starts_of_the_games_are_pictures(client, services):
    form = client.get("/events/new").text
    assert form.count('name="start.enkeshui"') == 3
    assert form.count('class="rule-picture"') > 10
    client.post("/events/new", data={**FORM, "game.enkeshui": "yes", "start.enkeshui": "fours-left"})
    game = next(game for game in stored(services).games if game.game == "enkeshui")
    assert game.options == {"setup": "fours-left"}
    assert re.search(r'value="fours-left" checked', client.get(f"{PAGE}/plan").text)


def test_the_next_event_is_the_same_again_with_players_games_and_boards(client, services):
    client.post("/events/new", data={**FORM, "start.oware": ""})
    boards = (TableBoard(2, "/dev/first", serial="B-7"),)
    one_left = (replace(stored(services).players[0], state="out"), *stored(services).players[1:])
    changes = {"boards": boards, "legs": 2, "players": one_left}
    services.events.change("saturday cup", 1, lambda plan: replace(plan, **changes), Write("api"))
    form = client.get(re.search(r'href="(/events/new\?like=[^"]+)"', client.get(PAGE).text)[1]).text
    assert "\nAnn\nBen; Red\nCleo\nDan</textarea>" in form
    like = re.search('name="like" value="([^"]+)"', form)[1]
    client.post("/events/new", data={**FORM, "name": "Sunday Cup", "like": like, "legs": "2"})
    again, before = plan_of(services.events.load("sunday cup")), stored(services)
    assert (again.games, again.boards, again.rounds, again.legs) == (before.games, boards, (), 2)
    assert [(one.name, one.state) for one in again.players] == [(one.name, "in") for one in before.players]


def test_players_and_settings_are_changed(client, services):
    client.post("/events/new", data=FORM)
    players = {"player": ["1", "2", "3"], "name.1": "Anne", "name.2": "Ben", "name.3": "", "state.1": "out",
               "state.2": "in", "state.3": "in", "again": "Eve"}  # fmt: skip
    changed = {**FORM, **players, "version": "1", "pasted": "Fay", "tie_break": ["sticks", "", "direct"]}
    assert client.post(f"{PAGE}/plan", data=changed).status_code == 303
    plan = stored(services)
    assert [(one.name, one.state) for one in plan.players] == [
        ("Anne", "out"),
        ("Ben", "in"),
        ("Eve", "in"),
        ("Fay", "in"),
    ]
    assert plan.order == ("sticks", "direct")
    assert client.post(f"{PAGE}/plan", data=changed).status_code == 409


def opened(client):
    """The form for players and settings as a browser sends it when nothing was typed."""
    shown = unescape(re.search('name="shown" value="([^"]*)"', client.get(f"{PAGE}/plan").text)[1])
    fields = json.loads(shown)
    players = [name.partition(".")[2] for name in fields if name.startswith("name.")]
    return {**fields, "shown": shown, "version": "1", "player": players, "pasted": ""}


def whole_form(page):
    """The form on a page as a browser sends it."""
    fields = json.loads(form_fields(page, "plan")["shown"])
    players = [name.partition(".")[2] for name in fields if name.startswith("name.")]
    selects = len(re.findall('name="?tie_break', page))
    return {**form_fields(page, "plan"), "player": players, "tie_break": fields.get("tie_break", [])[:selects]}


def typed_in(page, fields):
    """What the form on a page has in these fields."""
    found = form_fields(page, "plan")
    return {name: found.get(name) for name in fields}


def test_two_people_who_change_different_things_both_have_them(client, services):
    client.post("/events/new", data=FORM)
    mine, theirs = opened(client), opened(client)
    changed = {**theirs, "place": "Hall 2", "game.kalah": "yes"}
    assert client.post(f"{PAGE}/plan", data=changed).status_code == 303
    assert client.post(f"{PAGE}/plan", data={**mine, "name.1": "Anne", "pasted": "Fay"}).status_code == 303
    plan = stored(services)
    assert (plan.place, [game.game for game in plan.games]) == ("Hall 2", ["bof", "oware", "kalah"])
    assert [player.name for player in plan.players] == ["Anne", "Ben", "Cleo", "Dan", "Fay"]


def test_who_changes_the_same_reads_what_the_other_wrote_and_decides(client, services):
    client.post("/events/new", data=FORM)
    mine, theirs = opened(client), opened(client)
    client.post(f"{PAGE}/plan", data={**theirs, "place": "Hall 2", "tables": "9"})
    typed = {"place": "Courtyard", "pasted": "Fay", "state.2": "out"}
    refused = client.post(f"{PAGE}/plan", data={**mine, **typed})
    assert (refused.status_code, "Hall 2" in refused.text) == (409, True)
    assert typed_in(refused.text, [*typed, "tables"]) == {**typed, "tables": "9"}
    shown = unescape(re.search('name="shown" value="([^"]*)"', refused.text)[1])
    again = {**mine, **typed, "tables": "9", "shown": shown}
    assert client.post(f"{PAGE}/plan", data=again).status_code == 303
    plan = stored(services)
    assert (plan.place, plan.tables, plan.by_id[2].state, len(plan.players)) == ("Courtyard", 9, "out", 5)


def test_who_changes_a_player_whom_another_took_out_is_told_and_keeps_the_name(client, services):
    client.post("/events/new", data=FORM)
    mine, theirs = opened(client), opened(client)
    client.post(f"{PAGE}/plan", data={**theirs, "name.1": "", "name.2": ""})
    refused = client.post(f"{PAGE}/plan", data={**mine, "name.1": "Anne", "state.2": "out", "pasted": "Fay"})
    assert (refused.status_code, "Ann, Ben" in refused.text) == (409, True)
    again = form_fields(refused.text, "plan")
    assert again["pasted"].split() == ["Fay", "Anne"]
    assert client.post(f"{PAGE}/plan", data={**opened(client), "pasted": again["pasted"]}).status_code == 303
    assert [player.name for player in stored(services).players] == ["Cleo", "Dan", "Fay", "Anne"]


def test_who_takes_out_a_player_whom_another_changed_is_asked_once(client, services):
    client.post("/events/new", data=FORM)
    mine, theirs = opened(client), opened(client)
    client.post(f"{PAGE}/plan", data={**theirs, "state.2": "out"})
    refused = client.post(f"{PAGE}/plan", data={**mine, "name.2": ""})
    assert (refused.status_code, typed_in(refused.text, ["name.2"])) == (409, {"name.2": ""})
    assert client.post(f"{PAGE}/plan", data={**opened(client), "name.2": ""}).status_code == 303
    assert 2 not in stored(services).by_id


def test_a_form_that_nobody_changed_changes_nothing(client, services):
    """Also of a plan that a program made, with what the form does not offer."""
    client.post("/events/new", data=FORM)
    breaks = {"none": [], "usual": None, "five": ["direct", "buchholz", "sonneborn-berger", "sticks", "sticks-won"]}
    for name, tie_breaks in breaks.items():
        plan = {"games": [{"game": "bof"}], "players": [{"name": "Ann"}, {"name": "Ben"}], "format": "swiss"}
        client.post("/api/v1/events", json={"name": name, **plan, "tie_breaks": tie_breaks})
    for name in ("saturday cup", *breaks):
        before = services.events.load(name)
        form = whole_form(client.get(f"/events/{name}/plan").text)
        assert client.post(f"/events/{name}/plan", data=form).status_code == 303
        assert services.events.load(name) == before
        with services.store.reading() as transaction:
            assert [one.kind for one in transaction.changes.newest("event", [name], 9)] == ["created"]


def test_the_first_change_lists_only_what_it_changed(client, services):
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/plan", data={**opened(client), "place": "Hall 2"})
    with services.store.reading() as transaction:
        change = transaction.changes.newest("event", ["saturday cup"], 1)[0]
    assert [part["field"] for part in change.data["parts"]] == ["place"]


def test_a_refused_form_keeps_all_that_was_typed(client):
    client.post("/events/new", data=FORM)
    typed = {"planned_rounds": "7", "tables": "8", "legs": "2", "pasted": "Fay", "tie_break": "sticks", "time.bof": "9"}
    refused = client.post("/events/new", data={**FORM, **typed, "name": "?"})
    assert (refused.status_code, typed_in(refused.text, typed)) == (422, typed)
    typed |= {"name.1": "Ben", "state.2": "out"}
    refused = client.post(f"{PAGE}/plan", data={**opened(client), **typed})
    assert (refused.status_code, typed_in(refused.text, typed)) == (422, typed)


def test_a_damaged_form_is_refused(client):
    client.post("/events/new", data=FORM)
    for shown in ("{", '{"name": "Cup"}', "[" * 10_000):
        assert client.post(f"{PAGE}/plan", data={**opened(client), "shown": shown}).status_code == 422


def test_an_event_of_tags_becomes_one_with_rounds(client, services):
    services.games.create("bof", {}, {"Event": "Saturday Cup", "South": "Ann", "North": "Ben"}, Write("api"))
    page = client.get(f"{PAGE}/plan").text
    assert page.count('name="again"') == 2
    assert client.post(f"{PAGE}/plan", data={**FORM, "again": ["Ann", "Ben"], "pasted": ""}).status_code == 303
    assert [one.name for one in stored(services).players] == ["Ann", "Ben"]


def test_an_event_with_the_name_of_a_page_has_a_page(client):
    answer = client.post("/events/new", data={**FORM, "name": "New"})
    assert client.get(answer.headers["Location"]).status_code == 200
    assert not answer.headers["Location"].endswith("/new")


def test_the_port_of_a_board_that_no_list_shows_is_typed(client, services):
    client.post("/events/new", data=FORM)
    form = {**FORM, "version": "1", "pasted": "", "player": ["1", "2", "3", "4"], "board.2": "other"}
    for one in stored(services).players:
        form |= {f"name.{one.id}": one.name, f"state.{one.id}": "in"}
    refused = client.post(f"{PAGE}/plan", data={**form, "port.2": "nowhere"})
    assert (refused.status_code, 'value="nowhere"' in refused.text) == (422, True)
    assert client.post(f"{PAGE}/plan", data={**form, "port.2": " socket://127.0.0.1:7001 "}).status_code == 303
    assert [(one.table, one.port) for one in stored(services).boards] == [(2, "socket://127.0.0.1:7001")]


@pytest.mark.parametrize("way", ["page", "api"])
def test_a_board_that_is_bound_by_hand_at_a_table_joins_its_plan(app, client, services, way):
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "0"})

    def bind(client, game, port):
        sent = {"port": port, "driver": "inkeek", "game": game}
        if way == "page":
            return client.post("/boards", data=sent).status_code
        return client.post("/api/v1/boards", json=sent).status_code

    here = stored(services).rounds[0].pairings
    assert bind(client, here[1].game, "/dev/first") in (201, 303)
    assert [(one.table, one.port) for one in stored(services).boards] == [(2, "/dev/first")]
    assert bind(signed_in(app, "board") if way == "page" else client, here[0].game, "/dev/second") in (201, 303)
    assert len(stored(services).boards) == (1 if way == "page" else 2)
    for pairing in here:
        services.games.end(pairing.game, "agreement", None, Write("api"))
    services.events.begin_round("saturday cup", None, Write("api"))
    boards = {board.url: board.game for board in services.boards.open()}
    assert boards["/dev/first"] == stored(services).rounds[1].pairings[1].game


def test_a_sensor_board_is_chosen_for_a_table_and_its_trouble_shows_there(client, services, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    tried = services.games.create("bof", {}, {"South": "Eve", "North": "Fay"}, Write("api")).id
    known = services.boards.bind("/dev/first", "inkeek", tried, serial="B-7", buttons=False)
    client.post("/events/new", data=FORM)
    form = {**FORM, "version": "1", "pasted": "", "player": ["1", "2", "3", "4"]}
    for one in stored(services).players:
        form |= {f"name.{one.id}": one.name, f"state.{one.id}": "in"}
    chosen = re.search('name="board.2".*?</select>', client.get(f"{PAGE}/plan").text, re.DOTALL)
    assert 'value="/dev/first"' in chosen[0]
    assert client.post(f"{PAGE}/plan", data={**form, "board.1": "/dev/unknown"}).status_code == 422
    for table in ("board.1", "board.2"):
        version = str(services.events.load("saturday cup").version)
        answer = client.post(f"{PAGE}/plan", data={**form, "version": version, table: "/dev/first"})
        assert answer.status_code == 303
    (board,) = stored(services).boards
    assert (board.table, board.port, board.serial, board.buttons) == (2, "/dev/first", "B-7", False)
    client.post(f"{PAGE}/rounds", data={"version": "3", "offered": "0"})
    assert "Eve – Fay" in trouble(client)
    again = {"version": "4", "round": "1", "table": "2", "board": "again"}
    assert client.post(f"{PAGE}/tables", data=again).status_code == 409
    services.boards.release(known.id)
    assert 'value="again"' in trouble(client)
    assert client.post(f"{PAGE}/tables", data=again).status_code == 303
    (row,) = services.boards.open()
    set_status(services.boards, row.id, state="gone")
    assert "B-7" in trouble(client)
    set_status(services.boards, row.id, state="connected", device=device(12))
    assert "12" in trouble(client)
    set_status(services.boards, row.id, device=device(5))
    assert not trouble(client)
    assert "B-7" in client.get(PAGE).text


def device(row):
    return {"firmware": "1", "can": [], "row": row, "stores": True}


def trouble(client):
    """What the page says of boards that do not play at their table."""
    return "".join(re.findall("data-board-trouble>(.*?)</div>", client.get(PAGE).text, re.DOTALL))


def test_an_event_has_a_game_and_one_that_was_played_stays(client, services):
    none = {name: value for name, value in FORM.items() if not name.startswith("game.")}
    assert client.post("/events/new", data=none).status_code == 422
    client.post("/events/new", data=FORM)
    client.post(f"{PAGE}/rounds", data={"version": "1", "offered": "1"})
    version = str(services.events.load("saturday cup").version)
    unticked = {**form_fields(client.get(f"{PAGE}/plan").text, "plan"), "version": version}
    del unticked["game.oware"]
    refused = client.post(f"{PAGE}/plan", data=unticked)
    assert refused.status_code == 422
    assert "Oware" in refused.text.partition("data-refusal")[2].partition("</p>")[0]


def test_the_old_address_of_an_event_leads_to_its_new_one(client, services, app):
    client.post("/events/new", data=FORM)
    services.events.change("saturday cup", 1, lambda plan: replace(plan, name="Sunday Cup"), Write("api"))
    assert client.get(f"{PAGE}/plan").location == "/events/sunday%20cup/plan"
    limited = signed_in(app, "read", limit=Limit("event", "Saturday Cup"))
    assert limited.get(PAGE, environ_base={"REMOTE_ADDR": "192.0.2.9"}).status_code == 404
    services.events.create(replace(plan_of(services.events.load("sunday cup")), name="Saturday Cup"), Write("api"))
    assert client.get(PAGE).status_code == 200
