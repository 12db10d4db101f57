"""Disputes about turns and ends, and what is known of a disputed turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import UNSET

from inkeek.records import IllegalMove, Kind, Move, Position, Rules, Turn
from inkeek.records.findings import Evidence, Reading, Seen
from inkeek.records.position import CLOSED
from inkeek.records.structs import convert
from inkeek.service.errors import Conflict, Disputed, ErrorText, Invalid, NotFound, about
from inkeek.service.games.editor import GameEditor
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.record_check import check_note
from inkeek.service.games.repository import Games
from inkeek.service.games.snapshot import GameSnapshot, position_of, rules_of
from inkeek.service.games.state import GameState, game_state
from inkeek.service.games.validation import check_write
from inkeek.service.games.write import Write, key_of, who
from inkeek.service.storage import DisputeRow, GameRow
from inkeek.service.storage.search import look_key

from .checks import check_unsettled
from .courses import Course
from .event_data import (
    ClaimData,
    DisputeData,
    SensorsData,
)

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction

ABOUT = ("turn", "end")  # what a dispute may be about
MAX_SENSORS = 64  # counts and lifts of a board that are stored with a dispute; more are not
SPREAD, SPREAD_SHARE = 0.3, 0.04  # seeds: standard deviation of a sensor's count, and more for each seed
EARLIER_TURNS = 10  # turns before a disputed one that are examined too
EARLIER_POSITIONS = 4  # earlier positions that findings compare the board with
_ID = re.compile(r"([0-9a-z]{1,32})-([0-9]{1,9})", re.ASCII)


def open_dispute(
    games: Games,
    game_id: str,
    side: str,
    claim: str,
    write: Write,
    seen: str | None = None,
    about: str = "turn",
    *,
    ply: int | None = None,
    sensors: SensorsData | None = None,
) -> DisputeRow:
    """Dispute the last turn, or turn `ply`, or with `about` ``end`` how the game ended. The game waits for the ruling.

    The turn after the last one is one that lies on the board and is not recorded.

    `seen` is the text of the position that lies on the board; `sensors` is what a board reports.

    :raises Conflict: the last turn is not `write.expected_ply`, the game has no end, or a ruling settled what is
        disputed. :raises Disputed: it waits for a ruling. :raises Invalid: no such turn, or the claim is empty.
    :raises RecordsError: `seen` is no position of the game.
    """
    claim, write = check_note("claim", claim), check_write(write)
    if not claim:
        raise Invalid("claim is empty: say what the objection is", field="claim")
    if about == "end" and ply is not None:
        raise Invalid("a turn is given, but the dispute is about the end: give one of the two")
    with games.edit(game_id, write) as game:
        row = game.row
        game.check_last_turn()
        state = game.state()
        last = row.ply if row.state == "ended" else row.ply + 1  # the turn that may lie on the board
        if row.ply == 0 and ply is None and about == "turn":
            raise Invalid("the game has no turn to dispute", current=row)
        if ply is not None and not 1 <= ply <= last:
            raise Invalid(
                "turn %(ply)s cannot be disputed: expected a turn from 1 to %(last)s", ply=ply, last=last, current=row
            )
        check_speaker(game, side)
        board = _position_seen(game, seen)
        if state.end is None and about == "end":
            raise Conflict("the game goes on: it has no end to dispute", current=row)
        if row.dispute_id is not None:
            message = ErrorText(
                "dispute %(dispute)s is open already: say more in it, or dispute again after its ruling",
                dispute=row.dispute_id,
            )
            raise Disputed(message, current=row, dispute=row.dispute_id)
        disputed = row.ply if ply is None else ply
        check_unsettled(state, about, disputed)
        if about == "end" and state.end is not None:
            turn = state.end.seq
        else:
            turn = state.turns[disputed - 1] if disputed <= row.ply else row.seq + 1
        data = DisputeData(
            ply=disputed,
            turn=turn,
            side=side,
            claim=claim,
            seen=board,
            by=write.actor,
            about=about if about == "end" else UNSET,
            last=row.ply if disputed != row.ply else UNSET,
        )
        if sensors is not None:
            data.sensors = SensorsData(
                counts=None if sensors.counts is None else sensors.counts[:MAX_SENSORS],
                lifts=None if sensors.lifts is None else sensors.lifts[:MAX_SENSORS],
            )
        game.append(data)
        return game.save_disputes()[-1]


def add_claim(games: Games, dispute_id: str, claim: str, write: Write, seen: str | None = None) -> DisputeRow:
    """Say what an open dispute is about, or what lies on the board, in place of what was said before.

    An empty claim and None leave what was said.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on. :raises Invalid: nothing is said.
    :raises RecordsError: `seen` is no position of the game.
    """
    claim, write = check_note("claim", claim), check_write(write)
    if not claim and seen is None:
        raise Invalid("claim is empty: say what the objection is, or what lies on the board", field="claim")
    with editing(games, dispute_id, write, waits=True) as (game, course):
        if claim:
            check_speaker(game, course.row.side)
        board = _position_seen(game, seen)
        game.append(ClaimData(course.row.seq, claim, board, write.actor))
        return save_dispute(game, course)


@contextmanager
def editing(games: Games, dispute_id: str, write: Write, *, waits: bool) -> Iterator[tuple[GameEditor, Course]]:
    """Open the game of a dispute for writing; with `waits` of one that is not ruled on.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on.
    """
    game_id, seq = parse_dispute_id(dispute_id)
    with games.edit(game_id, write) as game:
        yield game, course_of(game, seq, waits=waits)


def save_dispute(game: GameEditor, course: Course) -> DisputeRow:
    """Store the disputes of a game after what was appended, and return the row of this one."""
    return next(row for row in game.save_disputes() if row.seq == course.row.seq)


def looks_of(transaction: Transaction, *names: str) -> set[str]:
    """How names look, and those of the persons that they were joined to."""
    return {look_key(name) for given in names for name in (given, transaction.persons.owner(given))}


def names_of(transaction: Transaction, actor: str, source: str) -> list[str]:
    """The names of who writes: the one given, and that of the key; a key that was lent is that of who lent it too."""
    key = key_of(source)
    row = transaction.keys.get(transaction.keys.holder(key)) if key else None
    names = (actor, who("", source), "" if row is None else row.name)
    return sorted({*names} - {""}, key=names.index)


def check_speaker(game: GameEditor, side: str) -> None:
    """Check that who writes is not the other side's player, or in its team, by the name given or that of the key.

    :raises Conflict: they are.
    """
    other = SIDES[side].other
    record = game.state().record
    own, theirs = (
        looks_of(game.transaction, record.tags.get(str(one), ""), *record.people().teams[-1].of(one))
        for one in (SIDES[side], other)
    )
    names = names_of(game.transaction, game.write.actor, game.write.source)
    name = next((name for name in names if looks_of(game.transaction, name) & (theirs - own)), None)
    if name is not None:
        raise Conflict(
            "%(who)s plays for %(other)s and cannot speak for %(side)s",
            who=name,
            other=other,
            side=SIDES[side],
            current=game.row,
        )


def _position_seen(game: GameEditor, text: str | None) -> str | None:
    """The text of a position that lies on the board, with ? where nobody counted.

    :raises Invalid: it has another ply. :raises RecordsError: it does not fit this game.
    """
    if text is None:
        return None
    with about("seen"):
        seen = Position.parse(text)
        game.check_seen(seen)
    return str(seen)


def course_of(game: GameEditor, seq: int, *, waits: bool) -> Course:
    """The course of a dispute; with `waits` of one that is not ruled on.

    :raises NotFound: there is no such dispute. :raises Conflict: it has been ruled on, or withdrawn.
    """
    found = game.state().course(seq)
    if waits:
        check_not_withdrawn(found, game.row)
    if waits and not found.waits:
        raise Conflict(
            "dispute %(dispute)s has a ruling already: %(outcome)s. Appeal to have it ruled on again",
            dispute=found.row.id,
            outcome=found.row.outcome,
            current=game.row,
        )
    return found


def check_not_withdrawn(course: Course, row: GameRow) -> None:
    """:raises Conflict: the side that disputed withdrew, and nobody ruled."""
    if course.is_withdrawn:
        raise Conflict(
            "dispute %(dispute)s was withdrawn: there is no ruling, and nothing more is said in it. Dispute it again",
            dispute=course.row.id,
            current=row,
        )


# What is known of a disputed turn


def dispute_evidence(state: GameState, dispute: DisputeRow) -> Evidence:
    """What is known of a disputed turn, or of the last one if the end is disputed: the position before it, the move
    that the record has, and what lay on the board when it was disputed, as people said it, or else as a board's sensors
    counted it. Where turns followed the disputed one, what lies there is that after all of them. Of a turn that is not
    recorded, no move is known.
    """
    then = game_state([event for event in state.events if event.seq < dispute.seq])
    rules, positions = rules_of(state.row), [position_of(text) for text in then.positions[: dispute.ply + 1]]
    index = max(dispute.ply - 1, 0)
    before = positions[index]
    moves = [Move.parse(ply.event.data["turn"]["move"]) for ply in then.plies[1:]]
    sensors = _sensors(state, dispute)
    size = len(before.pits)
    seen = None if dispute.seen is None else Position.parse(dispute.seen)
    lifts = () if sensors.lifts is None or dispute.ply < len(moves) else sensors.lifts
    return Evidence(
        before=before,
        counts=_readings(sensors, size) if seen is None else seen.counts,
        marks=None if seen is None else seen.counted_marks,
        claimed=moves[index].choice if index < len(moves) and moves[index].kind is Kind.SOW else None,
        seen=tuple(Seen("lift", pit) for pit in lifts if 0 <= pit < size and before.marks[pit] != CLOSED),
        seen_by_board=bool(lifts),
        previous=_play_if_legal(rules, positions[index - 1], moves[index - 1]) if index else None,
        earlier=tuple(positions[max(0, index - EARLIER_POSITIONS) : index]),
    )


def is_counted(evidence: Evidence) -> bool:
    """Whether people said, or a board counted, what lies in some pit or store."""
    return any(count is not None for count in evidence.counts)


def known_evidence(state: GameState, dispute: DisputeRow) -> Evidence | None:
    """As `dispute_evidence`; None if there was no turn, or nobody said and no board reported what lies there."""
    if not dispute.ply:
        return None
    evidence = dispute_evidence(state, dispute)
    return evidence if is_counted(evidence) or evidence.seen else None


def moves_since(state: GameState, dispute: DisputeRow, first: int | None = None) -> list[Move]:
    """The moves from the disputed turn, or from turn `first`, to the last one when it was disputed."""
    then = game_state([event for event in state.events if event.seq < dispute.seq])
    return [Move.parse(ply.event.data["turn"]["move"]) for ply in then.plies[max(first or dispute.ply, 1) :]]


def first_examined(dispute: DisputeRow) -> int:
    """The number of the first turn that may have gone wrong instead of the disputed one, for all that is known."""
    return dispute.ply if dispute.is_unrecorded else max(1, dispute.ply - EARLIER_TURNS)


def evidence_from(state: GameState, dispute: DisputeRow, evidence: Evidence, first: int) -> Evidence:
    """`evidence` of a dispute, with the position before turn `first` as the certain one."""
    then = game_state([event for event in state.events if event.seq < dispute.seq])
    before = position_of(then.positions[first - 1])
    return replace(evidence, before=before, claimed=None, seen=(), seen_by_board=False, previous=None, earlier=())


def _sensors(state: GameState, dispute: DisputeRow) -> SensorsData:
    data = state.events[dispute.seq - 1].data.get("sensors") or {"counts": None, "lifts": None}
    return convert(data, SensorsData)


def _readings(sensors: SensorsData, size: int) -> tuple[Reading | None, ...]:
    """The counts of a board as readings of all places; None where it has no sensor."""
    counts = (sensors.counts or ())[: size + 2]
    known = [None if count is None else Reading(count, SPREAD + SPREAD_SHARE * max(count, 0)) for count in counts]
    return (*known, *[None] * (size + 2 - len(known)))


def _play_if_legal(rules: Rules, before: Position, move: Move) -> Turn | None:
    """The turn, if the rules can tell what it did."""
    try:
        return rules.play(before, move.choice) if move.kind is Kind.SOW else None
    except IllegalMove:
        return None


# Finding disputes


def load_dispute(games: Games, dispute_id: str) -> tuple[GameSnapshot, Course]:
    """The game of a dispute, and its course.

    :raises NotFound: there is no such dispute.
    """
    game_id, seq = parse_dispute_id(dispute_id)
    snapshot = games.load(game_id)
    return snapshot, snapshot.state.course(seq)


def parse_dispute_id(dispute_id: str) -> tuple[str, int]:
    """The game and the number of a dispute's id.

    :raises NotFound: the text is not the id of a dispute.
    """
    match = _ID.fullmatch(dispute_id)
    if match is None:
        raise NotFound("there is no dispute %(dispute_id)r", dispute_id=dispute_id[:80])
    return match[1], int(match[2])
