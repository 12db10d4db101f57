"""A club's evening in a browser, from an empty folder to the last backup: ``python -m tests.e2e.evening [FOLDER]``.

An organizer, a phone at each of six tables, sensor boards at two of them, and a wall; prints the taps and seconds of
each step, and with FOLDER keeps a picture of each.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from inkeek.records import ruleset
from inkeek.service.games.write import Write
from inkeek.service.http.services import build_services
from inkeek.service.settings import read_settings
from tests.e2e.processes import SimulatedBoard
from tests.service.http.web.browsing import BROWSERS, PATIENCE

PLAYERS = (
    *("Amina", "Babu", "Chausiku", "Daudi", "Esther", "Farah"),
    *("Grace", "Hassan", "Ifrah", "Juma", "Khadija", "Lemayian"),
)
BOARDS = ("SIM-1", "SIM-2")  # at the first tables; each plays one turn a round
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
EVENT = "/events/saturday%20cup"


@dataclass
class Evening:
    """The walk. `steps`: name, taps (fields that are filled and buttons that are pressed) and seconds of each."""

    browser: Any
    link: str
    folder: Path
    pictures: Path | None
    steps: list[tuple[str, int, float]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    taps: int = 0
    _contexts: list[Any] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)  # of the boards that are connected

    @property
    def base(self) -> str:
        return self.link.partition("/sign-in")[0]

    def open(self, url: str, viewport: dict[str, int], beside: Any = None) -> Any:
        """A page in a browser of its own, or `beside` another one."""
        context = beside.context if beside else self.browser.new_context(viewport=viewport, reduced_motion="reduce")
        if not beside:
            self._contexts.append(context)
            context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.goto(url)
        return page

    def close(self) -> None:
        self._stack.close()
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
        self._use_boards()
        with self.step("say which board stands where", desk):
            self.press(desk, 'a:has-text("Players and settings")')
            self.press(desk, 'summary:has-text("Sensor boards")')
            for table, port in enumerate(self._ports, 1):
                self.taps += 1
                desk.select_option(f"#board-{table}", port)
            self.press(desk, 'main form button:has-text("Save")')
            desk.wait_for_selector(".next-round")
        boards = self._connect_boards()
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
        self._disconnect_boards(boards)
        wall = self.open(f"{self.base}{EVENT}/wall", DESK, beside=desk)
        desk.goto(self.base + EVENT)
        with self.step("the evening", desk):
            desk.wait_for_selector('text="Table 6"')
        for number, phone in enumerate(phones):
            self._end(phone, "South" if number % 2 else "North")
        boards, games = self._connect_boards(), [_game_on(phone) for phone in phones]
        with self.step("next round", desk):
            desk.reload()
            self.press(desk, ".next-round button")
            desk.wait_for_selector("text=Round 2")
        with self.step("phones, boards and wall go on", wall):
            for game, phone in zip(games, phones, strict=True):
                phone.wait_for_selector(f'[data-following]:not([data-game="{game}"])')
                player = phone.text_content("header .signed").strip()
                phone.wait_for_selector(f'main:has(:text-is("{player}"))')  # the phone went with its player
                wall.wait_for_selector(f'[data-game="{_game_on(phone)}"]')
            for table in range(1, len(BOARDS) + 1):
                wall.wait_for_selector(f'.hall-game:has(:text("Table {table}")) [data-plies]:has-text("1 turn")')
        self._disconnect_boards(boards)
        with self.step("backup", desk):
            desk.goto(f"{self.base}/backup")
            with desk.expect_download() as download:
                self.press(desk, 'button:has-text("Download a backup")')
            assert Path(download.value.path()).read_bytes().startswith(b"SQLite format 3")
        wall.close()
        with self.step("next month: the same again", desk):
            desk.goto(self.base + EVENT)
            self.press(desk, 'a:has-text("The same again")')
            self.fill(desk, "#name", "Sunday Cup")
            self.press(desk, 'main form button:has-text("Make the event")')
            self.press(desk, ".next-round button")
            desk.wait_for_selector('text="Table 6"')

    def _join(self, link: str) -> Any:
        """A phone that scans the card of a table, keeps its score, and plays the first turn, unless a board does."""
        phone = self.open(link, PHONE)
        has_board = int(phone.inner_text("h1").split()[-1]) <= len(BOARDS)
        with self.step("from the card to a board's turn" if has_board else "from the card to the first turn", phone):
            self.press(phone, ".join-who label")
            self.press(phone, '.join-buttons button[value="keep"]')
            phone.wait_for_selector("[data-following]")
            if not has_board:
                self.press(phone, '.moves-to-play button:not([aria-disabled="true"])')
            phone.wait_for_selector('[data-ply="1"]')
        return phone

    def _end(self, phone: Any, winner: str) -> None:
        """A game ends by resignation."""
        phone.click("nav.tools a[href='#more']")
        phone.click("#more a[href='#end']")
        phone.select_option("#end #termination", "resignation")
        phone.select_option('#end [name="winner"]', winner)
        phone.click("#end button")
        phone.wait_for_selector(".result")

    @property
    def _ports(self) -> list[str]:
        return [str(self.folder / serial) for serial in BOARDS]

    def _use_boards(self) -> None:
        """Two boards have been used before: the service knows them."""
        services = build_services(read_settings({}, {"data": str(self.folder)}))
        try:
            write = Write("cli")
            game = services.games.create("enkeshui", {}, {}, write).id
            for serial, port in zip(BOARDS, self._ports, strict=True):
                services.boards.release(services.boards.bind(port, "inkeek", game, serial=serial).id)
            services.games.end(game, "abandoned", None, write)
        finally:
            services.store.close()

    def _connect_boards(self) -> list[SimulatedBoard]:
        """The boards, laid out, with hands that play one turn each as soon as a game begins."""
        rules = ruleset("enkeshui")
        record = self.folder / "one-turn.pmn"
        record.write_text(f'[Game "enkeshui"]\n\n1. {rules.legal_moves(rules.start())[0]} *\n', "utf-8")
        boards = []
        for serial, port in zip(BOARDS, self._ports, strict=True):
            line = ("--pty", "--link", port, "--play", str(record), "--speed", "max", "--serial", serial)
            boards.append(self._stack.enter_context(SimulatedBoard(self.folder, *line)))
        return boards

    def _disconnect_boards(self, boards: list[SimulatedBoard]) -> None:
        for board in boards:
            board.until("finished", 60)
        self._stack.pop_all().close()


def _game_on(phone: Any) -> str:
    """The id of the game on a live page."""
    return str(phone.get_attribute("[data-live]", "data-game"))


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """Inkeek as a club starts it, with its data in this folder; the link that it opens in the browser."""
    environ = {**os.environ, "INKEEK_DATA": str(folder), "BROWSER": "echo"}
    command = [sys.executable, "-m", "inkeek.service.cli"]
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
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        evening = Evening(chromium, link, Path(folder), pictures)
        try:
            evening.run()
        finally:
            evening.close()
            for name, taps, seconds in evening.steps:
                print(f"{name:34}{taps:3} taps{seconds:8.1f} s")
            print(*evening.complaints, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
