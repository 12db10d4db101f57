"""Captures that a rule forbids as a whole, and captures that are taken on where they were over: one slip each."""

from __future__ import annotations

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.findings import Evidence, Seen, find

FOURS = {"pits": 8, "setup": "fours-right"}
SCENES = [
    # Oware: a grand slam of three pits, of one, and the first two pits of one.
    ("oware", {}, "0.0.1.0.0.3/1.2.1.0.0.0 20-20 s 40", "f", "0.0.1.0.0.0/0.0.0.0.0.0 27-20"),
    ("oware", {}, "0.0.1.0.0.1/1.0.0.0.0.0 22-23 s 40", "f", "0.0.1.0.0.0/0.0.0.0.0.0 24-23"),
    ("oware", {}, "0.0.1.0.0.3/1.2.1.0.0.0 20-20 s 40", "f", "0.0.1.0.0.0/2.0.0.0.0.0 25-20"),
    # Oware: on behind a pit that holds four; over one with five; into the own row.
    ("oware", {}, "0.0.1.0.0.4/1.1.3.1.0.5 15-17 s 40", "f", "0.0.1.0.0.0/0.0.4.0.0.5 21-17"),
    ("oware", {}, "0.0.1.0.0.4/1.1.4.1.0.5 15-16 s 40", "f", "0.0.1.0.0.0/0.0.0.0.0.5 26-16"),
    ("oware", {}, "0.0.0.2.2.3/1.1.1.0.0.5 16-17 s 40", "f", "0.0.0.2.0.0/0.0.0.0.0.5 24-17"),
    # Kalah: the last seed, with nothing opposite.
    ("kalah", {}, "2.3.1.0.0.3/3.0.2.1.5.2 13-13 s 40", "b", "2.0.2.1.0.3/3.0.2.1.5.2 14-13"),
    ("kalah", {}, "1.0.1.4.0.3/3.1.2.1.0.2 15-15 s 40", "a", "0.0.1.4.0.3/3.1.2.1.0.2 16-15"),
    # Enkeshui of the second description: three captures after a relay; one after a chain that was broken.
    (
        "enkeshui-wikipedia", FOURS, "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0", "c",
        "0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 16-0",
    ),
    ("enkeshui", FOURS, "1.0.1.0.0.5.2.1/5.5.1.2.3.2.5.1 7-7 s 20", "a", "0.0.1.0.0.5.2.1/5.5.1.0.0.2.0.1 18-7"),
    # Anywoli: the last four, which belong to nobody by this option.
    (
        "anywoli", {"last_four": "none", "pits": 7}, "1.0.0.0.1.3.0/2.0.0.1.0.0.0 24-24 s 22", "e",
        "0.0.0.0.0.0.0/0.0.0.0.0.0.0 32-24",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("id", "options", "position", "move", "board"), SCENES)
def test_it_is_one_slip_whatever_is_known_besides(
    id: str, options: dict[str, object], position: str, move: str, board: str
) -> None:
    rules = ruleset(id, **options)
    before, now = Position.parse(position), Position.parse(f"{board} n 41")
    counts = (*now.pits, *now.stores)
    captured = (now.stores[0] - before.stores[0], now.stores[1] - before.stores[1])
    claimed, lifted = Move.parse(move), (Seen("lift", Move.parse(move).pit_index(rules.row)),)
    for known in ({}, {"claimed": claimed}, {"claimed": claimed, "captured": captured}, {"seen": lifted}):
        found = find(rules, Evidence(before=before, counts=counts, **known))  # type: ignore[arg-type]
        account = found.accounts[0]
        assert (account.kinds, found.legal) == (("captured-wrongly",), False), (known, found.accounts[:2])
        assert str(account.move).startswith(move)
        assert account.board == counts
