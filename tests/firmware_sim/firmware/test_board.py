from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path

import pytest

from inkeek.firmware_sim.firmware.board import (
    MAX_ROW,
    MAX_SETTLE_MS,
    OUTPUT_SIZE,
    RING_SIZE,
    BoardFirmware,
)
from inkeek.firmware_sim.firmware.codec import MAX_LINE, LineDecoder, encode
from inkeek.firmware_sim.firmware.panel import contact

BOOT = "0123abcd"
TALKS = Path(__file__).parents[2] / "data/protocol/board_conversations.txt"


class Bench:
    """A board of two pits per row. The test is its host."""

    def __init__(self, row: int = 2, stores: bool = False, ring: int = RING_SIZE) -> None:
        self.board = BoardFirmware(row, stores, "IK-7", BOOT, ring=ring)
        self.loads: list[int | None] = [400] * len(self.board.sensors)
        self.now = 0
        self.run(200)
        self.start = self.sent()

    def run(self, ms: int, contacts: int = 0) -> None:
        for _ in range(ms // 10):
            self.now += 10
            self.board.sense(self.loads, contacts, self.now)

    def sent(self) -> list[list[str]]:
        """Return the lines that the board has to send now."""
        decoder = LineDecoder()
        lines = []
        while data := self.board.output(self.now):
            lines += decoder.feed(data)
            self.board.mark_sent(len(data))
        assert decoder.damaged == 0
        return lines

    def do(self, action: str, text: str) -> None:
        """A step of a conversation."""
        words = text.split()
        match action:
            case "set":
                for place, _, load in (word.partition("=") for word in words):
                    self.loads[int(place)] = None if load == "none" else int(load)
            case "ms":
                self.run(int(words[0]), contact(words[1], words[2]) if words[1:] else 0)
            case "press":
                pressed(self, int(text))
            case "host":
                self.board.receive(encode(text.split(",")))
            case "bytes":
                self.board.receive(text.encode().decode("unicode_escape").encode())
            case "supply" | "temperature":
                setattr(self.board, action, int(text))
            case _:
                raise ValueError(action)

    def ask(self, *fields: str) -> list[list[str]]:
        self.board.receive(encode(list(fields)))
        return self.sent()


def conversations() -> list[list[str]]:
    """Of each conversation the lines."""
    parts = TALKS.read_text("utf-8").replace("BOOT", BOOT).replace("~", "*").split("\n\n")[1:]
    return [part.strip("\n").splitlines() for part in parts]


@pytest.mark.parametrize("talk", conversations(), ids=lambda talk: talk[0].partition(" | ")[0])
def test_a_conversation_goes_as_it_is_written(talk: list[str]) -> None:
    _, _, text = talk[0].partition(" | ")
    options = dict(word.partition("=")[::2] for word in text.split())
    bench = Bench(stores="stores" in options, ring=int(options.get("ring", RING_SIZE)))
    if "uncalibrated" in options:
        bench.board = BoardFirmware(2, False, "IK-7", BOOT, calibrated=False)
        bench.run(200)
        bench.sent()
    at = 1
    while at < len(talk):
        step = talk[at].strip()
        expected = [line.strip() for line in takewhile(lambda line: line.startswith("    "), talk[at + 1 :])]
        at += 1 + len(expected)
        bench.do(*step.split(" ", 1))
        sent = [",".join(line) for line in bench.sent()]
        assert len(sent) == len(expected), f"{step}: {sent}"
        assert [line for line, form in zip(sent, expected, strict=True) if not fnmatchcase(line, form)] == [], step


def test_a_board_sends_hello_when_it_starts() -> None:
    assert Bench().start == [["HELLO", "1.1", "0.2.0", "IK-7", BOOT, "2", "0", "buttons+leds+cal+test", "0"]]


def pressed(bench: Bench, times: int) -> None:
    for _ in range(times):
        bench.run(50, contact("s", "commit"))
        bench.run(50)


def numbers(lines: list[list[str]]) -> list[int]:
    return [int(line[2]) for line in lines if line[0] == "EVT"]


def test_a_calibration_survives_a_restart() -> None:
    bench = Bench()
    bench.loads = [10, 10, 10, 10]
    bench.run(200)
    bench.ask("CAL", "tare")
    bench.loads[2] = 1210
    bench.run(200)
    bench.ask("CAL", "seeds", "2", "10")
    assert bench.board.calibrations == 5
    stored = bench.board.calibration()

    other = Bench()
    assert other.board.restore(stored)
    assert other.board.calibration() == stored
    other.loads = [10, 110, 610, 10]
    other.run(200)
    assert other.ask("SNAP?")[0][4] == "0.100.500.0"
    assert not other.board.restore(stored[:-1] + b"x")
    assert not Bench(stores=True).board.restore(stored)


def test_a_button_does_not_wait_forever() -> None:
    bench = Bench()
    for _ in range(MAX_SETTLE_MS // 10 + 10):
        bench.loads[0] = 900 - (bench.loads[0] or 0)  # a load that never settles
        bench.run(10, contact("s", "commit"))
    assert [line[4:7] for line in bench.sent()] == [["BTN", "s", "commit"]]


def test_the_watchdog_is_fed_only_if_sensors_and_line_are_served() -> None:
    bench = Bench()
    assert bench.board.check_served()
    assert not bench.board.check_served()
    bench.run(10)
    assert not bench.board.check_served()
    bench.board.output(bench.now)
    assert bench.board.check_served()
    bench.board.output(bench.now)
    assert not bench.board.check_served()


def test_an_unread_line_fills_only_the_ring() -> None:
    bench = Bench(row=MAX_ROW, stores=True)
    for _ in range(RING_SIZE + 9):
        pressed(bench, 1)
        bench.board.receive(encode(["SNAP?"]) + encode(["PING"]))
        bench.board.output(bench.now)
    assert len(bench.board.output(bench.now)) <= OUTPUT_SIZE
    assert bench.board.dropped > 0
    assert len(bench.board.ring) == RING_SIZE
    bench.sent()
    lines = bench.ask("REPLAY", BOOT, "1")
    assert lines[0] == ["ERR", "overflow", "10"]
    assert numbers(lines) == list(range(10, RING_SIZE + 10))


def test_the_longest_line_of_the_largest_board_fits() -> None:
    bench = Bench(row=MAX_ROW, stores=True)
    bench.board.boot = "f" * 8
    bench.board.ring.last = 2**32 - 2
    bench.loads = [9999] * (2 * MAX_ROW + 2)
    bench.now = 2**32 - 1000
    bench.run(200)
    bench.run(100, contact("n", "dispute"))
    bench.board.receive(encode(["SNAP?"]))
    assert max(len(line) for line in bench.board.output(bench.now).split(b"\n")) < MAX_LINE


@pytest.mark.parametrize(("row", "serial"), [(0, "x"), (MAX_ROW + 1, "x"), (8, "a,b")])
def test_an_impossible_board_is_refused(row: int, serial: str) -> None:
    with pytest.raises(ValueError, match=rf"{MAX_ROW} .*\b{row}$|'a,b'"):
        BoardFirmware(row, False, serial, BOOT)


def test_lights_are_confirmed() -> None:
    bench = Bench()
    bench.ask("HELLO", "1.1", "inkeek", "1")
    bench.run(100, contact("s", "commit"))
    bench.sent()
    waiting = list(bench.board.lights.lamps(0))
    assert waiting == [0, 0, 0, 0, 1, 0, 0]
    assert bench.ask("LED", "all", "3", BOOT, "0", "0100", "01", "0") == [["LIT", BOOT, "3"]]
    assert list(bench.board.lights.lamps(0)) == waiting
    assert bench.ask("LED", "all", "4", BOOT, "1", "0100", "01", "0") == [["LIT", BOOT, "4"]]
    assert list(bench.board.lights.lamps(0)) == [0, 1, 0, 0, 0, 1, 0]
    assert bench.ask("LED", "all", "5", "ffffffff", "1", "0000", "00", "0")[0][0] == "HELLO"
    assert bench.ask("LED", "all", "5", BOOT, "2", "0000", "00", "0")[0][:2] == ["ERR", "range"]
    assert list(bench.board.lights.lamps(0)) == [0, 1, 0, 0, 0, 1, 0]
    bench.ask("HELLO", "1.0", "an older host", "1")
    bench.run(100)
    bench.run(100, contact("s", "commit"))
    assert list(bench.board.lights.lamps(0)) == [0, 1, 0, 0, 0, 1, 0]
