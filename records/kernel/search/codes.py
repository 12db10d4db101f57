"""The numbers of the search: units, flags, sizes, and the places of an entry's parts.

setup.py makes constants of C of them (`codes.pxd`).
"""

from __future__ import annotations

UNIT = 16  # of a seed
INFINITE = 32000  # more than any value; stored values are cut off there
# What a value rests on besides the rules.
HORIZON = 1
REPETITION = 2
LEFT_OUT = 4
# What a stored value is: a bound, or both bounds at once.
LOWER = 1
UPPER = 2
EXACT = 3
# Sizes.
MAX_PLY = 180
SEARCHER_BYTES = 4_194_304  # enough for all arrays below
MAX_EARLIER = 600  # positions before the root that are kept
CHILDREN = 12_288  # on the stack
MAX_TURNS = 1500  # of one position; more are left out
MAX_NODE_LAPS = 400_000  # of all turns of one position; more are left out
SLOTS = 4  # entries of the table that a position may stand in
PASSED = 127  # the start of a pass
SETTLED = -1_000_000_000  # the rank of a turn that needs no search
# Places of an entry's parts: the lower bound stands first.
UPPER_AT = 16
DEPTH_AT = 32
LOWER_FLAGS_AT = 40
UPPER_FLAGS_AT = 43
PROVER_AT = 46
WORK_AT = 48
AGE_AT = 53
MOVE_AT = 56
MOST_WORK = 31
AGES = 8
# Odd numbers to mix bits with.
MIX_A = 0xBF58476D1CE4E5B9
MIX_B = 0x94D049BB133111EB
SEED_A = 0x9E3779B97F4A7C15
SEED_B = 0xD1B54A32D192ED03
MIX_C = 0xFF51AFD7ED558CCD
MIX_D = 0xC4CEB9FE1A85EC53

DEEPEST = MAX_PLY - 20  # that a search may be asked for
