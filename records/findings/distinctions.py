"""What would tell an account from the next: a pit to count, or a question to witnesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from inkeek.records.language import Language, Message
from inkeek.records.position import Position, Side
from inkeek.records.rules.trace import TraceEvent

from .account_steps import AccountSteps
from .board_counts import SOWN, sown_place
from .evidence.evidence import Evidence
from .finding import Account
from .sentences import place_text, step_text


def with_distinctions(accounts: list[Account], evidence: Evidence, language: Language) -> list[Account]:
    """The accounts, each with what would tell it from the next."""
    pairs = pairwise(accounts)
    found = [replace(one, distinction=_distinction(one, other, evidence, language)) for one, other in pairs]
    return [*found, *accounts[-1:]]


def _distinction(account: Account, other: Account, evidence: Evidence, language: Language) -> str:
    if not account.board or not other.board:
        return ""  # something else happened: there is nothing to look for
    position = evidence.before
    for place, (count, theirs) in enumerate(zip(account.board, other.board, strict=True)):
        if count != theirs and evidence.known(place) is None:
            name = place_text(position, place, language)
            return language.text("findings.tell.count", place=name, count=count, other=theirs)
    if {account.kinds, other.kinds} == {("wrong-side",), ("wrong-row",)}:
        hands = position.to_move, position.to_move.other
        mover, theirs = hands if account.kind == "wrong-row" else reversed(hands)
        return language.text("findings.tell.who", mover=mover, other=theirs)
    account, other = (replace(one, steps=_visible(one.steps)) for one in (account, other))
    size = len(account.steps), len(other.steps)
    at = next((k for k in range(min(size)) if account.steps[k] != other.steps[k]), min(size))
    if at == max(size):
        return language.text("findings.tell.meant")
    return _question(account, other, at, position, language)


def _visible(steps: Sequence[TraceEvent]) -> tuple[TraceEvent, ...]:
    """The steps that somebody can see: a choice shows only in what is sown."""
    return tuple(event for event in steps if event.kind != "choose")


def _question(account: Account, other: Account, at: int, position: Position, language: Language) -> str:
    """What to ask about step `at`, where the accounts differ for the first time."""
    events = [event for one in (account, other) for event in one.steps[at : at + 1]]
    kinds = {event.kind for event in events}
    if "lift" in kinds and kinds <= {"lift", "end"}:
        lap = _lap_at(account, other, at, 1, position)
        if len(events) == 2 and events[0].kind == events[1].kind and events[0].pit == events[1].pit:
            pit, counts = position.letter(events[0].pit), (events[0].count, events[1].count)
            return language.text("findings.tell.lifted", pit=pit, lap=lap, count=counts[0], other=counts[1])
        texts = [_text_at(position, one.steps, at, language) for one in (account, other)]
        return language.text("findings.tell.event", lap=lap, event=texts[0], other=texts[1])
    questions = ["", _about_captures(account.steps, other.steps, position, language)]
    lifts = [number for number in range(at) if account.steps[number].kind == "lift"]
    if lifts:
        laps = _lap(account.steps, lifts[-1]), _lap(other.steps, lifts[-1])
        questions[0] = _about_seeds(*laps, _lap_at(account, other, at, 0, position), position, language)
    if not kinds <= {"lift", "end", *SOWN}:
        questions.reverse()
    questions.append(_about_time(account, other, at, position, language))
    return next(filter(None, questions), language.text("findings.tell.alike"))


def _about_seeds(
    here: Sequence[TraceEvent], there: Sequence[TraceEvent], lap: Message, position: Position, language: Language
) -> str:
    """What to ask about the seeds of a lap that began alike; empty if they fell alike."""
    places = [[sown_place(position, event) for event in events if event.kind in SOWN] for events in (here, there)]
    fell, theirs = map(Counter, places)
    for place in (*places[0], *places[1]):
        if fell[place] != theirs[place]:
            name = place_text(position, place, language)
            return language.text("findings.tell.seeds", place=name, lap=lap, count=fell[place], other=theirs[place])
    for number, pair in enumerate(zip(*places, strict=True), 1):
        if pair[0] != pair[1]:
            names = [place_text(position, place, language) for place in pair]
            return language.text("findings.tell.seed", number=number, lap=lap, place=names[0], other=names[1])
    return ""


def _about_captures(
    here: Sequence[TraceEvent], there: Sequence[TraceEvent], position: Position, language: Language
) -> str:
    """What to ask about captures, and about seeds that were not sown; empty if all of that is alike."""
    taken, theirs = ({event.pit: event for event in steps if event.kind == "take"} for steps in (here, there))
    for pit in taken.keys() & theirs.keys() - {-1}:
        ours, other, letter = taken[pit], theirs[pit], position.letter(pit)
        if ours.count != other.count:
            return language.text("findings.tell.taken", pit=letter, count=ours.count, other=other.count)
        if ours.other != other.other:
            sides = Side(ours.other), Side(other.other)
            return language.text("findings.tell.taker", pit=letter, taker=sides[0], other=sides[1])
    texts = [
        Counter(step_text(position, event, language) for event in steps if event.kind not in ("lift", "end", *SOWN))
        for steps in (here, there)
    ]
    for key, unlike in (("whether-here", texts[0] - texts[1]), ("whether-there", texts[1] - texts[0])):
        for text in unlike:
            return language.text(f"findings.tell.{key}", event=text)
    return ""


def _about_time(account: Account, other: Account, at: int, position: Position, language: Language) -> str:
    """In which lap something happened that did in both accounts; empty if it is the same."""
    for event in (*account.steps[at : at + 1], *other.steps[at : at + 1]):
        laps = [
            max(1, lap)
            for one in (account, other)
            for step, lap in zip(one.steps[at:], AccountSteps(one, position).laps()[at:], strict=True)
            if event.kind not in ("lift", "end", *SOWN) and (step.kind, step.pit) == (event.kind, event.pit)
        ]
        if len(laps) == 2 and laps[0] != laps[1]:
            text = step_text(position, event, language)
            return language.text("findings.tell.when", event=text, lap=laps[0], other=laps[1])
    return ""


def _lap(steps: Sequence[TraceEvent], begin: int) -> Sequence[TraceEvent]:
    """The steps from a lift to the next."""
    end = next((at for at in range(begin + 1, len(steps)) if steps[at].kind == "lift"), len(steps))
    return steps[begin:end]


def _lap_at(account: Account, other: Account, at: int, more: int, position: Position) -> Message:
    """The lap before step `at`, up to which two accounts are alike, or so many laps `more`."""
    steps = account.steps if at < len(account.steps) else other.steps
    seconds = [AccountSteps(one, position).second_turn for one in (account, other)]
    second = next((begin for begin in seconds if begin is not None and begin <= at), None)
    lap = more + sum(event.kind == "lift" for event in steps[second or 0 : at])
    return Message("findings.tell.lap" if second is None else "findings.tell.lap-second", {"number": lap})


def _text_at(position: Position, steps: Sequence[TraceEvent], at: int, language: Language) -> str:
    if not steps:
        return language.text("findings.tell.nothing")
    if at >= len(steps):
        return language.text("findings.tell.end")
    return step_text(position, steps[at], language)
