"""The page that shares a game, and the files that it offers, without a browser."""

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image, ImageFont

from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.write import Write
from inkeek.service.http.context import EXTENSION
from inkeek.service.sharing import pages


def test_the_card_is_a_picture_with_both_names(client, new_game):
    game_id = new_game(3, tags={"South": "Nasieku & <co>", "North": "Lemayian"})
    answer = client.get(f"/games/{game_id}/card.svg?ply=2")
    assert answer.mimetype == "image/svg+xml"
    card = ElementTree.fromstring(answer.text)
    words = [part.text for part in card.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Nasieku & <co>", "Lemayian"} <= set(words)
    assert client.get(f"/games/{game_id}/card.svg?ply=x").status_code == 400


@pytest.mark.parametrize("name", ["Nkathawakirimi" * 4, "Lemuranga-Lesorogol wa Maralal", "W" * 200, "名" * 60])
def test_a_name_on_a_card_fits(client, new_game, name):
    answer = client.get(f"/games/{new_game(1, tags={'South': name})}/card.svg")
    texts = ElementTree.fromstring(answer.text).iter("{http://www.w3.org/2000/svg}text")
    line = next(text for text in texts if text.text.startswith(name[:2]))
    assert line.text == name or len(name) >= 60
    font = ImageFont.truetype(str(Path(pages.__file__).with_name("DejaVuSans.ttf")), float(line.get("font-size")))
    assert font.getlength(line.text) <= pages.WIDTH - 2 * pages.MARGIN


def test_a_card_shows_the_game_as_it_stands_and_is_sent_once(client, new_game, games):
    game_id = new_game(3)
    url = f"/games/{game_id}/card.png"
    answer = client.get(url)
    assert Image.open(io.BytesIO(answer.data)).size == (1200, 630)
    assert answer.data == client.get(f"{url}?ply=3").data != client.get(f"{url}?ply=0").data
    asks = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(url, headers=asks).status_code == 304
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    assert client.get(url, headers=asks).status_code == 200


def test_the_page_offers_what_fits_a_game_a_turn_and_a_dispute(client, new_game, games):
    game_id = new_game(3)
    position = games.row(game_id).position
    seq = open_dispute(games, game_id, "South", "no", Write("api"), position).seq
    base = f"/games/{game_id}"
    files = {f"/api/v1{base}.pmn", f"{base}/card.png?ply=3"}
    for query, link in (("", base), ("?ply=3", f"{base}/review?ply=3"), (f"?dispute={seq}", f"{base}/disputes/{seq}")):
        page = client.get(f"{base}/share{query}").text
        assert set(re.findall(r'href="([^"]+)"\s+download', page)) == files
        assert f'value="http://localhost{link}"' in page
    assert f'{base}/disputes/{seq}/sheet"' in page
    assert client.get(f"{base}/share?dispute=99").status_code == 404
    assert client.get(f"{base}/share?ply=x").status_code == 400
    assert f"{base}/share?dispute={seq}" in client.get(f"{base}/disputes/{seq}").text
    assert f"{base}/share?ply=2" in client.get(f"{base}/review?ply=2").text
    assert f'{base}/share"' in client.get(f"{base}/live").text


def test_a_link_has_an_address_that_other_devices_reach(app, client, new_game, services, monkeypatch):
    found = [SimpleNamespace(nice_name="wlan0", ips=[SimpleNamespace(ip="192.168.1.20")])]
    monkeypatch.setattr("ifaddr.get_adapters", lambda: found)
    game_id = new_game(1)
    here = client.get(f"/games/{game_id}/share").text
    app.extensions[EXTENSION] = replace(services, settings=replace(services.settings, host="0.0.0.0"))
    there = client.get(f"/games/{game_id}/share").text
    assert 'class="warning"' in here
    assert 'class="warning"' not in there
    assert f'value="http://192.168.1.20/games/{game_id}"' in there


@pytest.mark.parametrize("page", ["review?ply=2", "live"])
def test_a_messenger_finds_a_picture_where_everybody_may_watch(app, client, new_game, page):
    game_id = new_game(2, tags={"South": 'Ann "A" <b>', "North": "Ben"})
    picture = f"http://localhost/games/{game_id}/card.png" + ("?ply=2" if "ply" in page else "")
    answer = app.test_client().get(f"/games/{game_id}/{page}")
    assert f'<meta property="og:image" content="{picture}">' in answer.text
    assert "Ann &#34;A&#34; &lt;b&gt; – Ben" in answer.text
    assert app.test_client().get(picture).mimetype == "image/png"
    assert "og:" not in client.get(f"/games/{game_id}/{page}").text
    refused = app.test_client().get(f"/games/{game_id}/{page}", headers={"X-Forwarded-For": "192.0.2.1"})
    assert refused.status_code == 401
    assert "og:" not in refused.text


def test_a_diagram_of_a_position_is_drawn_for_print(client):
    position = "4.4.4/4.4.4 0-0 s 0"
    drawn = client.get("/diagram.svg", query_string={"position": position, "letters": "ABCDEF"})
    assert (drawn.mimetype, drawn.status_code) == ("image/svg+xml", 200)
    painted = client.get("/diagram.png", query_string={"position": position})
    assert Image.open(io.BytesIO(painted.data)).size[0] == 2400
    assert client.get("/diagram.svg?position=4.4").status_code == 400
    assert client.get("/diagram.svg", query_string={"position": position, "letters": "A"}).status_code == 400
