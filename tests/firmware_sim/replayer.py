"""Plays a script to a board: what goes in, step by step, and what comes out. Runs under CPython and MicroPython.

A step is a list: its name and what it needs.
"""

from firmware_sim.firmware.board import Board


def main(script):
    """What a board does about a script: an item for each step that gives something."""
    board = None
    out = []
    for name, *rest in script:
        if name == "start":
            row, stores, boot, ring, unit, calibrated, stuck_ms = rest
            board = Board(row, stores, "IK-9", boot, "9.9", ring, unit, calibrated, stuck_ms)
        elif name == "sense":
            board.sense(rest[0], rest[1], rest[2])
        elif name == "receive":
            board.receive(bytes.fromhex(rest[0]))
        elif name == "pump":
            data = board.pump(rest[0])[: rest[1]]
            board.sent(len(data))
            out.append(data.hex())
        elif name == "lamps":
            out.append(board.lamps(rest[0]).hex())
        elif name == "supply":
            board.supply = rest[0]
        elif name == "temperature":
            board.temperature = rest[0]
        elif name == "healthy":
            out.append(board.healthy())
        elif name == "calibration":
            out.append([board.calibration().hex(), board.calibrations])
        elif name == "restore":
            out.append(board.restore(bytes.fromhex(rest[0])))
        elif name == "counters":
            decoder = board.decoder
            out.append([board.dropped, decoder.damaged, decoder.ignored, board.ring.first, board.lights.alarms])
        else:
            raise ValueError(name)
    return out
