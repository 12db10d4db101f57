"""The one search: what it finds of each kind, and where it leads at once."""

import re

import pytest

from inkeek.service.storage import Limit
from tests.service.clients import signed_in

EVERY = {"cup", "open", "other"}  # games of the library


@pytest.fixture
def library(new_game):
    return {
        "cup": new_game(3, game="oware", tags={"South": "Ann Lee", "North": "Ben", "Event": "Cup of Narok"}),
        "open": new_game(3, game="kalah", tags={"South": "Cid", "North": "Ann Lee", "Event": "Open"}),
        "other": new_game(3, game="kalah", tags={"South": "Cid", "North": "Ann Moss"}),
    }


def links(client, query: str) -> set[str]:
    answer = client.get("/search", query_string={"q": query})
    assert answer.status_code == 200, answer.location
    return set(re.findall(r'href="([^"#]+)', answer.text.partition("<main")[2].partition("<footer")[0]))


@pytest.mark.parametrize(
    ("query", "found", "listed"),
    [
        ("ann", {"/players/ann%20lee", "/players/ann%20moss"}, EVERY),
        ("moss", {"/players/ann%20moss"}, {"other"}),
        ("anm lee", {"/players/ann%20lee"}, {"cup", "open"}),
        ("Cid – ann lee", {"/players/cid", "/players/ann%20lee"}, {"open"}),
        ("cup", {"/events/cup%20of%20narok"}, set()),
        ("kalah", {"/rules/kalah"}, {"open", "other"}),
        ("abapa", {"/rules/oware"}, set()),
        ("from pa", {"/paper"}, set()),
        ("ledger chains events", {"/help/storage"}, set()),
        ("4.4.4.4.4.4/4.4.4.4.4.4 s", {"/analysis?game=kalah&amp;position=4.4.4.4.4.4/4.4.4.4.4.4+0-0+s+0"}, EVERY),
    ],
)
def test_each_kind_is_found(client, library, query, found, listed):
    shown = links(client, query)
    assert found <= shown
    assert {name for name, id in library.items() if f"/games/{id}/live" in shown} == listed


def test_one_exact_result_is_shown_at_once(client, library):
    for query, address in ((library["cup"].upper(), f"/games/{library['cup']}"), (" ANN  lee", "/players/ann%20lee")):
        assert client.get("/search", query_string={"q": query}).location == address


def test_nothing_is_found_for_nonsense(client):
    assert "data-none" in client.get("/search?q=nowhereatall").text
    assert "data-none" not in client.get("/search?q=%20").text
    assert client.get("/search", query_string={"q": "<b>" * 2000}).text.count("&lt;b&gt;") < 500


def test_a_key_of_an_event_finds_no_names_and_no_games_of_others(app, library):
    client = signed_in(app, "read", limit=Limit("event", "Cup of Narok"))
    client.environ_base["REMOTE_ADDR"] = "192.0.2.9"
    assert not any(link.startswith(("/players/", "/games/")) for link in links(client, "ann"))
    assert "data-none" in client.get(f"/search?q={library['open']}").text
    assert client.get(f"/search?q={library['cup']}").location == f"/games/{library['cup']}"
    assert f"/games/{library['open']}/live" not in links(client, "4.4.4.4.4.4/4.4.4.4.4.4 s")
