"""Puts a real board together and runs it. On the Pico, `main.py` is two lines: import `run`, and call it."""

import os
import select
import sys
from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]

import machine
import micropython
import neopixel

from firmware_sim.firmware.board import Board
from firmware_sim.firmware.buttons import contact
from firmware_sim.firmware.sensor import STUCK_MS

from . import wiring
from .amplifiers import Amplifiers
from .loop import Loop
from .parts import Gauges, Keys, Line, Pixels, Store

CALIBRATION = "calibration"  # the file
MAINTENANCE = contact("s", "trial") | contact("n", "trial")  # held down at the start, the Pico stays a Python prompt


def run() -> None:
    """Run the board until it is switched off; return at once when it was started for maintenance."""
    keys = Keys([machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in wiring.BUTTONS])
    if keys.read() == MAINTENANCE:
        return
    loop = build(keys)
    while True:
        loop.step()


def build(keys: Keys) -> Loop:
    """The loop over this machine's pins. From here on the watchdog wants to be fed."""
    clock = machine.Pin(wiring.CLOCK, machine.Pin.OUT, value=0)
    latch = machine.Pin(wiring.LATCH, machine.Pin.OUT, value=1)
    spi = machine.SPI(
        wiring.SPI,
        baudrate=2000000,
        polarity=0,
        phase=1,
        sck=machine.Pin(wiring.SPI_CLOCK),
        mosi=machine.Pin(wiring.SPI_UNUSED),
        miso=machine.Pin(wiring.SPI_DATA),
    )

    def pulse() -> None:
        state = machine.disable_irq()  # high for longer than 50 µs switches the amplifiers off
        clock.on()
        clock.off()
        machine.enable_irq(state)

    micropython.kbd_intr(-1)  # a byte 3 on the line is a byte, not somebody at the keyboard
    source, sink = select.poll(), select.poll()
    source.register(sys.stdin, select.POLLIN)
    sink.register(sys.stdout, select.POLLOUT)
    serial = wiring.SERIAL or machine.unique_id().hex()
    boot = os.urandom(4).hex()
    board = Board(wiring.ROW, wiring.STORES, serial, boot, unit=wiring.unit(), calibrated=False, stuck_ms=STUCK_MS)
    lamps = wiring.sensors() + 3  # the rows' and the error light after the pits'
    return Loop(
        board,
        Amplifiers(wiring.sensors(), pulse, latch, spi),
        keys,
        Pixels(neopixel.NeoPixel(machine.Pin(wiring.PIXELS), lamps), wiring.COLOURS),
        Line(sys.stdin.buffer, sys.stdout.buffer, lambda: source.poll(0), lambda: sink.poll(0)),
        Store(CALIBRATION, os.rename),
        Gauges(machine.ADC(wiring.SUPPLY), machine.ADC(wiring.THERMOMETER)),
        machine.WDT(timeout=wiring.WATCHDOG_MS),
        ticks_ms,
        ticks_diff,
    )
