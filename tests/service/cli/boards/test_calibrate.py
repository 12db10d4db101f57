"""`inkeek board calibrate` with the firmware at the other end of the line."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from inkeek.drivers.errors import TransportError
from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.firmware_sim.firmware.panel import contact
from inkeek.service.boards.status import CALIBRATION_REASONS
from inkeek.service.cli import main

UNIT = 10700  # of the amplifier's reading, a seed


class Bowls:
    """A board of two pits a row whose scales have a zero of their own; its port, and the time that passes there."""

    def __init__(self, seeds: int) -> None:
        self.board = BoardFirmware(2, False, "IK-7", "0123abcd", unit=UNIT, calibrated=False)
        self.seeds = seeds  # laid where a step asks for them, and taken off again
        self.now = 0
        self.opened = self.closed = False
        self.broken: set[int] = set()
        self.full: dict[int, int] = {}  # seeds that a person has forgotten in a pit
        self._calibrating = -1

    def open(self) -> Bowls:
        if self.opened:
            raise TransportError("it is open")
        self.opened = True
        return self

    def clock(self) -> float:
        return self.now / 1000

    def wait(self, seconds: float) -> None:
        raise AssertionError("the port is never lost")

    def token(self) -> str:
        raise AssertionError("the board has a boot id")

    def write(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True):
            if line.startswith(b"$CAL,seeds,") and line.split(b",")[3][:2] != b"0*":
                self._calibrating = int(line.split(b",")[2])
                self.run(300)
            self.board.receive(line)

    def read(self) -> bytes:
        self.run(200)
        data = self.board.output(self.now)
        self.board.mark_sent(len(data))
        return data

    def close(self) -> None:
        self.closed = True

    def tare(self) -> None:
        self.run(300)
        assert [sensor.tare() for sensor in self.board.sensors] == [""] * 4
        self.run(300)

    def run(self, ms: int, contacts: int = 0) -> None:
        for _ in range(ms // 10):
            self.now += 10
            self.board.sense([self.load(pit) for pit in range(4)], contacts, self.now)

    def load(self, pit: int) -> int | None:
        laid = (self.seeds if pit == self._calibrating else self.full.get(pit, 0)) * 10650
        return None if pit in self.broken else -50000 + 3000 * pit + laid


def calibrate(monkeypatch: pytest.MonkeyPatch, bowls: Bowls, *words: str, answers: str = "\n" * 9) -> Any:
    monkeypatch.setattr("inkeek.drivers.ports.driver.SystemEnvironment", lambda *given: bowls)
    return CliRunner().invoke(main, ["board", "calibrate", "/dev/ttyACM0", *words], input=answers)


def test_a_board_is_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    done = calibrate(monkeypatch, bowls)
    assert (done.exit_code, bowls.closed) == (0, True), done.output
    lines = done.output.splitlines()
    assert "IK-7" in lines[0]
    assert any({"10", "B,"} <= set(line.split()) for line in lines)
    assert [sensor.span for sensor in bowls.board.sensors] == [106500] * 4


def test_a_scale_that_fails_is_asked_for_again_or_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(1)  # too little for ten
    bowls.tare()
    done = calibrate(monkeypatch, bowls, "--pit", "0", "--pit", "3", answers="\n\ns\ns\n")
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert sum(line.startswith("a ") and line.endswith(f"{CALIBRATION_REASONS['too-light']}.") for line in lines) == 2
    assert not any(line.startswith("B ") for line in lines)
    assert lines[-1].endswith(": a")


def test_a_broken_scale_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    bowls.broken = {2}
    done = calibrate(monkeypatch, bowls, answers="\n\ns\n\n\ns\n\n")
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert sum(line.startswith("A ") and line.endswith(f"{CALIBRATION_REASONS['silent']}.") for line in lines) == 2
    assert lines[-1].endswith(": A")
    assert [sensor.span for sensor in bowls.board.sensors].count(106500) == 3


def test_a_pit_that_is_not_empty_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    bowls.tare()
    bowls.full = {1: 3, 2: 3}

    def prompt(text: str, *given: object, **more: object) -> str:
        """The person empties `b` when asked again, and insists that `A` is empty."""
        if text.startswith("b:") and len(asked) > 2:
            bowls.full.pop(1, None)
            bowls.run(300)
        asked.append(text)
        assert len(asked) < 20
        return "e" if text.startswith("A:") else ""

    asked: list[str] = []
    monkeypatch.setattr("inkeek.service.cli.boards.steps.click.prompt", prompt)
    done = calibrate(monkeypatch, bowls)
    assert done.exit_code == 0, done.output
    assert [text[:2] for text in asked] == ["Em", "b:", "b:", "b:", "A:", *["St"] * 4]
    assert CALIBRATION_REASONS["not-empty"] in done.output
    assert [sensor.span for sensor in bowls.board.sensors] == [106500, 106500, 106500 - 3 * 10650, 106500]


def test_events_of_a_game_stay_with_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    bowls.tare()
    bowls.run(600, contacts=contact("s", "commit"))
    assert bowls.board.ring.last == 1
    done = calibrate(monkeypatch, bowls, "--pit", "1")
    assert done.exit_code == 0, done.output
    assert (bowls.board.ring.first, bowls.board.ring.last) == (1, 1 + 2)


@pytest.mark.parametrize(("words", "quoted"), [(("--pit", "4"), "--pit 4"), (("--seeds", "100"), "1<=x<=99")])
def test_wrong_usage(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], quoted: str) -> None:
    done = calibrate(monkeypatch, Bowls(10), *words)
    assert done.exit_code == 2
    assert quoted in done.output


def test_the_self_test_of_a_board_is_followed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    monkeypatch.setattr("inkeek.drivers.ports.driver.SystemEnvironment", lambda *given: bowls)
    done = CliRunner().invoke(main, ["board", "test", "/dev/ttyACM0"])
    assert (done.exit_code, bowls.closed) == (1, True), done.output  # nobody pressed anything
    lines = done.output.splitlines()
    for part in ("scale 3", "lamp 6", "button n trial"):
        assert any(line.startswith(f"{part}: ") for line in lines)
    assert any(line.startswith("all: ") and "12" in line for line in lines)
    assert not bowls.board.self_test.running
