from __future__ import annotations

from inkeek.firmware_sim.firmware.ring import RESEND_MS, RING_SIZE, Ring


def filled(count: int, size: int = RING_SIZE) -> Ring:
    ring = Ring(size)
    for number in range(1, count + 1):
        ring.append(b"%d" % number)
    return ring


def taken(ring: Ring, now: int = 0) -> list[int]:
    numbers = []
    while (line := ring.take(now)) is not None:
        numbers.append(int(line))
    return numbers


def test_events_come_out_once_in_order() -> None:
    ring = filled(3)
    assert taken(ring) == [1, 2, 3]
    assert taken(ring, RESEND_MS - 1) == []
    ring.append(b"4")
    assert taken(ring, RESEND_MS - 1) == [4]


def test_unacknowledged_events_are_sent_again_after_a_second() -> None:
    ring = filled(3)
    taken(ring)
    ring.acknowledge(1)
    assert taken(ring, RESEND_MS) == [2, 3]
    assert taken(ring, RESEND_MS + 1) == []


def test_an_acknowledged_ring_is_silent() -> None:
    ring = filled(3)
    taken(ring)
    ring.acknowledge(3)
    assert (len(ring), ring.first, ring.last) == (0, 4, 3)
    assert taken(ring, 10 * RESEND_MS) == []


def test_acknowledged_events_are_not_sent() -> None:
    ring = filled(5)
    assert ring.take(0) == b"1"
    ring.acknowledge(3)
    assert taken(ring) == [4, 5]


def test_an_old_acknowledgement_changes_nothing() -> None:
    ring = filled(5)
    ring.acknowledge(3)
    ring.acknowledge(2)
    assert (ring.first, len(ring)) == (4, 2)


def test_rewinding_reaches_the_oldest_event_held() -> None:
    ring = filled(5)
    taken(ring)
    ring.acknowledge(2)
    ring.rewind(4)
    assert taken(ring) == [4, 5]
    ring.rewind(1)
    assert taken(ring) == [3, 4, 5]
    ring.rewind(6)
    assert taken(ring) == []


def test_a_full_ring_loses_the_oldest() -> None:
    ring = filled(RING_SIZE + 2)
    assert (len(ring), ring.first, ring.last) == (RING_SIZE, 3, RING_SIZE + 2)
    assert taken(ring)[:2] == [3, 4]
