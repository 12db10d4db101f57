"""A club's evening in a browser, from an empty folder to the last backup: ``python -m tests.e2e.evening [FOLDER]``.

An organizer, a phone at each of six tables and a wall; prints the taps and seconds of each step, and with FOLDER keeps
a picture of each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from tests.service.http.web.browsing import BROWSERS, PATIENCE

PLAYERS = (
    *("Amina", "Babu", "Chausiku", "Daudi", "Esther", "Farah"),
    *("Grace", "Hassan", "Ifrah", "Juma", "Khadija", "Lemayian"),
)
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
EVENT = "/events/saturday%20cup"


@dataclass
class Evening:
    """The walk. `steps`: name, taps (fields that are filled and buttons that are pressed) and seconds of each."""

    browser: Any
    link: str
    pictures: Path | None
    steps: list[tuple[str, int, float]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    taps: int = 0
    _contexts: list[Any] = field(default_factory=list)

    @property
    def base(self) -> str:
        return self.link.partition("/sign-in")[0]

    def open(self, url: str, viewport: dict[str, int]) -> Any:
        """A page in a browser of its own."""
        context = self.browser.new_context(viewport=viewport, reduced_motion="reduce")
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.goto(url)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def press(self, page: Any, selector: str) -> None:
        self.taps += 1
        page.click(selector)

    def fill(self, page: Any, selector: str, text: str) -> None:
        self.taps += 1
        page.fill(selector, text)

    @contextmanager
    def step(self, name: str, page: Any) -> Iterator[None]:
        """Time a step that ends with what this page shows."""
        self.taps, began = 0, time.monotonic()
        yield
        self.steps.append((name, self.taps, time.monotonic() - began))
        if self.pictures is not None:
            page.screenshot(path=self.pictures / f"{len(self.steps):02} {name}.png", full_page=True)

    def run(self) -> None:
        desk = self.open(self.link, DESK)
        with self.step("begin", desk):
            self.fill(desk, "#name", "Wanjiru")
            self.press(desk, "main form button")
            desk.wait_for_selector("text=Keep one game")
        with self.step("let phones in", desk):
            self.press(desk, ".phones button")
            desk.wait_for_selector(".phones-code")
        with self.step("make the event", desk):
            desk.goto(f"{self.base}/events/new")
            self.fill(desk, "#name", "Saturday Cup")
            self.press(desk, '[name="game.enkeshui"]')
            self.fill(desk, "#pasted", "\n".join(PLAYERS))
            self.press(desk, 'main form button:has-text("Make the event")')
            desk.wait_for_selector(".next-round")
        with self.step("first round", desk):
            self.press(desk, ".next-round button")
            desk.wait_for_selector('text="Table 6"')
        with self.step("invite", desk):
            desk.goto(f"{self.base}{EVENT}/people")
            self.press(desk, 'button:has-text("One for each table")')
            desk.wait_for_selector(".join-qr")
        links = sorted(set(desk.eval_on_selector_all("[data-invitation] a", "all => all.map(one => one.href)")))
        assert len(links) == len(PLAYERS) // 2, links
        phones = [self._join(link) for link in links]
        wall = self.open(f"{self.base}{EVENT}/wall", DESK)
        desk.goto(self.base + EVENT)
        with self.step("the evening", desk):
            desk.wait_for_selector('text="Table 6"')
        for number, phone in enumerate(phones):
            self._end(phone, "South" if number % 2 else "North")
        with self.step("next round", desk):
            desk.reload()
            self.press(desk, ".next-round button")
            desk.wait_for_selector("text=Round 2")
        with self.step("backup", desk):
            desk.goto(f"{self.base}/backup")
            with desk.expect_download() as download:
                self.press(desk, 'button:has-text("Download a backup")')
            assert Path(download.value.path()).read_bytes().startswith(b"SQLite format 3")
        wall.close()

    def _join(self, link: str) -> Any:
        """A phone that scans the card of a table, keeps its score, and plays the first turn."""
        phone = self.open(link, PHONE)
        with self.step("from the card to the first turn", phone):
            self.press(phone, ".join-who label")
            self.press(phone, '.join-buttons button[value="keep"]')
            phone.wait_for_selector("[data-following]")
            self.press(phone, '.moves-to-play button:not([aria-disabled="true"])')
            phone.wait_for_selector('[data-ply="1"]')
        return phone

    def _end(self, phone: Any, winner: str) -> None:
        """A game ends by resignation."""
        phone.click('[data-shown="end"] summary')
        phone.select_option("#end #termination", "resignation")
        phone.select_option('#end [name="winner"]', winner)
        phone.click("#end button")
        phone.wait_for_selector(".result")


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """Inkeek as a club starts it, with its data in this folder; the link that it opens in the browser."""
    environ = {**os.environ, "INKEEK_DATA": str(folder), "INKEEK_LOCAL_NAME": "", "BROWSER": "echo"}
    command = [sys.executable, "-m", "service.cli"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        links: Queue[str] = Queue()

        def read() -> None:
            for line in child.stdout or ():
                if "/sign-in?key=" in line:
                    links.put(line.split()[-1])

        threading.Thread(target=read, daemon=True).start()
        try:
            yield links.get(timeout=60)
        finally:
            child.terminate()
            child.wait()


def main(arguments: list[str]) -> None:
    """Walk through an evening, and print how long it took."""
    from playwright.sync_api import sync_playwright

    pictures = Path(arguments[0]) if arguments else None
    path = next(found for found in map(shutil.which, BROWSERS) if found)
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as link, sync_playwright() as playwright:
        evening = Evening(playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]), link, pictures)
        try:
            evening.run()
        finally:
            for name, taps, seconds in evening.steps:
                print(f"{name:34}{taps:3} taps{seconds:8.1f} s")
            print(*evening.complaints, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
