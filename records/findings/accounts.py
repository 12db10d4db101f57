"""From candidates to accounts: what the hands did, where that leaves the rules, and how to mend the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from inkeek.records.explain import explain_end
from inkeek.records.language import Language
from inkeek.records.moves import PASS, Move, Turn
from inkeek.records.position import Position
from inkeek.records.rules.play import Rules
from inkeek.records.rules.trace import Trace, TraceEvent

from .account_steps import SOWN, sown_place
from .candidates import MAX_TURNS
from .drafts import Draft
from .evidence import Evidence
from .finding import Account
from .kinds import BEGUN_EARLY, KINDS, LEGAL, TAKEN_BACK, UNPLAYED
from .posterior import Hypothesis, Way
from .replays import SlipReplay
from .sentences import mend_sentence, move_of, round_sentence, special_term, swept_sentence, what_happened
from .sweeps import swept_position

# By the reason why a turn ended without a capture, the rule; for all others, that of captures.
RULES_OF_ENDS = {
    "in-special": "special",
    "made-special": "special-made",
    "empty": "end",
    "empty-theirs": "end",
    "in-store": "turn",
}


def account_of(hypothesis: Hypothesis, probability: float, language: Language) -> Account:
    """The account of a hypothesis, without what would tell it from the next."""
    search, candidate, replay = hypothesis.search, hypothesis.draft, hypothesis.replay
    rules, before, opening = search.rules, search.position, candidate.opening
    kinds, texts = candidate.kinds, rules.info.rules
    account = partial(
        Account, probability=probability, steps=replay.events, board=replay.board, mend={}, ply=hypothesis.ply
    )
    if (turn := candidate.turn) is not None:
        sentences = (
            language.text("turn.pass" if turn.move == PASS else "findings.legal", mover=before.to_move, move=turn.move),
            *round_sentence(rules, before, replay.events, language),
            *explain_end(Trace(turn.move, turn.before, replay.events, turn), language, rules.info),
            *swept_sentence(rules, candidate, language),
        )
        rule = texts.get(_rule_of_end(replay.events))
        return account(kinds=(LEGAL,), legal=True, move=turn.move, sentences=sentences, rule=rule)
    if not kinds and opening.pit < 0:
        kind = UNPLAYED if opening.pit == -1 else TAKEN_BACK
        told = language.text(f"findings.{kind}", count=-opening.pit - 1)
        sentences = (told, *swept_sentence(rules, candidate, language))
        return account(kinds=(kind,), legal=None, move=None, sentences=sentences, steps=())
    happened = what_happened(rules, replay, language)
    if kinds == ("two-turns",):
        move = opening.turn.move if opening.turn is not None else None
        return account(kinds=kinds, legal=True, move=move, sentences=happened)
    move, target, meant = _meant(hypothesis)
    sweeps = candidate.swept or any(slip.code == "sweep-wrongly" for slip in candidate.slips)
    if sweeps and rules.outcome(target) is not None:
        target = swept_position(rules, target, candidate.swept or None)
    steps = mend_steps(replay.board, target)
    unmarked = special_term(rules) if "unmarked" in kinds else None
    wrong, due = _first_wrong_step(rules, replay, meant)
    step = replay.events[wrong] if wrong is not None and wrong < len(replay.events) else None
    broken = next(kind for kind in kinds if KINDS[kind].rule)
    return account(
        kinds=kinds,
        legal=False,
        move=move,
        sentences=(*happened, *mend_sentence(before, steps, target, meant, language, unmarked)),
        first_wrong_step=wrong,
        rule=texts.get(_rule_of(rules, candidate, broken), texts.get("end")),  # a game of one lap has none of relays
        mend=steps,
        target=target,
        due_place=_due_place(before, step, due),
    )


def rearranged(evidence: Evidence, ways: Sequence[Way], probability: float, language: Language) -> Account:
    """The account of the likeliest of the legal rearrangements that fit."""
    _, _, move, board = max(ways, key=lambda way: way[:2])
    sentence = language.text("findings.rearranged", mover=evidence.before.to_move, move=move)
    return Account((LEGAL,), probability, True, move, (sentence,), board=board, mend={})


def _first_wrong_step(rules: Rules, replay: SlipReplay, meant: Turn | None) -> tuple[int | None, TraceEvent | None]:
    """The first step from the slip on that the legal turn which was meant does not have there, and what it has."""
    first, steps = replay.first_wrong_step, replay.events
    opening = replay.candidate.opening
    if first is None or meant is None or opening.broken is not None or opening.kind not in (None, "two-turns"):
        return first, None
    legal = (*steps[: replay.offset], *rules.trace(meant.before, meant.move).events)
    if steps[:first] != legal[:first]:
        return first, None  # other choices were made
    pairs = enumerate(zip(steps[first:], legal[first:], strict=False), first)
    return next(((number, due) for number, (step, due) in pairs if step != due), (first, None))


def _due_place(position: Position, step: TraceEvent | None, due: TraceEvent | None) -> int | None:
    """Where a seed was due that was dropped elsewhere."""
    if step is None or due is None or not {step.kind, due.kind} <= set(SOWN):
        return None
    place, wanted = (sown_place(position, event) for event in (step, due))
    return None if place == wanted else wanted


def mend_steps(board: tuple[int, ...], target: Position) -> dict[int, int]:
    """By place, the seeds to add to a board (negative: to take away) until it is that of a position."""
    wanted = (*target.pits, *target.stores)
    return {place: want - have for place, (have, want) in enumerate(zip(board, wanted, strict=True)) if want != have}


def turn_meant(hypothesis: Hypothesis) -> Turn | None:
    """The legal turn that the mover should have played instead of this, if that is known."""
    opening = hypothesis.draft.opening
    if opening.kind == "two-turns" and opening.turn is not None:
        return opening.turn  # the other side's follows it
    return _meant(hypothesis)[2]


def _meant(hypothesis: Hypothesis) -> tuple[Move | None, Position, Turn | None]:
    """The turn that was begun, the board that should lie there, and the legal turn that leads to that."""
    search, candidate = hypothesis.search, hypothesis.draft
    rules, opening = search.rules, candidate.opening
    if opening.turn is not None and opening.kind in ("moved-twice", BEGUN_EARLY):
        return opening.turn.move, opening.turn.position, opening.turn
    before = search.position
    move = move_of(rules, candidate)
    if move is None:
        return None, before, None
    if opening.turn is not None and opening.kind == "two-turns":
        second = _turn_like(move, rules.turns(opening.turn.position, limit=MAX_TURNS))
        return opening.turn.move, opening.turn.position if second is None else second.position, second
    if opening.kind is not None:
        return move, before, None
    turn = _turn_like(move, search.turns)
    return (move, before, None) if turn is None else (turn.move.choice, turn.position, turn)


def _turn_like(move: Move, turns: Iterable[Turn]) -> Turn | None:
    """The turn that is this move, or the first from the same pit."""
    alike = [turn for turn in turns if turn.move.pit == move.pit]
    return next((turn for turn in alike if turn.move.choice == move), alike[0] if alike else None)


def _rule_of_end(events: Sequence[TraceEvent]) -> str:
    """The id of the rule by which a legal turn ended as it did; empty without events."""
    lap: list[TraceEvent] = []
    for event in events:
        lap = [event] if event.kind == "lift" else [*lap, event]
        if event.kind == "end":
            captures = any(step.kind == "take" for step in lap)
            return "capture" if captures else RULES_OF_ENDS.get(event.reason, "capture")
    return ""


def _rule_of(rules: Rules, candidate: Draft, kind: str) -> str:
    """The id of the rule that a kind of slip breaks; a lap that is broken off is not sown to its end."""
    if kind == "wrong-start" and "first-turn" in rules.info.rules:
        return "first-turn"  # later turns of such games begin in any own pit that has seeds
    if kind == "unfinished" and any(slip.code == "break-off" for slip in candidate.slips):
        return "sowing"
    return KINDS[kind].rule
