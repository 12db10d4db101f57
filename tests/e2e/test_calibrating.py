"""`inkeek board calibrate` with the firmware at the other end of the line."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from drivers.transport import Transport
from firmware_sim.firmware.board import Board
from firmware_sim.firmware.buttons import contact
from service.cli import main

UNIT = 10700


class Bowls:
    """A board of two pits a row whose scales have a zero of their own, as a port. Its time passes when it is read."""

    def __init__(self, seeds: int) -> None:
        self.board = Board(2, False, "IK-7", "0123abcd", unit=UNIT, calibrated=False)
        self.seeds = seeds  # laid where a prompt asks for them, and taken off again
        self.now = 0
        self.closed = False
        self.broken: set[int] = set()
        self._calibrating = -1

    def write(self, data: bytes) -> None:
        if data.startswith(b"$CAL,seeds,"):
            self._calibrating = int(data.split(b",")[2])
            self.run(300)
        self.board.receive(data)

    def read(self) -> bytes:
        self.run(200)
        data = self.board.pump(self.now)
        self.board.sent(len(data))
        return data

    def close(self) -> None:
        self.closed = True

    def run(self, ms: int, contacts: int = 0) -> None:
        for _ in range(ms // 10):
            self.now += 10
            self.board.sense([self.load(pit) for pit in range(4)], contacts, self.now)

    def load(self, pit: int) -> int | None:
        laid = self.seeds * 10650 if pit == self._calibrating else 0
        return None if pit in self.broken else -50000 + 3000 * pit + laid


def calibrate(monkeypatch: pytest.MonkeyPatch, bowls: Bowls, *words: str, answers: str = "\n" * 9) -> Any:
    monkeypatch.setattr(Transport, "open", lambda url: bowls)
    ticks = iter(range(10**6))
    monkeypatch.setattr("service.cli.calibrate.clock", lambda: next(ticks) / 5)
    return CliRunner().invoke(main, ["board", "calibrate", "/dev/ttyACM0", *words], input=answers)


def test_a_board_is_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    done = calibrate(monkeypatch, bowls)
    assert (done.exit_code, bowls.closed) == (0, True), done.output
    assert "Tared: 4 of 4 scales" in done.output
    assert done.output.count("  done\n") == 4
    assert "10 seeds into North's pit 2 (scale 3), then Enter; s to skip" in done.output
    assert [sensor.span for sensor in bowls.board.sensors] == [106500] * 4
    looked = calibrate(monkeypatch, bowls, "--look")
    assert looked.output.splitlines()[3] == " 3  North's pit 2   10.00  confidence f"
    assert looked.output.splitlines()[0] == " 0  South's pit 1    0.00  confidence f"


def test_a_scale_that_fails_is_asked_for_again_or_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(1)
    bowls.broken = {2}
    done = calibrate(monkeypatch, bowls, "--seeds", "10", "--pit", "0", "--pit", "2", answers="\n\n\ns\ns\n")
    assert done.exit_code == 0, done.output
    assert "Tared: 3 of 4 scales\n  scale 2 (North's pit 1) moves or is broken" in done.output
    assert done.output.count("  failed: ") == 2
    assert "done" not in done.output


def test_what_a_board_has_to_tell_of_a_game_stays_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    bowls.run(300)
    bowls.run(100, contacts=contact("s", "commit"))
    assert bowls.board.ring.last == 1
    done = calibrate(monkeypatch, bowls, "--pit", "1")
    assert "done" in done.output
    assert (bowls.board.ring.first, bowls.board.ring.last) == (1, 1 + 4 + 2)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--pit", "4"), 2, "--pit 4: the board has scales 0 to 3"),
        (("--seeds", "100"), 2, "1<=x<=99"),
    ],
)
def test_wrong_usage(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], status: int, told: str) -> None:
    done = calibrate(monkeypatch, Bowls(10), *words)
    assert done.exit_code == status
    assert told in done.output


def test_a_board_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    monkeypatch.setattr(bowls, "read", lambda: b"")
    done = calibrate(monkeypatch, bowls)
    assert (done.exit_code, bowls.closed) == (1, True)
    assert "the board did not answer 'HELLO,1.0,inkeek,calibration' within 6 seconds" in done.output


def test_a_board_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    bowls = Bowls(10)
    monkeypatch.setattr(bowls, "read", lambda: b"$HELLO,2.0,x,B,1a2b3c4d,8,0,cal,0*B578\r\n")
    done = calibrate(monkeypatch, bowls)
    assert "speaks version 2.0 of the protocol" in done.output
