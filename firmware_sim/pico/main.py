"""Assembles a real board and runs it. On the Pico, `main.py` has two lines: import `run`, and call it."""

import json
import os
import select
import sys
from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]

import machine
import micropython
import neopixel
import rp2

from ..firmware.board import BoardFirmware
from ..firmware.panel import contact
from ..firmware.sensor import STUCK_MS
from . import wiring
from .hx711 import FREQUENCY, Amplifiers, LineReader, program
from .loop import BoardFile, ButtonPins, Gauges, Loop, Pixels, UsbLine

CALIBRATION = "calibration"  # name of a file
MAINTENANCE = contact("s", "trial") | contact("n", "trial")  # held down at the start: stay at the Python prompt
SELF_TEST = contact("s", "dispute") | contact("n", "dispute")  # held down at the start: run the self-test


def run() -> None:
    """Run the board until it loses power. Return at once if it was started for maintenance."""
    buttons = ButtonPins([machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in wiring.BUTTONS])
    held = buttons.read()
    if held == MAINTENANCE:
        return
    wiring.configure(read_config(wiring.CONFIG))
    loop = build(buttons)
    if held == SELF_TEST:
        loop.start_self_test()
    while True:
        loop.step()


def read_config(path: str) -> dict[str, object]:
    """Return what the file says, or nothing if there is none."""
    try:
        with open(path) as file:
            return json.load(file)  # type: ignore[no-any-return]
    except OSError:
        return {}


def build(buttons: ButtonPins) -> Loop:
    """Build the loop over this machine's pins. From here on the watchdog must be fed."""
    reader = rp2.StateMachine(
        0,
        program(rp2),  # type: ignore[no-untyped-call]
        freq=FREQUENCY,
        in_base=machine.Pin(wiring.DATA, machine.Pin.IN, machine.Pin.PULL_UP),
        sideset_base=machine.Pin(wiring.CLOCK),
    )
    reader.active(1)
    micropython.kbd_intr(-1)  # a byte 3 from the host is data, not Ctrl-C
    source, sink = select.poll(), select.poll()
    source.register(sys.stdin, select.POLLIN)
    sink.register(sys.stdout, select.POLLOUT)
    serial = wiring.SERIAL or machine.unique_id().hex()
    boot = os.urandom(4).hex()
    board = BoardFirmware(
        wiring.ROW, wiring.STORES, serial, boot, unit=wiring.unit(), calibrated=False, stuck_ms=STUCK_MS
    )
    lamps = wiring.sensors() + 3  # two row lights and the error light follow the pits'
    return Loop(
        board,
        Amplifiers(wiring.sensors(), LineReader(wiring.sensors(), reader)),
        buttons,
        Pixels(neopixel.NeoPixel(machine.Pin(wiring.PIXELS), lamps), wiring.COLORS),
        UsbLine(sys.stdin.buffer, sys.stdout.buffer, lambda: source.poll(0), lambda: sink.poll(0)),
        BoardFile(CALIBRATION, os.rename),
        Gauges(machine.ADC(wiring.SUPPLY), machine.ADC(wiring.THERMOMETER)),
        machine.WDT(timeout=wiring.WATCHDOG_MS),
        ticks_ms,
        ticks_diff,
    )
