"""The thin layer between the firmware and a real board: a Raspberry Pi Pico 2 with HX711 amplifiers (docs/board.md).

It runs under MicroPython. The parts get the hardware they drive as arguments, so that tests can run them without it.
"""
