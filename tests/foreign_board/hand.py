"""A hand that plays legal turns on a foreign board, seed by seed as the rules say."""

from __future__ import annotations

from inkeek.records import Move, Position, Rules

from .board import ForeignBoard


class Hand:
    """Plays on `board` from `position`, whose seeds it lays out.

    `every_seed`: the sensors settle after every seed, so that there is a ``PIT`` event for each; otherwise a pit
    settles once, when its last seed has fallen. A pit that a lap empties is lifted in both cases.
    """

    def __init__(self, board: ForeignBoard, rules: Rules, position: Position, *, every_seed: bool = False) -> None:
        self.board, self.rules, self.position = board, rules, position
        self.every_seed = every_seed
        self.lay_out(position)

    def lay_out(self, position: Position) -> None:
        """Put the seeds of a position on the board, without events."""
        self.board.set_counts((*position.pits, *(position.stores if self.board.stores else ())))

    def sow(self, move: Move | str) -> Position:
        """Play a turn without pressing a button, and return the position after it. `self.position` does not change."""
        move = Move.parse(move) if isinstance(move, str) else move
        trace = self.rules.trace(self.position, move)
        assert trace.turn is not None, f"{move} is endless"
        board, after, changed = self.board, trace.turn.position, set[int]()
        south_store = 2 * board.row
        for event in trace.events:
            if event.kind == "lift":
                self._settle(changed)
                board.lift(event.pit)
            elif event.kind == "drop":
                self._change(event.pit, 1, changed)
            elif event.kind == "shift":
                self._change(event.pit, -1, changed)
                self._change(event.other, 1, changed)
            elif event.kind == "store" and board.stores:
                self._change(south_store + event.other, 1, changed)
            elif event.kind == "take":
                if event.pit >= 0:
                    self._settle(changed)
                    if board.seeds[event.pit] == event.count:
                        board.lift(event.pit)
                    else:
                        self._change(event.pit, -event.count, changed)
                if board.stores:
                    self._change(south_store + event.other, event.count, changed)
        self._settle(changed)
        for pit, seeds in enumerate((*after.pits, *(after.stores if board.stores else ()))):
            if board.seeds[pit] != seeds:  # such as the seeds left at the end of a game
                board.put(pit, seeds)
        return after

    def play(self, move: Move | str) -> Position:
        """Play a turn and press the mover's commit button. Return the position after it."""
        side = self.position.to_move.letter
        self.position = self.sow(move)
        self.board.press(side)
        return self.position

    def _change(self, pit: int, seeds: int, changed: set[int]) -> None:
        if self.every_seed:
            self.board.put(pit, self.board.seeds[pit] + seeds)
        else:
            self.board.seeds[pit] += seeds
            changed.add(pit)

    def _settle(self, changed: set[int]) -> None:
        for pit in sorted(changed):
            self.board.put(pit, self.board.seeds[pit])
        changed.clear()
