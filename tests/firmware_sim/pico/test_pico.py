"""The hardware layer on fake hardware, under CPython and under MicroPython."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from inkeek.firmware_sim.firmware.sensor import MAX_COUNT
from inkeek.firmware_sim.pico import wiring
from inkeek.firmware_sim.pico.hx711 import FREQUENCY, MAX_BAD, PULSES, Amplifiers, program
from inkeek.firmware_sim.pico.loop import BoardFile, Gauges, UsbLine
from tests.firmware_sim.micropython import MicroPython
from tests.firmware_sim.pico.fake_machine import Chain, Gauge, Wire
from tests.firmware_sim.pico.pio import Amplifier, Rp2, StateMachine

from . import fake_machine

HERE = Path(__file__).parent


@pytest.fixture
def pico_day(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that also runs under MicroPython, where `fake_machine` is importable by its name."""
    monkeypatch.setitem(sys.modules, "fake_machine", fake_machine)
    from . import pico_day

    return pico_day


def test_a_day_of_a_board(pico_day: Any) -> None:
    day = pico_day.main(None)
    assert day[0] == ["HELLO,1.1,0.2.0,PICO,0123abcd,3,1,buttons+leds+cal+test,0"]
    assert [line.split(",", 4)[4] for line in day[2]] == [f"CAL,{pit},ok" for pit in range(8)]
    assert [day[3 + pit][-1].split(",", 4)[4] for pit in range(8)] == [f"CAL,{pit},ok" for pit in range(8)]
    saved, stored = day[11]
    assert saved == 9
    assert [abs(int(scale.split(":")[1]) - 107100) < 30 for scale in stored.split()[2:-1]] == [True] * 8
    assert day[12][-1].split(",")[4:7] == ["BTN", "n", "commit"]
    assert {abs(int(count) - 700) < 4 for count in day[12][-1].split(",")[7].split(".")} == {True}
    (lit, dark), times = day[14]
    assert (lit[2], dark[2], lit[8], dark[8]) == ((48, 0, 0), (0, 0, 0), (14, 14, 10), (14, 14, 10))
    assert times == 1
    assert day[15][-1].split(",")[5] == "open1+open2"
    (status,) = [line for line in day[16] if line.startswith("STAT")]
    assert status.split(",")[3:6] == [str(27000 * 9900 // 65535), "270", "low-supply+open1+open2"]
    assert day[17] == 10  # once for each conversion
    counts = day[18][0].split(",")[4].split(".")
    assert all(abs(int(count) - 700) < 4 for index, count in enumerate(counts) if index not in (1, 2))


def test_the_day_is_the_same_under_micropython(pico_day: Any, micropython: MicroPython) -> None:
    here = json.loads(json.dumps(pico_day.main(None)))
    assert micropython.call(HERE / "pico_day.py", None) == here


def amplifiers(*values: int | None) -> tuple[Chain, Amplifiers]:
    chain = Chain(list(values))
    return chain, Amplifiers(len(values), chain)


def test_an_outlier_is_left_out() -> None:
    chain, subject = amplifiers(500)
    given = []
    for now, value in enumerate((500, 500, 90000, 510, 700, 700)):
        chain.values = [value]
        chain.convert()
        given += subject.poll(now) or []
    assert given == [500, 500, 500, 510, 700, 700]


def test_a_conversion_that_ends_during_reading_is_left_out() -> None:
    chain, subject = amplifiers(5, 6)
    subject.poll(0)
    chain.values, chain.early = [50000, 6], {0}
    for number in range(1, MAX_BAD):
        chain.convert()
        assert subject.poll(12 * number) == [5, 6]
    chain.convert()
    assert subject.poll(12 * MAX_BAD) == [None, 6]


def test_gauges_convert_to_millivolts_and_degrees() -> None:
    assert Gauges(Gauge(65535), Gauge(14021)).supply() == 9900
    assert Gauges(Gauge(0), Gauge(14021)).temperature() == 270
    assert Gauges(Gauge(0), Gauge(13000)).temperature() == 569  # 51.4 mV less


def test_the_line_reads_and_writes_packets() -> None:
    wire = Wire()
    line = UsbLine(wire, wire, lambda: wire.incoming, lambda: not wire.full)
    wire.incoming = b"x" * 100
    assert len(line.read()) == 64
    assert len(line.read()) == 36
    assert line.write(b"y" * 100) == 64
    wire.full = True
    assert (line.write(b"z"), wire.outgoing) == (0, b"y" * 64)


def test_the_calibration_file_keeps_the_last_data(tmp_path: Path) -> None:
    path = tmp_path / "calibration"
    file = BoardFile(str(path), lambda old, new: Path(old).replace(new))
    assert file.load() == b""
    file.save(b"one")
    file.save(b"two")
    assert file.load() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["calibration"]


def test_pins_are_distinct_and_the_converter_has_room() -> None:
    pins = [wiring.CLOCK, wiring.CLOCK + 1, wiring.CLOCK + 2, wiring.DATA, wiring.PIXELS]
    assert len({*pins, *wiring.BUTTONS}) == len(pins) + 8
    assert wiring.sensors() == 18
    assert wiring.unit() == 10737
    # The converter has room for a pit of a hundred seeds.
    assert wiring.unit() * MAX_COUNT // 100 < 1 << 23


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"rows": 8}, "rows"),
        ({"row": 17}, "1 to 16"),
        ({"row": 8.5}, "8.5"),
        ({"row": True}, "True"),
        ({"stores": 1}, "true or false"),
        ({"serial": "a,b"}, "a,b"),
        ({"serial": ""}, "serial"),
        ({"serial": "B-7", "seed_grams": "2"}, "seed_grams"),
    ],
)
def test_a_wrong_configuration_changes_nothing(config: dict[str, object], named: str) -> None:
    before = dict(vars(wiring))
    with pytest.raises(ValueError, match=named):
        wiring.configure(config)
    assert vars(wiring) == before


class Module(ModuleType):
    """A module with the given attributes."""

    def __init__(self, name: str, **parts: Any) -> None:
        super().__init__(name)
        vars(self).update(parts)


class Pin:
    IN, OUT, PULL_UP = "in", "out", "up"
    pressed: frozenset[int] = frozenset()

    def __init__(self, number: int, mode: str = "", pull: str = "", value: int = 0) -> None:
        self.number = number

    def value(self) -> int:
        return self.number not in self.pressed


def test_main_assembles_the_board(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import time

    watchdog = fake_machine.Watchdog()
    calls: dict[str, Any] = {}
    pin = type("Pin", (Pin,), {})
    machine = Module(
        "machine",
        Pin=pin,
        ADC=lambda number: Gauge(31000),
        WDT=lambda timeout: calls.update(timeout=timeout) or watchdog,
        unique_id=lambda: b"\x01\xab",
    )
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(
        sys.modules, "micropython", Module("micropython", kbd_intr=lambda code: calls.update(code=code))
    )
    neopixel = Module("neopixel", NeoPixel=lambda pin, count: calls.update(lamps=count) or fake_machine.Lamps(count))
    monkeypatch.setitem(sys.modules, "neopixel", neopixel)
    reader = StateMachine(program(Rp2), FREQUENCY, [Amplifier(1000) for _ in range(6)])
    rp2 = Module("rp2", PIO=Rp2.PIO, asm_pio=Rp2.asm_pio, StateMachine=lambda *given, **options: reader)
    monkeypatch.setitem(sys.modules, "rp2", rp2)
    monkeypatch.setattr(time, "ticks_ms", lambda: 0, raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda new, old: new - old, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "inkeek.firmware_sim.pico.main", raising=False)
    wire = Wire()
    end = Module("stream", buffer=wire, fileno=lambda: 0)
    monkeypatch.setattr(sys, "stdin", end)
    monkeypatch.setattr(sys, "stdout", end)
    from inkeek.firmware_sim.pico import main

    poll = type("Poll", (), {"register": lambda self, file, what: None, "poll": lambda self, ms: [1]})
    monkeypatch.setattr(main.select, "poll", poll)
    keys = main.ButtonPins([pin(number) for number in wiring.BUTTONS])
    Path("board.json").write_text('{"row": 2, "serial": "B-7"}')
    for name in ("ROW", "SERIAL"):
        monkeypatch.setattr(wiring, name, getattr(wiring, name))  # restored after the test
    wiring.configure(main.read_config(wiring.CONFIG))
    assert main.read_config("no such file") == {}
    loop = main.build(keys)
    wire.incoming = b"$NAK*0D62\r\n" + b" " * 60
    loop.step()
    assert wire.outgoing.startswith(b"$HELLO,1.1,0.2.0,B-7,")
    assert calls["timeout"] == wiring.WATCHDOG_MS < 8388
    assert (calls["lamps"], calls["code"]) == (6 + 3, -1)
    assert {amplifier.pulses for amplifier in reader.amplifiers} == {PULSES}
    assert watchdog.fed == 1
    pin.pressed = frozenset({wiring.BUTTONS[3], wiring.BUTTONS[7]})
    loop.start_self_test()
    assert loop._board.self_test.running
    main.run()  # returns at once: maintenance
