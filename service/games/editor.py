"""One game, opened to be written in: what a change needs, within the one transaction that stores it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from records import Kind, Move, Outcome, Position, Rules, Turn
from service.errors import Conflict, GameEnded, Invalid
from service.storage import DisputeRow, GameEvent, GameRow, Transaction, seal
from service.storage.clock import Clock, stamp

from .snapshot import rules_of
from .state import GameState, ending, fold
from .validation import current

EVENTS_A_PLY = 8  # a game may have so many events for each turn that it may have


class GameEditor:
    """A game, locked against other writers. `row` is how it stands after the events that were appended; `save` stores
    what follows from them."""

    def __init__(self, transaction: Transaction, row: GameRow, clock: Clock, max_plies: int) -> None:
        self.row = row
        self._transaction = transaction
        self._before = row
        self._clock = clock
        self._max_plies = max_plies

    @property
    def rules(self) -> Rules:
        return rules_of(self.row)

    @property
    def position(self) -> Position:
        return Position.parse(self.row.position)

    def folded(self) -> GameState:
        """What all its events add up to, those appended too."""
        return fold(self._transaction.games.events(self.row.id))

    def append(self, kind: str, data: dict[str, Any], actor: str, source: str, **changes: Any) -> GameEvent:
        """Append an event, after which these columns of the row are changed.

        :raises Invalid: the game would have more events than are stored.
        """
        row, most = self.row, EVENTS_A_PLY * self._max_plies
        if row.seq >= most:
            raise Invalid(f"the game has {row.seq} events: more than {most} are not stored")
        event = seal(row.id, row.seq + 1, stamp(self._clock()), actor, source, kind, data, row.hash)
        self._transaction.games.append(event)
        self.row = replace(row, seq=event.seq, hash=event.hash, updated=event.time, **changes)
        return event

    def save(self) -> None:
        """Store what follows from the events that were appended."""
        if self.row != self._before:
            self._transaction.games.put(self.row)

    def save_disputes(self) -> tuple[DisputeRow, ...]:
        """Store the game's disputes anew, one of which was opened or ruled on; and what they are now."""
        disputes = self.folded().disputes
        self._transaction.disputes.replace(self.row.id, disputes)
        return disputes

    # Changes

    def check_goes_on(self, what: str, expected_ply: int | None = None) -> None:
        """Check that a next turn can be played, and has the number `expected_ply`.

        :raises Conflict: it has another. :raises GameEnded: there is none; `what` cannot be.
        """
        row = self.row
        if expected_ply is not None and expected_ply != row.ply + 1:
            raise Conflict(f"ply is {expected_ply}: the next turn is {row.ply + 1}", **current(row))
        if row.state == "ended":
            raise GameEnded(f"the game has ended ({row.termination or row.result}): {what} cannot be", **current(row))

    def previous(self, move: Move) -> Move | None:
        """The move before `move`, where the rules ask for it: a player rearranges only once."""
        if move.kind is not Kind.REARRANGE or self.row.ply == 0:
            return None
        return self.folded().record.plies[-1].move

    def add_turn(
        self, turn: Turn, comments: Sequence[str], actor: str, source: str
    ) -> tuple[GameEvent, Outcome | None]:
        """Append a turn, and the end of the game if it brings one by the rules.

        :raises Invalid: the game would have more turns than are stored.
        """
        row = self.row
        if row.ply >= self._max_plies:
            raise Invalid(f"the game has {row.ply} turns: more than {self._max_plies} are not stored")
        position = str(turn.position)
        data = {
            "ply": row.ply + 1,
            "turn": {"move": str(turn.move), "nags": [], "comments": list(comments), "variations": []},
            "position": position,
        }
        event = self.append("turn", data, actor, source, position=position, ply=row.ply + 1)
        outcome = self.rules.outcome(turn.position)
        if outcome is not None:
            self.add_end(ending(outcome), "", "rules")
        return event, outcome

    def add_end(self, data: dict[str, Any], actor: str, source: str) -> None:
        """Append the end of the game."""
        self.append("ended", data, actor, source, **_end_columns(data))

    def take_back(self, side: str | None, reason: str, note: str, actor: str, source: str) -> GameEvent:
        """Append that the last turn is taken back, by `side` (None: by the side that played it); a game that the rules
        had ended goes on.

        :raises Invalid: there is no turn. :raises GameEnded: the players or an arbiter ended the game.
        :raises Conflict: the next game of its match has begun.
        """
        if self.row.ply == 0:
            raise Invalid("there is no turn that could be taken back", **current(self.row))
        events = self._transaction.games.events(self.row.id)
        if self.row.state == "ended" and next(e for e in reversed(events) if e.kind == "ended").source != "rules":
            raise GameEnded(
                f"the game was ended ({self.row.termination or self.row.result}): no turn is taken back",
                **current(self.row),
            )
        if self.row.match_id is not None and self._transaction.games.of_match(self.row.match_id)[-1].id != self.row.id:
            raise Conflict(f"the next game of match {self.row.match_id} has begun from its result", **current(self.row))
        folded = fold(events)
        position = folded.positions[-2]
        data = {
            "ply": self.row.ply,
            "move": str(folded.record.plies[-1].move),
            "side": side or str(Position.parse(position).to_move),
            "reason": reason,
            "note": note,
            "position": position,
        }
        live = {"state": "live", "result": "*", "score": None, "termination": None, "winner": None}
        return self.append("retraction", data, actor, source, position=position, ply=self.row.ply - 1, **live)


def _end_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    score = data["score"]
    return {
        "state": "ended",
        "result": data["result"],
        "score": None if score is None else (score[0], score[1]),
        "termination": data["termination"],
        "winner": data["winner"],
    }
