"""Everything about a game that follows from its events. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from inkeek.records import Game, GameEnd, Outcome, Rules
from inkeek.records.notation.commands import Retraction, Trial, commands_in, word_of_gaps_version
from inkeek.records.notation.tags import GAPS_VERSION, VERSION, format_options
from inkeek.service.disputes.courses import Course, apply_event, open_course
from inkeek.service.errors import NotFound, StorageError
from inkeek.service.storage import DisputeRow, GameEvent, GameRow, dispute_id
from inkeek.service.storage.redaction import redacted

from .event_data import CreatedData
from .event_kinds import COURSE, KINDS, WITHOUT_REMARKS
from .plies import Annotation, NotedPly, annotations_of, noted_plies

STARTING_TAGS = ("First", "Race", "RacePosition")  # decide the position at the start
RESULTS = {"South": "1-0", "North": "0-1"}
WINNERS = {result: winner for winner, result in RESULTS.items()}
ENDS = ("ended", "correction")  # kinds of events that say how the game ended
CHANGES_END = ("correction", "reopening")  # kinds by which an arbiter changes that
LIVE: Mapping[str, Any] = {  # columns of a game in play
    "state": "live",
    "result": "*",
    "score": None,
    "termination": None,
    "winner": None,
}


@dataclass(frozen=True)
class GameState:
    """What the events of a game add up to.

    `positions` are the texts of the positions that stand, from the start; `turns` the numbers of the events of the
    turns that stand; `end` is the event that says how the game ended, None while it goes on. `courses` are those of the
    disputes, in the order they were opened. `events` are as they may be shown (see `redaction`): never store them.
    """

    row: GameRow
    positions: tuple[str, ...]
    turns: tuple[int, ...]
    courses: tuple[Course, ...]
    end: GameEvent | None
    events: Sequence[GameEvent] = field(repr=False)

    @property
    def disputes(self) -> tuple[DisputeRow, ...]:
        """The disputes, in the order they were opened."""
        return tuple(course.row for course in self.courses)

    def course(self, seq: int) -> Course:
        """The course of the dispute that event number `seq` opened.

        :raises NotFound: there is no such dispute.
        """
        found = next((course for course in self.courses if course.row.seq == seq), None)
        if found is None:
            raise NotFound("there is no dispute %(dispute_id)r", dispute_id=dispute_id(self.row.id, seq))
        return found

    @property
    def waiting(self) -> Course | None:
        """The course of the dispute for whose ruling the game waits."""
        return next((course for course in self.courses if course.waits), None)

    @cached_property
    def plies(self) -> list[NotedPly]:
        """The start, and each ply that was not taken back, with its annotations."""
        return noted_plies(self.events)

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """The annotations that stand, by ply; at each ply in the order they were added."""
        return annotations_of(self.plies)

    @cached_property
    def record(self) -> Game:
        return Game.from_json(self.record_json)

    @cached_property
    def record_json(self) -> dict[str, Any]:
        """The record as `Game.to_json` writes it, in less time."""
        return _record_json(self)


def start_tags(game: str, options: Mapping[str, Any], setup: str | None, tags: Mapping[str, str]) -> dict[str, str]:
    """All tags of a game before its first turn."""
    start = {**tags, "Game": game}
    if options:
        start["Options"] = format_options(options)
    if setup is not None:
        start["Setup"] = setup
    return start


def ending(outcome: Outcome | GameEnd, by: str = "") -> dict[str, Any]:
    """The data of the ``ended`` event that an outcome gives."""
    return {
        "termination": outcome.termination,
        "winner": None if outcome.winner is None else str(outcome.winner),
        "result": outcome.result,
        "score": None if outcome.score is None else list(outcome.score),
        "by": by,
    }


def ending_of(termination: str, result: str, by: str) -> dict[str, Any]:
    """As `ending`, of an end that says nothing of seeds."""
    return {"termination": termination, "winner": WINNERS.get(result), "result": result, "score": None, "by": by}


def end_columns(end: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a game that ended, from the data of its end."""
    said = {name: end[name] for name in ("result", "termination", "winner")}
    return {"state": "ended", "score": score_of(end), **said}


def tags_at_end(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags of a game that ends. The score of an imported record that went on is that of the game no more."""
    return {name: value for name, value in tags.items() if name != "Score"}


def score_of(end: Mapping[str, Any]) -> tuple[int, int] | None:
    """The seeds of (South, North) in the data of an end; None if they do not matter."""
    return None if end["score"] is None else (end["score"][0], end["score"][1])


def created_data(
    rules: Rules, setup: str | None, tags: Mapping[str, str], start: str, comments: Sequence[str] = ()
) -> CreatedData:
    """The data of a ``created`` event; `start` is the position at the start."""
    return CreatedData(rules.id, dict(rules.changed), setup, dict(tags), list(comments), start)


def game_state(events: Sequence[GameEvent]) -> GameState:
    """The state of a game after its events.

    :raises StorageError: they are not the events of a game (the first is not ``created``, a kind is not known).
    """
    if not events or events[0].kind != "created":
        raise StorageError("the events of a game begin with 'created'")
    events = redacted(events)
    created: dict[str, Any] = events[0].data
    tags: Mapping[str, str] = created["tags"]
    positions: list[str] = [created["position"]]
    turns: list[int] = []
    courses: dict[int, Course] = {}
    end: GameEvent | None = None
    for event in events[1:]:
        kind, data = event.kind, event.data
        if kind == "turn":
            positions.append(data["position"])
            turns.append(event.seq)
        elif kind == "tags":
            tags = changed_tags(tags, data["tags"])
        elif kind in ENDS:
            end, tags = event, tags_at_end(tags)
        elif kind == "reopening":
            end = None
        elif kind == "retraction":
            if data["ply"] != len(turns) or data["position"] != positions[-2]:
                raise StorageError(f"event {event.seq} of game {event.game} takes back what is not the last turn")
            positions.pop()
            turns.pop()
            end = None
        elif kind == "dispute":
            courses[event.seq] = open_course(event)
        elif kind in COURSE:
            courses[data["dispute"]] = apply_event(courses.get(data["dispute"]), event)
        elif kind not in KINDS:
            raise StorageError(f"event {event.seq} of game {event.game} is of the unknown kind {kind!r}")
    match = created.get("match") or {"id": None, "number": None}
    row = GameRow(
        id=events[-1].game,
        game=created["game"],
        options=created["options"],
        tags=dict(tags),
        created=events[0].time,
        updated=events[-1].time,
        seq=events[-1].seq,
        hash=events[-1].hash,
        start=created["position"],
        position=positions[-1],
        ply=len(turns),
        match_id=match["id"],
        match_game=match["number"],
        dispute=next((seq for seq, course in courses.items() if course.waits), None),
        **(LIVE if end is None else end_columns(end.data)),
    )
    return GameState(row, tuple(positions), tuple(turns), tuple(courses.values()), end, events)


def _record_json(state: GameState) -> dict[str, Any]:
    events, row = state.events, state.row
    created = events[0].data
    if WITHOUT_REMARKS.issuperset({event.kind for event in events}):  # as in most games
        comments, plies = created["comments"], [event.data["turn"] for event in events if event.kind == "turn"]
    else:
        start, *noted = state.plies
        comments, plies = start.comments, [ply.to_json() for ply in noted]
    tags = {**start_tags(row.game, row.options, created["setup"], row.tags), **end_tags(row)}
    if tags.get("Version", VERSION) == VERSION and _needs_gaps(row, comments, plies):
        tags["Version"] = GAPS_VERSION
    return {"tags": tags, "comments": comments, "plies": plies, "ended": None}


def _needs_gaps(row: GameRow, comments: Sequence[str], plies: Sequence[Mapping[str, Any]]) -> bool:
    """Whether only version 1.1 of the notation can say what the record says."""
    if row.termination == "unrecorded" or any(ply["move"].startswith("~~") for ply in plies):
        return True
    spoken = chain(comments, *(ply["comments"] for ply in plies if ply["comments"]))
    said = commands_in((text for text in spoken if "[%retract" in text or "[%trial" in text), Trial, Retraction)
    return any(word_of_gaps_version(command) for command in said)


def end_tags(row: GameRow) -> dict[str, str]:
    """The tags of a record that say how the game stands or ended."""
    tags = {"Result": row.result}
    if row.score is not None:
        tags["Score"] = f"{row.score[0]}-{row.score[1]}"
    if row.termination is not None:
        tags["Termination"] = row.termination
    return tags


def changed_tags(tags: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """`tags` with `changes` applied; None takes a tag away."""
    merged = {**tags, **changes}
    return {name: value for name, value in merged.items() if value is not None}
