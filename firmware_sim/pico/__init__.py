"""The thin layer between the firmware and a real board: a Raspberry Pi Pico 2 with HX711 amplifiers (docs/board.md).

Runs under MicroPython; the parts get what they drive as arguments, so that they run, and are tested, without it.
"""
