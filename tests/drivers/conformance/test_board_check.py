from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from inkeek.drivers.conformance.board_check import (
    FAILED,
    PASSED,
    SKIPPED,
    STEPS,
    TASKS,
    BoardLine,
    Nobody,
    run_check,
)
from inkeek.drivers.conformance.harness import PortHarness
from inkeek.drivers.errors import TransportError
from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.firmware_sim.world import World
from tests.drivers.conformance.people import WRONG_BOARDS, Maker, WrongBoard, check
from tests.foreign_board import Bench, Deviations, ForeignBoard

PROTOCOL = (Path(__file__).parents[3] / "docs/protocol.md").read_text("utf-8")


@pytest.mark.parametrize("minor", [0, 1])
def test_a_good_board_passes_every_step(minor: int) -> None:
    results = check(WrongBoard("", Deviations(), (), (), {"minor": minor}))
    assert [(result.name, result.came, result.why) for result in results if result.outcome != PASSED] == []
    assert [result.name for result in results] == [step.name for step in STEPS]


@pytest.mark.parametrize("wrong", WRONG_BOARDS, ids=lambda wrong: wrong.mistake)
def test_a_wrong_board_is_told_what_is_wrong(wrong: WrongBoard) -> None:
    results = check(wrong)
    failed = [result for result in results if result.outcome == FAILED]
    assert {result.name for result in failed} >= set(wrong.steps)
    text = "\n".join(f"{result.came} {result.expected}" for result in failed)
    assert all(word in text for word in wrong.words), text
    assert all(result.came and result.expected for result in failed)


def test_what_the_protocol_allows_is_only_noted() -> None:
    for deviations in (Deviations(debug_text=b"w=4\n"), Deviations(counts_rounded=True)):
        results = check(WrongBoard("", deviations, (), ()))
        assert [result.name for result in results if result.outcome != PASSED] == []
        assert any(result.notes for result in results)


def test_a_board_without_people_buttons_and_lights() -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, capabilities=(), clock=bench.clock)
    results = {result.name: result for result in run_check(bench.plug("a", board), person=Nobody())}
    assert {name for name, result in results.items() if result.outcome == FAILED} == set()
    skipped = {name for name, result in results.items() if result.outcome == SKIPPED}
    assert skipped >= {"events", "buttons", "pits", "lights", "calibration", "overflow", "restart"}
    assert all(result.why for result in results.values() if result.outcome == SKIPPED)
    assert {"greeting", "snapshot", "status", "damaged", "unknown", "lines"}.isdisjoint(skipped)


def test_no_board_is_calibrated_without_leave() -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    results = {result.name: result for result in run_check(bench.plug("a", board), person=Maker(board))}
    assert results["calibration"].outcome == results["overflow"].outcome == SKIPPED
    assert ["CAL", "tare"] not in board.heard


def test_a_board_that_restarts_when_its_port_is_opened() -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    environment = bench.plug("a", board)
    opener = environment.open

    def open_and_reset() -> object:
        board.restart()
        return opener()

    environment.open = open_and_reset  # type: ignore[method-assign, assignment]
    results = {result.name: result for result in run_check(environment, person=Maker(board))}
    assert results["reconnect"].outcome == FAILED
    assert "restart" in results["reconnect"].came


@pytest.mark.parametrize("serial", ["", " MY-1", "x" * 101])
def test_a_serial_number_that_the_host_cannot_use(serial: str) -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, serial=serial, clock=bench.clock)
    assert next(run_check(bench.plug("a", board))).outcome == FAILED


def test_a_swapped_side_and_a_row_counted_from_the_wrong_end() -> None:
    class Swapped(Maker):
        def ask(self, task: str, text: str) -> bool:
            swaps = {"press s": "press n", "press n": "press s", "lift south": "lift north", "lift north": "lift south"}
            return super().ask(swaps.get(task, task), text)

    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    results = {result.name: result for result in run_check(bench.plug("a", board), person=Swapped(board))}
    assert results["buttons"].outcome == results["pits"].outcome == FAILED


def test_a_lost_port_fails_the_step_and_the_check_goes_on() -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    environment = bench.plug("a", board)
    run = run_check(environment)
    assert next(run).outcome == PASSED
    bench.pull("a")
    assert next(run).outcome == FAILED
    bench.plug("a", board)
    outcomes = [result.outcome for result in run]
    assert PASSED in outcomes
    assert FAILED not in outcomes


def test_the_port_may_vanish_during_the_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(TransportError)

    def fail(stream: object) -> None:
        raise TransportError("it is gone")

    class Replugged(Maker):
        waits = 0

        def ask(self, task: str, text: str) -> bool:
            super().ask(task, text)
            if task == "restart":
                bench.pull("a")
                self.waits = 5
                monkeypatch.setattr("tests.foreign_board.line.Stream.close", fail)
            return True

        def answer(self) -> str | None:
            if self.waits:
                self.waits -= 1
                if not self.waits:
                    bench.plug("a", self.board)
            return super().answer()

    board = ForeignBoard(4, clock=bench.clock)
    results = {result.name: result for result in run_check(bench.plug("a", board), person=Replugged(board))}
    assert results["restart"].outcome == PASSED, results["restart"]


def test_a_port_that_cannot_be_opened_ends_the_check() -> None:
    bench = Bench(TransportError)
    environment = bench.plug("a", ForeignBoard(4))
    bench.pull("a")
    with pytest.raises(TransportError):
        list(run_check(environment))


def test_a_flood_ends_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkeek.drivers.conformance.board_check.MAX_LINES", 50)
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    for _ in range(60):
        board.press("s")
    results = list(run_check(bench.plug("a", board)))
    assert results[0].outcome == FAILED


def test_the_first_line_may_be_cut_by_the_opening_of_the_port() -> None:
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    board.send_bytes(b"001,1,2,PIT,3,400*ABCD\r\n")
    line = BoardLine(bench.plug("a", board), lambda line: None)
    line.open()
    line.read_for(1.0)
    assert not line.faults
    board.send_bytes(b"001,1,2,PIT,3,400*ABCD\r\n")
    line.read_for(1.0)
    assert line.faults["text"] == 1


def test_steps_name_sections_of_the_protocol_and_known_tasks() -> None:
    headings = set(re.findall(r"^## (.+)$", PROTOCOL, re.M))
    assert {step.section for step in STEPS} <= headings
    bench = Bench(TransportError)
    maker = Maker(ForeignBoard(4, clock=bench.clock))
    list(run_check(bench.plug("a", maker.board), person=maker, calibrate=True))
    assert set(maker.tasks) == set(TASKS)


class Desk(PortHarness):
    """The project's own board with its world, and somebody at it. Time passes while the check reads."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(4, False, Random(3))
        self.world.lay([4] * 8)
        self.board = BoardFirmware(4, False, "SIM-1", "00000001")
        self._later: list[tuple[float, int]] = []
        self._answers: list[str] = []

    def tick(self) -> None:
        while self._later and self._later[0][0] <= self.now:
            self.world.add(self._later.pop(0)[1], 4)
        end = round(self.now * 1000)
        for now in (end - 25, end):
            self.board.sense(self.world.readings(now), self.world.contacts(now), now)
        data = self.board.output(end)
        self.board.mark_sent(len(data))
        self.send(data)

    def write(self, data: bytes) -> None:
        self.board.receive(data)

    # As a `Person`

    def ask(self, task: str, text: str) -> bool:
        now = round(self.now * 1000)
        pit = {"events": 1, "lift south": 0, "lift north": 4}.get(task)
        self._answers = []
        if pit is not None:
            self.world.lift(pit)
            self._later.append((self.now + 1.0, pit))
        if task in ("events", "press s", "press n"):
            self.world.press(task[-1] if task != "events" else "s", "commit", now + 2000, now + 2400)
        elif task == "restart":
            self.board = BoardFirmware(4, False, "SIM-1", "00000002")
        elif task == "empty":
            for place in range(8):
                self.world.lift(place)
            self._answers = ["y"]
        elif task == "lights":
            self._answers = ["y"]
        return True

    def answer(self) -> str | None:
        return self._answers.pop() if self._answers else None


def test_the_projects_own_board_passes_every_step() -> None:
    desk = Desk()
    results = list(run_check(desk, person=desk, calibrate=True))  # type: ignore[arg-type]
    assert [(result.name, result.came, result.why) for result in results if result.outcome != PASSED] == []
