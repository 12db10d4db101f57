"""A few rounds of `tests.crash`. The command plays a thousand."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.games.repository import Games
from service.games.write import Write
from service.storage import seal
from tests import crash as crash_loop
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


def test_a_feed_with_an_event_lost_repeated_or_late_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_loop, "FEED_WITHIN", 0.01)
    crash = Crash(tmp_path, seed=1)
    games = Games(crash._store, max_plies=10)
    for _ in range(3):
        games.create("bof", {}, {}, Write("api"))
    crash._new_events()
    right = list(crash.order)
    for events, is_right in (
        (right, True),
        (right[:-1], False),
        (right[1:], False),
        ([*right, right[0]], False),
        ([right[1], right[0], right[2]], False),
    ):
        crash._readers = [SimpleNamespace(events=events)]
        assert (crash._check_feed() == []) == is_right
    crash.close()


def test_an_event_that_was_acknowledged_and_is_lost_or_doubled_is_found(tmp_path: Path) -> None:
    crash = Crash(tmp_path, seed=1)
    games = Games(crash._store, max_plies=10)
    marks = {"0" * 16: "stored", "1" * 16: "unanswered", "2" * 16: "refused", "3" * 16: "unanswered"}
    for mark in ("0" * 16, "1" * 16):
        games.create("bof", {}, {"Round": mark}, Write("api"))
    crash.ledger.marks |= marks
    assert crash._check_marks() == []
    for mark, state, times in (("4" * 16, "stored", 0), ("5" * 16, "stored", 2), ("6" * 16, "refused", 1)):
        for _ in range(times):
            games.create("bof", {}, {"Round": mark}, Write("api"))
        crash.ledger.marks[mark] = state
        (fault,) = crash._check_marks()
        assert mark in fault
    crash.close()
