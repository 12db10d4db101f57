"""From the events of a game to everything else about it: the record, the position, the result. Pure.

Kinds of events and their data:

* ``created``: ``{"game", "options", "setup", "tags", "comments", "position"}``: rule set id, option values as they were
  given, a position's text or null, the other tags, comments before the first turn, the position at the start; and
  ``"match": {"id", "number"}`` for a game of a match, whose id is that of its first game;
* ``turn``: ``{"ply", "turn", "position"}``: its number from 1, the turn as in `Game.to_json`, the position after it;
* ``tags``: ``{"tags": {name: value or null}}``: tags that changed; null takes one away;
* ``ended``: ``{"termination", "winner", "result", "score", "by"}``;
* ``retraction``: ``{"ply", "move", "side", "reason", "note", "position"}``: the last turn is taken back, and with it an
  end; the position before it is the game's again;
* ``trial``: ``{"ply", "move", "by"}``: a move tried for the turn with that number, and not left standing;
* ``join``, ``leave``: ``{"side", "name"}``: somebody comes to a team or goes;
* ``dispute``: ``{"ply", "turn", "side", "claim", "seen", "by"}``: an objection to the turn `ply`, which is the event
  number `turn`; `seen` is the position that lies on the board, or null;
* ``ruling``: ``{"dispute", "outcome", "by", "note"}``: on the dispute of that event number. What it changes are
  ``retraction`` and ``turn`` events after it.

The last six kinds stand in the record as commands (`records.notation.commands`), at the last turn that stands when they
happen. When it is taken back they go to the one before; what else was said of it stays in the log only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from records import Game, Move, Outcome, Side
from records.notation.commands import Command, Dispute, Join, Leave, Retraction, Ruling, Trial, commands_in
from records.notation.tags import format_options
from service.errors import StorageError
from service.storage import DisputeRow, GameEvent, GameRow

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
SIDES = {str(side): side for side in Side}
KEPT = (Join, Leave, Trial, Retraction, Dispute, Ruling)  # they hold though the turn they stand at is taken back


@dataclass(frozen=True)
class GameState:
    """What the events of a game add up to. `positions`: the texts of those that stand, from the start. `turns`: the
    numbers of the events of the turns that stand."""

    record: Game
    row: GameRow
    positions: tuple[str, ...]
    turns: tuple[int, ...]
    disputes: tuple[DisputeRow, ...]


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


def fold(events: Sequence[GameEvent]) -> GameState:
    """Everything the events of one game add up to.

    :raises StorageError: they are not the events of a game (the first is not ``created``, a kind is not known).
    """
    if not events or events[0].kind != "created":
        raise StorageError("the events of a game begin with 'created'")
    told = _Told(events[0])
    for event in events[1:]:
        told.hear(event)
    return told.folded(events[-1])


class _Told:
    """What a game's events have told so far."""

    def __init__(self, created: GameEvent) -> None:
        self._created = created
        self._tags: dict[str, str] = dict(created.data["tags"])
        self._comments: list[str] = list(created.data["comments"])
        self._plies: list[dict[str, Any]] = []
        self._positions: list[str] = [created.data["position"]]
        self._turns: list[int] = []
        self._disputes: dict[int, DisputeRow] = {}
        self._end: dict[str, Any] | None = None

    def hear(self, event: GameEvent) -> None:
        """Take the next event."""
        data = event.data
        if event.kind == "turn":
            self._plies.append({**data["turn"], "comments": list(data["turn"]["comments"])})
            self._positions.append(data["position"])
            self._turns.append(event.seq)
        elif event.kind == "tags":
            self._tags = changed_tags(self._tags, data["tags"])
        elif event.kind == "ended":
            self._end = data
        elif event.kind in REMARKS:
            if event.kind == "retraction":
                self._take_back(event)
            elif event.kind == "dispute":
                self._disputes[event.seq] = _opened(event)
            elif event.kind == "ruling":
                self._disputes[data["dispute"]] = _ruled(self._disputes[data["dispute"]], event)
            self._remark(str(REMARKS[event.kind](data)))
        else:
            raise StorageError(f"event {event.seq} of game {event.game} is of the unknown kind {event.kind!r}")

    def _take_back(self, event: GameEvent) -> None:
        if event.data["ply"] != len(self._plies) or event.data["position"] != self._positions[-2]:
            raise StorageError(f"event {event.seq} of game {event.game} takes back what is not the last turn")
        taken = self._plies.pop()
        self._positions.pop()
        self._turns.pop()
        self._end = None
        for command in commands_in(taken["comments"]):
            if isinstance(command, KEPT):
                self._remark(str(command))

    def _remark(self, text: str) -> None:
        """A remark stands at the last turn."""
        (self._plies[-1]["comments"] if self._plies else self._comments).append(text)

    def folded(self, last: GameEvent) -> GameState:
        """What it adds up to, the event `last` being the last one."""
        created, end = self._created.data, self._end
        match = created.get("match") or {"id": None, "number": None}
        row = GameRow(
            id=last.game,
            game=created["game"],
            options=created["options"],
            tags=self._tags,
            created=self._created.time,
            updated=last.time,
            seq=last.seq,
            hash=last.hash,
            start=created["position"],
            position=self._positions[-1],
            ply=len(self._plies),
            state="live" if end is None else "ended",
            result="*" if end is None else end["result"],
            score=None if end is None or end["score"] is None else (end["score"][0], end["score"][1]),
            termination=None if end is None else end["termination"],
            winner=None if end is None else end["winner"],
            match_id=match["id"],
            match_game=match["number"],
        )
        whole = start_tags(row.game, row.options, created["setup"], self._tags)
        whole["Result"] = row.result
        if row.score is not None:
            whole["Score"] = f"{row.score[0]}-{row.score[1]}"
        if row.termination is not None:
            whole["Termination"] = row.termination
        record = Game.from_json({"tags": whole, "comments": self._comments, "plies": self._plies})
        return GameState(record, row, tuple(self._positions), tuple(self._turns), tuple(self._disputes.values()))


REMARKS: dict[
    str, Callable[[Mapping[str, Any]], Command]
] = {  # kinds of events that are told as a command in a comment, and how
    "trial": lambda data: Trial(Move.parse(data["move"]), data["by"]),
    "retraction": lambda data: Retraction(Move.parse(data["move"]), SIDES[data["side"]], data["reason"], data["note"]),
    "join": lambda data: Join(SIDES[data["side"]], data["name"]),
    "leave": lambda data: Leave(SIDES[data["side"]], data["name"]),
    "dispute": lambda data: Dispute(SIDES[data["side"]], data["claim"]),
    "ruling": lambda data: Ruling(data["outcome"], data["by"], data["note"]),
}


def _opened(event: GameEvent) -> DisputeRow:
    data = event.data
    return DisputeRow(
        game=event.game,
        seq=event.seq,
        time=event.time,
        ply=data["ply"],
        turn=data["turn"],
        side=data["side"],
        claim=data["claim"],
        seen=data["seen"],
        by=data["by"],
    )


def _ruled(dispute: DisputeRow, event: GameEvent) -> DisputeRow:
    data = event.data
    return replace(
        dispute,
        state="ruled",
        outcome=data["outcome"],
        note=data["note"],
        arbiter=data["by"],
        ruled=event.time,
    )


def changed_tags(tags: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """`tags` with `changes` applied; None takes a tag away."""
    merged = {**tags, **changes}
    return {name: value for name, value in merged.items() if value is not None}
