"""Turns with slips, drawn at random: each with the board it leaves, and the truth about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from inkeek.records import Kind, Position, Rules, Turn, ruleset, ruleset_ids
from inkeek.records.findings import Evidence, Finding, find
from inkeek.records.findings.drafts import Slip, choice_bits, kind_of
from inkeek.records.findings.kinds import CODES as SLIP_CODES
from inkeek.records.kernel.codes import CODE_NAMES
from inkeek.records.kernel.slips import SlipSearch
from inkeek.records.rules.trace import MAX_EVENTS, Trace, TraceEvent, events_of

CODES = {name: code for code, name in CODE_NAMES.items()}
MAX_PLIES = 24
MAX_LAPS = 60  # of a slipped turn: nobody sows so long
IN_LAP = (
    "skip", "double", "instead", "instead-near", "astray", "astray-far", "also", "pick-up", "pick-beside", "lose",
    "lose-due", "add", "break-off",
)  # fmt: skip
TRIES = 400
GAMES = [*map(ruleset, ruleset_ids()), ruleset("enkeshui", pits=8, setup="fours-right")]
SCENES = (  # test_forbidden_captures.py, test_sweeps.py, test_accidents.py
    "take-forbidden", "take-on", "sweep-early", "sweep-wrongly", "end-knock", "end-knock-off", "end-put-back",
    "astray-far",
)  # fmt: skip
DRAWN = [code for code in SLIP_CODES if code not in ("not-made", "not-marked", "mark-wrongly", *SCENES)]


@dataclass(frozen=True, slots=True)
class SlippedTurn:
    """A legal turn that was meant, its slips and their kinds, what lies on the board then, and what the hands did."""

    turn: Turn
    slips: tuple[Slip, ...]
    kinds: tuple[str, ...]
    board: tuple[int, ...]
    held: int
    events: tuple[TraceEvent, ...]


@cache
def findings(rules: Rules) -> list[tuple[SlippedTurn, Finding]]:
    """A turn with each slip that the game can have, and what is found of the board that it leaves."""
    rng = Random(11)
    turns = [turn for code in DRAWN if (turn := slipped_turn(rng, rules, code)) is not None]
    return [(turn, find(rules, Evidence(before=turn.turn.before, counts=turn.board), 1)) for turn in turns]


def counts_of(position: Position) -> tuple[int, ...]:
    """The counts of the pits and of the stores."""
    return (*position.pits, *position.stores)


def random_position(rng: Random, rules: Rules) -> Position:
    """A position that a random game reaches, in which something can be sown."""
    position = rules.start()
    for _ in range(rng.randrange(MAX_PLIES)):
        turns = [turn for turn in rules.turns(position, limit=50) if turn.move.kind is Kind.SOW]
        if not turns or not rules.turns(after := rng.choice(turns).position, limit=1):
            break
        position = after
    return position


def slipped_turn(rng: Random, rules: Rules, code: str) -> SlippedTurn | None:
    """A turn with this slip; None if no position was found where it can happen, and can be seen."""
    info = rules.info
    search = SlipSearch(rules.family, rules.options, info.seeds_on_board(rules.options), info.remaining_seeds)
    for _ in range(TRIES):
        position = random_position(rng, rules)
        turns = [turn for turn in rules.turns(position, limit=50) if turn.move.kind is Kind.SOW]
        if not turns:
            continue
        turn = rng.choice(turns)
        slip = _draw(rng, rules, rules.trace(position, turn.move), code)
        found = slip and _slipped(rules, search, turn, slip)
        if found:
            return found
    return None


def _draw(rng: Random, rules: Rules, trace: Trace, code: str) -> Slip | None:
    """Where in a turn the slip happens; it may be impossible there."""
    size = 2 * rules.row
    lifts = [event for event in trace.events if event.kind == "lift"]
    lap = rng.randint(1, len(lifts))
    hand = lifts[lap - 1].count
    place = rng.randrange(size)
    end = trace.events[-1].pit
    takes = [event for event in trace.events if event.kind == "take" and event.reason != "four-in-passing"]
    if code in IN_LAP or code == "leave-behind":
        if hand < 2:
            return None
        at = (
            hand
            if code in ("leave-behind", "pick-beside")
            else rng.randint(1, hand - (code in ("double", "break-off")))
        )
        at = 1 if code.startswith("astray") else at
        due = (lifts[lap - 1].pit + rules.step * (hand - at + 1)) % size
        where = {
            "double": -2, "leave-behind": -2, "lose": -1, "lose-due": -1, "add": -1, "skip": 0, "break-off": 0,
            "instead-near": size - 1 - due, "astray": size - 1 - due,
            "pick-beside": min(lifts[lap - 1].pit + 1, size - 1),
        }.get(code, place)  # fmt: skip
        return Slip(code, lap, 1, at, where)
    if code == "lay":
        return Slip(code, lap, 0, 0, place) if place != lifts[lap - 1].pit else None
    if code == "make-wrongly":
        captured = bool(takes) and takes[-1].count > 1
        return Slip(code, len(lifts), 2, 0, end) if captured and rules.info.family == "layli-goobalay" else None
    if code == "jump":
        return Slip(code, lap, 0, 0, place * 64 + (place + rng.choice((1, -1))) % size)
    if code in ("reverse", "reverse-lap"):
        return Slip(code, lap, 0, 0, lifts[lap - 1].pit)
    if code in ("other-pit", "other-pit-far"):
        due = lifts[lap - 1].pit
        beside = {size - 1 - due, *(pit for pit in (due - 1, due + 1) if pit // rules.row == due // rules.row)}
        others = beside - {-1, size} if code == "other-pit" else {*range(size)} - beside - {due}
        return Slip(code, lap, 0, 0, rng.choice(sorted(others))) if lap > 1 else None
    if code == "stop":
        return Slip(code, lap, 2, 0, -1) if lap < len(lifts) else None
    if code.startswith("end-"):
        return Slip(code, 0, 2, 0, place * 64 + rng.randrange(size) if code == "end-move" else place)
    if code == "relay-on":
        return Slip(code, len(lifts), 2, 0, end)
    if code == "take-oddly":
        return None if takes else Slip(code, len(lifts), 2, 0, end)
    if code == "take-wrongly":
        return None if takes else Slip(code, len(lifts), 2, rng.randrange(2), size - 1 - end)
    if not takes:
        return None
    nth = 1 if code == "take-none" else 0 if code == "take-other-store" else rng.randint(1, len(takes))
    pit = takes[nth - 1].pit
    if code == "take-not" and len(takes) == 1:
        return None
    if code == "take-part":
        return Slip(code, len(lifts), 2, nth, 1) if takes[nth - 1].count > 1 else None
    return Slip(code, len(lifts), 2, nth, (pit + rng.choice((1, -1))) % size if code == "take-elsewhere" else 0)


def _slipped(rules: Rules, search: SlipSearch, turn: Turn, slip: Slip) -> SlippedTurn | None:
    """The turn with the slip; None if it cannot happen there or leaves the board of the turn."""
    position = turn.before
    pit, choices = turn.move.pit_index(rules.row), choice_bits(turn.move.choices)
    slips = ((CODES[slip.code], *slip[1:]),) if slip.lap else ()
    search.load(position)
    sown = search.replay(pit, *choices, slips, MAX_EVENTS)
    if search.was_void() or len(sown.slips) != len(slips):
        return None
    board = [*sown.pits, *sown.stores]
    if not slip.lap:
        start, to = divmod(slip.place, 64) if slip.code == "end-move" else (slip.place, slip.place)
        board[start] -= slip.code != "end-add"
        board[to] += slip.code != "end-lose"
    events = events_of(sown.events)
    least = min([*board, *(event.count for event in events if event.kind in ("lift", "drop"))])
    laps = sum(event.kind == "lift" for event in events)
    if least < 0 or laps > MAX_LAPS or any(event.kind == "lift" and not event.count for event in events):
        return None
    if any(event.kind == "take" and not event.count for event in events):
        return None
    if slip.code in ("jump", "other-pit", "other-pit-far") and not _holds(search, rules, turn, slip):
        return None
    if board == [*turn.position.pits, *turn.position.stores]:
        return None
    kind = kind_of(slip, position) if slip.code != "relay-on" else "relayed-on"
    ended = rules.trace(position, turn.move).events[-1].reason
    if slip.code == "relay-on" and ended in ("in-special", "made-special"):
        kind = "special-emptied" if ended == "in-special" else "unmarked"
    elif slip.code == "take-wrongly" and slip.at and ended == "made-special":
        kind = "unmarked"
    return SlippedTurn(turn, (slip,), (kind,), tuple(board), sown.held, events)


def _holds(search: SlipSearch, rules: Rules, turn: Turn, slip: Slip) -> bool:
    """Whether the pit that the slip takes seeds from holds any when the lap begins."""
    pits, lap = [*turn.before.pits], 0
    pit = slip.place // 64 if slip.code == "jump" else slip.place
    for event in rules.trace(turn.before, turn.move).events:
        if event.kind == "lift":
            lap += 1
            if lap == slip.lap:
                return pits[pit] > (event.pit == pit)
            pits[event.pit] = 0
        elif event.kind == "drop":
            pits[event.pit] = event.count
        elif event.kind == "take" and event.pit >= 0:
            pits[event.pit] = 0
    return False
