"""Joining by the pages, as phones far from the service do it; previews of links; who may watch."""

import re

import pytest
from msgspec.structs import replace

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.http.access.limiter import BURST, shown_code
from inkeek.service.storage.search import name_key
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import FORBIDDEN, visible_words

AFAR = {"REMOTE_ADDR": "192.0.2.9"}
EVENT = "Saturday Cup"
PEOPLE = "/events/saturday cup/people"


@pytest.fixture
def organizer(app, services):
    services.events.create(EventPlan(EVENT, games=(OfferedGame("oware"),)), Write("api"))
    return signed_in(app, "admin")


@pytest.fixture
def phone(app):
    """Makes phones that are in the same network."""

    def phone():
        client = app.test_client()
        client.environ_base.update(AFAR)
        return client

    return phone


@pytest.fixture
def game(organizer):
    def game(table, south="Farah", north="Esther"):
        tags = {"Event": EVENT, "Board": table, "South": south, "North": north}
        return organizer.post("/api/v1/games", json={"game": "oware", "tags": tags}).json["id"]

    return game


@pytest.fixture
def invite(organizer, services):
    def invite(**form):
        assert organizer.post(PEOPLE, data=form).status_code == 303
        return services.invitations.of_event("saturday cup")[0][-1]

    return invite


def play(client, game_id, move="a"):
    """Play a turn as the page's script does."""
    csrf = re.search(r'name="csrf" value="([^"]+)"', client.get("/join").text)[1]
    turn = client.post(f"/api/v1/games/{game_id}/turns", json={"move": move}, headers={"X-CSRF-Token": csrf})
    return turn.status_code


def next_of(client, game_id):
    """The games to which the page of a game leads, each with whether it does so by itself."""
    return re.findall(r'href="/games/(\w+)/live"\s+data-next="(\w*)"', client.get(f"/games/{game_id}/live").text)


def test_a_phone_that_joined_a_table_writes_its_games_and_no_others(phone, game, invite):
    here, there = game("3"), game("4", "Koinet", "Naisula")
    made, guest = invite(role="keeper", table="3"), phone()
    page = guest.get(f"/join/{made.code}").text
    assert {"Farah", "Esther", "Koinet", "Naisula"} <= set(re.findall(r'name="name" value="([^"]+)"', page))
    assert not FORBIDDEN.search(visible_words(page))
    assert (re.findall('data-side="(.)"', page), page.index("Esther") < page.index("Farah")) == (["1", "0"], True)
    answer = guest.post(f"/join/{made.code}", data={"name": "Esther", "do": "keep"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{here}")
    cookie = answer.headers["Set-Cookie"]
    assert int(re.search(r"Max-Age=(\d+)", cookie)[1]) > 6 * 3600  # so that it is there when the battery is full again
    assert play(guest, here) == 201
    assert play(guest, there) == 404
    assert guest.get(f"/games/{there}/live").status_code == 200
    assert guest.post(f"/join/{made.code}", data={"name": "Esther"}).status_code == 403  # no form of the session
    page = guest.get("/join").text
    assert not FORBIDDEN.search(visible_words(page))
    assert re.findall('data-side="(.)"', page) == ["0", "1"]  # North is at the lower row: so Esther sees the board


def test_a_second_phone_asks_and_the_organizer_hands_over(phone, game, invite, organizer, services):
    here, made = game("3"), invite(role="keeper", table="3")
    first, second = phone(), phone()
    first.post(f"/join/{made.code}", data={"other": "Farah", "do": "keep"})
    answer = second.post(f"/join/{made.code}", data={"name": "", "other": ' A "B": C ', "do": "keep"})
    assert answer.headers["Location"] == "/join"
    assert (play(first, here), play(second, here)) == (201, 403)
    guest = next(one for one in services.invitations.of_event("saturday cup")[1] if one.asks)
    page = organizer.get(PEOPLE).text
    assert guest.key.id in page
    assert not FORBIDDEN.search(visible_words(page))
    assert organizer.post(f"{PEOPLE}/guests/{guest.key.id}", data={"do": "keep"}).status_code == 303
    assert (play(first, here, "a"), play(second, here, "A")) == (403, 201)
    organizer.post(f"{PEOPLE}/guests/{guest.key.id}", data={"do": "end"})
    assert second.get(f"/games/{here}/live").status_code == 401


def test_the_page_of_an_ended_game_leads_to_the_next_one_at_its_table(phone, game, invite, organizer, services):
    first, guest, other = game("3"), phone(), phone()
    guest.post(f"/join/{invite(role='keeper', table='3').code}", data={"other": "Farah", "do": "keep"})
    other.post(f"/join/{invite(role='keeper', table='4').code}", data={"other": "Koinet", "do": "keep"})
    game("4", "Koinet", "Naisula")
    assert next_of(guest, first) == []
    services.games.end(first, "agreement", None, Write("api"))
    assert next_of(guest, first) == []
    second = game("3", "Naisula", "Esther")
    assert next_of(guest, first) == [(second, "leads")]
    assert next_of(other, first) == next_of(organizer, first) == [(second, "")]


def test_a_name_stays_in_sight_where_the_invitation_is_withdrawn_meanwhile(phone, invite, organizer, services):
    made = invite(role="keeper", table="3")
    services.invitations.withdraw("saturday cup", made.id, Write("api"))
    answer = phone().post(f"/join/{made.code}", data={"other": "Farah", "do": "keep"})
    assert (answer.status_code, "Farah" in answer.text) == (404, True)


def test_the_organizer_hands_a_table_over_on_the_page_of_the_event(phone, invite, organizer, services):
    players = (EventPlayer(1, "Farah"), EventPlayer(2, "Esther"))
    services.events.change("saturday cup", 1, lambda plan: replace(plan, players=players, format="all"), Write("api"))
    services.events.begin_round("saturday cup", 2, Write("api"))
    made = invite(role="keeper", table="1")
    phone().post(f"/join/{made.code}", data={"name": "Farah", "do": "keep"})
    phone().post(f"/join/{made.code}", data={"other": "Koinet", "do": "keep"})
    asking = next(one.key.id for one in services.invitations.of_event("saturday cup")[1] if one.asks)
    hand_over = f"/events/saturday%20cup/people/guests/{asking}"
    assert hand_over in organizer.get("/events/saturday cup").text
    answer = organizer.post(hand_over, data={"do": "keep", "back": "event"})
    assert answer.headers["Location"].startswith("/events/saturday%20cup#")  # to its place, not to the head
    assert hand_over not in organizer.get("/events/saturday cup").text
    assert services.invitations.keeper(EVENT, "1") == "Koinet"


@pytest.fixture
def cup(services):
    """An event in which everybody meets everybody: its first round, and the two players of its first table."""
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("Farah", "Esther", "Koinet", "Naisula"), 1))
    services.events.change("saturday cup", 1, lambda plan: replace(plan, players=players, format="all"), Write("api"))
    plan = plan_of(services.events.begin_round("saturday cup", 2, Write("api")))
    return [plan.by_id[id].name for id in plan.rounds[0].pairings[0].players]


def test_the_players_of_the_plan_are_offered_first_those_of_the_table(phone, invite, organizer, services, cup):
    def offered():
        return re.findall(r'name="name" value="([^"]+)"( checked)?', phone().get(f"/join/{made.code}").text)

    made = invite(role="keeper", table="1")
    south, north = cup
    assert [name for name, _ in offered()[:2]] == [north, south]
    assert {name for name, _ in offered()} == {"Farah", "Esther", "Koinet", "Naisula"}
    assert not any(checked for _, checked in offered())
    phone().post(f"/join/{made.code}", data={"name": north, "do": "keep"})
    assert [name for name, checked in offered() if checked] == [south]
    persons.set_initials(services.store, name_key(south), True, Write("api", "Wanjiru"))
    assert south not in phone().get(f"/join/{made.code}").text


def test_a_phone_follows_its_player_and_that_of_a_scorekeeper_its_table(phone, invite, services, cup, organizer):
    def game_of(name):
        """The table and the game of a player in the last round."""
        plan = plan_of(services.events.load("saturday cup"))
        return next(
            (str(one.table), one.game)
            for one in plan.rounds[-1].pairings
            if name in [plan.by_id[id].name for id in one.players]
        )

    made = invite(role="keeper", table="1")
    first, clients = game_of(cup[0])[1], {name: phone() for name in (*cup, "Wanjiru")}
    for name, client in clients.items():
        client.post(f"/join/{made.code}", data={"other": name, "do": "keep"})
    assert [play(clients[name], first, move) for name, move in zip((*cup, "Wanjiru"), "aAb", strict=True)] == [
        201,
        201,
        403,
    ]
    (asking,) = (guest.key.id for guest in services.invitations.of_event("saturday cup")[1] if guest.asks)
    services.games.end(first, "resignation", "South", Write("api"))
    services.events.begin_round("saturday cup", 3, Write("api"))
    tables = {name: game_of(name)[0] for name in cup}
    assert set(tables.values()) == {"1", "2"}
    for name, (table, game_id) in ((name, game_of(name)) for name in cup):
        assert next_of(clients[name], first) == [(game_id, "leads")]
        assert f"/games/{game_id}/live" in clients[name].get("/join").text
        assert play(clients[name], game_id, "a") == 201
        other = next(game_of(one)[1] for one in cup if tables[one] != table)
        assert play(clients[name], other, "a") == 404
    assert next_of(clients["Wanjiru"], first) == [(game_of(next(one for one in cup if tables[one] == "1"))[1], "leads")]
    assert organizer.post(f"{PEOPLE}/guests/{asking}", data={"do": "keep"}).status_code == 303
    assert services.invitations.keeper(EVENT, "1") == "Wanjiru"


def test_a_phone_goes_on_after_the_name_of_its_player_was_mended(phone, invite, services, cup):
    made, guest = invite(role="keeper", table="1"), phone()
    (one,) = (one for one in plan_of(services.events.load("saturday cup")).rounds[0].pairings if one.table == 1)
    guest.post(f"/join/{made.code}", data={"other": cup[0], "do": "keep"})
    services.games.end(one.game, "resignation", "South", Write("api"))
    persons.rename(services.events, services.store, name_key(cup[0]), f"{cup[0]}s", Write("api"))
    row = services.events.begin_round("saturday cup", None, Write("api"))
    player = next(player for player in plan_of(row).players if player.name == f"{cup[0]}s")
    (game,) = (one.game for one in plan_of(row).rounds[-1].pairings if player.id in one.players)
    assert next_of(guest, one.game) == [(game, "leads")]
    assert cup[0] not in re.findall(r'name="name" value="([^"]+)"', phone().get(f"/join/{made.code}").text)


def test_a_player_without_an_opponent_has_no_table(phone, invite, services, cup):
    made, guest = invite(role="keeper", table="1"), phone()
    guest.post(f"/join/{made.code}", data={"name": cup[1], "do": "keep"})
    plan = plan_of(services.events.load("saturday cup"))
    one = plan.rounds[0].pairings[0]
    services.events.change_table("saturday cup", 3, 1, 1, {"north": None}, Write("api"))
    assert services.invitations.keeper(EVENT, "1") == ""
    page = guest.get("/join")
    assert (page.status_code, "data-to-board" in page.text) == (200, False)
    assert play(guest, one.game) == 404


def test_a_phone_leaves_a_going_game_that_nobody_else_keeps_only_if_it_says_so(phone, game, invite, services):
    here, made, guest = game("3"), invite(role="keeper", table="3"), phone()
    game("4", "Koinet", "Naisula")
    other = invite(role="keeper", table="4")
    guest.post(f"/join/{made.code}", data={"name": "Farah", "do": "keep"})
    assert play(guest, here) == 201
    page = guest.get(f"/join/{other.code}").text
    form = {"name": "Farah", "do": "keep", "csrf": re.search(r'name="csrf" value="([^"]+)"', page)[1]}
    assert guest.post(f"/join/{other.code}", data=form).status_code == 409
    assert services.invitations.keeper(EVENT, "3") == "Farah"
    assert 'name="leave"' in page
    assert guest.post(f"/join/{other.code}", data={**form, "leave": "yes"}).status_code == 303
    assert (services.invitations.keeper(EVENT, "3"), services.invitations.keeper(EVENT, "4")) == ("", "Farah")


def test_the_preview_of_a_chat_uses_nothing_up(phone, invite, services):
    made = invite(role="arbiter")
    for method in ("get", "head"):
        assert getattr(phone(), method)(f"/join/{made.code}").status_code == 200
    assert services.invitations.of_event("saturday cup") == ([made], [])
    assert phone().post(f"/join/{made.code}", data={"other": "Koinet"}).status_code == 303
    assert phone().post(f"/join/{made.code}", data={"other": "Naisula"}).status_code == 409


def test_a_code_can_be_typed_and_guessing_is_stopped(phone, invite):
    made, client = invite(role="watch"), phone()
    typed = shown_code(made.code).lower()
    assert client.get("/join", query_string={"code": typed}).headers["Location"] == f"/join/{made.code}"
    assert client.get("/join", query_string={"code": "what"}).status_code == 200
    statuses = [client.get(f"/join/{'2' * 8}").status_code for _ in range(BURST + 1)]
    assert statuses == [404] * BURST + [429]
    assert client.get(f"/join/{made.code}").status_code == 429  # or it would show which guess was right


def test_what_is_no_code_is_quoted_and_stays_in_its_field(phone):
    text = phone().get("/join?code=zzzz<1").text
    assert "&#39;zzzz&lt;1&#39; is not a code" in text
    assert 'value="zzzz&lt;1"' in text


def test_the_page_of_people_offers_a_code_for_each_table_and_says_that_no_phone_gets_in(organizer, services):
    players = tuple(EventPlayer(number, f"P{number}") for number in range(1, 7))
    services.events.create(EventPlan("Six", games=(OfferedGame("oware"),), players=players), Write("api"))
    text = organizer.get("/events/six/people").text
    assert re.search(r'name="tables"[^>]*value="3"', text)
    assert "Only this machine reaches the service." in text


def test_there_is_one_invitation_for_each_table(organizer, invite, services):
    invite(role="keeper", tables="2")
    invite(role="keeper", tables="3")
    tables = [row.table for row in services.invitations.of_event("saturday cup")[0]]
    assert tables == ["1", "2", "3"]
    page = organizer.get(PEOPLE).text
    assert all(shown_code(row.code) in page for row in services.invitations.of_event("saturday cup")[0])
    assert organizer.post(PEOPLE, data={"role": "keeper", "tables": "61"}).status_code == 422
    first = services.invitations.of_event("saturday cup")[0][0]
    organizer.post(f"{PEOPLE}/invitations/{first.id}")
    assert shown_code(first.code) not in organizer.get(PEOPLE).text


def test_each_table_has_a_card_to_print(organizer, invite, services):
    assert organizer.get("/events/saturday cup/cards").status_code == 404
    invite(role="keeper", tables="5")
    text = organizer.get("/events/saturday cup/cards").text
    codes = [shown_code(row.code) for row in services.invitations.of_event("saturday cup")[0]]
    assert [text.count(code) for code in codes] == [1] * 5
    assert text.count('class="qr"') == 5


def test_anyone_may_watch_if_the_organizer_says_so_and_not_longer(app, phone, game, invite, organizer):
    here, stranger, guest = game("3"), phone(), phone()
    guest.post(f"/join/{invite(role='watch', table='3').code}", data={"other": "Farah"})
    refused = stranger.get(f"/games/{here}/live")
    assert (refused.status_code, guest.get("/players").status_code) == (401, 403)
    assert not FORBIDDEN.search(visible_words(refused.text))
    assert "/join" in refused.text
    assert stranger.get("/api/v1/games").status_code == 401
    for may, statuses in (("yes", (200, 200, 200)), ("no", (401, 401, 403))):
        organizer.post("/watching", data={"anyone": may})
        seen = (stranger.get(f"/games/{here}/live"), stranger.get("/api/v1/games"), guest.get("/players"))
        assert tuple(answer.status_code for answer in seen) == statuses
        assert stranger.post("/api/v1/games", json={"game": "oware"}).status_code == 401
        closed = ("/metrics", "/api/v1/tokens/current", "/api/v1/watching", PEOPLE)
        assert {stranger.get(path).status_code for path in closed} == {401}
    limited = signed_in(app, "invite")
    assert limited.post("/watching", data={"anyone": "yes"}).status_code == 303


def test_an_organizer_of_one_event_invites_to_no_other_and_opens_the_service_to_nobody(phone, invite):
    guest, made = phone(), invite(role="organizer")
    guest.post(f"/join/{made.code}", data={"other": "Wanjiru"})
    csrf = {"csrf": re.search(r'name="csrf" value="([^"]+)"', guest.get(PEOPLE).text)[1]}
    assert guest.post(PEOPLE, data={"role": "arbiter", **csrf}).status_code == 303
    assert guest.get("/events/another/people").status_code == 404
    assert guest.post("/events/another/people", data={"role": "arbiter", **csrf}).status_code == 404
    assert guest.post("/watching", data={"anyone": "yes", **csrf}).status_code == 403


def test_who_may_not_watch_types_the_code_there_and_comes_to_the_page_they_wanted(phone, game, invite):
    wanted = f"/games/{game('3')}/live"
    made, guest = invite(role="watch"), phone()
    refused = guest.get(wanted)
    assert refused.status_code == 401
    assert not FORBIDDEN.search(visible_words(refused.text))
    assert re.search(r'name="next" value="([^"]*)"', refused.text)[1] == wanted
    shown = guest.get("/join", query_string={"next": wanted, "code": shown_code(made.code)}, follow_redirects=True)
    assert re.search(r'name="next" value="([^"]*)"', shown.text)[1] == wanted
    joined = guest.post(f"/join/{made.code}", data={"other": "Wairimu", "next": wanted})
    assert joined.headers["Location"] == wanted
    assert guest.get(wanted).status_code == 200


@pytest.mark.parametrize("elsewhere", ["//evil.example", "/\\evil.example", "https://evil.example", "/a\nb"])
def test_a_code_leads_to_no_other_site(phone, game, invite, elsewhere):
    game("3")
    made = invite(role="watch")
    assert 'name="next"' not in phone().get(f"/join/{made.code}", query_string={"next": elsewhere}).text
    joined = phone().post(f"/join/{made.code}", data={"other": "Wairimu", "next": elsewhere})
    assert joined.headers["Location"] == "/join"


def test_who_is_at_the_machine_of_the_service_reads_how_to_get_in_again(app):
    def refused(host, address):
        sent = {"REMOTE_ADDR": address, "HTTP_VIA": "1.1 cache"}  # so that this service of one machine asks who it is
        answer = app.test_client().get("/players?a=1", base_url=f"http://{host}:8000", environ_overrides=sent)
        assert answer.status_code == 401
        return answer

    here, afar = refused("127.0.0.1", "127.0.0.1"), refused("127.0.0.1", "192.0.2.9")
    assert len(here.text) > len(afar.text) + 100
    assert "Refresh" not in here.headers
    assert refused("localhost", "127.0.0.1").headers["Refresh"] == "0; url=http://127.0.0.1:8000/players?a=1"


def test_who_keeps_a_table_begins_no_game_and_names_nobody(phone, game, invite):
    here, keeper = game("3"), phone()
    keeper.post(f"/join/{invite(role='keeper', table='3').code}", data={"name": "Farah", "do": "keep"})
    csrf = re.search(r'name="csrf" value="([^"]+)"', keeper.get("/join").text)[1]
    headers, tags = {"X-CSRF-Token": csrf}, {"Event": EVENT, "Board": "3"}
    record = f'[Game "oware"]\n[Event "{EVENT}"]\n[Board "3"]\n[Result "*"]\n\n*\n'
    refused = [
        keeper.post("/api/v1/games", json={"game": "oware", "tags": tags}, headers=headers).status_code,
        keeper.post(
            "/api/v1/matches", json={"game": "oware", "title": "games", "tags": tags}, headers=headers
        ).status_code,
        keeper.patch(f"/api/v1/games/{here}", json={"tags": {"South": "Amina"}}, headers=headers).status_code,
        keeper.patch(f"/api/v1/games/{here}", json={"tags": {"Round": "7"}}, headers=headers).status_code,
        keeper.post("/games/new", data={"game": "oware", "csrf": csrf, **tags}).status_code,
    ]
    assert refused == [403] * 5
    answer = keeper.post("/api/v1/games/import", data=record, headers=headers, content_type="text/plain")
    assert "begins none" in answer.text
    page = keeper.get(f"/games/{here}/live").text
    assert 'id="names"' not in page
    assert 'id="note"' in page


def test_a_watcher_who_asks_watches_in_the_next_round_too(phone, invite, services, cup):
    watcher = phone()
    watcher.post(f"/join/{invite(role='watch', table='1').code}", data={"other": cup[0]})
    csrf = {"csrf": re.search(r'name="csrf" value="([^"]+)"', watcher.get("/join").text)[1]}
    assert watcher.post("/join", data=csrf).status_code == 303
    for one in plan_of(services.events.load("saturday cup")).rounds[0].pairings:
        services.games.end(one.game, "resignation", "South", Write("api"))
    services.events.begin_round("saturday cup", None, Write("api"))
    assert [guest.role for guest in services.invitations.of_event("saturday cup")[1]] == ["watch"]


def test_who_signs_out_is_told_first_who_leaves_with_them(phone, game, invite, services, organizer):
    here, boss, guest = game("3"), phone(), phone()
    boss.post(f"/join/{invite(role='organizer').code}", data={"other": "Naisula"})
    csrf = {"csrf": re.search(r'name="csrf" value="([^"]+)"', boss.get("/join").text)[1]}
    assert boss.post(PEOPLE, data={"role": "watch", **csrf}).status_code == 303
    made = services.invitations.of_event("saturday cup")[0][-1]
    guest.post(f"/join/{made.code}", data={"other": "Farah"})
    assert boss.post("/sign-out", data=csrf).location == "/mine#sign-out"
    assert guest.get(f"/games/{here}/live").status_code == 200
    form = boss.get("/mine").text.partition('id="sign-out"')
    assert "warning" in form[0]
    assert boss.post("/sign-out", data={"leave": "yes", **csrf}).location == "/"
    assert guest.get(f"/games/{here}/live").status_code == 401


def test_who_lost_the_session_keeps_what_they_typed_and_sends_it_again(phone, invite, services, organizer):
    boss, (made, again) = phone(), [invite(role="organizer") for _ in range(2)]
    boss.post(f"/join/{made.code}", data={"other": "Naisula"})
    form = {"csrf": re.search(r'name="csrf" value="([^"]+)"', boss.get("/join").text)[1], "version": "1"}
    typed = {
        **form,
        "name": EVENT,
        "format": "free",
        "game.oware": "yes",
        "legs": "1",
        "pasted": "Farah of Narok\nEsther <1>\n",
    }
    page = "/events/saturday%20cup/plan"
    organizer.post(f"{PEOPLE}/invitations/{made.id}")
    refused = boss.post(page, data=typed)
    assert refused.status_code == 401
    assert "Farah of Narok\nEsther &lt;1&gt;" in refused.text
    stranger = boss.post(page, data=typed, headers={"Origin": "https://evil.example"})
    assert "Farah of Narok" not in stranger.text
    assert boss.post(f"/join/{again.code}", data={"other": "Naisula"}).status_code == 303
    refused = boss.post(page, data=typed)
    assert refused.status_code == 403  # the form is of another session
    csrf = re.search(r'data-kept>\s*<input type="hidden" name="csrf" value="([^"]+)"', refused.text)[1]
    assert boss.post(page, data={**typed, "csrf": csrf}).status_code == 303
    assert [one.name for one in plan_of(services.events.load("saturday cup")).players] == [
        "Farah of Narok",
        "Esther <1>",
    ]
