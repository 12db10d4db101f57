import html
import json
import re

import pytest
import zxingcpp
from PIL import Image

from inkeek.records import ruleset_ids
from inkeek.service import create_app
from inkeek.service.errors import SettingError
from inkeek.service.events.hall import MOST, TURNS
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.context import services_of
from inkeek.service.http.names import name_id, page_name
from inkeek.service.processes.web.app import REQUEST_LINE


def page(client, address: str, status: int = 200) -> str:
    with client.get(address) as response:
        assert response.status_code == status
        return response.get_data(as_text=True)


def shown(text: str) -> list[str]:
    return re.findall(r'data-game="(\w+)"', text)


def tags(round: str, board: str, event: str = "Cup") -> dict[str, str]:
    return {"Event": event, "Round": round, "Board": board}


@pytest.fixture
def event(new_game, games):
    made = {f"{round}.{board}": new_game(2, tags=tags(round, board)) for round in "12" for board in "21"}
    new_game(tags=tags("2", "1", "Open"))
    for board in "12":
        games.end(made[f"1.{board}"], "agreement", None, Write("api"))
    return made


@pytest.mark.parametrize("kind", ["hall", "wall"])
def test_the_round_that_is_played_is_shown_in_the_order_of_its_boards(client, event, kind):
    text = page(client, f"/events/cup/{kind}")
    assert shown(text) == [event["2.1"], event["2.2"]]
    assert shown(page(client, f"/events/CUP/{kind}?round=1")) == [event["1.1"], event["1.2"]]
    assert ("<header" in text) == (kind == "hall")


@pytest.mark.parametrize("kind", ["hall", "wall"])
def test_who_was_renamed_is_shown_by_the_name_that_counts(client, new_game, kind):
    new_game(2, tags={**tags("1", "1"), "South": "Sotieno"})
    client.patch(f"/api/v1/players/{name_id('sotieno')}", json={"name": "Naserian"})
    text = page(client, f"/events/cup/{kind}")
    assert "Naserian" in text
    assert "Sotieno" not in text


def leaders(text: str) -> list[str]:
    return re.findall(r"<strong>([^<]*)</strong>", text[text.index("wall-standings") :])


def test_a_wall_shows_the_standings_and_who_has_won(client, services):
    players = tuple(EventPlayer(id, f"P{id}", team) for id, team in enumerate("ABAB", 1))
    made = EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="teams", planned_rounds=1)
    services.events.create(made, Write("api"))
    assert leaders(page(client, "/events/cup/wall")) == ["A", "B"]
    services.events.begin_round("cup", None, Write("api"))
    for table, result in enumerate(("0-1", "1-0"), 1):
        services.events.change_table("cup", None, 1, table, {"result": result}, Write("api"))
    assert leaders(page(client, "/events/cup/wall")) == ["B", "B", "A"]
    assert "wall-standings" not in page(client, "/events/cup/hall")
    page(client, "/events/open/wall", 404)


def test_an_event_whose_only_game_has_no_players_and_no_turns_has_its_pages(client, new_game):
    new_game(0, "oware", tags={"Event": "Cup"})
    for path in ("", "/hall", "/wall"):
        page(client, f"/events/cup{path}", 200)


@pytest.mark.parametrize("path", ["/events/cup", "/events/cup/wall"])
def test_an_unchanged_page_is_not_sent_again(app, services, event, games, new_game, path):
    client = app.test_client()
    client.set_cookie("inkeek_80", services.keys.create(SESSION, "Hawo", ("admin",), None)[1])
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        first = client.get(path, headers=headers)
        new_game(tags={"Event": "Another"})
        headers["If-None-Match"] = first.headers["ETag"]
        again = client.get(path, headers=headers)
        assert (again.status_code, again.data) == (304, b"")
        games.play(event["2.1"], games.load(event["2.1"]).legal(1)[0], Write("api"))
        assert client.get(path, headers=headers).status_code == 200


def test_tables_are_named_and_in_the_order_of_their_numbers(client, new_game):
    made = {table: new_game(tags=tags("1", table)) for table in ("B2", "10", "9", "?")}
    text = page(client, "/events/cup/wall")
    assert shown(text) == [made["?"], made["9"], made["10"], made["B2"]]
    assert re.findall(r'class="table-name">\D*(\d+)<', text) == ["9", "10", "2"]


def test_the_feed_goes_on_where_the_page_was_made(client, event, games):
    address = html.unescape(re.search(r'data-follow="([^" ]+) [^"]+"', page(client, "/events/cup/hall"))[1])
    for game_id in (event["2.1"], event["2.2"]):
        games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    lines = client.get(address.replace("format=sse", "format=ndjson")).get_data(as_text=True).splitlines()
    kinds = [(event.get("game_id"), event.get("kind")) for event in map(json.loads, lines[:-1])]
    assert kinds == [(event["2.1"], "turn"), (event["2.2"], "turn")]


def test_a_round_has_at_most_so_many_boards(client, new_game):
    for number in range(MOST + 2):
        new_game(tags=tags("1", str(number)))
    assert len(shown(page(client, "/events/cup/hall"))) == MOST


@pytest.mark.parametrize(
    ("name", "round", "is_drawn"), [("漢" * 500, "1", True), ("Cup", "é" * 500, False)], ids=["name", "round"]
)
def test_an_address_that_is_too_long_for_a_qr_code_is_left_out(client, new_game, name, round, is_drawn):
    """A name has a short address; a round has none."""
    game_id = new_game(tags=tags(round, "1", name))
    for kind in ("hall", "wall"):
        assert shown(page(client, f"/events/{page_name(name)}/{kind}")) == [game_id]
    assert ('class="wall-qr"' in page(client, f"/events/{page_name(name)}/wall")) == is_drawn


def test_an_address_of_a_page_fits_into_a_request(client, new_game):
    new_game(tags=tags("1", "1", "漢" * 2000))
    for address in re.findall(r'href="(/events/[^"]+)"', page(client, "/events")):
        assert len(address) < REQUEST_LINE - 100
        page(client, html.unescape(address))


def test_only_the_page_for_frames_can_be_framed_and_only_by_the_sites_of_the_setting(tmp_path):
    app = create_app({"data": str(tmp_path), "frame_ancestors": "https://club.example https://*.league.example:8443"})
    services_of(app).store.upgrade()
    client = app.test_client()
    game_id = services_of(app).games.create("oware", {}, {"Event": "Cup"}, Write("api")).id
    policies = {
        address: client.get(address).headers["Content-Security-Policy"].split("frame-ancestors ")[1]
        for address in (f"/games/{game_id}/embed", "/events/cup/wall", "/")
    }
    services_of(app).store.close()
    assert policies.pop(f"/games/{game_id}/embed") == "'self' https://club.example https://*.league.example:8443"
    assert set(policies.values()) == {"'none'"}


@pytest.mark.parametrize("sites", ["club.example", "https://x; script-src *", "'none'", "*", "https://a,https://b"])
def test_a_setting_that_names_no_sites_is_refused(tmp_path, sites):
    with pytest.raises(SettingError) as error:
        create_app({"data": str(tmp_path), "frame_ancestors": sites})
    assert "frame_ancestors" in str(error.value)


def test_the_qr_code_has_the_address_of_the_game(client, new_game):
    game_id = new_game()
    text = page(client, f"/games/{game_id}/qr.svg")
    path = re.search(r'class="qrline"[^>]* d="([^"]+)"', text)[1]
    size = int(re.search(r'<svg[^>]* width="(\d+)"', text)[1]) // 8
    image = Image.new("L", (size, size), 255)
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([-0-9. ]+)", path):
        values = [float(number) for number in numbers.split()]
        if command == "h":
            for step in range(int(values[0])):
                image.putpixel((int(x) + step, int(y)), 0)
            x += values[0]
        else:
            x, y = values if command == "M" else (x + values[0], y + values[1])
    found = zxingcpp.read_barcode(image.resize((size * 8, size * 8), Image.Resampling.NEAREST))
    assert found is not None
    assert found.text == f"http://localhost/games/{game_id}"


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_game_has_an_empty_score_sheet(client, game):
    text = page(client, f"/rules/{game}/score-sheet")
    assert text.count('<span class="blank"></span>') == 2 * TURNS
    assert "data-position" in text


def test_a_refused_turn_stands_at_the_head_of_the_boards(client, new_game, bind_board):
    quiet, refused = bind_board(new_game(2)), new_game(2)
    refusal = {
        "ply": 3, "number": "2.", "side": "South", "cause": "c1", "meant": "d", "message": "d fits nothing.",
        "sentences": [], "mend": {}, "candidates": [], "question": "q", "repeated": False, "counts": [],
    }  # fmt: skip
    board_id = bind_board(refused, refusal=refusal)
    text = page(client, "/boards")
    assert re.findall(r'data-refused="([\w-]+)"', text) == [board_id]
    assert quiet != board_id
    assert text.index("data-refused") < text.index('data-fresh="open"')
