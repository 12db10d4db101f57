"""What you may change when you build a board: its size, its load cells, and its pins (docs/board.md)."""

ROW = 8  # pits per row
STORES = True  # whether the stores are weighed
SERIAL = ""  # the board's serial number; empty: the microcontroller's own

CELL_GRAMS = 500  # capacity of a load cell
CELL_MV_PER_V = 1.0  # its output at that load, from its data sheet
SEED_GRAMS = 2.5  # approximate weight of a seed; calibration measures it exactly

CLOCK = 15  # PD_SCK of all amplifiers
LATCH = 16  # SH/LD of all shift registers
SPI = 0
SPI_CLOCK = 18  # CLK of all shift registers
SPI_DATA = 20  # QH of the first one
SPI_UNUSED = 19  # the bus needs a pin to send on; nothing is connected
PIXELS = 22  # the data line of the lamps
BUTTONS = (2, 3, 4, 5, 6, 7, 8, 9)  # South's commit, undo, dispute, trial, then North's; each to ground when pressed
SUPPLY = 29  # a third of VSYS, inside the Pico
THERMOMETER = 4  # an input of the converter, inside the microcontroller

WATCHDOG_MS = 4000  # longer than storing a calibration takes; at most 8388

COLORS = ((0, 0, 0), (14, 14, 10), (48, 0, 0))  # of a lamp that is off, lit, or shows an error


def sensors() -> int:
    """Return the number of scales."""
    return 2 * ROW + (2 if STORES else 0)


def unit() -> int:
    """Return the approximate reading of a seed: the full 24 bits are the excitation over the gain of 128."""
    return int(CELL_MV_PER_V / 1000 * SEED_GRAMS / CELL_GRAMS * 128 * (1 << 24))
