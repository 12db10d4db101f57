"""How a board is built: its size, its load cells, its pins (docs/board.md). `board.json` on the Pico changes it."""

ROW = 8  # pits per row
STORES = True  # whether the stores are weighed
SERIAL = ""  # the board's serial number; empty: the microcontroller's own

CELL_GRAMS = 500  # capacity of a load cell
CELL_MV_PER_V = 1.0  # its output at that load, from its data sheet
SEED_GRAMS = 2.5  # approximate weight of a seed; calibration measures it exactly

CLOCK = 15  # PD_SCK of all amplifiers; the next two pins are SH/LD and CLK of all shift registers
DATA = 20  # QH of the first shift register
PIXELS = 22  # the data line of the lamps
BUTTONS = (2, 3, 4, 5, 6, 7, 8, 9)  # South's commit, undo, dispute, trial, then North's; each to ground when pressed
SUPPLY = 29  # a third of VSYS, inside the Pico
THERMOMETER = 4  # an input of the converter, inside the microcontroller

WATCHDOG_MS = 4000  # longer than storing a calibration takes; at most 8388

COLORS = ((0, 0, 0), (14, 14, 10), (48, 0, 0))  # of a lamp that is off, lit, or shows an error

CONFIG = "board.json"  # the file that changes the following
NUMBERS = {  # by key: the least and the most
    "row": (1, 16),
    "cell_grams": (10, 50000),
    "cell_mv_per_v": (0.1, 10),
    "seed_grams": (0.05, 1000),
    "clock": (0, 26),
    "data": (0, 28),
    "pixels": (0, 28),
}
WHOLE = ("row", "clock", "data", "pixels")
MAX_SERIAL = 24  # characters


def configure(config: dict[str, object]) -> None:
    """Change the values above.

    :raises ValueError: a key is unknown, or a value does not fit; then nothing is changed.
    """
    for key, value in config.items():
        check(key, value)
    for key, value in config.items():
        globals()[key.upper()] = value


def check(key: str, value: object) -> None:
    """:raises ValueError: the key is unknown, or the value does not fit."""
    if key == "stores":
        fits, expected = value is True or value is False, "true or false"
    elif key == "serial":
        fits, expected = _is_serial(value), f"1 to {MAX_SERIAL} of A-Z a-z 0-9 and -"
    elif key in NUMBERS:
        low, high = NUMBERS[key]
        fits = type(value) is int or (type(value) is float and key not in WHOLE)
        fits = fits and low <= value <= high  # type: ignore[operator]
        expected = f"a {'whole ' if key in WHOLE else ''}number from {low} to {high}"
    else:
        raise ValueError(f"{CONFIG}: unknown key {key}; expected serial, stores, {', '.join(NUMBERS)}")
    if not fits:
        raise ValueError(f"{CONFIG}: {key} is {value}; expected {expected}")


def _is_serial(value: object) -> bool:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_SERIAL:
        return False
    return all("A" <= char <= "Z" or "a" <= char <= "z" or "0" <= char <= "9" or char == "-" for char in value)


def sensors() -> int:
    """Return the number of scales."""
    return 2 * ROW + (2 if STORES else 0)


def unit() -> int:
    """Return the approximate reading of a seed: the full 24 bits are the excitation over the gain of 128."""
    return int(CELL_MV_PER_V / 1000 * SEED_GRAMS / CELL_GRAMS * 128 * (1 << 24))
