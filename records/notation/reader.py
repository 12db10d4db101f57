"""The reader: a file of any size as a stream of games, in memory that does not grow with the file.

`splitter` splits the lines into records, this module reads their tags, `movetext` their moves, and visitors make
something of them. Reading takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from inkeek.records.errors import AN_ERROR, Budget, BudgetSpent, ErrorText, RecordsError, message_of
from inkeek.records.game import Game
from inkeek.records.moves import Move, Turn
from inkeek.records.position import Position
from inkeek.records.record import MAX_NESTING, Ply, RecordError, Source, Variation, count_plies
from inkeek.records.replay import (
    ends_as_words,
    legal_after,
    play_ply,
    race_start_ply,
    right_ply,
    tells_ends,
    verify_ply,
)
from inkeek.records.rules.play import Rules
from inkeek.records.text import BARRED

from .commands import after_position, as_words, quote
from .movetext import PlyPlaces, Visitor, escape_lines, first_number, read_movetext
from .splitter import MAX_LINE, RecordSource, RecordText, records_of
from .tags import MAX_VALUE, NAME, TEAM_TAGS, VERSION, find_tags, starting_teams, value_fault
from .writer import line_text, write_game

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


T = TypeVar("T")

MAX_FAULTS = 20  # faults listed for the tags of a record
_ESCAPED = re.compile(r'\\(["\\])')

# What nearly all tags are: alone on their lines, every character meaning itself.
_PLAIN_TAG = re.compile(
    rf'\[([A-Za-z][A-Za-z0-9_]{{0,63}}+) "([^"\\{BARRED}\ud800-\udfff]{{0,{MAX_VALUE}}}+)"\](?:\n|\Z)'
)
_PLAIN_TAGS = re.compile(f"(?:{_PLAIN_TAG.pattern})*+")
_TAG_LINES = re.compile(r"(?:\s*+(?:\[|(?m:^)%)[^\n]*+)*+\s*+")


def read_games(source: RecordSource, *, strict: bool = False) -> Iterator[Game]:
    """Read games from a path, an open file or any lines, each as far as it can be read; `Game.errors` lists what is
    wrong. If the reader is `strict`, that includes what it would only warn about.

    Bytes are read as UTF-8. An empty source has no games.
    :raises FileNotFoundError: there is no file at the path.
    :raises SourceError: the source is no path but a text.
    """
    games = visit_games(source, GameBuilder)
    return (replace(game, strict=True) for game in games) if strict else games


def read_record(record: RecordText, index: int) -> Game:
    """Read the record number `index` of a file, from 0, which `records_of` found."""
    return _visit(record, index, GameBuilder)


def visit_games(source: RecordSource, make: Callable[[Source, int], Visitor[T]]) -> Iterator[T]:
    """What a visitor makes of each record: `GameBuilder`, or your own class."""
    records = records_of(source)  # outside the generator: a wrong source is refused before the first game is read
    return (_visit(record, index, make) for index, record in enumerate(records))


def _visit(record: RecordText, index: int, make: Callable[[Source, int], Visitor[T]]) -> T:
    tags, movetext, faults = _parse_tags(record)
    source = Source(record.text, record.first_line, movetext)
    visitor: Visitor[Any] = make(source, index)
    for fault in faults:
        visitor.fault(fault)
    wanted = visitor.tags(tags)
    if record.fault is not None:
        visitor.fault(record.fault)
    moves_fault = read_movetext(source, visitor, record.is_cut) if wanted else None
    if moves_fault is not None:
        visitor.fault(moves_fault)
    made: T = visitor.done()
    return made


def _parse_tags(record: RecordText) -> tuple[dict[str, str], int, list[RecordError]]:
    """The tag pairs, the offset where the movetext begins, and the faults."""
    text = record.text
    faults: list[RecordError] = []
    plain = _PLAIN_TAGS.match(text)
    at = plain.end() if plain else 0
    pairs = _PLAIN_TAG.findall(text, 0, at)
    tags: dict[str, str] = dict(pairs)
    if len(tags) < len(pairs):  # a tag is repeated: the first one counts
        tags, at = {}, 0

    source = Source(text, record.first_line)

    def fault(message: ErrorText, where: int) -> None:
        line = text[where : where + MAX_LINE].split("\n")[0]
        faults.append(RecordError(source.with_hidden(message, where, line), *source.place(where), code="bad-tag"))

    for found, match in find_tags(text, at):
        at = found
        if match is None and text.startswith("[", at):
            line = text[at : at + 60].split("\n")[0].rstrip()
            fault(ErrorText('%(line)r is not a tag: expected [Name "value"]', line=line), at)
        elif match is not None:
            name, value = match[1], _ESCAPED.sub(r"\1", match[2])
            if not NAME.fullmatch(name):
                fault(
                    ErrorText(
                        "%(name)r is not a tag name: expected a letter, then letters, digits or _", name=name[:60]
                    ),
                    at,
                )
            elif name in tags:
                fault(ErrorText("the tag %(name)s is given twice: remove one", name=name), at)
            elif (wrong := value_fault(name, value)) is not None:
                fault(wrong, at)
            else:
                tags[name] = value
        if len(faults) == MAX_FAULTS:  # the record is lost: only its movetext is still looked for
            lines = _TAG_LINES.match(text, at)
            at = lines.end() if lines else at
            break
    return tags, at, faults


# Keeping the right part of a wrong record, with a mark where it stops.

RESULT_TAGS = ("Result", "Score", "Termination")  # moved into the mark if they no longer follow from the moves


class LeftOut(NamedTuple):
    """What of a record is left out, and where it stood. Without a `text` it is all of the record from there on."""

    line: int
    column: int
    text: str | None


class LenientBuilder(GameBuilder):
    """Builds the `Game` as far as it is right; see `right_part`. It reads the moves after a wrong tag too. In the end
    `left_out` lists what is not in the game."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__(source, index)
        self.left_out: list[LeftOut] = []

    def tags(self, tags: Mapping[str, str]) -> bool:
        super().tags(tags)
        return True

    def done(self) -> Game:
        for _ in self._lines[1:]:
            if self._lines[-1].plies:
                self.end_variation()
            else:  # a variation has a move at least; its comments stay with the move that it would have replaced
                empty = self._lines.pop()
                self._lines[-1].ply_comments += empty.comments
        self.left_out += _unread(self.source, self._faults)
        self.left_out += [LeftOut(line, 1, text) for line, text in escape_lines(self.source)]
        return right_part(super().done(), self.left_out)


def _unread(source: Source, faults: Sequence[RecordError]) -> Iterator[LeftOut]:
    """What a reader could not read: lines among the tags, and everything from the first fault in the movetext on."""
    lines, moves = source.text.split("\n"), source.place(source.movetext)[0]
    for fault in sorted(faults, key=lambda fault: (fault.line, fault.column)):
        if fault.code == "bad-tag" or fault.line < moves:
            yield LeftOut(fault.line, fault.column, lines[fault.line - source.first_line][fault.column - 1 :])
        else:
            yield LeftOut(fault.line, fault.column, None)
            return


def right_part(game: Game, left_out: list[LeftOut]) -> Game:
    """The record as far as it is right, with the comment ``[%stopped …]`` where it stops.

    The mark holds the place and the error. A result, score or termination that no longer follows from the moves is
    moved from the tags into it; so are impossible teams. A wrong command becomes words, a wrong ply of a position the
    right one. If not even the rules are known, all moves stay. Moves that are not kept, with what belongs to them, are
    added to `left_out`.
    """
    if not game.errors:
        return game
    try:
        rules = game.rules()
    except RecordsError as error:
        return replace(game, comments=(*game.comments, _mark(str(error), {})), faults=())
    if rules.start().ply != race_start_ply(game.tags):
        race = {"RacePosition": game.tags["RacePosition"]}
        mended = str(rules.start().replaced(ply=race_start_ply(game.tags)))
        marks = (*game.comments, _mark("RacePosition has the wrong ply", race))
        return right_part(replace(game, tags={**game.tags, "RacePosition": mended}, comments=marks), left_out)
    line = _RightPart(game, rules, left_out).of_line(Variation(game.plies, game.comments), rules.start())
    if game.faults:
        line = _add_marks(line, [_mark(str(game.faults[0]), {})])
    right = replace(game, plies=line.plies, comments=line.comments, faults=())
    if not right.errors:
        return right
    try:
        starting_teams(right.tags)
    except RecordsError as error:
        teams = {name: right.tags[name] for name in TEAM_TAGS if name in right.tags}
        line = Variation(line.plies, (*line.comments, _mark(str(error), teams)))
        right = replace(right, tags=_without(right.tags, TEAM_TAGS), comments=line.comments)
        if not right.errors:
            return right
    if tells_ends(right):  # they may contradict the end
        worded = (ply._replace(comments=tuple(map(ends_as_words, ply.comments))) for ply in right.plies)
        right = replace(right, plies=tuple(worded), comments=tuple(map(ends_as_words, right.comments)))
        if not right.errors:
            return right
        line = Variation(right.plies, right.comments)
    lost = {name: right.tags[name] for name in RESULT_TAGS if name in right.tags}
    if right.ended is not None:
        lost["Result"] = right.ended
    line = _add_marks(line, [_mark(str(right.errors[0]), lost)])
    try:
        outcome = rules.outcome(right.replay().positions[-1], Budget(count_plies(right.plies)))
    except BudgetSpent:
        outcome = None
    result = outcome.result if outcome else "*"
    tags = {**_without(right.tags, RESULT_TAGS), "Result": result}
    return replace(right, plies=line.plies, comments=line.comments, tags=tags, ended=result)


class _RightPart:
    """Plays the lines of a record as far as the rules and the budget allow. What the budget does not allow is left
    out."""

    def __init__(self, game: Game, rules: Rules, left_out: list[LeftOut]) -> None:
        self._rules = rules
        self._left_out = left_out
        self._places = PlyPlaces(game.source)
        self._as_words = partial(as_words, version=game.tags.get("Version", VERSION))
        plies = count_plies(game.plies)
        # The main line has a budget of its own, so that wrong variations do not cut it off.
        self._budgets = Budget(len(game.plies)), Budget(plies)
        self._marked_spent = False

    def of_line(
        self, line: Variation, position: Position, previous: Move | None = None, first: int = 0, depth: int = 0
    ) -> Variation:
        """The right part of a line and of its variations. It follows the move `previous`; its first ply is number
        `first` in the text."""
        plies: list[Ply] = []
        comments = tuple(map(self._as_words, line.comments))
        budget = self._budgets[depth > 0]
        for index, ply in enumerate(line.plies):
            variations: list[Variation] = []
            marks: list[str] = []
            number, first = first, first + 1
            for variation in ply.variations if depth < MAX_NESTING else ():
                if self._budgets[1].left <= 0:
                    if not self._marked_spent:
                        marks.append(_mark(str(BudgetSpent()), {}))
                    self._marked_spent = True
                    self._leave_out(first, variation, position)
                    first += count_plies(variation.plies)
                    continue
                right = self.of_line(variation, position, previous, first, depth + 1)
                first += count_plies(variation.plies)
                if right.plies:
                    variations.append(right)
                else:
                    marks += right.comments
            try:
                turn = play_ply(self._rules, position, ply, previous, budget)
                if turn.position.ply != right_ply(turn):
                    ply = _with_right_ply(ply, turn)
                    turn = play_ply(self._rules, position, ply, previous, budget)
                    verify_ply(turn)
            except RecordsError as error:
                budget.spend(AN_ERROR)
                self._leave_out(number, Variation(line.plies[index:]), position)
                at_line, column = self._places.place(number)
                place = f"line {at_line}, column {column}: " if at_line else ""
                return _add_marks(Variation(tuple(plies), comments), [*marks, _mark(f"{place}{error}", {})])
            plies.append(Ply(turn.move, ply.nags, (*map(self._as_words, ply.comments), *marks), tuple(variations)))
            position, previous = turn.position, turn.move
        return Variation(tuple(plies), comments)

    def _leave_out(self, number: int, line: Variation, position: Position) -> None:
        text = line_text(line, first_number(position), position.to_move)
        self._left_out.append(LeftOut(*self._places.place(number), text))


def _with_right_ply(ply: Ply, turn: Turn) -> Ply:
    after = str(turn.position.replaced(ply=right_ply(turn)))
    given = after_position(ply.comments) or ""
    return ply._replace(comments=tuple(comment.replace(given, after) for comment in ply.comments))


def _add_marks(line: Variation, marks: list[str]) -> Variation:
    if not line.plies:
        return Variation((), (*line.comments, *marks))
    *others, last = line.plies
    return Variation((*others, last._replace(comments=(*last.comments, *marks))), line.comments)


def _mark(error: str, lost: Mapping[str, str]) -> str:
    """``[%stopped "<error>" result="1-0"]``. The writer makes a line comment of one with a brace in it."""
    values = {name.lower(): quote(" ".join(value.split())) for name, value in lost.items()}
    texts = [quote(" ".join(error.split())), *(f"{name}={value}" for name, value in values.items())]
    return f"[%stopped {' '.join(texts)}]"


def _without(tags: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in tags.items() if name not in names}
