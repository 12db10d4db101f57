"""The numbers that stand for families, events and reasons, and the limits of a turn.

setup.py makes constants of C of them (`codes.pxd`).
"""

from __future__ import annotations

# Families, which `records.rules.families` describes.
ENKESHUI = 1
ANYWOLI = 2
LAYLI = 3
BOF = 4
OWARE = 5
KALAH = 6

# How a turn came out.
ENDED = 0
ENDLESS = 1  # it came back to a state it had been in
UNSETTLED = 2  # it did neither within MAX_LAPS
UNSURE = 3  # two of its states may be the same, so it is sown again; internal
NOT_STARTED = 4  # the rules do not let the mover start there
TOO_MANY_CHOICES = 5  # the turn ended, and offered fewer choices than were given

# Kinds of events; the numbers are indices into `KINDS`.
LIFT = 0
DROP = 1
CHOOSE = 2
TAKE = 3
SHIFT = 4
SPECIAL = 5
END = 6
STORE = 7
LOSE = 8
ADD = 9
PICK = 10

# Why a turn ended; the numbers are indices into `REASONS`. GO_ON is no end: the next lap follows.
GO_ON = 0
IN_SPECIAL = 1
MADE_SPECIAL = 2
EMPTY_THEIRS = 3
EMPTY_NOTHING = 4
EMPTY_SPECIAL = 5
CAPTURED = 6
NO_CAPTURE_AFTER_RELAY = 7
FOUR = 8
LAST_FOUR = 9
EMPTY_PIT = 10
TOOK_BEYOND = 11
NOTHING_BEYOND = 12
GRAND_SLAM = 13
IN_STORE = 14
IN_OCCUPIED = 15

# Why seeds are captured; the numbers are indices into `CAPTURES`.
LAST_SEED = 0
OPPOSITE_EMPTY = 1
FOUR_IN_PASSING = 2
FOUR_AT_END = 3
REST = 4
BEYOND_EMPTY = 5
TWO_OR_THREE = 6

# What a hand may do wrong in the middle of a lap (`_slip`), and when it captures (`_slipped_take`).
SKIP = 1  # the next pit gets no seed
INSTEAD = 2  # the seed for the next pit falls elsewhere
ALSO = 3  # a seed falls elsewhere before the next pit gets its own
PICK_UP = 4  # a seed from elsewhere gets into the hand
BREAK_OFF = 5  # the lap stops
TAKE_NONE = 6  # this capture and all after it are left
TAKE_NOT = 7  # this capture is left
TAKE_OTHER_STORE = 8  # this capture goes to the other side
TAKE_ELSEWHERE = 9  # another pit is taken instead
TAKE_PART = 10  # some seeds are left in the pit
LAST_SOWN = -2  # the place of a slip: where the seed before fell

# The marks of pits, as in `records.position`.
SOUTHS = 1
NORTHS = 2
CLOSED = 3
MAX_PITS = 32
MAX_DEPTH = 64
LEVEL = 40  # numbers in a level of the stack: pits, stores, and room up to a multiple of 16 bytes
WATCH = 32  # laps before the search for a cycle begins: most turns are over long before
MAX_LAPS = 250_000  # see `docs/endless.md`: no turn that ends was ever found to come near it
MAX_CHOICES = 64  # in one turn; 33 were seen in play
MANY = 1000  # plies after which their number no longer matters
LOG = 256  # places for the hashes of a turn's states at first; a power of two
MAX_LOGGED = 12_288  # states remembered of a turn with choices; the longest such turn that was found had 714
MAX_SERIES_LAPS = 20_000_000  # in all series of choices that `turns` tries for one list
ALL = 0x7FFFFFFF
NO_LIMIT = 0x3FFFFFFFFFFFFFFF
MIX = 6364136223846793005  # odd: multiplying by it loses nothing
MASK = 0xFFFFFFFFFFFFFFFF  # interpreted, numbers grow: this is where C cuts them off

# Of the texts of positions.
MAX_TEXT = 400  # characters
SPACE = 32
HYPHEN = 45
DOT = 46
SLASH = 47
ZERO = 48
LETTER_N = 110
LETTER_S = 115
LETTER_X = 120

# Of `records.kernel.board`.
FIELDS = 10  # numbers saved for each turn besides the pits
FIRST_ROOM = 64  # turns that there is room for at first
MAX_MOVES = 4096  # kept to be given out again

# Their names.
STATUSES = (ENDED, ENDLESS, UNSETTLED, NOT_STARTED, TOO_MANY_CHOICES)  # what `Kernel.sow` returns
KINDS = ("lift", "drop", "choose", "take", "shift", "special", "end", "store", "lose", "add", "pick")
REASONS = (
    "",
    "in-special",
    "made-special",
    "empty-theirs",
    "empty-nothing",
    "empty-special",
    "captured",
    "no-capture-after-relay",
    "four",
    "last-four",
    "empty",
    "took-beyond",
    "nothing-beyond",
    "grand-slam",
    "in-store",
    "in-occupied",
)
CAPTURES = (
    "last-seed",
    "opposite-empty",
    "four-in-passing",
    "four",
    "last-four",
    "beyond-empty",
    "two-or-three",
)


def first_bit(bits: int) -> int:
    """Return the lowest bit that is 1. In C it is one instruction (`sowing.pxd.in`)."""
    return (bits & -bits).bit_length() - 1
