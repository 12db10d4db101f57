"""The kinds of slips, how often each happens, and the rule that each breaks: the one table of findings."""

from __future__ import annotations

from typing import NamedTuple


class SlipKind(NamedTuple):
    """A kind of slip.

    `rate`: how often a turn has it, a guess for players who know the rules but play fast. All places of a turn where it
    is possible share the rate. `rule`: the id of the rule that it breaks (`RuleSet.rules`); empty if it breaks none.
    `title`: what it is, for tables; it may leave the game's word for special pits open, as ``%(special)s``.
    """

    rate: float
    rule: str
    title: str


# What is not a slip.
LEGAL, UNPLAYED, TAKEN_BACK, UNKNOWN = "legal", "unplayed", "taken-back", "unknown"
BEGUN_EARLY = "begun-early"  # the next turn has begun: only whoever watches the board looks at it then

KINDS = {
    # One seed in a lap. Drawing out a pit or giving it two are what quick hands do most.
    "skipped": SlipKind(0.010, "sowing", "a pit or store got no seed in a lap"),
    "doubled": SlipKind(0.010, "sowing", "a pit or store got two seeds in a lap"),
    "left-behind": SlipKind(0.006, "sowing", "a seed was left in the pit that was lifted"),
    "dropped-elsewhere": SlipKind(0.010, "sowing", "a seed fell in a pit where it does not belong"),
    "picked-up": SlipKind(0.004, "sowing", "a seed of another pit was picked up on the way"),
    "seed-lost": SlipKind(0.005, "sowing", "a seed was lost"),
    "seed-added": SlipKind(0.003, "sowing", "a seed too many came in"),
    "bumped": SlipKind(0.005, "sowing", "a seed jumped to the next pit, as when the table is bumped"),
    # A sleeve takes more force to do this than a bump, and puts it right mostly itself.
    "knocked-over": SlipKind(0.002, "sowing", "several seeds moved at once to a place beside, or off the board"),
    # A whole lap.
    "wrong-way": SlipKind(0.006, "sowing", "a lap was sown in the wrong direction"),
    "unfinished": SlipKind(0.009, "relay", "a lap or the turn stopped too early"),
    "relayed-on": SlipKind(0.006, "end", "the turn was over, but the hand sowed on"),
    "wrong-pit": SlipKind(0.007, "relay", "a lap began in another pit than the rules say"),
    "special-emptied": SlipKind(0.005, "special", "the %(special)s was emptied, sown from or captured"),
    # Captures and special pits.
    "captured-left": SlipKind(0.007, "capture", "a capture was not taken"),
    "captured-part": SlipKind(0.005, "capture", "a capture was taken in part"),
    "captured-wrongly": SlipKind(0.005, "capture", "seeds were captured that are not to be captured"),
    "captured-elsewhere": SlipKind(0.004, "capture", "the wrong pit was captured"),
    "wrong-store": SlipKind(0.004, "capture", "a capture was put in the wrong store"),
    "unmarked": SlipKind(0.005, "special-made", "the %(special)s was not made, or not marked"),
    "wrong-mark": SlipKind(0.003, "special-made", "a pit was marked that is no %(special)s"),
    # Whole turns.
    "wrong-row": SlipKind(0.003, "turn", "the turn began in the other side's row"),
    "wrong-start": SlipKind(0.003, "turn", "the turn began in an own pit where no turn may begin"),
    "wrong-side": SlipKind(0.004, "turn", "the side that is not to move played"),
    "moved-twice": SlipKind(0.003, "turn", "a side played two turns"),
    "two-turns": SlipKind(0.004, "", "the next turn is on the board too"),
    "previous-unfinished": SlipKind(0.003, "relay", "the turn before was not completed"),
    # The end of the game.
    "swept-early": SlipKind(0.003, "game-over", "what was left was taken into the stores, but the game goes on"),
    "swept-wrongly": SlipKind(0.003, "game-over", "what was left at the end went to the wrong side"),
}

# What the search tries (`inkeek.records.kernel.codes`): the kind it is, and its part of the rate of the kind. Where
# it happens decides in some cases that it is another kind: see `drafts.kind_of`.
CODES = {
    "skip": ("skipped", 1.0),
    "double": ("doubled", 1.0),
    "leave-behind": ("left-behind", 1.0),
    "instead-near": ("dropped-elsewhere", 0.6),
    "instead": ("dropped-elsewhere", 0.08),
    "astray": ("dropped-elsewhere", 0.1),
    "astray-far": ("dropped-elsewhere", 0.02),
    "also": ("dropped-elsewhere", 0.15),
    "end-move": ("dropped-elsewhere", 0.05),
    "pick-beside": ("picked-up", 0.8),
    "pick-up": ("picked-up", 0.2),
    "lose": ("seed-lost", 0.4),
    "lose-due": ("seed-lost", 0.4),
    "end-lose": ("seed-lost", 0.2),
    "add": ("seed-added", 0.4),
    "lay": ("seed-added", 0.4),
    "end-add": ("seed-added", 0.2),
    "jump": ("bumped", 1.0),
    "end-knock": ("knocked-over", 0.7),
    "end-knock-off": ("knocked-over", 0.3),
    "end-put-back": ("captured-left", 0.05),
    "reverse": ("wrong-way", 0.5),
    "reverse-lap": ("wrong-way", 0.5),
    "break-off": ("unfinished", 0.3),
    "stop": ("unfinished", 0.7),
    "relay-on": ("relayed-on", 1.0),
    "other-pit": ("wrong-pit", 0.9),
    "other-pit-far": ("wrong-pit", 0.1),
    "take-none": ("captured-left", 0.95),
    "take-not": ("captured-part", 0.5),
    "take-part": ("captured-part", 0.5),
    "take-wrongly": ("captured-wrongly", 0.8),
    "take-oddly": ("captured-wrongly", 0.2),
    "take-forbidden": ("captured-wrongly", 1.0),
    "take-on": ("captured-wrongly", 0.5),
    "take-elsewhere": ("captured-elsewhere", 1.0),
    "take-other-store": ("wrong-store", 1.0),
    "not-made": ("unmarked", 0.5),
    "not-marked": ("unmarked", 0.5),
    "mark-wrongly": ("wrong-mark", 0.5),
    "make-wrongly": ("wrong-mark", 0.5),
    "sweep-early": ("swept-early", 1.0),
    "sweep-wrongly": ("swept-wrongly", 1.0),
}

CLEAN = 0.85  # how often a turn has no slip
NOTHING = 0.01  # how often nothing was played, or turns were taken back
BEGUN = 0.0075  # how often the next turn has begun when somebody looks at a board that is watched
MISTAKES = sum(kind.rate for kind in KINDS.values()) + NOTHING + BEGUN  # all that may go wrong there
PRESSED_FOR_NOTHING = 0.1  # how likely it is, relative to one turn, that the mover pressed without having played
PRESSED_WRONGLY = 0.01  # factor for what contradicts the button that was pressed
SOMETHING_ELSE = 0.002  # how often something happened that is no hypothesis here
TAKEN = 0.5  # how often what is left is in the stores when somebody counts, if the game is over
TAKEN_IN_PART = 0.1  # of these, how often a row is only partly taken; every part is as likely
CLAIM = 0.9  # how often the move that is claimed is the one that was meant
CAPTURE_CLAIM = 0.9  # how often a claim of captures is right
MISSED = 0.05  # how often one lift, or one drop, was not seen, if not all were
IMAGINED = 1e-5  # how often one is reported that did not happen
TOUCHED = 0.02  # the same of a board's sensors, which also report pits that a hand only touches
MISSED_OF_ALL = 1e-5  # the same as `MISSED`, if all were seen
EXPLAINED = 3.0  # if one slip is so many times as likely as any two can be, nobody looks for two
UNEXPLAINED = 0.1  # below so many times, they are looked for thoroughly
