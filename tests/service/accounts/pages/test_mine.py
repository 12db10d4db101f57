import re
from datetime import date

from inkeek.records.rules.ruleset import load_ruleset
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.write import Write
from tests.service.clients import signed_in


def test_it_has_what_is_theirs_and_what_waits(app, services, new_game):
    played = new_game(1, tags={"South": "Lemayian", "North": "Naisula"})
    others = new_game(1, tags={"South": "Amina", "North": "Yusuf"})
    began = services.games.create("oware", {}, {"South": "Amina"}, Write("page", actor="naisula")).id
    dispute = open_dispute(services.games, others, "North", "He sowed one too few", Write("page", actor="naisula"))
    client = signed_in(app, "record", name="naisula")
    first = client.post("/games/new", data={"game": "bof"}).location.split("/live")[0]  # players without names
    asks = 'name="was.South" value="">'
    assert client.get(f"{first}/live").text.count(asks) == 1  # under “Names”
    client.post(f"{first}/end", data={"termination": "resignation", "winner": "South"})
    assert client.get(f"{first}/live").text.count(asks) == 2
    client.post(f"/games/{others}/review", data={"ply": "1", "comment": "quiet"})
    page = client.get("/mine").text
    for game_id in (played, began):
        assert f"/games/{game_id}/live" in page
    assert re.search(rf'href="{first}/review">\s*{load_ruleset("bof").name}, \d+ \w+ {date.today().year}', page)
    assert f'href="/games/{others}/review"' in page
    assert f"/games/{others}/live" not in page
    assert f'href="/games/{others}/disputes/{dispute.seq}"' in page
    assert "waits-head" in page
    assert 'action="/mine/device"' in page
    assert "/backup" not in page
    nobody = app.test_client().get("/mine").text
    assert played not in nobody
    assert 'action="/mine/device"' not in nobody
