from __future__ import annotations

from random import Random

import pytest

from inkeek.firmware_sim.cable.faults import KINDS, CableFaults, FaultyCable, Wire
from tests.firmware_sim.conftest import MemoryCable

TEXT = bytes(range(256)) * 40


def through(faults: CableFaults, seed: int = 1, size: int = 100) -> tuple[Wire, bytes]:
    """Put `TEXT` into a wire, a piece of `size` each millisecond; return the wire and all that came out."""
    wire = Wire(faults, Random(seed))
    out = b""
    for now, at in enumerate(range(0, len(TEXT), size)):
        wire.put(TEXT[at : at + size], now)
        out += wire.take(now)
    return wire, out + wire.take(1e9)


def test_a_perfect_wire_changes_nothing() -> None:
    wire, out = through(CableFaults())
    assert out == TEXT
    assert not wire.fault_counts


@pytest.mark.parametrize("kind", KINDS)
def test_each_fault_is_as_frequent_as_its_rate(kind: str) -> None:
    wire, out = through(CableFaults(**{kind: 2.0}))
    assert set(wire.fault_counts) == {kind}
    assert 8 < wire.fault_counts[kind] < 40  # of 10,240 bytes
    same = {"drop": len(out) < len(TEXT), "duplicate": len(out) > len(TEXT), "delay": out == TEXT}
    assert same.get(kind, len(out) == len(TEXT) and out != TEXT)


def test_corruption_flips_single_bits() -> None:
    _, out = through(CableFaults(corrupt=2.0))
    assert {(a ^ b).bit_count() for a, b in zip(out, TEXT, strict=True)} == {0, 1}


def test_reordering_loses_nothing() -> None:
    _, out = through(CableFaults(reorder=2.0))
    assert sorted(out) == sorted(TEXT)


def test_delayed_bytes_arrive_in_order_and_within_the_limit() -> None:
    wire = Wire(CableFaults(delay=100.0, late=50), Random(2))
    wire.put(TEXT[:1000], 0)
    assert len(wire.take(0)) < 1000
    wire.put(b"end", 1)
    assert wire.take(51).endswith(b"end")


def test_the_seed_decides() -> None:
    faults = CableFaults(drop=1, duplicate=1, corrupt=1, reorder=1, delay=1)
    assert through(faults, 1)[1] == through(faults, 1)[1] != through(faults, 2)[1]


def test_a_cut_wire_loses_the_bytes_in_transit() -> None:
    wire = Wire(CableFaults(delay=100.0, late=50), Random(2))
    wire.put(TEXT[:1000], 0)
    wire.cut()
    assert wire.take(1e9) == b""


def test_a_faulty_cable_passes_bytes_on() -> None:
    cable, now = MemoryCable(capacity=50), [0.0]
    faults = CableFaults(duplicate=50.0, burst=4)
    faulty = FaultyCable(cable, Wire(faults, Random(1)), Wire(CableFaults(), Random(1)), lambda: now[0])
    faulty.plug()
    assert faulty.url == "memory"
    assert faulty.files() == [0]
    cable.write(b"down")
    assert faulty.receive() == b"down"
    sent, got = bytes(range(200)), b""
    left = sent
    while left or not got.endswith(sent[-1:]):
        left = left[faulty.send(left) :]
        got += cable.read()
    assert len(got) > len(sent)
    assert set(got) == set(sent)


def test_bytes_in_a_faulty_cable_are_lost_when_it_is_unplugged() -> None:
    cable = MemoryCable()
    faulty = FaultyCable(
        cable, Wire(CableFaults(delay=100.0, late=50), Random(2)), Wire(CableFaults(), Random(1)), lambda: 0.0
    )
    faulty.plug()
    faulty.send(bytes(1000))
    faulty.unplug()
    assert not cable.plugged
    faulty.plug()
    assert faulty.send(b"") == 0
    assert cable.read() == b""
