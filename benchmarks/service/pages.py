"""The pages in Chromium: ``python -m benchmarks.service.pages``.

A step of the review in a game of 200 turns: from the key to the paint, the time of the processor, and the requests
that 200 steps send. Then the live page and the hall follow a game in which turns come one after the other, by default
1,800 turns in a quarter of an hour, the turns of half an hour at a turn a second: what the page holds after a garbage
collection at the start, in the middle and at the end. It needs Chromium and playwright (the extra `test`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page, sync_playwright

from records import Position, ruleset
from tests.service.http.web.browsing import BROWSERS

from .http_client import Connection
from .throughput import served

GAME = {"game": "anywoli", "options": {"pits": 8}, "tags": {"Event": "Open", "South": "Ann", "North": "Ben"}}
ROW = "4.4.4.4.4.4.4.4/4.4.4.4.4.4.4.4"
FEW = 3  # legal turns with which the seeds are laid out anew, so that the game never ends
SETTLED = 20  # turns before the memory is looked at first: what a page keeps for good is loaded by then
STEP = """() => new Promise((done) => {
  const start = performance.now();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => done(performance.now() - start);
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  requestAnimationFrame(() => port2.postMessage(0)); // comes after the frame is painted
})"""


class Game:
    """A game of the service that goes on for ever."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._port, self._headers = port, headers
        self._random = Random(4)
        self._rules = ruleset("anywoli", **GAME["options"])  # type: ignore[arg-type]
        self._position = self._rules.start()
        self.id = self._post("/api/v1/games", GAME)["id"]

    def play(self) -> None:
        """Store one more turn."""
        legal, ply = self._rules.legal_moves(self._position), self._position.ply + 1
        if len(legal) > FEW:
            move = self._random.choice(legal)
            self._position = self._rules.play(self._position, move).position
            self._post(f"/api/v1/games/{self.id}/turns", {"move": str(move), "ply": ply})
        else:
            text = f"{ROW} 0-0 {'ns'[ply % 2 == 0]} {ply}"
            self._position = Position.parse(text)
            self._post(f"/api/v1/games/{self.id}/irregular-turns", {"move": "~?", "position": text, "ply": ply})

    def _post(self, path: str, body: object) -> Any:
        connection = Connection(self._port, self._headers)  # a new one: the service closes those that wait for long
        status, answer = connection.ask("POST", path, json.dumps(body).encode())
        connection.close()
        assert status == 201, answer
        return json.loads(answer)


def percentiles(times: list[float]) -> str:
    times = sorted(times)
    return f"{times[len(times) // 2]:.1f} ms | {times[int(len(times) * 0.99)]:.1f} ms"


def steps(page: Page, address: str, turns: int) -> None:
    """Print what a step of the review takes."""
    page.goto(address, wait_until="networkidle")
    page.wait_for_selector("[data-review][data-ready]")
    requests: list[str] = []
    # The browser fetches the icon of a page when it likes.
    page.on("request", lambda request: None if request.url.endswith("icon.svg") else requests.append(request.url))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    page.locator("[data-movelist]").focus()
    painted, processor = [], []
    for _ in range(turns):
        before = worked()
        painted.append(page.evaluate(STEP))
        processor.append(1000 * (worked() - before))
    assert page.get_attribute("[data-review]", "data-node") == str(turns)
    print(f"| step of a review of {turns} turns, key to paint: p50, p99 | {percentiles(painted)} |")
    print(f"| the same, time of the processor: p50, p99 | {percentiles(processor)} |")
    print(f"| requests in {turns} steps | {len(requests)} | |", flush=True)


def holding(page: Page) -> Iterator[tuple[float, int, int]]:
    """What a page holds after a garbage collection: megabytes of the heap, nodes, listeners."""
    devtools = page.context.new_cdp_session(page)
    while True:
        devtools.send("HeapProfiler.collectGarbage")
        counters = devtools.send("Memory.getDOMCounters")
        used = devtools.send("Runtime.getHeapUsage")["usedSize"]
        yield used / 1e6, counters["nodes"], counters["jsEventListeners"]


def memory(pages: dict[str, Page], game: Game, turns: int, every: float) -> None:
    """Print what the pages hold while they follow so many turns, one after `every` seconds."""
    held = {name: holding(page) for name, page in pages.items()}
    found: dict[str, list[tuple[float, int, int]]] = {name: [] for name in pages}
    began = time.monotonic()
    for number in range(turns + SETTLED + 1):
        if number in (SETTLED, SETTLED + turns // 2, SETTLED + turns):
            for name in pages:
                found[name].append(next(held[name]))
        game.play()
        wait = began + (number + 1) * every - time.monotonic()
        if wait > 0:
            next(iter(pages.values())).wait_for_timeout(1000 * wait)
    for name, (first, middle, last) in found.items():
        sizes = ", ".join(f"{one[0]:.2f}" for one in (first, middle, last))
        nodes = ", ".join(str(one[1]) for one in (first, middle, last))
        listeners = ", ".join(str(one[2]) for one in (first, middle, last))
        print(f"| {name}, {turns} turns: heap at start, middle, end | {sizes} MB | |")
        print(f"| {name}: nodes; listeners | {nodes} | {listeners} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="The pages in Chromium.")
    parser.add_argument("--steps", type=int, default=200, help="turns of the game that is reviewed")
    parser.add_argument("--turns", type=int, default=1800, help="turns that the live page and the hall follow")
    parser.add_argument("--every", type=float, default=0.5, help="seconds from one turn to the next")
    options = parser.parse_args()
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        parser.error(f"There is no browser. Install one of {', '.join(BROWSERS)}.")
    print("| what | | |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as name, served(Path(name), rate=0) as (port, headers), sync_playwright() as web:
        base = f"http://127.0.0.1:{port}"
        browser = web.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        reviewed = Game(port, headers)
        for _ in range(options.steps):
            reviewed.play()
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        steps(page, f"{base}/games/{reviewed.id}/review?ply=0", options.steps)
        page.close()
        followed = Game(port, headers)
        pages = {}
        for title, path in (("live page", f"/games/{followed.id}/live"), ("hall", "/events/open/hall")):
            pages[title] = browser.new_page(viewport={"width": 1280, "height": 900})
            pages[title].goto(base + path)
            pages[title].wait_for_selector("[data-following]")
        memory(pages, followed, options.turns, options.every)
        browser.close()


if __name__ == "__main__":
    main()
