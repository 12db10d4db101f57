"""What a maker may change: how large the board is, what weighs there, and which pin does what (docs/board.md)."""

ROW = 8  # pits a row
STORES = True  # whether the stores are weighed
SERIAL = ""  # the board's serial number; empty: the microcontroller's own

CELL_GRAMS = 500  # what a load cell is made for
CELL_MV_PER_V = 1.0  # what it gives then, by its data sheet
SEED_GRAMS = 2.5  # about what a seed weighs; calibration finds it exactly

CLOCK = 15  # PD_SCK of all amplifiers
LATCH = 16  # SH/LD of all shift registers
SPI = 0
SPI_CLOCK = 18  # CLK of all shift registers
SPI_DATA = 20  # QH of the first one
SPI_UNUSED = 19  # the bus wants a pin for what it sends; nothing is connected
PIXELS = 22  # the data line of the lamps
BUTTONS = (2, 3, 4, 5, 6, 7, 8, 9)  # South's commit, undo, dispute, trial, then North's; each to ground when pressed
SUPPLY = 29  # a third of VSYS, inside the Pico
THERMOMETER = 4  # an input of the converter, inside the microcontroller

WATCHDOG_MS = 4000  # more than storing a calibration takes; 8388 is the most there can be

COLOURS = ((0, 0, 0), (14, 14, 10), (48, 0, 0))  # of a lamp that is off, lit, or shows an error


def sensors() -> int:
    """How many scales there are."""
    return 2 * ROW + (2 if STORES else 0)


def unit() -> int:
    """About what a seed reads. The full range of 24 bits is the excitation over the amplifier's gain of 128."""
    return int(CELL_MV_PER_V / 1000 * SEED_GRAMS / CELL_GRAMS * 128 * (1 << 24))
