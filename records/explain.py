"""A trace or a refusal in plain sentences that a scorekeeper can follow. The only place where turns become prose; the
words themselves are in `messages/`."""

from __future__ import annotations

from collections.abc import Mapping

from .language import Language, Term
from .moves import IllegalMove, Kind
from .outcome import Outcome
from .position import Side
from .trace import MAX_EVENTS, Trace, TraceEvent

MAX_LAPS_TOLD = 24  # of a turn that never ends; of one that ends all are told
MAX_LEGAL_TOLD = 30  # moves listed in a sentence


def explain_trace(trace: Trace, language: Language, terms: Mapping[str, str]) -> list[str]:
    """One sentence for each lap and each thing that came of it; of endless sowing the first laps, and what repeats.

    `terms` are the words of the rule set.
    """
    move, mover = trace.move, trace.before.to_move
    if move.kind is Kind.PASS:
        return [language.text("turn.pass", mover=mover)]
    if move.kind is Kind.REARRANGE:
        laid = ", ".join(language.text("turn.laid", pit=pit, count=count) for pit, count in move.laid)
        first, second = move.emptied[0], move.emptied[1]
        count = sum(count for _, count in move.laid)
        return [language.text("turn.rearrange", mover=mover, first=first, second=second, count=count, laid=laid)]
    if trace.turn is not None:
        return _laps(trace, trace.events, language, terms)
    repeated = _first_repeat(trace)
    told = min(MAX_LAPS_TOLD, repeated[1]) if repeated else MAX_LAPS_TOLD
    lifts = [number for number, event in enumerate(trace.events) if event.kind == "lift"]
    sentences = _laps(trace, trace.events[: lifts[told]] if told < len(lifts) else trace.events, language, terms)
    if repeated is None or told < repeated[1]:
        sentences.append(language.text("turn.and-so-on"))
    if repeated is not None:
        first_lap, again = repeated
        key = "turn.repeats" if first_lap else "turn.repeats-start"
        sentences.append(language.text(key, first=first_lap, again=again))
    return sentences


def explain_refusal(error: IllegalMove, language: Language) -> list[str]:
    """Two sentences: why the move is not legal, and what would be. `over` tells whether the game is."""
    refused = language.text("illegal.refused", move=error.move, why=error.why)
    if not error.legal:
        return [refused, language.text("illegal.legal-none" if error.over else "illegal.legal-rearrangement")]
    key = "illegal.legal-more" if len(error.legal) > MAX_LEGAL_TOLD else "illegal.legal"
    moves = " ".join(str(move.choice) for move in error.legal[:MAX_LEGAL_TOLD])
    return [refused, language.text(key, moves=moves)]


def explain_outcome(outcome: Outcome, language: Language) -> str:
    """How the game ended, in one sentence."""
    south, north = outcome.score
    return language.text("turn.over", south=south, north=north, result=outcome.result)


def _laps(trace: Trace, events: tuple[TraceEvent, ...], language: Language, terms: Mapping[str, str]) -> list[str]:
    sentences: list[str] = []
    lap: list[str] = []
    lifted: dict[str, object] = {}
    shifted = False

    def end_lap() -> None:
        if lap:
            sentences.append(language.text("turn.lap", **lifted, pits=" ".join(lap)))
            lap.clear()

    for event in events:
        if event.kind == "lift":
            end_lap()
            lifted = {"pit": trace.before.letter(event.pit), "count": event.count}
        elif event.kind == "drop":
            lap.append(trace.before.letter(event.pit))
        elif event.kind == "store":
            lap.append(language.text("turn.store"))
        else:
            end_lap()
            sentences.append(_sentence(event, trace, language, terms, shifted))
            shifted = shifted or event.kind == "shift"
    end_lap()
    return sentences


def _sentence(event: TraceEvent, trace: Trace, language: Language, terms: Mapping[str, str], shifted: bool) -> str:
    """What came of a lap; `shifted` tells that the seeds that make a special pit were not sown into it."""
    before = trace.before
    pit = before.letter(event.pit) if event.pit >= 0 else ""
    special = Term(terms.get("special", ""))
    sides = {"mover": before.to_move, "other": before.to_move.other}
    if event.kind == "choose":
        return language.text("turn.choose-ccw" if event.other > 0 else "turn.choose-cw", **sides, pit=pit)
    if event.kind == "take":
        key = "turn.take" if pit else "turn.take-hand"
        return language.text(key, taker=Side(event.other), count=event.count, pit=pit)
    if event.kind == "shift":
        return language.text("turn.shift", pit=pit, to=before.letter(event.other))
    if event.kind == "special":
        key = "turn.special-shifted" if shifted else "turn.special"
        owner, count = Side(event.other), event.count
        return language.text(key, pit=pit, before=count - 1, count=count, special=special, owner=owner)
    return language.text(f"ends.{event.reason}", **sides, pit=pit, special=special)


def _first_repeat(trace: Trace) -> tuple[int, int] | None:
    """After which lap (0: before the first) an endless turn is in a state for the first time, and after which again;
    None where that lies beyond what the trace holds."""
    pits = list(trace.before.pits)
    direction = goes_on = 1  # until a choice; the games that offer one are sown counter-clockwise
    laps = 0
    seen: dict[tuple[int, ...], int] = {}
    for event in trace.events:
        if event.kind == "choose":
            goes_on = event.other
        elif event.kind == "drop":
            pits[event.pit] = event.count
        elif event.kind == "take":
            pits[event.pit] = 0
        elif event.kind == "lift":
            state = (*pits, event.pit, direction)
            if state in seen:
                return seen[state], laps
            seen[state] = laps
            laps += 1
            pits[event.pit], direction = 0, goes_on
    if trace.cycle and len(trace.events) < MAX_EVENTS:
        return laps - trace.cycle, laps
    return None
