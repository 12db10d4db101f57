"""Whether each ruling of a game is followed by what its terms order: worked out again from the events before it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inkeek.records import Kind, Move, RecordsError
from inkeek.service.errors import Conflict, ServiceError
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.plies import BY_RULES
from inkeek.service.games.snapshot import rules_of
from inkeek.service.games.state import ENDS, GameState, ending, game_state, score_of
from inkeek.service.storage import GameEvent

from .courses import Course
from .effects import END, Effects, effects_of, same_end
from .terms import AGREED, Terms, terms_from

Order = tuple[str, Mapping[str, Any]]  # a kind of event, and what its data must say among other things


def order_faults(state: GameState, skipped: Container[int] = ()) -> list[tuple[int, str]]:
    """The faults of rulings, each with the number of the event that is wrong; `skipped` are events not to be examined.

    Takes the time of playing the events before each ruling.
    """
    faults = []
    for event in state.events:
        if event.kind == "ruling" and event.seq not in skipped:
            fault = _fault(state, event)
            if fault is not None:
                faults.append(fault)
    return faults


def check_unsettled(state: GameState, about: str, ply: int) -> None:
    """Check that no ruling settled turn `ply` as it stands, or with `about` ``end`` the end of the game.

    :raises Conflict: one did: only an appeal opens it again.
    """
    if about == "end":
        event = None if state.end is None else state.end.seq
    else:
        event = state.turns[ply - 1] if ply <= len(state.turns) else None
    for course in state.courses:
        if event is not None and event in _settled_events(state, course, about, ply):
            raise Conflict(
                "dispute %(dispute)s about this was ruled on: %(outcome)s. Appeal against that ruling instead",
                dispute=course.row.id,
                outcome=course.row.outcome,
                current=state.row,
            )


def _settled_events(state: GameState, course: Course, about: str, ply: int) -> tuple[int, ...]:
    """The number of the event of turn `ply`, or of the end, that the last ruling on a dispute left in place of what was
    disputed; none if it left none, was about something else, or the side that disputed it withdrew.
    """
    row, ruling = course.row, course.ruling
    if ruling is None or course.is_withdrawn:
        return ()
    if about != row.about and not (about == "end" and row.outcome == "ended"):
        return ()
    if about == "turn" and ply != row.ply:
        return ()
    then = game_state(state.events[: ruling.seq - 1])
    course_then = then.course(row.seq)
    terms = _complete_terms(terms_from(ruling.data), course_then, state.events[ruling.seq :])
    orders = list(_orders(then, effects_of(then, course_then, terms), terms, row.seq, ""))
    after = game_state(state.events[: ruling.seq + len(orders)])
    if about == "end":
        return () if after.end is None else (after.end.seq,)
    return after.turns[ply - 1 : ply]


def _fault(state: GameState, ruling: GameEvent) -> tuple[int, str] | None:
    data, then = ruling.data, game_state(state.events[: ruling.seq - 1])
    try:
        course = then.course(data["dispute"])
        terms = _complete_terms(terms_from(data), course, state.events[ruling.seq :])
        effects = effects_of(then, course, terms)
    except (ServiceError, RecordsError) as error:
        return ruling.seq, f"its terms do not fit the game before it: {error}"
    if effects.end is not None and "end" in data and data["end"]["result"] != effects.end["result"]:
        return ruling.seq, f"its end has the result {data['end']['result']!r}: expected {effects.end['result']!r}"
    if _differs_from_agreement(course, data, terms):
        return ruling.seq, "both sides agreed on other terms"
    reason = "agreement" if data["by"] == AGREED else _reason(state.events[ruling.seq : ruling.seq + 2])
    for seq, (kind, expected) in enumerate(_orders(then, effects, terms, course.row.seq, reason), ruling.seq + 1):
        if seq > len(state.events):
            return ruling.seq, f"it orders a {kind} as event {seq}, which is missing"
        event = state.events[seq - 1]
        if event.kind != kind:
            return seq, f"it is a {event.kind}, but ruling {ruling.seq} orders a {kind}"
        for name, value in expected.items():
            if event.data.get(name) != value:
                found = str(event.data.get(name))[:200]
                return seq, f"its {name} is {found!r}, but ruling {ruling.seq} orders {str(value)[:200]!r}"
    return None


def _reason(after: Sequence[GameEvent]) -> str:
    """Why turns are taken back after a ruling; those of an early version say that the opponents objected."""
    given = [event.data["reason"] for event in after if event.kind == "retraction"]
    return "objection" if "objection" in given else "ruling"


def _complete_terms(terms: Terms, course: Course, after: Sequence[GameEvent]) -> Terms:
    """The terms; where a ruling of an early version says only that it corrects, with what follows."""
    if terms.outcome != "corrected" or terms.move or terms.position or terms.end:
        return terms
    kind = "turn" if course.row.about == "turn" else "correction"
    event = next((event for event in after if event.kind == kind), None)
    if event is None:
        return terms
    if kind == "correction":
        end = event.data
        return replace(terms, end=CorrectedEnd(end["termination"], end["winner"], score_of(end)))
    move = Move.parse(event.data["turn"]["move"])
    return replace(terms, move=move, position=event.data["position"] if move.kind is Kind.IRREGULAR else None)


def _differs_from_agreement(course: Course, ruling: Mapping[str, Any], terms: Terms) -> bool:
    """Whether the ruling follows an accepted proposal, and is not what was proposed."""
    last = course.events[-1]
    if last.kind != "response" or not last.data["accepts"]:
        return False
    proposal = next((one for one in course.of("proposal") if one.seq == last.data["proposal"]), None)
    return proposal is None or ruling["by"] != AGREED or terms_from(proposal.data) != terms


def _orders(then: GameState, effects: Effects, terms: Terms, dispute: int, reason: str) -> Iterator[Order]:
    """The events that follow a ruling, as `rulings` appends them."""
    rules, ply = rules_of(then.row), then.row.ply
    end = None if then.end is None else then.end.data
    by_hand = then.end is not None and then.end.source != BY_RULES
    if by_hand and (effects.keeps < ply or effects.turns or effects.end is None):
        end = None
        yield "reopening", {"reason": terms.note, "dispute": dispute}
    for number in range(ply, effects.keeps, -1):
        end = None
        yield "retraction", {"ply": number, "reason": reason}
    for number, (turn, comments) in enumerate(effects.turns, effects.keeps + 1):
        written = {"move": str(turn.move), "nags": [], "comments": list(comments), "variations": []}
        yield "turn", {"ply": number, "position": str(turn.position), "turn": written}
        outcome = rules.outcome(turn.position)
        if outcome is not None:
            end = ending(outcome)
            yield "ended", {name: end[name] for name in END}
    if effects.end is None:
        return
    expected = {**{name: effects.end[name] for name in END if name != "by"}, "dispute": dispute}
    if end is None:
        yield "ended", expected
    elif not same_end(effects.end, end):
        yield "correction", expected


def ruling_faults(events: Sequence[GameEvent]) -> list[tuple[int, str]]:
    """The faults of disputes, rulings and appeals, each with the number of its event. The events are those of a game.

    What a ruling orders is the business of `ruling_replay`.
    """
    faults: list[tuple[int, str]] = []
    turns: list[int] = []  # the numbers of the events of the turns that stand
    end: GameEvent | None = None  # the event that says how the game ended
    disputes: dict[int, GameEvent] = {}
    ruled: dict[int, int] = {}  # the number of a dispute's ruling
    for event in events:
        kind, data = event.kind, event.data
        fault = None
        if kind == "turn":
            turns.append(event.seq)
        elif kind in ENDS:
            end = event
        elif kind == "reopening":
            end = None
        elif kind == "retraction":
            turns.pop()
            end = None
        elif kind == "dispute":
            disputes[event.seq] = event
            fault = None if _stands(event, turns, end) else f"it disputes event {data['turn']}, which does not stand"
        elif kind == "appeal":
            if ruled.pop(data["dispute"], None) is None:
                fault = f"it appeals against a ruling on event {data['dispute']}: there is none"
        elif kind == "ruling":
            about = disputes.get(data["dispute"])
            if about is None:
                fault = f"it rules on event {data['dispute']}, which is no dispute before it"
            elif about.seq in ruled:
                fault = f"it rules on the dispute of event {about.seq}, which event {ruled[about.seq]} ruled on"
            else:
                ruled[about.seq] = event.seq
        if fault is not None:
            faults.append((event.seq, fault))
    return faults


def _stands(dispute: GameEvent, turns: Sequence[int], end: GameEvent | None) -> bool:
    """Whether the disputed turn or end is current: not taken back or replaced."""
    data = dispute.data
    if data.get("about", "turn") == "end":
        return end is not None and bool(data["turn"] == end.seq)
    if data["turn"] == dispute.seq:  # a turn that lies on the board only
        return bool(data["ply"] == len(turns) + 1)
    return bool(1 <= data["ply"] <= len(turns) and turns[data["ply"] - 1] == data["turn"])
