"""Assembles a real board and runs it. On the Pico, `main.py` has two lines: import `run`, and call it."""

import os
import select
import sys
from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]

import machine
import micropython
import neopixel

from firmware_sim.firmware.board import BoardFirmware
from firmware_sim.firmware.buttons import contact
from firmware_sim.firmware.sensor import STUCK_MS

from . import wiring
from .amplifiers import Amplifiers
from .loop import Loop
from .parts import ButtonPins, CalibrationFile, Gauges, Pixels, UsbLine

CALIBRATION = "calibration"  # name of the file
MAINTENANCE = contact("s", "trial") | contact("n", "trial")  # held down at the start: stay at the Python prompt


def run() -> None:
    """Run the board until it loses power. Return at once if it was started for maintenance."""
    buttons = ButtonPins([machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in wiring.BUTTONS])
    if buttons.read() == MAINTENANCE:
        return
    loop = build(buttons)
    while True:
        loop.step()


def build(buttons: ButtonPins) -> Loop:
    """Build the loop over this machine's pins. From here on the watchdog must be fed."""
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
        state = machine.disable_irq()  # a pulse longer than 50 µs may switch the amplifiers off
        clock.on()
        clock.off()
        machine.enable_irq(state)

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
        Amplifiers(wiring.sensors(), pulse, latch, spi),
        buttons,
        Pixels(neopixel.NeoPixel(machine.Pin(wiring.PIXELS), lamps), wiring.COLORS),
        UsbLine(sys.stdin.buffer, sys.stdout.buffer, lambda: source.poll(0), lambda: sink.poll(0)),
        CalibrationFile(CALIBRATION, os.rename),
        Gauges(machine.ADC(wiring.SUPPLY), machine.ADC(wiring.THERMOMETER)),
        machine.WDT(timeout=wiring.WATCHDOG_MS),
        ticks_ms,
        ticks_diff,
    )
