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
