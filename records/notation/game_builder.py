"""The visitor that builds the `Game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from inkeek.records.errors import RecordsError, message_of
from inkeek.records.game import Game
from inkeek.records.record import Ply, RecordError, Source, Variation
from inkeek.records.replay import legal_after

from .visitors import Visitor
from .writer import write_game

_SHORT = 90_000  # characters: the canonical form of such a record surely fits in `MAX_LINE` and `MAX_RECORD`


class GameBuilder(Visitor[Game]):
    """Builds the `Game`. What could not be read is in its `faults`; the good part is kept."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__(source, index)
        self._lines = [_OpenLine()]
        self._ended: str | None = None
        self._faults: list[RecordError] = []

    def tags(self, tags: Mapping[str, str]) -> bool:
        self._tags = tags
        return not self._faults  # the moves mean nothing where a tag is wrong

    def plies(self, plies: Sequence[Ply]) -> None:
        line = self._lines[-1]
        line.finish_ply()
        line.plies += plies

    def annotation(self, nag: int) -> None:
        self._lines[-1].nags.append(nag)

    def comment(self, text: str) -> None:
        line = self._lines[-1]
        (line.ply_comments if line.plies else line.comments).append(text)

    def begin_variation(self) -> None:
        self._lines.append(_OpenLine())

    def end_variation(self) -> None:
        variation = self._lines.pop().finish()
        self._lines[-1].variations.append(variation)

    def legal_moves(self) -> tuple[str, ...]:
        *outer, open_line = self._lines
        plies = [ply for line in outer for ply in line.plies[:-1]]  # a variation replaces the last ply
        return legal_after(self._tags, [*plies, *open_line.plies])

    def result(self, text: str) -> None:
        self._ended = text

    def fault(self, error: RecordError) -> None:
        self._faults.append(error)

    def done(self) -> Game:
        main = self._lines[0].finish()
        game = Game(
            self._tags, main.plies, main.comments, self._ended, self.source, tuple(self._faults), index=self.index
        )
        if len(self.source.text) <= _SHORT or game.faults:
            return game
        try:
            write_game(game)
        except RecordsError as error:
            return replace(game, faults=(RecordError(message_of(error), self.source.first_line, 1, code="too-long"),))
        return game


@dataclass(slots=True)
class _OpenLine:
    """A line while it is read. `nags`, `ply_comments` and `variations` are still to be added to its last ply."""

    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    nags: list[int] = field(default_factory=list)
    ply_comments: list[str] = field(default_factory=list)
    variations: list[Variation] = field(default_factory=list)

    def finish_ply(self) -> None:
        if self.nags or self.ply_comments or self.variations:
            last = self.plies[-1]
            self.plies[-1] = Ply(
                last.move,
                (*last.nags, *self.nags),
                (*last.comments, *self.ply_comments),
                (*last.variations, *self.variations),
            )
            self.nags, self.ply_comments, self.variations = [], [], []

    def finish(self) -> Variation:
        self.finish_ply()
        return Variation(tuple(self.plies), tuple(self.comments))
