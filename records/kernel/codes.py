"""The numbers that the kernel is written with, and their names, of which `setup.py` makes constants of C; and what the
kernel returns, where it is more than a number or two."""

from __future__ import annotations

from typing import NamedTuple

# Families, which `inkeek.records.rules.table` describes.
ENKESHUI = 1
ANYWOLI = 2
LAYLI = 3
BOF = 4
OWARE = 5
KALAH = 6
TABLE = 7  # no code of its own: rows of numbers say what it does

# How a turn came out.
ENDED = 0
ENDLESS = 1  # it came back to a state it had been in
UNSETTLED = 2  # it did neither within MAX_LAPS
UNSURE = 3  # two of its states may be the same, so it is sown again; internal
NOT_STARTED = 4  # the rules do not let the mover start there
TOO_MANY_CHOICES = 5  # the turn ended, and offered fewer choices than were given
STATUSES = (ENDED, ENDLESS, UNSETTLED, NOT_STARTED, TOO_MANY_CHOICES)  # what `Kernel.sow` returns

# Kinds of events.
KINDS = ("lift", "drop", "choose", "take", "shift", "special", "end", "store", "lose", "add", "pick")
LIFT, DROP, CHOOSE, TAKE, SHIFT, SPECIAL, END, STORE, LOSE, ADD, PICK = range(len(KINDS))

# Why a turn ended. GO_ON is no end: the next lap follows.
REASONS = (
    *("", "in-special", "made-special", "empty-theirs", "empty-nothing", "empty-special", "captured"),
    *("no-capture-after-relay", "four", "last-four", "empty", "took-beyond", "nothing-beyond"),
    *("grand-slam", "in-store", "in-occupied", "stopped"),
)
GO_ON, IN_SPECIAL, MADE_SPECIAL, EMPTY_THEIRS, EMPTY_NOTHING, EMPTY_SPECIAL, CAPTURED = range(7)
NO_CAPTURE_AFTER_RELAY, FOUR, LAST_FOUR, EMPTY_PIT, TOOK_BEYOND, NOTHING_BEYOND = range(7, 13)
GRAND_SLAM, IN_STORE, IN_OCCUPIED, STOPPED = range(13, len(REASONS))

# Why seeds are captured.
CAPTURES = (
    *("last-seed", "opposite-empty", "four-in-passing", "four", "last-four", "beyond-empty", "two-or-three"),
    *("last-pit", "in-passing", "elsewhere"),
)
LAST_SEED, OPPOSITE_EMPTY, FOUR_IN_PASSING, FOUR_AT_END, REST, BEYOND_EMPTY, TWO_OR_THREE = range(7)
LAST_PIT, IN_PASSING, ELSEWHERE = range(7, len(CAPTURES))

# The marks of pits, as in `inkeek.records.position`.
SOUTHS, NORTHS, CLOSED = 1, 2, 3

# Of a game as a table (`records.rules.table`). A test has a number for each kind of place, whose bits are numbers of
# seeds.
SITUATIONS = 7
COUNTS = 64  # numbers of seeds that a test tells apart; larger ones are as the last even and odd one
IN_A_STORE = 6
MAX_ROWS = 24
MAX_TESTS = 64
ROW = 29  # numbers of a row: first the tests of five places
PLACES_TESTED = 5
AT_LAST, AT_OPPOSITE, AT_NEXT, AT_BEYOND, AT_BEFORE = range(PLACES_TESTED)
ROW_LAP, ROW_LATER_TURN, ROW_MOST, ROW_NOT_PIT, ROW_NOT_MIRROR, ROW_THEN, ROW_TAKE = range(5, 12)
ROW_WAY, ROW_CHAIN, ROW_CHAIN_OPPOSITE, ROW_TAKES_OPPOSITE, ROW_SLAM, ROW_SHIFT, ROW_MARK = range(15, 22)
ROW_REASON, ROW_WHY = 24, 25
ROW_NUMBER = 28  # which row of the file it is, from 1
TOOK, MADE = 1, 2  # added to ROW_WHY: why the turn ends where seeds were captured, or a pit became special
ALL_THAT = 8  # added to the number of a test: all pits that pass it are taken
NO_PLACE, STORE_PLACE = -1, -2
RELAY, RELAY_NEXT, RELAY_PAST, AGAIN = 1, 2, 3, 4
ON, BACK, PAIRS_ON = 1, 2, 3
FIRST_LAP, LATER_LAP = 1, 2

# Of the board and of a turn.
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
MAX_TABLE_LAPS = 1_000_000  # the same for a game that is a table, of which nothing is known
ALL = 0x7FFFFFFF
NO_LIMIT = 0x3FFFFFFFFFFFFFFF
MIX = 6364136223846793005  # odd: multiplying by it loses nothing
MASK = 0xFFFFFFFFFFFFFFFF  # interpreted, numbers grow: this is where C cuts them off

# Of the texts of positions.
MAX_TEXT = 400  # characters
SPACE, HYPHEN, DOT, SLASH, ZERO, LETTER_N, LETTER_S, LETTER_X = b" -./0nsx"

# Of `inkeek.records.kernel.board`.
FIELDS = 10  # numbers saved for each turn besides the pits
FIRST_ROOM = 64  # turns that there is room for at first
MAX_MOVES = 4096  # kept to be given out again

# Slips: what a hand does wrong in the middle of a lap (`Kernel._slip`).
SKIP = 1  # the next pit gets no seed
INSTEAD = 2  # the seed for the next pit falls elsewhere
ALSO = 3  # a seed falls elsewhere before the next pit gets its own
PICK_UP = 4  # a seed from elsewhere gets into the hand
BREAK_OFF = 5  # the lap stops
# When it captures (`Kernel._slipped_take`).
TAKE_NONE = 6  # this capture and all after it are left
TAKE_NOT = 7  # this capture is left
TAKE_OTHER_STORE = 8  # this capture goes to the other side
TAKE_ELSEWHERE = 9  # another pit is taken instead
TAKE_PART = 10  # some seeds are left in the pit
# Before a lap.
OTHER_PIT = 11  # another pit is lifted: beside the one that is due, or opposite
REVERSE = 12  # this lap and those after it go the wrong way
REVERSE_LAP = 13  # only this lap does
JUMP = 14  # a seed jumps to the next pit
# After a lap.
STOP = 15  # the hand stops although the turn goes on
RELAY_ON = 16  # the hand goes on although the turn is over
TAKE_WRONGLY = 17  # a pit is captured although nothing is to be captured
NOT_MADE = 18  # no special pit is made although one is due
MARK_WRONGLY = 19  # a pit is marked as special, and the turn ends
NOT_MARKED = 20  # a special pit is made, but not marked
# When the turn is over.
END_MOVE = 21
END_LOSE = 22
END_ADD = 23
# In a lap; codes for counting only.
DOUBLE = 24  # `ALSO`, where the seed before fell
LEAVE_BEHIND = 25  # `ALSO`, in the pit that was lifted
LOSE_ONE = 26  # `ALSO`, nowhere
ADD_ONE = 27  # `PICK_UP`, nowhere
LOSE_DUE = 28  # `INSTEAD`, nowhere
ASTRAY = 29  # `INSTEAD` of the last seed, and the hand goes on from where it fell
INSTEAD_NEAR = 30  # `INSTEAD`, in a pit near the one that is due
PICK_BESIDE = 31  # `PICK_UP`, from beside the pit that is lifted, as it is lifted
# Before and after a lap.
LAY = 32  # a seed from nowhere falls in a pit
MAKE_WRONGLY = 33  # a special pit is made of the last pit and the one opposite as if that held three (Layli)
TAKE_ODDLY = 34  # `TAKE_WRONGLY`, of other pits than a capture there would take
TAKE_FORBIDDEN = 35  # the capture that a rule forbids as a whole is taken, up to a pit
TAKE_ON = 36  # a capture is taken on behind the pit where it was over
# When the game is over.
SWEEP = 37  # no slip: the sides take what is left into their stores
SWEEP_EARLY = 38  # they do, but the game goes on
SWEEP_WRONGLY = 39  # seeds that are left go to the wrong side
# In a lap; a code for counting only.
ASTRAY_FAR = 40  # `ASTRAY`, in a pit that is not near the one that is due
# Before a lap.
OTHER_PIT_FAR = 41  # `OTHER_PIT`, anywhere else
_SLIPS = (
    *("", "skip", "instead", "also", "pick-up", "break-off", "take-none", "take-not", "take-other-store"),
    *("take-elsewhere", "take-part", "other-pit", "reverse", "reverse-lap", "jump", "stop", "relay-on"),
    *("take-wrongly", "not-made", "mark-wrongly", "not-marked", "end-move", "end-lose", "end-add", "double"),
    *("leave-behind", "lose", "add", "lose-due", "astray", "instead-near", "pick-beside", "lay", "make-wrongly"),
    *("take-oddly", "take-forbidden", "take-on", "sweep", "sweep-early", "sweep-wrongly"),
    *("astray-far", "other-pit-far"),
)
CODE_NAMES = dict(enumerate(_SLIPS[1:], 1))
SLIP_CODES = len(_SLIPS)
LAST_SOWN = -2  # the place of a slip: where the seed before fell

# How a turn goes on after a lap, where it is not the pit of the next one.
OVER = -1
BY_RULES = -2

# Stages of a lap.
BEFORE_LAP, IN_LAP, AFTER_LAP = range(3)

# What is captured besides, where one pit is captured wrongly.
ALONE = 0
WITH_LAST = 1  # the last seed
WITH_DUE = 2  # all that is due
IN_PLACE_OF_SPECIAL = 3  # the last seed, in place of making a special pit

# What is captured behind the pit where a capture was over.
WHAT_FITS = 0  # the pits that the rule would have captured if it were not over
ALL_BEHIND = 1  # every pit up to the last

# To whom seeds go when the game is over.
TO_SOUTH = 0
TO_NORTH = 1
TO_OWNERS = 2  # the owners of rows and of special pits
TO_OTHERS = 3  # the other side than the owner
BY_ROW = 4  # the owner of the row, special pits or not
TO_NOBODY = 5
TO_OPPONENT = 6  # of the side to move; for `right_way` only, as one of those that follow, or South or North, is meant
ROWS_TO_SOUTH = 7  # special pits to their owners, the others to this side
ROWS_TO_NORTH = 8

# Of the search for slips.
PLACES = 34
COUNT_LIMIT = 96  # numbers of seeds in the table; more are as unlikely as the last
MAX_BOARDS = 120  # kept at once
BOARD = 34  # numbers of a board that is kept: pits and stores
NUMBERS = 16  # other numbers that are kept with it
LAPS_ON = 96  # that hands sow after a slip
LAPS_WITHOUT_SLIP = 4000  # that they sow at most
MAX_POINTS = 60  # choices of direction
MAX_HITS = 20_000
IMPOSSIBLE = -80.0  # the log-likelihood of what cannot be
WINDOW = 25.0  # boards less likely than the best by this much, as a logarithm, are left out

# Of endgame tables.
NOT_IN_TABLE = -30000
OFFSET = 2048  # added to a bound that is packed: no board has as many seeds
BOUND_BITS = 12
BOUND_MASK = (1 << BOUND_BITS) - 1
HELD = 8  # seeds that a special pit holds while positions are solved; any number from 2 would do
NONE = -1000  # below every value
LOWEST = 127  # of the bounds that are kept, as a negative number
PAIRS = 256  # codes of a pair of bounds
NORTHS_AT = 26  # bits of a pattern's key: the special and closed pits, those of the opponent, the store
STORE_AT = 52
MAX_TRIES = 1_000_000  # series of choices from one position
OPEN_ROOM = 32_768  # places for positions that a sweep keeps, and for their turns
EDGE_ROOM = 524_288
MOST_PITS = 26
SPREAD = 0x9E3779B97F4A7C15  # odd, for the hash of a pattern's key

# Of the search for the best turn.
UNIT = 16  # of a seed
INFINITE = 32000  # more than any value; stored values are cut off there
# What a value rests on besides the rules.
HORIZON, REPETITION, LEFT_OUT = 1, 2, 4
# What a stored value is: a bound, or both bounds at once.
LOWER, UPPER, EXACT = 1, 2, 3
# Sizes.
MAX_PLY = 180
DEEPEST = MAX_PLY - 20  # that a search may be asked for
SEARCHER_BYTES = 4_194_304  # enough for all arrays of a searcher
MAX_EARLIER = 600  # positions before the root that are kept
CHILDREN = 12_288  # on the stack
MAX_TURNS = 1500  # of one position; more are left out
MAX_NODE_LAPS = 400_000  # of all turns of one position; more are left out
SLOTS = 4  # entries of the table that a position may stand in
PASSED = 127  # the start of a pass
SETTLED = -1_000_000_000  # the rank of a turn that needs no search
# Places of an entry's parts: the lower bound stands first.
UPPER_AT, DEPTH_AT, LOWER_FLAGS_AT, UPPER_FLAGS_AT, PROVER_AT, WORK_AT, AGE_AT, MOVE_AT = 16, 32, 40, 43, 46, 48, 53, 56
MOST_WORK = 31
AGES = 8
# Odd numbers to mix bits with.
SEED_A, SEED_B = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
MIX_A, MIX_B, MIX_C, MIX_D = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53


class Sown(NamedTuple):
    """A turn that was sown to its end. Pits of a kind are bits of a number."""

    pit: int
    choices: str  # the directions at the choices that were given, as ``<>``
    captured: tuple[int, int]  # by South and North
    special: int  # pits that became special
    emptied: int
    end: int  # the pit of the last seed
    laps: int
    again: bool
    pits: tuple[int, ...]
    marks: tuple[int, ...] | None  # None where they did not change
    stores: tuple[int, int]
    seeds: int  # all on the board


class Slipped(NamedTuple):
    """A turn that was sown with slips."""

    events: list[tuple[int, int, int, int]]
    slips: list[
        tuple[int, int, int, int]
    ]  # of each its event, the pit of its lap, that of the last seed, the direction
    pits: tuple[int, ...]
    marks: tuple[int, ...]
    stores: tuple[int, int]
    held: int  # seeds in the hand
    again: bool
