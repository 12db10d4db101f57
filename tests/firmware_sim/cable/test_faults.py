from __future__ import annotations

from random import Random

import pytest

from firmware_sim.cable.faults import KINDS, CableFaults, Wire

TEXT = bytes(range(256)) * 40


def through(faults: CableFaults, seed: int = 1, size: int = 100) -> tuple[Wire, bytes]:
    """A wire after `TEXT` has gone in by pieces of `size`, one a millisecond, and what came out in the end."""
    wire = Wire(faults, Random(seed))
    out = b""
    for now, at in enumerate(range(0, len(TEXT), size)):
        wire.put(TEXT[at : at + size], now)
        out += wire.take(now)
    return wire, out + wire.take(1e9)


def test_a_good_cable_changes_nothing() -> None:
    wire, out = through(CableFaults())
    assert out == TEXT
    assert not wire.struck


@pytest.mark.parametrize("kind", KINDS)
def test_each_fault_strikes_as_often_as_asked(kind: str) -> None:
    wire, out = through(CableFaults(**{kind: 2.0}))
    assert set(wire.struck) == {kind}
    assert 8 < wire.struck[kind] < 40  # of 10,240 bytes
    same = {"drop": len(out) < len(TEXT), "duplicate": len(out) > len(TEXT), "delay": out == TEXT}
    assert same.get(kind, len(out) == len(TEXT) and out != TEXT)


def test_corruption_turns_single_bits() -> None:
    _, out = through(CableFaults(corrupt=2.0))
    assert {(a ^ b).bit_count() for a, b in zip(out, TEXT, strict=True)} == {0, 1}


def test_what_changes_places_is_all_there() -> None:
    _, out = through(CableFaults(reorder=2.0))
    assert sorted(out) == sorted(TEXT)


def test_what_is_late_comes_in_order_and_within_the_time() -> None:
    wire = Wire(CableFaults(delay=100.0, late=50), Random(2))
    wire.put(TEXT[:1000], 0)
    assert len(wire.take(0)) < 1000
    wire.put(b"end", 1)
    assert wire.take(51).endswith(b"end")


def test_the_seed_decides() -> None:
    faults = CableFaults(drop=1, duplicate=1, corrupt=1, reorder=1, delay=1)
    assert through(faults, 1)[1] == through(faults, 1)[1] != through(faults, 2)[1]


def test_a_cable_that_is_cut_forgets_what_was_on_the_way() -> None:
    wire = Wire(CableFaults(delay=100.0, late=50), Random(2))
    wire.put(TEXT[:1000], 0)
    wire.cut()
    assert wire.take(1e9) == b""
