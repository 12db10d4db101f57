"""A live game is followed by as many as a hall holds while the service is killed and started again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import Service
from tests.service.clients import session_in
from tests.service.http.web.browsing import Watch, position
from tests.service.waiting import until

from .followers import Followers

pytestmark = pytest.mark.browser

FOLLOWERS = 200
TURNS = 6  # before the service is killed, and again after it has come back
PATIENCE = 60.0  # seconds for all followers to hear of a turn, on a busy machine
# Notes each turn that a stream of the page brings, before the scripts of the page use it.
NOTE = """
window.heard = [];
window.EventSource = class extends EventSource {
  constructor(...all) {
    super(...all);
    this.addEventListener("turn", (event) => window.heard.push(JSON.parse(event.data).seq));
  }
};
"""


@pytest.fixture
def watch(browser: Any, service: Service, tmp_path: Path) -> Iterator[Watch]:
    base = f"http://127.0.0.1:{service.port}"
    watching = Watch(browser, base, session_in(tmp_path, "Naisula", "record"))
    watching.expected = ("ERR_", "Failed to load resource")  # while the service is away
    yield watching
    watching.close()
    assert watching.complaints == []


def play(service: Service, game_id: str, turns: int) -> int:
    """Play the first legal turn so many times; the number of the last event."""
    seq = 0
    for _ in range(turns):
        move = service.client.get(f"/api/v1/games/{game_id}")["legal"][0]
        seq = int(service.client.post(f"/api/v1/games/{game_id}/turns", {"move": move})["seq"])
    return seq


def test_a_hall_follows_a_game_through_a_restart_and_misses_nothing(service: Service, watch: Watch) -> None:
    tags = {"South": "Naisula", "North": "Koinet", "Event": "Open", "Round": "1"}
    game = {"game": "anywoli", "options": {}, "tags": tags}
    game_id = str(service.client.post("/api/v1/games", game)["id"])
    tabs = {}
    for path, ready in (
        (f"/games/{game_id}/live", "[data-live][data-following]"),
        (f"/games/{game_id}/live?view=north", "[data-live][data-following]"),
        ("/events/open/hall", "[data-hall][data-following]"),
        (f"/games/{game_id}/overlay", "[data-hall][data-following]"),
    ):
        page = tabs[path] = watch.open("/appearance")
        page.context.add_init_script(NOTE)
        page.goto(watch.base + path, wait_until="domcontentloaded")
        page.wait_for_selector(ready)
    with Followers(f"{watch.base}/api/v1/games/{game_id}/events", FOLLOWERS - len(tabs)) as followers:

        def all_heard(seq: int) -> bool:
            return min(one.last for one in followers.all) == seq

        seq = play(service, game_id, TURNS)
        until(lambda: all_heard(seq), PATIENCE)
        service.crash()
        service.start()
        seq = play(service, game_id, TURNS)
        until(lambda: all_heard(seq), PATIENCE)
        assert {one.connected for one in followers.all} == {2}
    lines = service.client.text(f"/api/v1/games/{game_id}/events?format=ndjson").splitlines()
    stored = [(event["seq"], event["kind"]) for event in map(json.loads, lines)]
    assert [kind for _, kind in stored].count("turn") == 2 * TURNS
    for one in followers.all:
        assert one.heard == stored
    turns = [seq for seq, kind in stored if kind == "turn"]
    now = service.client.get(f"/api/v1/games/{game_id}")["position"]
    for path, page in tabs.items():
        page.wait_for_function("count => window.heard.length >= count", arg=len(turns), timeout=1000 * PATIENCE)
        assert page.evaluate("window.heard") == turns, path
        page.wait_for_selector(f"svg.board[data-position='{now}']", timeout=1000 * PATIENCE)
        assert position(page) == now, path
