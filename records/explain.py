"""Explains turns and refusals in plain sentences. The sentences themselves are in `messages/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .language import Language, Message, Term
from .moves import IllegalMove, Kind
from .position import CLOSED, OWNED, SOUTHS, Position, Side
from .rules.outcome import Outcome
from .rules.ruleset import RuleSet
from .rules.trace import Trace, TraceEvent

SOWN = ("drop", "store")  # kinds of events: a seed falls
IN_PASSING = ("in-passing", "four-in-passing")  # captures that no row makes
MAX_LAPS_SHOWN = 24  # of a turn that never ends; of one that ends all are shown
MAX_MOVES_SHOWN = 30  # legal moves listed in a sentence


def explain_trace(trace: Trace, language: Language, info: RuleSet) -> list[str]:
    """One sentence for each lap and each of its consequences; of endless sowing the first laps.
    A row of the game's table that has its own sentence says that."""
    move, mover = trace.move, trace.before.to_move
    if move.kind is Kind.PASS:
        return [language.text("turn.pass", mover=mover)]
    if move.kind is Kind.REARRANGE:
        laid = [Message("turn.laid", {"pit": pit, "count": count}) for pit, count in move.laid]
        first, second = move.emptied[0], move.emptied[1]
        count = sum(count for _, count in move.laid)
        return [language.text("turn.rearrange", mover=mover, first=first, second=second, count=count, laid=laid)]
    if trace.turn is not None:
        return _sentences(trace, trace.events, language, info)
    lifts = [number for number, event in enumerate(trace.events) if event.kind == "lift"]
    events = trace.events[: lifts[MAX_LAPS_SHOWN]] if len(lifts) > MAX_LAPS_SHOWN else trace.events
    return [*_sentences(trace, events, language, info), language.text("turn.and-so-on")]


def explain_end(trace: Trace, language: Language, info: RuleSet) -> list[str]:
    """What followed from the last lap of a turn: captures, special pits, and why the turn ended there."""
    ends = next((number for number, event in enumerate(trace.events, 1) if event.kind == "end"), len(trace.events))
    lifts = [number for number, event in enumerate(trace.events[:ends]) if event.kind == "lift"]
    lap = trace.events[max(lifts, default=-1) + 1 : ends]
    return [
        language.translate(message)
        for event in lap
        if event.kind not in SOWN
        for message in _consequences(event, trace, lap, info)
    ]


def explain_refusal(error: IllegalMove, language: Language) -> list[str]:
    """Why the move is illegal, and, if the rules are known, which moves are legal: a sentence each."""
    refused = language.text("illegal.refused", move=error.move, why=error.why)
    if error.reason == "unknown-rules":
        return [refused]
    if not error.legal:
        return [refused, language.text("illegal.legal-none" if error.over else "illegal.legal-rearrangement")]
    key = "illegal.legal-more" if len(error.legal) > MAX_MOVES_SHOWN else "illegal.legal"
    moves = " ".join(str(move.choice) for move in error.legal[:MAX_MOVES_SHOWN])
    return [refused, language.text(key, moves=moves)]


def explain_outcome(outcome: Outcome, language: Language) -> str:
    """How the game ended, in one sentence."""
    south, north = outcome.score
    return language.text("turn.over", south=south, north=north, result=outcome.result)


def explain_board(position: Position, language: Language) -> str:
    """What lies in both rows and in the stores, as a part of a sentence."""
    rows = []
    for side in Side:
        pits = position.pits_of(side)
        counts = [_count_words(position, pit) for pit in pits]
        ends = {"first": position.letter(pits[0]), "last": position.letter(pits[-1])}
        rows.append(Message("board.row", {"side": side, "counts": counts, **ends}))
    south, north = position.stores
    return language.text("board.whole", south=rows[0], north=rows[1], south_store=south, north_store=north)


def _count_words(position: Position, pit: int) -> object:
    mark, count = position.marks[pit], position.pits[pit]
    if mark == CLOSED:
        return Message("board.closed", {})
    return Message("board.special", {"count": count, "owner": Side(mark - SOUTHS)}) if mark in OWNED else count


def _sentences(trace: Trace, events: tuple[TraceEvent, ...], language: Language, info: RuleSet) -> list[str]:
    sentences: list[str] = []
    lap: list[TraceEvent] = []
    lifted, said = None, 0

    def end_lap() -> None:
        nonlocal said
        fallen = [event for event in lap if event.kind in SOWN]
        if pits := [_place(event, trace) for event in fallen[said:]]:
            assert lifted is not None, "a seed is dropped after a pit is picked up"
            key = "turn.lap" if len(pits) == lifted.count else "turn.lap-part"
            pit = trace.before.letter(lifted.pit)
            sentences.append(language.text(key, pit=pit, count=lifted.count, part=len(pits), pits=pits))
            said = len(fallen)

    for event in events:
        if event.kind == "lift":
            end_lap()
            if own := _own_sentence(event.other, lap, info):
                sentences.append(language.translate(own))
            lifted, said = event, 0
            lap.clear()
            continue
        lap.append(event)
        if event.kind not in SOWN:
            end_lap()
            sentences += [language.translate(message) for message in _consequences(event, trace, lap, info)]
    end_lap()
    return sentences


def _place(event: TraceEvent, trace: Trace) -> object:
    return trace.before.letter(event.pit) if event.kind == "drop" else Message("turn.store", {})


def _consequences(event: TraceEvent, trace: Trace, lap: Sequence[TraceEvent], info: RuleSet) -> Iterator[Message]:
    """What an event of a lap says, and that the side moves again."""
    mover = trace.before.to_move
    again = event.kind == "end" and trace.turn is not None and trace.turn.position.to_move is mover
    own = _own_sentence(event.count, lap, info, "again" if again else "stop") if event.kind == "end" else None
    yield own or _consequence(event, trace, [one for one in lap if one.kind in SOWN], info.terms)
    if again and (own or event.reason != "in-store"):
        yield Message("turn.again", {"mover": mover})


def _own_sentence(number: int, lap: Sequence[TraceEvent], info: RuleSet, then: str = "") -> Message | None:
    """What the row with this number, which decided after a lap, says in the words of the file. None if it has no
    sentence, or did not do all that it says: captured nothing, or did not go on as `then` says."""
    row = info.table["last"][number - 1] if number and info.table else None
    if row is None or row["why"] is None or (then and row["then"] != then):
        return None
    did = {event.kind for event in lap if event.reason not in IN_PASSING}
    due = {kind for key, kind in (("take", "take"), ("shift", "shift"), ("mark", "special")) if row[key]}
    return Message("turn.own", {"why": row["why"]}) if due <= did else None


def _consequence(event: TraceEvent, trace: Trace, fallen: list[TraceEvent], terms: Mapping[str, str]) -> Message:
    before = trace.before
    pit = before.letter(event.pit) if event.pit >= 0 else ""
    special = Term(terms.get("special", ""))
    sides = {"mover": before.to_move, "other": before.to_move.other}
    match event.kind:
        case "choose":
            when = "choose" if fallen else "choose-start"
            return Message(f"turn.{when}-ccw" if event.other > 0 else f"turn.{when}-cw", {**sides, "pit": pit})
        case "take":
            fields = {"taker": Side(event.other), "count": event.count, "pit": pit}
            if event.reason == "opposite-empty":
                return Message("turn.take-opposite", {**fields, "empty": before.letter(before.opposite(event.pit))})
            return Message("turn.take" if pit else "turn.take-hand", fields)
        case "shift":
            return Message("turn.shift", {"pit": pit, "to": before.letter(event.other)})
        case "special":
            fields = {"pit": pit, "before": event.count - 1, "count": event.count}
            sown = [(seed.pit, seed.count) for seed in fallen if seed.kind == "drop"]
            key = "turn.special" if (event.pit, event.count) in sown else "turn.special-other"
            return Message(key, {**fields, "special": special, "owner": Side(event.other)})
    reason, count = event.reason, fallen[-1].count if fallen else 0
    if reason == "captured" and count > 1:
        reason = "captured-count"
    if reason == "stopped" and fallen and fallen[-1].kind == "store":
        reason = "stopped-store"
    return Message(f"ends.{reason}", {**sides, "pit": pit, "special": special, "count": count})
