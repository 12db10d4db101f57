"""Runs a script of inputs on a board and collects its outputs. Runs under CPython and MicroPython.

A step is a list: its name and its arguments.
"""

from inkeek.firmware_sim.firmware.board import BoardFirmware


def main(script):
    """Return the outputs: one item for each step that has one."""
    board = None
    out = []
    for name, *rest in script:
        if name == "start":
            row, stores, boot, ring, unit, calibrated, stuck_ms = rest
            board = BoardFirmware(row, stores, "IK-9", boot, "9.9", ring, unit, calibrated, stuck_ms)
        elif name == "sense":
            board.sense(rest[0], rest[1], rest[2])
        elif name == "receive":
            board.receive(bytes.fromhex(rest[0]))
        elif name == "output":
            data = board.output(rest[0])[: rest[1]]
            board.mark_sent(len(data))
            out.append(data.hex())
        elif name == "lamps":
            out.append(board.lamps(rest[0]).hex())
        elif name == "supply":
            board.supply = rest[0]
        elif name == "temperature":
            board.temperature = rest[0]
        elif name == "served":
            out.append(board.check_served())
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
