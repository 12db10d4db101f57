"""Candidates seed by seed: what the hands did, and where they slipped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inkeek.records.rules.trace import MAX_EVENTS, TraceEvent, events_of

from .candidates import NOWHERE, CandidateSearch
from .drafts import Draft, Slip
from .sweeps import right_way, sweep_events, wrongly_taken

SEVERAL = ("end-knock", "end-knock-off", "end-put-back")  # codes of slips of several seeds at once


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A slip where it happened: its event among `events` of the turn, the pit of its lap, the pit where the last seed
    fell (-1: see the events), and the direction of sowing."""

    slip: Slip
    event: int
    pit: int
    last: int
    direction: int


@dataclass(frozen=True, slots=True)
class SlipReplay:
    """A candidate, seed by seed. `events` begin with those of a turn that was played first, `offset` of them."""

    candidate: Draft
    events: tuple[TraceEvent, ...]
    offset: int
    scenes: tuple[Occurrence, ...]
    board: tuple[int, ...]
    held: int
    due_takes: tuple[TraceEvent, ...] = ()  # the captures of the stage where one went wrong, as they were due

    @property
    def first_wrong_step(self) -> int | None:
        """The index in `events` of the first that no legal turn has there; None if all are those of legal turns."""
        opening = self.candidate.opening
        if opening.broken is not None:
            return self.offset - 1  # its end
        if opening.kind not in (None, "two-turns", "previous-unfinished"):
            return self.offset
        return min((self.offset + scene.event for scene in self.scenes), default=None)


def replayed(search: CandidateSearch, candidate: Draft) -> SlipReplay:
    """Sow a candidate once more by the rules, and record it."""
    opening, position = candidate.opening, candidate.opening.position
    pits, stores = list(position.pits), list(position.stores)
    events: list[TraceEvent] = []
    scenes: list[Occurrence] = []
    marks, held, to_move = position.marks, 0, position.to_move
    in_turn = [slip for slip in candidate.slips if slip.lap]
    if opening.pit >= 0:
        sown = search.replay(candidate, in_turn, MAX_EVENTS)
        events += events_of(sown.events)
        pits, stores, marks, held = list(sown.pits), list(sown.stores), sown.marks, sown.held
        to_move = to_move if sown.again else to_move.other
        scenes += (Occurrence(slip, *where) for slip, where in zip(in_turn, sown.slips, strict=True))
    right = right_way(search.rules, to_move)
    due = _due_takes(search, candidate)
    return _finished(search, candidate, events, scenes, [*pits, *stores], marks, held, due, right)


def _finished(
    search: CandidateSearch,
    candidate: Draft,
    events: list[TraceEvent],
    scenes: list[Occurrence],
    board: list[int],
    marks: tuple[int, ...],
    held: int,
    due: tuple[TraceEvent, ...],
    right: int,
) -> SlipReplay:
    """The replay with the turn that was played first, and with what happened when all was over; `right`: to whom what
    is left belongs then."""
    opening, rules = candidate.opening, search.rules
    before: tuple[TraceEvent, ...] = ()
    if opening.turn is not None and opening.broken is not None:
        before = events_of(search.replay_turn(opening.turn, opening.broken, MAX_EVENTS).events)
    elif opening.turn is not None and opening.kind != "previous-unfinished":
        before = rules.trace(opening.turn.before, opening.turn.move).events
    if candidate.swept:
        events += sweep_events(board, marks, candidate.swept, right)
    for slip in candidate.slips:
        if slip.lap:
            continue
        if slip.code == "sweep-wrongly":
            wrong = wrongly_taken(right, marks, slip.place, slip.at)
            events += sweep_events(board, marks, slip.place & ~wrong, slip.at)
            scenes.append(Occurrence(slip, len(events), -1, -1, 1))
            events += sweep_events(board, marks, wrong, slip.at)
            continue
        scenes.append(Occurrence(slip, len(events), -1, -1, 1))
        if slip.code == "sweep-early":
            events += sweep_events(board, marks, slip.place, slip.at)
            continue
        if slip.code in SEVERAL:
            events += _moved_at_once(board, slip)
            continue
        start, to = divmod(slip.place, 64) if slip.code == "end-move" else (slip.place, slip.place)
        if slip.code != "end-add":
            board[start] -= 1
        if slip.code != "end-lose":
            board[to] += 1
        kind = {"end-move": "shift", "end-lose": "lose", "end-add": "add"}[slip.code]
        events.append(TraceEvent(kind, start, 1 if kind == "shift" else board[start], to if kind == "shift" else 0))
    return SlipReplay(candidate, (*before, *events)[:MAX_EVENTS], len(before), tuple(scenes), tuple(board), held, due)


def _moved_at_once(board: list[int], slip: Slip) -> Iterator[TraceEvent]:
    """Move several seeds to another place, or off the board."""
    start, to = divmod(slip.place, 64)
    for _ in range(slip.at):
        board[start] -= 1
        if to == NOWHERE:
            yield TraceEvent("lose", start, board[start], 0)
            continue
        board[to] += 1
        yield TraceEvent("shift", start, 1, to)


def _due_takes(search: CandidateSearch, candidate: Draft) -> tuple[TraceEvent, ...]:
    """The captures of the lap, or of the end, at which a capture went wrong, as they were due."""
    wrong = next((slip for slip in candidate.slips if slip.code.startswith("take-")), None)
    if wrong is None or wrong.code in ("take-wrongly", "take-oddly", "take-forbidden"):
        return ()
    others = [slip for slip in candidate.slips if slip is not wrong and slip.lap]
    due = search.replay(candidate, others, MAX_EVENTS)
    lap = 0
    takes: list[TraceEvent] = []
    for event in events_of(due.events):
        if event.kind == "lift":
            lap += 1
        elif event.kind == "take" and lap == wrong.lap:
            takes.append(event)
    if wrong.stage == 2:  # captures in passing are another stage of the lap
        takes = [event for event in takes if event.reason != "four-in-passing"]
    return tuple(takes)
