from __future__ import annotations

import pytest

from inkeek.firmware_sim.firmware.board import (
    DAMAGE_REPORT_MS,
    LOW_SUPPLY,
    MAX_ROW,
    MAX_SETTLE_MS,
    MAX_WARMING,
    OUTPUT_SIZE,
    RESEND_MS,
    RING_SIZE,
    BoardFirmware,
    Ring,
)
from inkeek.firmware_sim.firmware.codec import MAX_LINE, LineDecoder, encode
from inkeek.firmware_sim.firmware.panel import contact

BOOT = "0123abcd"


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

    def ask(self, *fields: str) -> list[list[str]]:
        self.board.receive(encode(list(fields)))
        return self.sent()


def test_a_board_sends_hello_when_it_starts() -> None:
    assert Bench().start == [["HELLO", "1.1", "0.2.0", "IK-7", BOOT, "2", "0", "buttons+leds+cal+test", "0"]]


def test_a_board_answers_hello() -> None:
    bench = Bench(stores=True)
    bench.loads[0] = 300
    bench.run(200)
    bench.sent()
    hello = ["HELLO", "1.1", "0.2.0", "IK-7", BOOT, "2", "1", "buttons+leds+cal+test", "1"]
    assert bench.ask("HELLO", "1.7", "inkeek", "0.1.0", "something new") == [hello]


def test_another_major_version_is_refused_until_a_matching_one_comes() -> None:
    bench = Bench()
    answer = bench.ask("HELLO", "2.0", "future", "9")
    assert answer[0] == ["ERR", "version", "1.1"]
    assert answer[1][:2] == ["HELLO", "1.1"]
    bench.loads[0] = 300
    bench.run(200)
    assert bench.sent() == []
    assert bench.ask("SNAP?") == []
    assert [line[0] for line in bench.ask("HELLO", "1.0", "inkeek", "0.1.0")] == ["HELLO", "EVT"]


def test_a_settled_pit_is_an_event() -> None:
    bench = Bench()
    bench.loads[3] = 500
    bench.run(200)
    event = bench.sent()
    assert [line[:3] + line[4:] for line in event] == [["EVT", BOOT, "1", "PIT", "3", "500"]]
    assert 200 < int(event[0][3]) <= bench.now


def test_an_emptied_pit_sends_lift_before_its_count() -> None:
    bench = Bench()
    bench.loads[1] = 0
    bench.run(200)
    assert [line[4:] for line in bench.sent()] == [["LIFT", "1"], ["PIT", "1", "0"]]


def test_a_button_event_holds_all_counts() -> None:
    bench = Bench()
    bench.loads = [0, 512, 398, 100]
    bench.run(200)
    bench.sent()
    bench.run(100, contact("n", "commit"))
    assert [line[4:] for line in bench.sent()] == [["BTN", "n", "commit", "0.512.398.100"]]


def test_faults_come_and_go() -> None:
    bench = Bench()
    bench.loads[2] = None
    bench.run(100)
    assert [line[4:] for line in bench.sent()] == [["FAULT", "2", "open"]]
    assert bench.ask("PING")[0][5:8] == ["open2", "1", "1"]
    bench.loads[2] = 400
    bench.run(200)
    assert [line[4:] for line in bench.sent()] == [["FAULT", "2", "ok"]]


def test_snapshot_and_status() -> None:
    bench = Bench()
    bench.loads[0] = 300
    bench.run(20)
    snap = bench.ask("SNAP?")[0]
    assert (snap[:3], snap[4:]) == (["SNAP", BOOT, "0"], ["300.400.400.400", "7fff"])
    stat = bench.ask("PING")[0]
    assert (stat[:2], stat[3:8]) == (["STAT", BOOT], ["5000", "200", "-", "0", "0"])


def pressed(bench: Bench, times: int) -> None:
    for _ in range(times):
        bench.run(50, contact("s", "commit"))
        bench.run(50)


def numbers(lines: list[list[str]]) -> list[int]:
    return [int(line[2]) for line in lines if line[0] == "EVT"]


def test_nak_and_replay_send_events_again() -> None:
    bench = Bench()
    pressed(bench, 4)
    bench.sent()
    bench.ask("ACK", BOOT, "1")
    assert numbers(bench.ask("NAK")) == [2, 3, 4]
    assert numbers(bench.ask("REPLAY", BOOT, "3")) == [3, 4]
    assert bench.ask("REPLAY", BOOT, "5") == []


def test_a_replay_of_lost_events_reports_the_overflow() -> None:
    bench = Bench(ring=3)
    pressed(bench, 5)
    bench.sent()
    lines = bench.ask("REPLAY", BOOT, "1")
    assert lines[0] == ["ERR", "overflow", "3"]
    assert numbers(lines) == [3, 4, 5]
    bench.ask("ACK", BOOT, "5")
    assert bench.ask("REPLAY", BOOT, "4") == [["ERR", "overflow", "6"]]
    assert bench.ask("REPLAY", BOOT, "6") == []


def test_another_boot_id_is_not_acknowledged() -> None:
    bench = Bench()
    pressed(bench, 2)
    bench.sent()
    assert bench.ask("ACK", "ffffffff", "2") == []
    assert len(bench.board.ring) == 2
    assert bench.ask("REPLAY", "ffffffff", "1")[0][:5] == ["HELLO", "1.1", "0.2.0", "IK-7", BOOT]


@pytest.mark.parametrize(
    ("fields", "quoted"),
    [
        (["HELLO", "one", "x", "y"], "HELLO one x y"),
        (["HELLO"], "HELLO"),
        (["ACK", BOOT, "7"], f"ACK {BOOT} 7"),
        (["ACK", BOOT], f"ACK {BOOT}"),
        (["REPLAY", BOOT, "0"], f"REPLAY {BOOT} 0"),
        (["REPLAY", BOOT, "9"], f"REPLAY {BOOT} 9"),
        (["REPLAY"], "REPLAY"),
        (["LED", "pit", "99", "on"], "LED pit 99 on"),
        (["CAL", "weigh"], "CAL weigh"),
        (["CAL", "seeds", "4", "10"], "CAL seeds 4 10"),
        (["CAL", "seeds", "0", "100"], "CAL seeds 0 100"),
    ],
)
def test_invalid_fields_are_quoted(fields: list[str], quoted: str) -> None:
    assert Bench().ask(*fields) == [["ERR", "range", quoted]]


def test_unknown_types_are_named_and_echoes_ignored() -> None:
    bench = Bench()
    assert bench.ask("DANCE", "7") == [["ERR", "unknown", "DANCE"]]
    assert bench.ask("EVT", BOOT, "1", "2", "PIT", "0", "400") == []
    assert bench.ask("ERR", "unknown", "DANCE") == []


def test_damaged_lines_are_reported_at_most_once_a_second() -> None:
    bench = Bench()
    bench.run(DAMAGE_REPORT_MS)
    bench.board.receive(b"$PING*0000\r\n" * 5)
    assert bench.sent() == [["ERR", "damaged", ""]]
    bench.board.receive(b"$PING*0000\r\n")
    assert bench.sent() == []
    bench.run(DAMAGE_REPORT_MS)
    bench.board.receive(b"$PING*0000\r\n")
    assert bench.sent() == [["ERR", "damaged", ""]]


def test_calibration() -> None:
    bench = Bench()
    bench.loads = [10, 10, 10, 10]
    bench.run(200)
    bench.board.receive(encode(["CAL", "tare"]))
    assert [line[4:] for line in bench.sent()][-4:] == [["CAL", str(i), "ok"] for i in range(4)]
    bench.loads = [10, 10, 1210, 10]
    bench.run(200)
    bench.sent()
    assert [line[4:] for line in bench.ask("CAL", "seeds", "2", "10")] == [["CAL", "2", "ok"]]
    assert [line[4:] for line in bench.ask("CAL", "seeds", "1", "10")] == [["CAL", "1", "failed", "too-light"]]
    bench.run(200)
    assert bench.ask("SNAP?")[0][4] == "0.0.1000.0"


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


def test_an_uncalibrated_board_says_so() -> None:
    bench = Bench()
    bench.board = BoardFirmware(2, False, "IK-7", BOOT, calibrated=False)
    bench.run(200)
    assert bench.ask("PING")[-1][5] == "uncalibrated"
    assert bench.ask("SNAP?")[0][5] == "bbbb"


def test_a_button_waits_for_loads_to_settle() -> None:
    bench = Bench()
    bench.run(200)
    bench.loads[0] = 500
    bench.run(50, contact("s", "commit"))
    assert bench.sent() == []
    bench.run(100)
    assert [line[4:] for line in bench.sent()] == [
        ["PIT", "0", "500"],
        ["BTN", "s", "commit", "500.400.400.400"],
    ]


def test_a_button_does_not_wait_forever() -> None:
    bench = Bench()
    for _ in range(MAX_SETTLE_MS // 10 + 10):
        bench.loads[0] = 900 - (bench.loads[0] or 0)  # a load that never settles
        bench.run(10, contact("s", "commit"))
    assert [line[4:7] for line in bench.sent()] == [["BTN", "s", "commit"]]


def test_a_low_supply_is_reported_when_it_begins_and_ends() -> None:
    bench = Bench()
    bench.board.supply = LOW_SUPPLY - 1
    bench.run(1000)
    (status,) = bench.sent()
    assert (status[0], status[3], status[5]) == ("STAT", str(LOW_SUPPLY - 1), "low-supply")
    assert bench.ask("SNAP?")[0][5] == "7777"
    bench.board.supply = LOW_SUPPLY + 1
    bench.run(1000)
    assert bench.sent() == []
    bench.board.supply = 5000
    bench.run(1000)
    assert [(line[0], line[5]) for line in bench.sent()] == [("STAT", "-")]
    assert bench.ask("SNAP?")[0][5] == "ffff"


def test_a_warm_board_needs_a_new_tare() -> None:
    bench = Bench()
    bench.board.temperature = 200 + MAX_WARMING + 1
    assert bench.ask("PING")[0][5] == "temperature"
    bench.ask("CAL", "tare")
    assert bench.ask("PING")[0][5] == "-"


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


def test_the_host_sets_the_lights() -> None:
    bench = Bench(stores=True)
    assert bench.ask("LED", "pit", "5", "blink") == []
    assert bench.board.lights.pits[5] == "blink"


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


def test_a_long_press_says_accept_to_a_host_of_version_1_1_only() -> None:
    for minor, actions in (("0", ["commit"]), ("1", ["commit", "accept"]), ("9", ["commit", "accept"])):
        bench = Bench()
        bench.ask("HELLO", f"1.{minor}", "inkeek", "1")
        bench.run(2000, contact("n", "commit"))
        assert [line[5:] for line in bench.sent() if line[4] == "BTN"] == [
            ["n", action, "400.400.400.400"] for action in actions
        ]


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


def test_a_pit_that_is_not_empty_is_tared_alone_and_on_purpose() -> None:
    bench = Bench()
    bench.loads = [10, 10, 510, 10]
    bench.run(200)
    bench.sent()
    assert [line[4:] for line in bench.ask("CAL", "tare")] == [
        ["CAL", "0", "ok"],
        ["CAL", "1", "ok"],
        ["CAL", "2", "failed", "not-empty"],
        ["CAL", "3", "ok"],
    ]
    bench.run(200)
    assert bench.ask("SNAP?")[0][4] == "0.0.510.0"
    assert [line[4:] for line in bench.ask("CAL", "seeds", "2", "0")] == [["CAL", "2", "ok"]]
    bench.run(200)
    assert bench.ask("SNAP?")[0][4] == "0.0.0.0"


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
