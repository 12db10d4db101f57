"""The game that a board plays, as its controller last read it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inkeek.records import IllegalMove, Move, Position, RecordsError, Rules, Side, Turn
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import translatable_english
from inkeek.records.notation.movetext import cite_turn
from inkeek.service.errors import ErrorText
from inkeek.service.games.snapshot import GameSnapshot, rules_of
from inkeek.service.storage import DisputeRow, GameRow

MAX_DIFFERENCE = 0.5  # seeds: when no pit is further from a position, the board may agree with it
NEAR_SHARE = 0.1  # more for each seed: sensors have other gains, and stones other weights
AGREES = ErrorText("The board agrees with the record.")

Counts = Sequence[float]


@dataclass(frozen=True)
class GameView:
    """The turns that stand and the positions between them, from the start; `disputes` are those of the game."""

    row: GameRow
    positions: tuple[Position, ...]
    moves: tuple[str, ...]
    disputes: tuple[DisputeRow, ...]
    last_turn: Turn | None = None  # if it was played on this board just now

    @classmethod
    def of(cls, game: GameSnapshot) -> GameView:
        state = game.state
        return cls(
            game.row,
            tuple(map(Position.parse, state.positions)),
            tuple(str(ply.move) for ply in state.record.plies),
            state.disputes,
        )

    def after(self, turn: Turn, row: GameRow) -> GameView:
        """The view after a turn that was stored, without reading the whole game again."""
        positions, moves = (*self.positions, turn.position), (*self.moves, str(turn.move))
        return replace(self, row=row, positions=positions, moves=moves, last_turn=turn)

    @property
    def dispute(self) -> DisputeRow | None:
        """The open one."""
        return next((dispute for dispute in self.disputes if dispute.seq == self.row.dispute), None)

    def outcome_of(self, dispute: DisputeRow | None) -> str | None:
        """The ruling on a dispute that was open; None if there was none, or it is not ruled on yet."""
        if dispute is None or self.dispute is not None:
            return None
        return next((found.outcome for found in self.disputes if found.seq == dispute.seq), None)

    @property
    def rules(self) -> Rules:
        return rules_of(self.row)

    @property
    def position(self) -> Position:
        return self.positions[-1]

    @property
    def previous(self) -> Position | None:
        """The position before the last turn; None before the first turn."""
        return self.positions[-2] if len(self.positions) > 1 else None

    @property
    def mover(self) -> Side | None:
        """The side to move; None when the game is over."""
        return None if self.row.state == "ended" else self.position.to_move

    @cached_property
    def last_pits(self) -> frozenset[int]:
        """The pits where the last turn began and ended; none if it was irregular."""
        if self.previous is None:
            return frozenset()
        try:
            turn = self.last_turn or self.rules.play(self.previous, Move.parse(self.moves[-1]))
        except IllegalMove:
            return frozenset()
        return _ends(turn)

    def pits_of(self, move: str) -> frozenset[int]:
        """The pits where a move from the position begins and ends; none if it cannot be played."""
        try:
            return _ends(*self.turns_of([move]))
        except RecordsError:
            return frozenset()

    def turns_of(self, moves: Sequence[str]) -> tuple[Turn, ...]:
        """The turns that these moves from the position are.

        :raises RecordsError: they cannot be played.
        """
        turns: list[Turn] = []
        for move in moves:
            position = turns[-1].position if turns else self.position
            turns.append(self.rules.play(position, Move.parse(move)))
        return tuple(turns)

    def cite(self, ply: int) -> str:
        """The number and move of turn `ply`; the number alone if it is the next turn."""
        return cite_turn(self.positions[:ply], *self.moves[ply - 1 : ply])

    def cite_last(self) -> str:
        return self.cite(self.row.ply)

    def layout(self) -> str:
        """The position, in words that go on "as …"."""
        if self.row.ply:
            return ErrorText("after %(turn)s", turn=self.cite_last())
        return ErrorText("at the start")

    def pit_name(self, pit: int) -> str:
        """The letter of a pit, or whose store it is."""
        return place_text(self.position, pit, translatable_english())


def is_near(position: Position, counts: Counts | None, ignored: Collection[int] = ()) -> bool:
    """Whether no count is far from the position, but for `ignored` sensors: a cheap check before the detector's."""
    return counts is not None and all(
        abs(count - seeds) < MAX_DIFFERENCE + NEAR_SHARE * seeds
        for sensor, (count, seeds) in enumerate(zip(counts, places(position), strict=False))
        if sensor not in ignored
    )


def to_mend(position: Position, counts: Counts | None, ignored: Collection[int] = ()) -> dict[str, int]:
    """How many seeds each pit lacks for the position (negative: has too many), by its index as text.

    What an `ignored` sensor reads is no reason to mend its pit.
    """
    lacks = {
        str(pit): seeds - round(count)
        for pit, (count, seeds) in enumerate(zip(counts or places(position), places(position), strict=False))
        if pit not in ignored
    }
    return {pit: count for pit, count in lacks.items() if count}


def places(position: Position) -> tuple[int, ...]:
    """The seeds in the pits, and in the stores."""
    return (*position.pits, *position.stores)


def _ends(turn: Turn) -> frozenset[int]:
    """The pits where a turn begins and ends; none if it ends elsewhere."""
    return frozenset((turn.move.pit_index(turn.before.row), turn.last_pit)) if turn.last_pit >= 0 else frozenset()
