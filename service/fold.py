"""From the events of a game to everything else about it: the record, the position, the result. Pure.

Kinds of events and their data:

* ``created``: ``{"game", "options", "setup", "tags", "comments", "position"}``: rule set id, option values as they were
  given, a position's text or null, the other tags, comments before the first turn, the position at the start;
* ``turn``: ``{"ply", "turn", "position"}``: its number from 1, the turn as in `Game.to_json`, the position after it;
* ``tags``: ``{"tags": {name: value or null}}``: tags that changed; null takes one away;
* ``ended``: ``{"termination", "winner", "result", "score", "by"}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from records import Game, Outcome
from records.notation.tags import format_options

from .errors import StorageError
from .storage import Event, GameRow

DERIVED_TAGS = (
    "Game",
    "Options",
    "Setup",
    "Result",
    "Score",
    "Termination",
)  # the events say them, not the user
STARTING_TAGS = ("First", "Race", "RacePosition")  # from them the position at the start followed
RESULTS = {"South": "1-0", "North": "0-1"}


@dataclass(frozen=True)
class Folded:
    """What the events of a game add up to. `positions`: the texts of all that came up, from the start."""

    record: Game
    row: GameRow
    positions: tuple[str, ...]


def start_tags(game: str, options: Mapping[str, Any], setup: str | None, tags: Mapping[str, str]) -> dict[str, str]:
    """All tags of a game before its first turn."""
    whole = {**tags, "Game": game}
    if options:
        whole["Options"] = format_options(options)
    if setup is not None:
        whole["Setup"] = setup
    return whole


def ending(outcome: Outcome, by: str = "") -> dict[str, Any]:
    """The data of the ``ended`` event that an outcome by the rules gives."""
    return {
        "termination": outcome.termination,
        "winner": None if outcome.winner is None else str(outcome.winner),
        "result": outcome.result,
        "score": list(outcome.score),
        "by": by,
    }


def fold(events: Sequence[Event]) -> Folded:
    """Everything the events of one game add up to.

    :raises StorageError: they are not the events of a game (the first is not ``created``, a kind is not known).
    """
    if not events or events[0].kind != "created":
        raise StorageError("the events of a game begin with 'created'")
    created = events[0].data
    tags = dict(created["tags"])
    plies: list[dict[str, Any]] = []
    positions = [created["position"]]
    end: dict[str, Any] | None = None
    for event in events[1:]:
        data = event.data
        if event.kind == "turn":
            plies.append(data["turn"])
            positions.append(data["position"])
        elif event.kind == "tags":
            tags = changed_tags(tags, data["tags"])
        elif event.kind == "ended":
            end = data
        else:
            raise StorageError(f"event {event.seq} of game {event.game} is of the unknown kind {event.kind!r}")
    last = events[-1]
    row = GameRow(
        id=last.game,
        game=created["game"],
        options=created["options"],
        tags=tags,
        created=events[0].time,
        updated=last.time,
        seq=last.seq,
        hash=last.hash,
        start=created["position"],
        position=positions[-1],
        ply=len(plies),
        state="live" if end is None else "ended",
        result="*" if end is None else end["result"],
        score=None if end is None or end["score"] is None else (end["score"][0], end["score"][1]),
        termination=None if end is None else end["termination"],
        winner=None if end is None else end["winner"],
    )
    whole = start_tags(row.game, row.options, created["setup"], tags)
    whole["Result"] = row.result
    if row.score is not None:
        whole["Score"] = f"{row.score[0]}-{row.score[1]}"
    if row.termination is not None:
        whole["Termination"] = row.termination
    record = Game.from_json({"tags": whole, "comments": created["comments"], "plies": plies})
    return Folded(record, row, tuple(positions))


def changed_tags(tags: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """`tags` with `changes` applied; None takes a tag away."""
    merged = {**tags, **changes}
    return {name: value for name, value in merged.items() if value is not None}
