"""The analysis board and the graph of values, without a browser."""

import xml.etree.ElementTree as ElementTree

import pytest

from inkeek.records import ruleset, ruleset_ids
from inkeek.service.review.pages import HEIGHT, WIDTH, value_graph


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_game_has_an_analysis_board(client, game):
    page = client.get("/analysis", query_string={"game": game})
    assert page.status_code == 200
    assert f'data-start="{ruleset(game).start()}"' in page.text


def test_a_position_with_any_number_of_seeds_is_shown(client):
    text = "1.0.2/0.3.0 0-0 n 7"
    assert f'data-start="{text}"' in client.get("/analysis", query_string={"game": "kalah", "position": text}).text


@pytest.mark.parametrize(
    "query",
    [
        {"position": "1.2/<b>"},
        {"position": "0.0.0.0.0.0/0.0.0.0.0.0 0-0 s 0"},
        {"options": "pits=<b>"},
        {"options": "nonsense"},
        {"position": "9" * 5000},
    ],
)
def test_a_position_that_cannot_be_is_refused_and_kept(client, query):
    page = client.get("/analysis", query_string={"game": "oware", **query})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert "<b>" not in page.text
    assert f'data-start="{ruleset("oware").start()}"' in page.text


def points(svg: str) -> list[list[tuple[float, float]]]:
    lines = [part.get("points", "") for part in ElementTree.fromstring(svg).iter("polyline")]
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in line.split())] for line in lines]


def test_the_graph_has_a_place_for_every_turn_and_gaps_where_nothing_is_known():
    (first, second) = points(value_graph([0, 8, None, -8, 4], [3], 1, "values"))
    assert [x for x, _ in first + second] == [0, WIDTH / 4, 3 * WIDTH / 4, WIDTH]
    assert first[0][1] == HEIGHT / 2
    assert first[1][1] + second[0][1] == HEIGHT
    assert first[1][1] < second[1][1] < HEIGHT / 2 < second[0][1]
