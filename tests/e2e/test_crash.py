"""A few rounds of `tests.crash`. The command plays a thousand."""

import re
from pathlib import Path

from inkeek.service.storage import seal
from tests.crash import Crash, TurnRequest


def test_acknowledged_events_are_stored_once_after_every_crash(tmp_path: Path) -> None:
    crash = Crash(tmp_path, seed=3)
    try:
        assert crash.run(5) == []
    finally:
        crash.close()
    assert crash.ledger.acknowledged
    assert all(len(reader.events) == len(crash.order) for reader in crash._readers)


def test_a_lost_repeated_or_changed_event_is_found(tmp_path: Path) -> None:
    def turn(seq: int, ply: int, move: str):
        return seal("g", seq, "t", "", "api", "turn", {"ply": ply, "turn": {"move": move}, "position": ""}, "")

    crash = Crash(tmp_path, seed=1)
    crash.ledger.acknowledged.update({("g", 2): "ax5", ("g", 3): "B", ("other", 4): "c"})
    crash.ledger.unanswered[TurnRequest("g", 4, "c")] += 1
    right = [turn(2, 1, "ax5"), turn(3, 2, "Bx1")]
    assert crash._compare("g", right) == []
    assert crash._compare("g", [*right, turn(4, 3, "c")]) == []
    for wrong, message in (
        (right[:1], r"event 3, B\b.*None"),
        ([right[0], turn(3, 2, "C")], r"event 3, B\b.*\bC\b"),
        ([*right, turn(4, 3, "d")], r"event 4, d\b"),
        ([*right, turn(4, 2, "c")], r"\[1, 2, 2\]"),
    ):
        assert any(re.search(message, fault) for fault in crash._compare("g", wrong)), message
    crash.close()
