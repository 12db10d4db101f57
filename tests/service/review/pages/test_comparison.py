from pathlib import Path

from inkeek.records.rules.ruleset import read_ruleset


def test_the_page_says_where_rules_part(client, new_game):
    game_id = new_game(3, game="enkeshui", options={"pits": 12, "setup": "triples"})
    page = f"/games/{game_id}/comparison"
    assert page in client.get(f"/games/{game_id}/review").get_data(as_text=True)
    parted = client.get(f"{page}?rules=enkeshui-wikipedia")
    assert (parted.status_code, "capture_after_relay" in parted.text) == (200, True)
    same = client.get(page, query_string={"rules": "enkeshui"})
    assert (same.status_code, "parting-head" in same.text) == (200, False)
    assert client.get(f"{page}?rules=bof").status_code == 422
    assert client.get(page, query_string={"rules": "enkeshui", "options": "none=1"}).status_code == 422


def test_two_readings_of_a_village_are_compared_on_a_game(client, new_game):
    text = Path("docs/examples/rules/endodoi.toml").read_text("utf-8")
    id = read_ruleset(text).id
    for file in (text, text.replace(id, f"{id}-2").replace('"last", "opposite"', '"opposite"')):
        assert client.post("/api/v1/rulesets", json={"file": file}).status_code == 201
    game_id = new_game(20, game=id)
    page = client.get(f"/games/{game_id}/comparison?rules={id}-2").text
    assert "parting-head" in page
    differing = page[page.index("tables-head") : page.index("options-head")]
    assert differing.count("<li>") == 2
    assert "turns-head" in page
