from __future__ import annotations

from collections.abc import Callable

import pytest

from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.firmware_sim.firmware.codec import LineDecoder, encode
from inkeek.firmware_sim.firmware.panel import ACTIONS, ALERT, LIT, SIDES, contact
from inkeek.firmware_sim.firmware.self_test import LAMP_MS, LOOK_MS, MAX_MISSED, SelfTest

SCALES = 4
NAMES = [
    *[f"scale {scale}" for scale in range(SCALES)],
    *[f"lamp {lamp}" for lamp in range(SCALES + 3)],
    *[f"button {side} {action}" for side in SIDES for action in ACTIONS],
]


class Person:
    """Follows the self-test of a board with two pits a row. `press` changes the loads, `close` gives the contacts."""

    def __init__(self) -> None:
        self.board = BoardFirmware(2, False, "IK-7", "0123abcd")
        self.lines: list[list[str]] = []
        self.lit: dict[str, bytes] = {}
        self.now = 0
        self.press: Callable[[int], dict[int, int | None]] = lambda scale: {scale: 900}
        self.close: Callable[[str, str], int] = contact
        self._decoder = LineDecoder()
        self.sense([400] * SCALES, 0, 300)
        self.sent()

    def sense(self, loads: list[int | None], contacts: int, ms: int) -> None:
        for _ in range(ms // 10):
            self.now += 10
            noise = 3 if self.now % 20 else 0
            self.board.sense([None if load is None else load + noise for load in loads], contacts, self.now)

    def sent(self) -> list[list[str]]:
        data = self.board.output(self.now)
        self.board.mark_sent(len(data))
        return self._decoder.feed(data)

    def run(self) -> list[list[str]]:
        """Run the whole test; return the results, without the lines that ask for something."""
        self.board.receive(encode(["TEST"]))
        asked = ""
        rested = 0
        while self.board.self_test.running:
            assert self.now < 200_000
            loads: list[int | None] = [400] * SCALES
            contacts = 0
            kind, *words = asked.split() or [""]
            rested += 10
            if kind == "scale":
                for scale, load in self.press(int(words[0])).items():
                    if rested > LOOK_MS or load is None:
                        loads[scale] = load
            elif kind == "button":
                contacts = self.close(words[0], words[1])
            self.sense(loads, contacts, 10)
            for line in self.sent():
                assert line[0] == "TEST"
                self.lines.append(line[1:])
                if line[2] == "wait":
                    asked, rested = line[1], 0
                    self.lit[asked] = self.board.lamps(self.now)
        return [line for line in self.lines if line[1] != "wait"]


def test_a_good_board() -> None:
    person = Person()
    results = person.run()
    assert [line[0] for line in person.lines if line[1] == "wait"] == NAMES
    assert [line[:2] for line in results] == [
        *[[name, "ok"] for name in NAMES if not name.startswith("lamp")],
        ["all", "end"],
    ]
    assert results[-1][2].startswith("12 of 12 ")
    for place, lamp in enumerate(NAMES[SCALES : 2 * SCALES + 3]):
        assert list(person.lit[lamp]) == [
            (ALERT if place == SCALES + 2 else LIT) if at == place else 0 for at in range(SCALES + 3)
        ]


def test_play_goes_on_after_the_test() -> None:
    person = Person()
    person.run()
    assert person.board.ring.last == 0
    person.sense([400, 500, 400, 400], 0, 300)
    person.sense([400, 500, 400, 400], contact("s", "commit"), 100)
    assert [line[4:7] for line in person.sent()] == [["PIT", "1", "500"], ["BTN", "s", "commit"]] or person.lines
    assert person.board.ring.last == 2


@pytest.mark.parametrize(
    ("scale", "loads", "named"),
    [
        (1, {1: None}, "data line"),
        (2, {2: -300}, "A+ and A-"),
        (0, {3: 900}, "scale 3"),
        (1, {}, "nobody"),
    ],
)
def test_a_bad_scale_is_found(scale: int, loads: dict[int, int | None], named: str) -> None:
    person = Person()
    person.press = lambda other: loads if other == scale else {other: 900}
    failed = [line for line in person.run() if line[1] == "failed"]
    assert [line[0] for line in failed] == [f"scale {scale}"]
    assert named in failed[0][2]


def test_exchanged_and_missing_buttons_are_found() -> None:
    person = Person()
    wrong = {"undo": "dispute", "dispute": "undo"}
    person.close = lambda side, action: (
        0 if side == "n" and action == "trial" else contact(side, wrong.get(action, action))
    )
    failed = {line[0]: line[2] for line in person.run() if line[1] == "failed"}
    assert failed.keys() >= {"button s undo", "button n undo", "button n trial"}
    assert "s dispute" in failed["button s undo"]
    assert "nobody" in failed["button n trial"]


def test_the_test_ends_without_anybody_in_a_bounded_time() -> None:
    person = Person()
    person.press = lambda scale: {}
    person.close = lambda side, action: 0
    start = person.now
    results = person.run()
    assert person.now - start < 2 * MAX_MISSED * 9000 + (SCALES + 3) * (LAMP_MS + 50) + SCALES * LOOK_MS + 2000
    assert [line[1] for line in results] == ["failed"] * 12 + ["end"]
    assert [("skipped" in line[2]) for line in results[:SCALES]] == [False] * MAX_MISSED + [True]


def test_the_host_can_stop_it_and_its_echo_starts_nothing() -> None:
    person = Person()
    person.board.receive(encode(["TEST", "scale 3", "ok", "an echo"]))
    assert not person.board.self_test.running
    person.board.receive(encode(["TEST"]))
    person.sense([400] * SCALES, 0, 1000)
    person.board.receive(encode(["TEST", "stop"]))
    assert not person.board.self_test.running
    assert person.sent()[-1][1:3] == ["all", "end"]


def test_every_text_fits_a_line() -> None:
    subject = SelfTest(34)
    subject.start()
    now = 0
    while subject.running:
        now += 100
        for line in subject.step([100 + 7 * (now % 300)] * 34, [100] * 34, 0, now):
            encode(["TEST", *line])
