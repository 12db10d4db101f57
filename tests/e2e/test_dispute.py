"""The whole course of a dispute: from the button on the board, over the arbiter's page in a browser, to the sheet."""

from __future__ import annotations

import secrets
import select
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_sim.cable.ports import TcpCable
from firmware_sim.device import SimulatedDevice
from firmware_sim.firmware.board import BoardFirmware
from firmware_sim.hands.hands import Hands
from firmware_sim.hands.mistakes import make_mistake
from firmware_sim.hands.plan import PlannedTurn, plan_game
from firmware_sim.world import World
from records import Position
from service.games.state import DERIVED_TAGS
from tests.e2e.chain import EXAMPLE, read_record
from tests.e2e.processes import Service
from tests.service.clients import session_in
from tests.service.http.web.browsing import Watch
from tests.service.waiting import until

pytestmark = pytest.mark.browser

WRONG = 6  # the turn in which the hands skip a pit
SPEED = 20.0
PATIENCE = 60.0  # seconds that a step may take on a busy machine
BAR = ".disputed-bar"
NOTE = "The turn before was right. The board is laid out again."


class DisputingHands(Hands):
    """Hands whose other side disputes the first turn that the board refuses, and waits for the ruling."""

    disputed = False

    def _wait_for_refusal(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        refused = yield from super()._wait_for_refusal(turn)
        if refused and not self.disputed:
            self.disputed = True
            yield from self._press("n" if turn.side == "s" else "s", "dispute")
            yield from self._watch(self.stopped)
            self.report({"event": "stopped", "ply": turn.ply})
            yield from self._watch(lambda: not self.stopped())
            self.report({"event": "released", "ply": turn.ply})
        return refused

    def stopped(self) -> bool:
        """Whether the lights say that the game waits for a ruling."""
        return bool(self.lights.error) and set(self.lights.rows.values()) == {"on"}


class Table:
    """A simulated board in a thread, whose hands play the example; and the service with its game, bound to it."""

    def __init__(self, service: Service) -> None:
        record = read_record(EXAMPLE)
        self.service = service
        self.plan = plan_game(record)
        self.events: list[Any] = []
        random = Random(7)
        world = World(self.plan.row, True, random)
        board = BoardFirmware(self.plan.row, True, "SIM-0001", secrets.token_hex(4))
        self._cable = TcpCable("127.0.0.1", 0)
        self._device = SimulatedDevice(
            board, world, self._cable, time.monotonic, _wait, speed=SPEED, report=self.events.append
        )
        mistakes = {WRONG: ("skip", make_mistake("skip", self.plan, WRONG))}
        self.hands = DisputingHands(self.plan, world, board.lights, random, self.events.append, mistakes=mistakes)
        self._device.hands = self.hands
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._device.run, args=(self._stop.is_set,), name="board")
        rules = record.rules()
        tags = {name: value for name, value in record.tags.items() if name not in DERIVED_TAGS}
        game = {"game": rules.id, "options": dict(rules.changed), "tags": tags}
        self.game_id = str(service.client.post("/api/v1/games", game)["id"])
        self.board_id = ""

    def __enter__(self) -> Table:
        self._cable.plug()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        self._cable.unplug()

    def bind(self) -> None:
        """Bind the board to the game: the hands begin."""
        bound = {"port": self._cable.url, "driver": "inkeek", "game": self.game_id}
        self.board_id = str(self.service.client.post("/api/v1/boards", bound)["id"])

    def happened(self, kind: str, ply: int) -> dict[str, Any]:
        """Wait for an event of the hands."""
        return until(
            lambda: next((one for one in self.events if one["event"] == kind and one["ply"] == ply), {}), PATIENCE
        )

    def game(self) -> Any:
        return self.service.client.get(f"/api/v1/games/{self.game_id}")

    def before(self) -> Position:
        """The position before the wrong turn."""
        return read_record(EXAMPLE).replay().positions[WRONG - 1]

    def slip(self) -> str:
        """The pit in which the wrong hands did something else than the plan."""
        right, wrong = self.plan.turn(WRONG).steps, make_mistake("skip", self.plan, WRONG)
        place = next(done.place for done, due in zip(wrong, right, strict=False) if done != due)
        return self.before().letter(place)

    def status(self) -> Any:
        return self.service.client.get(f"/api/v1/boards/{self.board_id}")["status"]


def _wait(files: list[int], seconds: float) -> None:
    select.select(files, [], [], seconds)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    service = Service(tmp_path)
    try:
        service.start()
        with Table(service) as made:
            yield made
    finally:
        service.stop()


@pytest.fixture
def watch(browser: Any, table: Table, tmp_path: Path) -> Iterator[Watch]:
    """The arbiter's browser; unless `signed`, a visitor's."""
    base = f"http://127.0.0.1:{table.service.port}"
    watching = Watch(browser, base, session_in(tmp_path, "Koinet", "record", "arbiter"))
    yield watching
    watching.close()
    assert watching.complaints == []


def test_a_dispute_from_the_button_on_the_board_to_the_printed_sheet(table: Table, watch: Watch) -> None:
    live = watch.open(f"/games/{table.game_id}/live", ready="[data-live][data-following]", signed=False)
    boards = watch.open("/boards", signed=False)
    assert live.query_selector(BAR) is None
    table.bind()

    # A wrong turn, the button, and play stops everywhere.
    table.happened("stopped", WRONG)
    live.wait_for_selector(BAR)
    boards.wait_for_selector(BAR)
    number = table.game()["dispute"]
    assert table.game()["ply"] == WRONG - 1
    until(lambda: table.status()["dispute"] == number, PATIENCE)
    assert table.hands.stopped()
    path = live.get_attribute(f"{BAR} a", "href")
    assert path == "/games/{}/disputes/{}".format(*number.split("-"))
    lists = ["/", "/games", "/disputes", f"/boards/{table.board_id}"]
    assert [listed for listed in lists if not leads_to(live, watch.base + listed, path)] == []

    # The arbiter follows the bar to the dispute, and reads what happened.
    page = watch.open(path)
    assert page.get_attribute("[data-finding]", "data-finding") == "wrong"
    assert page.get_attribute("[data-account='1']", "data-kinds").split() == ["skipped"]
    page.click(".less-likely > summary")
    assert page.is_visible("[data-account='1'] .slip-mark")
    assert page.is_visible("[data-picture='lies'] svg")

    # The arbiter looks at one ruling, and gives another.
    before = table.game()["seq"]
    page.check("[data-rule] [value=retracted]")
    page.click("[data-rule] [value=preview]")
    page.wait_for_selector("[data-preview] svg")
    assert table.game()["seq"] == before
    page.check("[data-rule] [value=stands]")
    page.fill("[data-rule] [name=note]", NOTE)
    page.click("[data-rule] [value=rule]")
    page.wait_for_selector("[data-state=ruled]")

    # Play goes on: without the bar, and with the lights of the side that has to move.
    table.happened("released", WRONG)
    for open_page in (live, boards, page):
        open_page.wait_for_selector(BAR, state="detached")
    until(lambda: table.status()["dispute"] is None, PATIENCE)
    table.happened("turn", WRONG + 1)
    until(lambda: table.game()["ply"] > WRONG, PATIENCE)
    turns = table.service.client.get(f"/api/v1/games/{table.game_id}/turns")["items"]
    assert [turn["move"] for turn in turns[: WRONG + 1]] == [turn.move for turn in table.plan.turns[: WRONG + 1]]
    live.wait_for_function(
        "ply => Number(document.querySelector('[data-live]').dataset.ply) > ply", arg=WRONG, timeout=1000 * PATIENCE
    )

    # No list says any more that the game waits.
    page.goto(f"{watch.base}/disputes")
    assert page.is_visible("[data-no-disputes]")
    assert [listed for listed in lists if leads_to(page, watch.base + listed, path)] == ["/disputes"]

    # The sheet.
    page.goto(watch.base + path)
    page.click("a[href$='/sheet']")
    page.wait_for_selector(".dispute-sheet")
    assert page.inner_text("mark:has(.slip)").split()[0] == table.slip()
    assert page.get_attribute(".sheet-boards [data-position]", "data-position") == str(table.before())
    assert "Koinet" in page.inner_text(".dispute-sheet")
    assert table.service.client.get(f"/api/v1/games/{table.game_id}/integrity")["faults"] == []


def leads_to(page: Any, address: str, path: str) -> bool:
    """Whether the page at an address leads to the dispute."""
    answer = page.request.get(address)
    assert answer.status == 200
    return f'href="{path}"' in answer.text()
