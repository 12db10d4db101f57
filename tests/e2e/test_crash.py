"""A few rounds of `tests.crash`. The command plays a thousand."""

from __future__ import annotations

from pathlib import Path

from service.storage import seal
from tests.crash import Asked, Crash


def test_acknowledged_events_are_stored_once_after_every_crash(tmp_path: Path) -> None:
    crash = Crash(tmp_path, seed=3)
    try:
        assert crash.run(5) == []
    finally:
        crash.close()
    assert crash.ledger.acknowledged


def test_a_lost_repeated_or_changed_event_is_found(tmp_path: Path) -> None:
    def turn(seq: int, ply: int, move: str):
        return seal("g", seq, "t", "", "api", "turn", {"ply": ply, "turn": {"move": move}, "position": ""}, "")

    crash = Crash(tmp_path, seed=1)
    crash.ledger.acknowledged.update({("g", 2): "ax5", ("g", 3): "B", ("other", 4): "c"})
    crash.ledger.unanswered[Asked("g", 4, "c")] += 1
    right = [turn(2, 1, "ax5"), turn(3, 2, "Bx1")]
    assert crash._compared("g", right) == []
    assert crash._compared("g", [*right, turn(4, 3, "c")]) == []
    for wrong, said in (
        (right[:1], "event 3, B, was acknowledged; stored is None"),
        ([right[0], turn(3, 2, "C")], "event 3, B, was acknowledged; stored is C"),
        ([*right, turn(4, 3, "d")], "event 4, d, is stored and nobody asked for it"),
        ([*right, turn(4, 2, "c")], "its turns are numbered [1, 2, 2]"),
    ):
        assert any(said in fault for fault in crash._compared("g", wrong)), said
    crash.close()
