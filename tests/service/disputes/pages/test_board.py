from inkeek.records import Position
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.write import Write
from inkeek.service.http.web.drawing import fields_of, place_names


def test_the_board_of_a_disputed_end_is_counted_and_put_right(client, games, new_game):
    game = new_game(4)
    games.end(game, "resignation", "South", Write("api"))
    opened = open_dispute(games, game, "North", "nobody resigned", Write("api"), about="end")
    page, position = f"/games/{game}/disputes/{opened.seq}", Position.parse(games.row(game).position)
    assert f'href="{page}/board"' in client.get(page).text
    words = fields_of(position)
    here, there = [place for place, _ in place_names(position.row) if words[place].isdigit() and words[place] > "0"][:2]
    words |= {here: str(int(words[here]) - 1), there: str(int(words[there]) + 1)}
    counted = {f"laid.{name}": words[place] for place, name in place_names(position.row)}
    assert client.post(f"{page}/board", data={**counted, "by": "Naisula"}).status_code == 303
    assert "data-unknown" not in client.get(page).text
    preview = client.post(f"/api/v1/disputes/{opened.id}/preview", json={"outcome": "stands"}).json
    assert len(preview["board"]) == 2


def test_what_nobody_can_count_is_left_open(client, games, new_game):
    game = new_game(4)
    opened = open_dispute(games, game, "North", "too many", Write("api"))
    page, position = f"/games/{game}/disputes/{opened.seq}", Position.parse(games.row(game).position)
    words = fields_of(position) | {0: "?", 2 * position.row: ""}
    counted = {f"laid.{name}": words[place] for place, name in place_names(position.row)}
    assert client.post(f"{page}/board", data=counted).status_code == 303
    seen = client.get(f"/api/v1/disputes/{opened.id}").json["seen"]
    assert seen.startswith("?.")
    assert " ?-" in seen
    shown = client.get(page).text
    assert "data-unknown" not in shown
    assert 'value="?"' in client.get(f"{page}/board").text
    assert client.get(f"{page}/sheet").status_code == 200
    assert f'seen="{seen}"' in client.get(f"/api/v1/games/{game}.pmn").text.replace("\n", " ")
    preview = client.post(f"/api/v1/disputes/{opened.id}/preview", json={"outcome": "stands"})
    assert (preview.status_code, preview.json["board"]) == (200, [])
