from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from drivers.calibration import PATIENCE, Calibrator
from drivers.errors import DriverError

from .board_side import BOOT, hello, line, said

HELLO = hello(capabilities="cal+leds")
Answer = Callable[[str], bytes]


class Port:
    """A board that answers each line as it is told to, and time that passes with each look at the line."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.heard: list[str] = []
        self._ticks = itertools.count()
        self._out = b""

    def write(self, data: bytes) -> None:
        for words in said(data):
            self.heard.append(words)
            self._out += self.answer(words)

    def read(self) -> bytes:
        data, self._out = self._out, b""
        return data

    def clock(self) -> float:
        return next(self._ticks) / 4


def snap(last: int) -> bytes:
    return line("SNAP", BOOT, last, 10, "0.100.0.0", "ffff")


def cal(seq: int, pit: int, result: str = "ok") -> bytes:
    return line("EVT", BOOT, seq, 10, "CAL", pit, result)


def board(answers: dict[str, bytes]) -> Answer:
    """A board of four scales that has told seven events."""
    return lambda words: ({"HELLO": HELLO, "SNAP?": snap(7)} | answers).get(words.split(",")[0], b"")


def test_a_tare_is_answered_by_every_scale() -> None:
    port = Port(board({"CAL": cal(8, 0) + cal(9, 1, "failed") + cal(10, 2) + cal(11, 3)}))
    assert Calibrator(port, port.clock).tare() == (1,)
    assert port.heard == ["HELLO,1.0,inkeek,calibration", "SNAP?", "CAL,tare"]


def test_events_of_before_and_of_others_are_no_answer() -> None:
    told = cal(7, 2, "failed") + line("EVT", BOOT, 8, 9, "LIFT", 1) + b"$CAL\r\n" + line("EVT", "x") + cal(9, 2)
    port = Port(board({"CAL": told}))
    assert Calibrator(port, port.clock).weigh(2, 10)


def test_questions_are_asked_again_but_steps_are_not() -> None:
    heard: list[str] = []

    def answer(words: str) -> bytes:
        heard.append(words)
        return HELLO if heard.count(words) == 3 and words.startswith("HELLO") else b""

    port = Port(answer)
    calibrator = Calibrator(port, port.clock)
    port.answer = board({})
    port.heard.clear()
    with pytest.raises(DriverError, match=rf"did not answer 'CAL,seeds,2,10' within {PATIENCE:g} seconds"):
        calibrator.weigh(2, 10)
    assert port.heard == ["SNAP?", "CAL,seeds,2,10"]


@pytest.mark.parametrize(
    ("greeting", "complaint"),
    [
        (b"", "did not answer 'HELLO,1.0,inkeek,calibration'"),
        (hello(version="2.0", capabilities="cal"), "'B-1' speaks version 2.0 of the protocol"),
        (hello(capabilities="leds"), "'B-1' cannot be calibrated"),
    ],
)
def test_a_board_that_cannot_be_calibrated(greeting: bytes, complaint: str) -> None:
    port = Port(board({"HELLO": greeting}))
    with pytest.raises(DriverError, match=complaint):
        Calibrator(port, port.clock)


def test_looking() -> None:
    port = Port(board({}))
    assert Calibrator(port, port.clock).look().counts == (0, 100, 0, 0)
