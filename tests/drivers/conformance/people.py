"""People at boards that are checked, and boards that are wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field

from inkeek.drivers.conformance.board_check import StepResult, run_check
from inkeek.drivers.errors import TransportError
from tests.foreign_board import Bench, Deviations, ForeignBoard

ROW = 4


@dataclass(frozen=True)
class WrongBoard:
    """A board that is wrong in one way. `steps`: those that fail for it; `words` stand in what is said about it."""

    mistake: str
    deviations: Deviations
    steps: tuple[str, ...]
    words: tuple[str, ...]
    options: dict[str, int] = field(default_factory=dict)


# `docs/protocol.md` has a table of these, which `make docs` writes.
WRONG_BOARDS = (
    WrongBoard("its CRC starts with 0", Deviations(crc_start=0), ("greeting", "lines"), ("0xFFFF", "0x0000")),
    WrongBoard("its CRC is in lower case", Deviations(crc_lower=True), ("lines",), ("lower case",)),
    WrongBoard(
        "its lines end in `\\n` alone", Deviations(line_end=b"\n"), ("greeting", "lines"), ("'\\n'", "'\\r\\n'")
    ),
    WrongBoard(
        "it sends a count too few", Deviations(counts_missing=1), ("snapshot", "events", "buttons", "lines"), ("7", "8")
    ),
    WrongBoard("its boot id is in upper case", Deviations(boot_upper=True), ("greeting", "lines"), ("'0000000A'",)),
    WrongBoard("it separates fields by `;`", Deviations(without_commas=True), ("greeting",), ("','",)),
    WrongBoard(
        "every event has the number 1",
        Deviations(numbers_stuck=True),
        ("events", "buttons", "pits", "acknowledge", "calibration", "overflow"),
        ("number 1",),
    ),
    WrongBoard(
        "it never answers `REPLAY` and `NAK`",
        Deviations(never_replays=True),
        ("replay", "nak", "forgotten", "overflow"),
        ("REPLAY", "NAK"),
    ),
    WrongBoard(
        "it sends each event once and forgets it",
        Deviations(forgets_unacknowledged=True),
        ("resend", "replay", "nak", "reconnect", "acknowledge", "overflow"),
        ("event 1 did not come again",),
    ),
    WrongBoard("it does not forget what is acknowledged", Deviations(never_forgets=True), ("acknowledge",), ("ACK",)),
    WrongBoard("its boot id is always the same", Deviations(boot_kept=True), ("restart",), ("boot id 0000000a again",)),
    WrongBoard(
        "it numbers events on after a restart", Deviations(numbers_kept=True), ("restart",), ("numbers from 1",)
    ),
    WrongBoard(
        "it does not say that its ring overflowed",
        Deviations(silent_overflow=True),
        ("forgotten", "overflow"),
        ("overflow",),
    ),
    WrongBoard("its ring holds 64 events", Deviations(), ("overflow",), ("64", "512"), {"ring": 64}),
    WrongBoard("it ignores `LED`", Deviations(ignores_lights=True), ("lights",), ("lit",)),
    WrongBoard(
        "it speaks 1.1 and never confirms its lights",
        Deviations(never_confirms_lights=True),
        ("lights",),
        ("LIT",),
        {"minor": 1},
    ),
    WrongBoard("it never sends a `SNAP`", Deviations(never_snaps=True), ("snapshot", "events"), ("SNAP",)),
    WrongBoard("it never answers `HELLO`", Deviations(never_greets=True), ("greeting",), ("nothing came",)),
    WrongBoard("it does not check the host's CRC", Deviations(accepts_damaged=True), ("damaged",), ("wrong CRC",)),
    WrongBoard(
        "it stops at a type that it does not know",
        Deviations(stops_on_unknown=True),
        ("unknown", "range", "calibration", "overflow", "restart"),
        ("unknown type",),
    ),
    WrongBoard(
        "its milliseconds pass 2³²−1",
        Deviations(ms_not_wrapping=True),
        ("status", "clock"),
        ("4294967295",),
        {"ms": 2**32},
    ),
)


class Maker:
    """A `Person` who does at once what is asked, and tells the truth about the lights."""

    def __init__(self, board: ForeignBoard) -> None:
        self.board = board
        self.tasks: list[str] = []
        self._answers: list[str] = []

    def ask(self, task: str, text: str) -> bool:
        self.tasks.append(task)
        board = self.board
        answer = ""
        match task:
            case "events":
                board.lift(1)
                board.put(1, 4)
                board.press("s")
            case "press s" | "press n":
                board.press(task[-1])
            case "lift south" | "lift north":
                pit = 0 if task == "lift south" else board.row
                board.lift(pit)
                board.put(pit, 4)
            case "empty":
                board.set_counts([0] * board.sensors)
                answer = "y"
            case "lights":
                answer = "n" if board.deviations.ignores_lights else "y"
            case "restart":
                board.restart()
        self._answers = [answer]
        return True

    def answer(self) -> str | None:
        return self._answers.pop() if self._answers else None


def check(wrong: WrongBoard) -> list[StepResult]:
    """Check a board with somebody at it, in virtual time."""
    bench = Bench(TransportError)
    version, ring = f"1.{wrong.options.get('minor', 0)}", wrong.options.get("ring", 512)
    board = ForeignBoard(
        ROW, boot="0000000a", version=version, ring=ring, clock=bench.clock, deviations=wrong.deviations
    )
    board.ms_offset = wrong.options.get("ms", 0)
    board.set_counts([4] * board.sensors)
    return list(run_check(bench.plug("a", board), person=Maker(board), calibrate=True))
