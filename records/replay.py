"""Replaying a record: every position and turn of it, and what is wrong with it. The good part is always kept."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import attrgetter

from .errors import (
    A_LISTED_TURN,
    AN_ERROR,
    Budget,
    BudgetSpent,
    ErrorText,
    PositionError,
    RecordsError,
    either,
    message_of,
)
from .language import MessageText
from .moves import IllegalMove, Kind, Move, Turn, canonical_move
from .notation.commands import Correction, End, Reopening, after_position, commands_in, remark_errors, replace_commands
from .notation.movetext import PlyPlaces, cite_turn
from .notation.tags import (
    RESULTS,
    RESULTS_BY_TERMINATION,
    TERMINATIONS,
    TagError,
    find_tags,
    parse_score,
    rules_of,
    setup_of,
    starting_teams,
)
from .position import NORTH, SOUTH, UNSOWN_TEXTS, Position, Side, pit_letter
from .record import MAX_NESTING, Ply, Record, RecordError, Variation, count_plies
from .rules.outcome import GameEnd, Outcome, occurrences
from .rules.play import MAX_LEGAL_LISTED, Rules

# How a game ended as its comments tell it: the end that an arbiter changed, the correction, the reopening.

_MARKS = ("[%end", "[%correction", "[%reopen")
_COMMENTS = attrgetter("comments")


class EndError(RecordsError):
    """A game goes on with the turn `ply` though its comments say that it had ended."""

    def __init__(self, ply: int, message: str) -> None:
        self.ply = ply
        super().__init__(message)


def verify_ends(record: Record) -> None:
    """Check the commands ``end``, ``correction`` and ``reopen`` of the main line.

    :raises EndError: the game had ended, and goes on without having been reopened.
    :raises TagError: a tag differs from the last end.
    """
    if not tells_ends(record):
        return
    ended: End | Correction | None = None
    for number, comments in enumerate((record.comments, *map(_COMMENTS, record.plies))):
        if ended is not None and number:
            text = ErrorText("the game had ended: %(end)s: expected [%%reopen] before it goes on", end=str(ended))
            raise EndError(number, text)
        for command in commands_in(comments, End, Correction, Reopening):
            ended = command if isinstance(command, End | Correction) else None
    if ended is None:
        return
    for name, value in (("Result", ended.result), ("Termination", ended.termination), ("Score", ended.score)):
        if value and record.tags.get(name) != value:
            found = ErrorText("there is no %(tag)s tag", tag=name)
            if name in record.tags:
                found = ErrorText("%(tag)s is %(value)s", tag=name, value=record.tags[name])
            text = ErrorText(
                "%(found)s, but the last end is %(end)s: expected %(tag)s %(value)s",
                found=found,
                end=str(ended),
                tag=name,
                value=value,
            )
            raise TagError(name, text)


def tells_ends(record: Record) -> bool:
    """Whether comments of the main line may hold such a command."""
    return _has_mark(record.comments) or any(_has_mark(ply.comments) for ply in record.plies if ply.comments)


def ends_as_words(comment: str) -> str:
    """The comment with these commands as words: ``[end 1-0]``."""

    def mend(part: str) -> str:
        return part.replace("[%", "[", 1) if part.startswith(_MARKS) else part

    return replace_commands(comment, mend, str)


def _has_mark(comments: Iterable[str]) -> bool:
    return any(mark in comment for comment in comments if "[%" in comment for mark in _MARKS)


# A line played by the kernel at one go: numbers, made into positions and turns on demand.


class LinePlayer:
    """Plays `moves` in order from `start`; `count` says how many were played so far.

    `play` plays sowings; a turn of another kind (a pass, a rearrangement, an irregular turn) is given to `add`.
    """

    def __init__(self, rules: Rules, start: Position, moves: Sequence[Move]) -> None:
        self.start = start
        self.count = 0
        self._rules = rules
        self._moves = moves
        self._codes = [move._code or move.code for move in moves]
        self._size = 2 * rules.row
        self._width = rules.track_width
        self._numbers = array("Q", bytes(8 * self._width * len(moves)))
        self._others: dict[int, Turn] = {}
        self._indices: list[int] = []  # of the others

    def play(self, budget: Budget | None = None) -> None:
        """Play on to the end, or until a move is not a legal sowing or the budget is spent."""
        self.count = self._rules.follow(self.position(self.count), self._codes, self.count, self._numbers, budget)

    def add(self, turn: Turn) -> None:
        """Continue after another turn."""
        self._others[self.count] = turn
        self._indices.append(self.count)
        self.count += 1

    def position(self, count: int) -> Position:
        """The position after `count` turns."""
        if count == 0:
            return self.start
        if count - 1 in self._others:
            return self._others[count - 1].position
        at, size = (count - 1) * self._width, self._size
        stores = at + 2 * size
        south, north, mover = self._numbers[stores : stores + 3]
        return Position(
            tuple(self._numbers[at : at + size]),
            tuple(self._numbers[at + size : stores]),
            (south, north),
            NORTH if mover else SOUTH,
            *self._since(count),
        )

    def _since(self, count: int) -> tuple[int, int]:
        """The fields `ply` and `unsown` after `count` turns: those after the last turn that was no sowing, and what the
        sowings since then make of them."""
        before, sowings = self.start, count
        found = bisect_right(self._indices, count - 1) if self._indices else 0
        if found:
            last = self._indices[found - 1]
            before, sowings = self._others[last].position, count - 1 - last
        unsown = before.unsown
        if unsown and sowings:
            unsown = unsown & ~(1 << before.to_move) if sowings == 1 else 0
        return before.ply + sowings, unsown

    def positions(self) -> list[Position]:
        """The positions from the start on, one more than turns."""
        return [self.position(count) for count in range(self.count + 1)]

    def texts(self) -> list[str]:
        """The texts of these positions, in less time."""
        texts = [str(self.start)]
        before, first = self.start, 0  # the sowings from `first` on follow this position
        for end in (*self._indices, self.count):
            if first < end:
                texts += self._rules.texts(self._numbers, first, end, before.ply + 1)
                texts[first + 1] += UNSOWN_TEXTS[self._since(first + 1)[1]]
            if end in self._others:
                before = self._others[end].position
                texts.append(str(before))
            first = end + 1
        return texts

    def moves(self) -> list[Move]:
        """The moves of all turns in canonical form, in less time than the turns."""
        moves, before = [], self.start.marks
        for index in range(self.count):
            if index in self._others:
                moves.append(self._others[index].move)
                before = self._others[index].position.marks
                continue
            marks = index * self._width + self._size
            after = tuple(self._numbers[marks : marks + self._size])
            moves.append(self._move(index, before, after))
            before = after
        return moves

    def turns(self, positions: Sequence[Position]) -> list[Turn]:
        """All turns, with the move of each in canonical form; `positions` are those of `positions`."""
        around = enumerate(pairwise(positions))
        return [self._others.get(index) or self._turn(index, *both) for index, both in around]

    def _turn(self, index: int, before: Position, after: Position) -> Turn:
        first = index * self._width + 2 * self._size + 3
        mine, theirs, laps, _, _, emptied, end = self._numbers[first : first + 7]
        move = self._move(index, before.marks, after.marks)
        captured = (mine, theirs) if before.to_move is SOUTH else (theirs, mine)
        return Turn(move, before, after, captured, move.special or "", laps, emptied, end)

    def _move(self, index: int, before: Sequence[int], after: Sequence[int]) -> Move:
        first = index * self._width + 2 * self._size + 3
        mine, theirs, _, bits, given = self._numbers[first : first + 5]
        special = ""
        if after != before:
            row = self._size // 2
            special = "".join(pit_letter(pit, row) for pit in range(self._size) if after[pit] != before[pit])
        choices = "".join("<>"[bits >> k & 1] for k in range(given)) if given else ""
        return canonical_move(self._moves[index].pit, choices, (mine, theirs), special, self._rules.step)


MAX_ERRORS = 20  # errors listed for a record
_VARIATIONS = attrgetter("variations")


@dataclass(frozen=True, slots=True)
class WrongPly:
    """A ply that cannot be played, and why. `path` leads to it: its index in the main line; or that of a main line's
    ply, then of one of its variations, then of a ply in there, and so on."""

    path: tuple[int, ...]
    error: RecordsError


class Replay:
    """A record replayed: its main line as far as it is right.

    `count` is the number of turns that are right, `errors` are all errors in the order of the text. `wrong_plies` are
    those of them that are about a ply. `warnings` say which tags could be completed from the game. `outcome` is how
    the game ended; None while it goes on, or if the record is wrong.
    """

    def __init__(
        self,
        line: _PlayedLine | None,
        errors: tuple[RecordError, ...] = (),
        outcome: GameEnd | None = None,
        rules: Rules | None = None,
        wrong_plies: tuple[WrongPly, ...] = (),
        warnings: tuple[RecordError, ...] = (),
    ) -> None:
        self._line = line
        self._rules = rules
        self.count = line.player.count if line else 0
        self.errors = errors
        self.warnings = warnings
        self.wrong_plies = wrong_plies
        self.outcome = outcome

    @property
    def error(self) -> RecordError | None:
        return self.errors[0] if self.errors else None

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the main line."""
        return tuple(self._line.player.turns(self.positions)) if self._line else ()

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions of the main line, one more than turns; empty if not even the start is known."""
        return tuple(self._line.player.positions()) if self._line else ()

    @property
    def texts(self) -> list[str]:
        """The texts of `positions`, in less time."""
        return self._line.player.texts() if self._line else []

    @cached_property
    def plies(self) -> tuple[Ply, ...]:
        """The plies of the main line with their moves, and those of the variations, in canonical form."""
        if self._line is None or self._rules is None:
            return ()
        if not any(map(_VARIATIONS, self._line.line)):
            return self._line.canonical_plies()
        # Validation needs no canonical variations, so only here they are made.
        canonical = _Replayer(Record({}, self._line.line), self._rules, canonical=True)
        return canonical.play(self._line.line, self._rules.start()).canonical_plies()


def play_ply(
    rules: Rules, position: Position, ply: Ply, previous: Move | None = None, budget: Budget | None = None
) -> Turn:
    """Play one ply of a record, after the move `previous`. An irregular turn leads where its ``[%after …]`` says.

    :raises RecordsError: the move is illegal, or the comment is missing or wrong, or the budget is spent.
    """
    if ply.move.kind is Kind.GAP:
        return _gap(rules, position, ply)
    if ply.move.kind is not Kind.IRREGULAR:
        return rules.play(position, ply.move, previous, budget)
    if ply.move.side not in (None, position.to_move):
        wrong_row = ErrorText(
            "%(move)s starts in %(owner)s's row, and %(mover)s is to move: write ~? and say in words what happened",
            move=str(ply.move),
            owner=position.to_move.other,
            mover=position.to_move,
        )
        raise RecordsError(wrong_row)
    text = after_position(ply.comments)
    if text is None:
        raise RecordsError(f'{ply.move}: an irregular turn needs a comment with [%after "<position>"]')
    after = Position.parse(text)
    rules.verify_position(after, position.seeds if position.is_known else None)
    return Turn(ply.move, position, after)


def _gap(rules: Rules, before: Position, ply: Ply) -> Turn:
    """The turns that nobody saw, as one: they lead where ``[%after …]`` says, else nobody knows where.

    :raises RecordsError: the version of the notation has no gaps, or the comment is missing or wrong.
    """
    move, text = ply.move, after_position(ply.comments)
    if not rules.has_gaps:
        raise RecordsError(
            ErrorText('%(gap)s: turns that nobody saw need version 1.1: add [Version "1.1"]', gap=str(move))
        )
    if text is None and move.unseen is None:
        lacking = ErrorText(
            '%(gap)s does not say how many turns nobody saw: write it, as ~~2, or add [%%after "<position>"] with '
            "? for what is not known",
            gap=str(move),
        )
        raise RecordsError(lacking)
    after = before.after_unseen(move.unseen or 1) if text is None else Position.parse(text)
    rules.verify_seen(after)
    return Turn(move, before, after)


def right_ply(turn: Turn) -> int:
    """The ply that the position after a turn must have: the number of turns up to it."""
    move, after, least = turn.move, turn.position.ply, turn.before.ply + 1
    if move.kind is Kind.GAP:
        return max(after, least) if move.unseen is None else turn.before.ply + move.unseen
    return least if move.kind is Kind.IRREGULAR else after


def verify_ply(turn: Turn) -> None:
    """Check that the position after an irregular turn or a gap has the number of the last turn before it.

    :raises PositionError: it has another.
    """
    expected, after = right_ply(turn), turn.position
    if after.ply != expected:
        raise PositionError(str(after), [f"its ply is {after.ply}: expected {expected}, the number of turns up to it"])


def race_start_ply(tags: Mapping[str, str]) -> int:
    """The ply that a position after the race has: that of the set-up."""
    setup = setup_of(tags)
    return 0 if setup is None else setup.ply


def _verify_race_ply(tags: Mapping[str, str]) -> None:
    """:raises TagError: the position after the race has another ply than the set-up."""
    if "RacePosition" in tags and (ply := Position.parse(tags["RacePosition"]).ply) != race_start_ply(tags):
        expected = race_start_ply(tags)
        text = ErrorText(
            "RacePosition is %(position)s: its ply is %(ply)s: expected %(expected)s",
            position=tags["RacePosition"],
            ply=ply,
            expected=expected,
        )
        raise TagError("RacePosition", text)


def legal_after(tags: Mapping[str, str], plies: Sequence[Ply]) -> tuple[str, ...]:
    """The moves that are legal after these plies of a record with these tags; none if the plies cannot be played."""
    budget = Budget(len(plies))
    try:
        rules = rules_of(tags)
        player = LinePlayer(rules, rules.start(), [ply.move for ply in plies])
        while player.count < len(plies):
            player.play(budget)
            at = player.count
            if at < len(plies):
                before = plies[at - 1].move if at else None
                player.add(play_ply(rules, player.position(at), plies[at], before, budget))
        budget.verify()
    except RecordsError:
        return ()
    position = player.position(len(plies))
    moves = rules.legal_moves(position, min(MAX_LEGAL_LISTED, budget.left // A_LISTED_TURN + 1), budget)
    return tuple(move.choice_text for move in moves)


def replay(record: Record) -> Replay:
    """Replay a record under the rules that its tags name."""
    try:
        rules = rules_of(record.tags)
    except TagError as error:
        return Replay(None, (_tag_error(record, error),))
    replayer = _Replayer(record, rules)
    line = replayer.play(record.plies, rules.start())
    errors = replayer.errors
    errors.extend(remark_errors(record, replayer.places, MAX_ERRORS - len(errors)))
    outcome: GameEnd | None = None
    if not errors:
        try:
            starting_teams(record.tags)
            _verify_race_ply(record.tags)
            verify_ends(record)
            outcome = _outcome(record, rules, line.player, replayer.budget)
        except TagError as error:
            errors.append(_tag_error(record, error))
        except EndError as error:
            place = replayer.places.place(count_plies(record.plies[: error.ply - 1]))
            errors.append(RecordError(message_of(error), *place, error.ply, code="goes-on"))
        except BudgetSpent as error:
            spent = RecordError(message_of(error), *_end_of(record), len(record.plies), code="too-much-sowing")
            errors.append(spent)
    errors.sort(key=lambda error: (error.line, error.column))
    warnings = _result_warnings(record, outcome)
    if rules.has_gaps:
        warnings += tuple(_unchecked_warnings(record, line.player, replayer.places))
    return Replay(line, tuple(errors), outcome, rules, tuple(replayer.wrong_plies), warnings)


@dataclass(frozen=True, slots=True)
class _PlayedLine:
    """A line and the turns of its first plies. `variations` are in canonical form, by the index of their ply. `count`
    is how many plies the line has, those of its variations included."""

    line: tuple[Ply, ...]
    player: LinePlayer
    variations: Mapping[int, tuple[Variation, ...]]
    count: int

    def canonical_plies(self) -> tuple[Ply, ...]:
        """The plies that were played."""
        return tuple(
            Ply(move, ply.nags, ply.comments, self.variations.get(index, ply.variations))
            for index, (ply, move) in enumerate(zip(self.line, self.player.moves(), strict=False))
        )

    def as_variation(self, comments: tuple[str, ...]) -> Variation:
        """The whole line, in canonical form as far as it was played."""
        plies = self.canonical_plies()
        return Variation(plies + self.line[len(plies) :], comments)


class _Replayer:
    """Plays the lines of a record and collects the errors, within a budget. Only if asked does it make the
    `canonical` form of variations."""

    def __init__(self, record: Record, rules: Rules, canonical: bool = False) -> None:
        self.errors: list[RecordError] = []
        self.wrong_plies: list[WrongPly] = []
        self.places = PlyPlaces(record.source)
        self.budget = Budget(count_plies(record.plies))
        self._rules = rules
        self._canonical = canonical
        self._stopped = False

    def play(
        self,
        plies: tuple[Ply, ...],
        start: Position,
        number: int = 1,
        first: int = 0,
        previous: Move | None = None,
        path: tuple[int, ...] = (),
    ) -> _PlayedLine:
        """Play a line as far as it is right, and each of its variations too.

        Its first ply is the ply `number` of the game, follows the move `previous`, and is number `first` in the text.
        `path` leads to the line (see `WrongPly`).
        """
        player = LinePlayer(self._rules, start, [ply.move for ply in plies])
        while True:
            player.play(self.budget)
            at = player.count
            if at == len(plies):
                break
            before = plies[at - 1].move if at else previous
            try:
                turn = play_ply(self._rules, player.position(at), plies[at], before, self.budget)
            except RecordsError as error:
                place = self.places.place(first + count_plies(plies[:at]))
                self.errors.append(_ply_error(plies[at], number + at, place, error))
                self.wrong_plies.append(WrongPly((*path, at), error))
                self.budget.spend(AN_ERROR)
                self._stopped = isinstance(error, BudgetSpent) or len(self.errors) >= MAX_ERRORS
                break
            player.add(turn)
            try:
                verify_ply(turn)
            except PositionError as error:  # the game can go on from there
                if len(self.errors) < MAX_ERRORS:
                    place = self.places.place(first + count_plies(plies[:at]))
                    self.errors.append(_ply_error(plies[at], number + at, place, error))
        played: dict[int, tuple[Variation, ...]] = {}
        branching = [index for index, ply in enumerate(plies) if ply.variations] if any(map(_VARIATIONS, plies)) else []
        count = len(plies)
        inner = 0  # plies of the variations so far
        for index in branching:
            if index > player.count or self._stopped or len(path) >= 2 * MAX_NESTING:
                count += sum(count_plies(line.plies) for line in plies[index].variations)
                continue
            before = plies[index - 1].move if index else previous
            lines = []
            position = player.position(index)  # a variation starts before the ply that it replaces
            for which, line in enumerate(plies[index].variations):
                if self._stopped:
                    lines.append(line)
                    inner += count_plies(line.plies)
                    continue
                start_at = first + index + 1 + inner
                inside = (*path, index, which)
                played_line = self.play(line.plies, position, number + index, start_at, before, inside)
                if self._canonical:
                    lines.append(played_line.as_variation(line.comments))
                inner += played_line.count
            if self._canonical:
                played[index] = tuple(lines)
        return _PlayedLine(plies, player, played, count + inner)


def _ply_error(ply: Ply, number: int, place: tuple[int, int], error: RecordsError) -> RecordError:
    legal: tuple[str, ...] = ()
    message, code = message_of(error), "too-much-sowing" if isinstance(error, BudgetSpent) else "irregular"
    if isinstance(error, IllegalMove):
        code = error.reason
        legal = tuple(move.choice_text for move in error.legal)
        message = ErrorText(
            "%(move)s is not legal in %(position)s: %(why)s (%(code)s)",
            move=str(error.move),
            position=str(error.position),
            why=MessageText(error.why),
            code=error.reason,
        )
    elif isinstance(error, PositionError):
        message = ErrorText("%(move)s: %(why)s", move=str(ply.move), why=error)
    return RecordError(message, *place, number, legal, code=code)


def _outcome(record: Record, rules: Rules, player: LinePlayer, budget: Budget) -> GameEnd | None:
    """How the game ended, by the rules or by the tags.

    :raises TagError: the tags contradict the rules or each other.
    :raises BudgetSpent: there is not enough left to know.
    """
    tags = record.tags
    last = player.position(player.count)
    result = tags.get("Result", "*")
    termination = tags.get("Termination")
    score = parse_score(tags["Score"]) if "Score" in tags else None
    if result not in RESULTS:
        text = ErrorText("Result is %(result)r: expected one of %(results)s", result=result, results=" ".join(RESULTS))
        raise TagError("Result", text)
    if result == "*":
        result = record.ended or "*"
    if record.ended not in (None, result):
        text = ErrorText(
            "Result is %(result)s, but the movetext ends with %(end)s: expected the same",
            result=result,
            end=record.ended,
        )
        raise TagError("Result", text)
    if termination not in (None, *TERMINATIONS):
        text = ErrorText(
            "Termination is %(termination)r: expected one of %(terminations)s",
            termination=termination,
            terminations=", ".join(TERMINATIONS),
        )
        raise TagError("Termination", text)
    outcome = rules.outcome(last, budget)
    most = max(rules.seeds, last.seeds)
    if score is not None and sum(score) > most and rules.info.is_known:
        text = ErrorText("Score is %(score)s: the game is played with %(seeds)s seeds", score=tags["Score"], seeds=most)
        raise TagError("Score", text)
    if termination == "unrecorded" and not rules.has_gaps:
        raise TagError("Termination", ErrorText('Termination is unrecorded: add [Version "1.1"], which has it'))
    is_derived = termination == "repetition" and result == "*"
    if rules.info.is_known:
        is_unchecked = termination in (None, "normal") and not last.is_known  # the rules may have ended it, or not
    else:
        is_unchecked = termination == "normal"
    if (
        outcome is None
        and termination
        and not (is_derived or is_unchecked)
        and result not in RESULTS_BY_TERMINATION[termination]
    ):
        raise _wrong_result(result, termination)
    if outcome is None and termination == "repetition":
        outcome = repetition_outcome(rules, player.positions())
    if outcome is None and (termination is None or is_unchecked) and (result == "*" or not is_unchecked):
        if result != "*":
            raise _not_over(result)
        return None
    if outcome is None:
        winner = {"1-0": Side.SOUTH, "0-1": Side.NORTH}.get(result)
        return GameEnd(termination or "normal", winner, result, score)
    ended = ErrorText(
        "the game ended %(score)s, %(result)s", score=f"{outcome.score[0]}-{outcome.score[1]}", result=outcome.result
    )
    if result not in ("*", outcome.result):
        raise TagError("Result", ErrorText("Result is %(result)s, but %(ended)s", result=result, ended=ended))
    if termination not in (None, outcome.termination):
        text = ErrorText(
            "Termination is %(termination)s, but the rules ended the game: expected %(expected)s",
            termination=termination,
            expected=outcome.termination,
        )
        raise TagError("Termination", text)
    if score not in (None, outcome.score):
        raise TagError("Score", ErrorText("Score is %(score)s, but %(ended)s", score=tags["Score"], ended=ended))
    return GameEnd.of(outcome)


def _wrong_result(result: str, termination: str) -> TagError:
    """The error of an end that is not over on the board, and whose termination never has this result."""
    if termination == "normal":
        return _not_over(result)
    text = ErrorText(
        "Result is %(result)s, but Termination is %(termination)s: expected %(expected)s",
        result=result,
        termination=termination,
        expected=reduce(either, RESULTS_BY_TERMINATION[termination]),
    )
    return TagError("Result", text)


def _not_over(result: str) -> TagError:
    text = ErrorText(
        "Result is %(result)s, but the game is not over: expected *, or a Termination that says why: %(reasons)s",
        result=result,
        reasons=", ".join(name for name, results in RESULTS_BY_TERMINATION.items() if result in results),
    )
    return TagError("Result", text)


def repetition_outcome(rules: Rules, positions: Sequence[Position]) -> Outcome:
    """The outcome of a game that was ended because the last of its positions was repeated.

    :raises TagError: it was not repeated often enough.
    """
    count = occurrences(positions)
    outcome = rules.repetition(positions[-1], count)
    if outcome is None:
        text = ErrorText(
            "Termination is repetition, but the last position occurred %(count)s times: %(game)s is played here with "
            "repetition=%(needed)s",
            count=count,
            game=rules.id,
            needed=rules.options["repetition"],
        )
        raise TagError("Termination", text)
    return outcome


def _end_of(record: Record) -> tuple[int, int]:
    return (0, 0) if record.source is None else record.source.place(len(record.source.text))


def _result_warnings(record: Record, outcome: GameEnd | None) -> tuple[RecordError, ...]:
    stated = record.tags.get("Result")
    if outcome is None or outcome.result == (stated or "*"):
        return ()
    values = {"ended": outcome.result, "stated": stated}
    text = ErrorText('Result is %(stated)s, but the game ended %(ended)s: write [Result "%(ended)s"]', **values)
    if stated is None:
        text = ErrorText('there is no Result tag, but the game ended %(ended)s: add [Result "%(ended)s"]', **values)
    return (_tag_error(record, TagError("Result", text), "missing-result"),)


def _unchecked_warnings(record: Record, player: LinePlayer, places: PlyPlaces) -> Iterator[RecordError]:
    positions, was_unchecked = player.positions(), False
    for index, ply in enumerate(record.plies[: player.count]):
        is_unchecked = not positions[index].is_known and ply.move.kind not in (Kind.GAP, Kind.IRREGULAR)
        if is_unchecked and not was_unchecked:
            cited = cite_turn(positions[: index + 1], str(ply.move))
            text = ErrorText("unchecked since %(turn)s: the position is not known", turn=cited)
            place = places.place(count_plies(record.plies[:index]))
            yield RecordError(text, *place, index + 1, code="unchecked")
        was_unchecked = is_unchecked


def _tag_error(record: Record, error: TagError, code: str = "") -> RecordError:
    """The error at the place of the tag, or where the tag would stand."""
    code = code or ("wrong-result" if error.tag in ("Result", "Score", "Termination") else "wrong-tag")
    if record.source is None:
        return RecordError(message_of(error), code=code)
    tags = find_tags(record.source.text[: record.source.movetext])
    at, text = next(((at, tag[0]) for at, tag in tags if tag is not None and tag[1] == error.tag), (0, ""))
    return RecordError(record.source.with_hidden(message_of(error), at, text), *record.source.place(at), code=code)
