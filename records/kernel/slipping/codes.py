"""The numbers that stand for slips, and the limits of the search for them.

They go on from those of `records.kernel.turn.codes`. setup.py makes constants of C of them (`codes.pxd`).
"""

from __future__ import annotations

from records.kernel.turn.codes import (
    ALSO,
    BREAK_OFF,
    INSTEAD,
    PICK_UP,
    SKIP,
    TAKE_ELSEWHERE,
    TAKE_NONE,
    TAKE_NOT,
    TAKE_OTHER_STORE,
    TAKE_PART,
)

# Before a lap.
OTHER_PIT = 11  # another pit is lifted
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
CODES = 40

# Stages of a lap.
BEFORE_LAP = 0
IN_LAP = 1
AFTER_LAP = 2

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

PLACES = 34
COUNT_LIMIT = 96  # numbers of seeds in the table; more are as unlikely as the last
DEEPEST = 120  # boards kept at once
BOARD = 34
NUMBERS = 16
LAPS_ON = 96  # that hands sow after a slip
LAPS_WITHOUT_SLIP = 4000  # that they sow at most
MAX_POINTS = 60  # choices of direction
MAX_HITS = 20_000

IMPOSSIBLE = -80.0  # the log-likelihood of what cannot be
WINDOW = 25.0  # boards less likely than the best by this much, as a logarithm, are left out

# Their names.
CODE_NAMES = {
    SKIP: "skip",
    INSTEAD: "instead",
    ALSO: "also",
    PICK_UP: "pick-up",
    BREAK_OFF: "break-off",
    TAKE_NONE: "take-none",
    TAKE_NOT: "take-not",
    TAKE_OTHER_STORE: "take-other-store",
    TAKE_ELSEWHERE: "take-elsewhere",
    TAKE_PART: "take-part",
    OTHER_PIT: "other-pit",
    REVERSE: "reverse",
    REVERSE_LAP: "reverse-lap",
    JUMP: "jump",
    STOP: "stop",
    RELAY_ON: "relay-on",
    TAKE_WRONGLY: "take-wrongly",
    NOT_MADE: "not-made",
    MARK_WRONGLY: "mark-wrongly",
    NOT_MARKED: "not-marked",
    END_MOVE: "end-move",
    END_LOSE: "end-lose",
    END_ADD: "end-add",
    DOUBLE: "double",
    LEAVE_BEHIND: "leave-behind",
    LOSE_ONE: "lose",
    ADD_ONE: "add",
    LOSE_DUE: "lose-due",
    ASTRAY: "astray",
    INSTEAD_NEAR: "instead-near",
    PICK_BESIDE: "pick-beside",
    LAY: "lay",
    MAKE_WRONGLY: "make-wrongly",
    TAKE_ODDLY: "take-oddly",
    TAKE_FORBIDDEN: "take-forbidden",
    TAKE_ON: "take-on",
    SWEEP: "sweep",
    SWEEP_EARLY: "sweep-early",
    SWEEP_WRONGLY: "sweep-wrongly",
}
