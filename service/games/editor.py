"""One game, open for writing within one transaction."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from inkeek.records import Kind, Move, Outcome, Position, Rules, Turn, write_game
from inkeek.records.findings import Evidence
from inkeek.records.findings.evidence import verify_evidence
from inkeek.records.notation.splitter import MAX_RECORD
from inkeek.service.errors import Conflict, Disputed, ErrorText, GameEnded, Invalid
from inkeek.service.storage import DisputeRow, EventRules, GameEvent, GameRow, canonical_json, seal
from inkeek.service.storage.clock import NEAR, Clock, moment, stamp

from .endings import Score, manual_end
from .event_data import CorrectionData, EndedData, EventData, PlyData, ReopeningData, RetractionData, TurnData
from .event_kinds import to_stored
from .events.rules import rules_in
from .matches.games import check_goes_on, later_games
from .plies import BY_RULES
from .record_check import check_turns
from .snapshot import position_of, remember_position, rules_of
from .state import LIVE, GameState, end_columns, ending, game_state, tags_at_end
from .write import Write

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction

log = logging.getLogger(__name__)

EVENTS_A_PLY = 8  # a game may have this many events for each turn that it may have
LONG_EVENT = 1000  # characters: the room is checked for longer events,
CHECK_EVERY = 64  # and otherwise once in this many
MAX_CHARACTERS = MAX_RECORD * 3 // 4  # of a record that grows
NOTHING: Mapping[str, Any] = {}


def check_next_turn(row: GameRow, expected: int | None) -> None:
    """Check that the next turn of a game has the expected number, if one is given.

    :raises Conflict: it has another.
    """
    if expected is not None and expected != row.ply + 1:
        raise Conflict(
            "Turn %(ply)s is not the next one: that is turn %(next)s. Look at the board, then play again.",
            ply=expected,
            next=row.ply + 1,
            current=row,
        )


class GameEditor:
    """A game, locked against other writers. `row` is its row after the events that were appended; `save` stores it."""

    def __init__(self, transaction: Transaction, row: GameRow, write: Write, clock: Clock, max_plies: int) -> None:
        self.row = row
        self.write = write
        self.new_line = False  # several turns differ from those that are stored
        self.judges_match = True  # turns stay from whose result the next game of the match began
        self.transaction = transaction
        self._before = row
        self._clock = clock
        self._max_plies = max_plies
        self.max_events = EVENTS_A_PLY * max_plies

    @property
    def rules(self) -> Rules:
        return rules_of(self.row)

    @property
    def position(self) -> Position:
        return position_of(self.row.position)

    def state(self) -> GameState:
        """The state after all events, those appended included."""
        return game_state(self.transaction.games.events(self.row.id))

    def append(self, data: EventData, columns: Mapping[str, Any] = NOTHING, *, by_rules: bool = False) -> GameEvent:
        """Append an event, and change these columns of the row.

        :raises Invalid: the game would have too many events, or too much text.
        """
        row = self.row
        if row.seq >= self.max_events:
            raise Invalid(
                "the game has %(seq)s events: at most %(max_events)s are stored",
                seq=row.seq,
                max_events=self.max_events,
            )
        actor, source = ("", BY_RULES) if by_rules else (self.write.actor, self.write.source)
        stored = to_stored(data)
        text = canonical_json(stored)
        if len(text) > LONG_EVENT or row.seq % CHECK_EVERY == 0:
            self._check_room(len(text))
        event = seal(row.id, row.seq + 1, self.now(), actor, source, data.kind, stored, row.hash, text)
        self.transaction.games.append(event, text)
        self.row = row._replace(seq=event.seq, hash=event.hash, updated=event.time, **columns)
        return event

    def _check_room(self, length: int) -> None:
        """Check that the record can be read again with what is added, of this length.

        :raises Invalid: it would be too long.
        """
        characters = self.transaction.games.characters(self.row.id) + length
        if characters > MAX_CHARACTERS:  # far more than in a record, which has the positions but not what was changed
            characters = len(write_game(self.state().record)) + length
        if characters > MAX_CHARACTERS:
            raise Invalid(
                "the record would have %(characters)s characters: at most %(max_characters)s are stored",
                characters=characters,
                max_characters=MAX_CHARACTERS,
            )

    def save(self) -> None:
        """Store the row and the search keys if events were appended."""
        if self.row != self._before:
            self.transaction.games.put(self.row, self.state().positions if self.new_line else None)

    def save_disputes(self) -> tuple[DisputeRow, ...]:
        """Store the game's disputes as they are after the appended events, and return them."""
        state = self.state()
        self.row = self.row._replace(dispute=state.row.dispute)
        self.transaction.disputes.replace(self.row.id, state.disputes)
        return state.disputes

    def event_rules(self) -> EventRules:
        """The rules of the event that the game belongs to."""
        return rules_in(self.transaction, self.row.tags)

    def now(self) -> str:
        """The time of an event that would be appended, by this machine's clock.

        It is not before the last event's because clocks differ a little. If they differ more, nobody knows which one is
        right: the time stays as it is, and the log says so.
        """
        now, last = stamp(self._clock()), self.row.updated
        if now >= last:
            return now
        if (moment(last) - moment(now)).total_seconds() <= NEAR:
            return last
        log.warning(
            "event %d of game %s has the time %s, before the last one's %s", self.row.seq + 1, self.row.id, now, last
        )
        return now

    # Checks

    def check_goes_on(self, move: Move) -> None:
        """Check that a turn can follow, and that its number is the expected one.

        :raises Conflict: it is another, or as `matches.games.check_goes_on`. :raises GameEnded: the game has ended.
            :raises Disputed: it waits for a ruling.
        """
        row = self.row
        check_next_turn(row, self.write.expected_ply)
        if row.state == "ended":
            raise GameEnded(
                "%(move)s cannot be played: the game has ended (%(how)s)",
                move=str(move),
                how=_end_word(row),
                current=row,
            )
        self.check_undisputed()
        check_goes_on(self.transaction, row)

    def check_undisputed(self) -> None:
        """Check that the game waits for no ruling.

        :raises Disputed: it does.
        """
        row = self.row
        if row.dispute_id is not None:
            message = ErrorText("the game waits: dispute %(dispute)s is not ruled on yet", dispute=row.dispute_id)
            raise Disputed(message, current=row, dispute=row.dispute_id)

    def check_last_turn(self) -> None:
        """Check that the last turn is the expected one.

        :raises Conflict: it is another.
        """
        row, expected = self.row, self.write.expected_ply
        if expected is not None and expected != row.ply:
            raise Conflict(
                "Turn %(ply)s is not the last one: that is turn %(last)s. Look at the board, then try again.",
                ply=expected,
                last=row.ply,
                current=row,
            )

    def check_seen(self, seen: Position) -> None:
        """Check that a counted position can lie there after the last turn, perhaps with seeds lost or added.

        :raises Invalid: it has another ply. :raises PositionError: it does not fit this game.
        :raises EvidenceError: no slips lead to it from a position of this game.
        """
        if seen.is_known:
            self.rules.starting_from(seen)
        verify_evidence(self.rules, Evidence(before=self.position, counts=seen.counts, marks=seen.counted_marks))
        if seen.ply != self.position.ply:
            raise Invalid(
                "the ply of %(position)s is %(ply)s: expected %(expected)s, after the last turn",
                position=seen,
                ply=seen.ply,
                expected=self.position.ply,
            )

    # Changes

    def previous(self, move: Move) -> Move | None:
        """The move before `move`, if the rules need it: a player rearranges only once."""
        if move.kind is not Kind.REARRANGE or self.row.ply == 0:
            return None
        return self.state().record.plies[-1].move

    def add_turn(self, turn: Turn, comments: Sequence[str]) -> tuple[GameEvent, Outcome | None]:
        """Append a turn, and the end of the game if the rules end it there.

        :raises Invalid: the game would have too many turns.
        """
        row = self.row
        check_turns(row.ply + 1, self._max_plies)
        position = str(turn.position)
        remember_position(position, turn.position)
        data = TurnData(row.ply + 1, PlyData(str(turn.move), [], list(comments), []), position)
        event = self.append(data, {"position": position, "ply": row.ply + 1})
        outcome = self.rules.outcome(turn.position)
        if outcome is not None:
            self.add_end(EndedData(**ending(outcome)), by_rules=True)
        return event, outcome

    def end_by_hand(
        self, termination: str, winner: str | None, score: Score | None = None, result: str | None = None
    ) -> dict[str, Any]:
        """The data of an end that the rules do not bring, as `manual_end` makes them.

        :raises Invalid: such an end is impossible.
        """
        positions = [position_of(text) for text in self.state().positions] if termination == "repetition" else []
        return manual_end(termination, winner, self.write.actor, self.rules, positions, score, result)

    def add_end(self, data: EndedData | CorrectionData, *, by_rules: bool = False) -> None:
        """Append the end of the game, or another end than it had."""
        columns = {**end_columns(to_stored(data)), "tags": tags_at_end(self.row.tags)}
        self.append(data, columns, by_rules=by_rules)

    def reopen(self, reason: str, dispute: int | UnsetType = UNSET) -> None:
        """Append that the game goes on; because of the ruling on `dispute`."""
        self.append(ReopeningData(self.write.actor, reason, dispute), LIVE)

    def take_back(self, count: int, side: str | None, reason: str, note: str) -> list[GameEvent]:
        """Append that the last `count` turns are taken back by `side` (None: by the side that played each, or, with the
        reason ``objection``, by its opponents). With the reason ``ruling`` no side does.

        If the rules had ended the game, it goes on.

        :raises Invalid: there are fewer turns. :raises GameEnded: the players or an arbiter ended the game.
        :raises Conflict: the next game of its match has begun.
        """
        row = self.row
        if not 1 <= count <= row.ply:
            raise Invalid(
                "%(count)s turns cannot be taken back: the game has %(plies)s", count=count, plies=row.ply, current=row
            )
        state, appended = self.state(), []
        if state.end is not None and state.end.source != BY_RULES:
            message = f"the game was ended ({_end_word(row)}): no turn can be taken back before an arbiter reopens it"
            raise GameEnded(message, current=row)
        later = later_games(self.transaction, row) if row.state == "ended" and self.judges_match else []
        if later:
            message = (
                f"game {later[0].match_game} of match {row.match_id} began from this one's result: no turn can be "
                "taken back, unless an arbiter corrects that game's end to abandoned"
            )
            raise Conflict(message, current=row)
        for ply in range(row.ply, row.ply - count, -1):
            position = state.positions[ply - 1]
            mover = Position.parse(position).to_move
            by_side = side or str(mover.other if reason == "objection" else mover)
            data = RetractionData(
                ply=ply,
                move=str(state.record.plies[ply - 1].move),
                side=None if reason == "ruling" else by_side,
                reason=reason,
                note=note,
                position=position,
            )
            columns = {**LIVE, "position": position, "ply": ply - 1}
            appended.append(self.append(data, columns))
        return appended


def _end_word(row: GameRow) -> str:
    return row.termination or row.result
