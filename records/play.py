"""The rules at work: start, legal moves, play, the end of a game. The sowing itself is in `records.kernel.sowing`."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from .errors import IllegalMove, OptionError, PositionError
from .explain import explain_refusal, explain_trace
from .kernel.loader import kernel_config, kernel_module
from .language import Message, Term, load_language
from .moves import PASS, Code, Kind, Move, Turn, canonical_choices, format_choices
from .outcome import Outcome, in_row, owned
from .position import CLOSED, NORTH, ORDINARY, OWNED, SOUTH, Position, Side, pit_letter
from .rearrange import NotRearranged, rearranged
from .ruleset import RuleSet, Value, load_ruleset
from .trace import MAX_EVENTS, Trace, events_of

MAX_TRIES = 1_000_000  # series of choices tried for one list of legal moves
MAX_LEGAL_TOLD = 200  # legal moves that an error carries
MAX_PERFT_DEPTH = 60
MAX_CHOICES = 64  # of direction in one turn: what the kernel has room for; 33 were seen in play
ENDED, ENDLESS, UNSETTLED = 0, 1, 2  # what `Kernel.sow` answers


class _Told(NamedTuple):
    """`Kernel.told`, with names."""

    laps: int
    cycle: int
    points: int
    taken: list[int]
    reason: int
    events: list[tuple[int, int, int, int]]
    banked: int
    again: bool


class LegalMoves(list[Move]):
    """Legal moves in order; `complete` tells whether these are all, or a limit was reached first."""

    complete = True


def ruleset(id: str, /, *, kernel: str | None = None, **options: Value) -> Rules:
    """The rules of a game under options (`docs/rules.md` lists them); others follow from these or are defaults.

    `kernel` forces a mode of the kernel: "compiled" or "interpreted".
    :raises OptionError: an unknown game, option or value, or a contradiction; says what is allowed.
    """
    info = load_ruleset(id)
    return Rules(info, info.resolve(options), kernel=kernel)


class Rules:
    """One game under fixed options. Has no state of its own: every method is a function of its arguments."""

    def __init__(
        self, info: RuleSet, options: Mapping[str, Value], start: Position | None = None, kernel: str | None = None
    ) -> None:
        self.info = info
        self.options = dict(options)
        self.row = int(options["pits"])
        self._kernel_mode = kernel
        self._kernel_class = kernel_module(kernel).Kernel
        self._config = kernel_config(info, options)
        self._start = start or self._laid_out()
        self.seeds = self._start.seeds

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def changed(self) -> dict[str, Value]:
        """The options that differ from the rule set's defaults: what a record's `Options` tag carries."""
        return {name: value for name, value in self.options.items() if value != self.info.option(name).default}

    def __repr__(self) -> str:
        return f"ruleset({', '.join([repr(self.id), *(f'{k}={v!r}' for k, v in self.changed.items())])})"

    def starting_from(self, position: Position) -> Rules:
        """The same rules for a game that is set up as `position`, with as many seeds as that has.

        :raises PositionError: the position does not fit the game.
        """
        faults = self._faults(position)
        if position.seeds == 0:
            faults.append("there are no seeds")
        if faults:
            raise PositionError(str(position), faults)
        return Rules(self.info, self.options, position, self._kernel_mode)

    def start(self) -> Position:
        """The position before the first turn."""
        return self._start

    def verify_position(self, position: Position) -> None:
        """Check that a position can be one of this game.

        :raises PositionError: with every reason why it cannot.
        """
        faults = self._faults(position)
        if position.seeds != self.seeds:
            faults.append(f"{position.seeds} seeds in pits and stores: the game was set up with {self.seeds}")
        if faults:
            raise PositionError(str(position), faults)

    def legal_moves(self, position: Position, limit: int | None = None) -> LegalMoves:
        """The turns that the side to move may play, in order of pit, then of choices; with what they do as claims.

        One `PASS` where passing is the one legal move; empty when the game is over. Rearrangements are never listed.
        With `limit`, at most so many turns, and no more than ten times as many series of choices are tried; the
        answer's `complete` tells whether that was enough.
        :raises PositionError: the position is not of this game.
        """
        kernel = self._loaded(position)
        most = limit if limit is not None else MAX_TRIES
        found = kernel.turns(most, min(10 * most, MAX_TRIES))
        mover = int(position.to_move)
        moves = LegalMoves(
            Move(position.letter(pit), format_choices(choices)).doing(
                (taken[mover], taken[1 - mover]), "".join(map(position.letter, special))
            )
            for pit, choices, taken, special, _ in found
        )
        moves.complete = kernel.all_found()
        if not moves and self._must_pass(kernel, position):
            moves.append(PASS)
        return moves

    def is_legal(self, position: Position, move: Move) -> bool:
        """Whether `play` would take the move."""
        try:
            self.play(position, move)
        except IllegalMove:
            return False
        return True

    def play(self, position: Position, move: Move, previous: Move | None = None) -> Turn:
        """Play a move.

        A position does not tell whether its side has rearranged already: where the move before this one is known, it
        is given as `previous`.
        :raises IllegalMove: the rules forbid it, or what it claims to do is not what it does.
        :raises PositionError: the position is not of this game.
        """
        kernel = self._loaded(position)
        if move.kind is Kind.IRREGULAR:
            self._refuse("irregular", move, position)
        if move.kind is Kind.REARRANGE:
            return self._rearrange(position, move, previous)
        if move.kind is Kind.PASS:
            if not self._must_pass(kernel, position):
                self._refuse("must-move", move, position)
            return Turn(PASS, position, _next(position), (0, 0), "", 0)
        self._verify_pit(kernel, position, move)
        if len(move.choices) > MAX_CHOICES:
            self._refuse("no-such-choice.many", move, position, most=MAX_CHOICES)
        status = kernel.sow(move.pit_index(self.row), move.directions)
        told = _Told(*kernel.told())
        if status == ENDLESS:
            self._refuse("endless-sowing.cycle", move, position, cycle=told.cycle)
        if status == UNSETTLED:
            self._refuse("endless-sowing.unsettled", move, position, laps=told.laps)
        if len(move.choices) > len(told.taken):
            given, offered = len(move.choices), len(told.taken)
            self._refuse("no-such-choice.few", move, position, offered=offered, given=given)
        return self._turn(kernel, position, move, told)

    def follow(self, position: Position, codes: list[Code | None], first: int, track: array[int]) -> int:
        """Play `codes[first:]`, each a `Move.code`, one after the other from `position`; the index of the first that
        `play` must look at, because it is no sowing, or not legal, or not what it claims to be.

        `track` gets `track_width` numbers a turn, which `Kernel.follow` tells; `records.track` reads them. The position
        must be known to be one of this game.
        """
        played: int = self._load(position).follow(codes, first, track)
        return played

    @property
    def track_width(self) -> int:
        """Numbers that `follow` leaves of a turn."""
        return 4 * self.row + 8

    @property
    def step(self) -> int:
        """The direction in which a turn begins: +1 counter-clockwise, -1 clockwise."""
        return self._config["step"]

    def trace(self, position: Position, move: Move) -> Trace:
        """The turn seed by seed; also of a turn that is illegal because it never ends, as far as its first time round.

        :raises IllegalMove: it is illegal for another reason.
        """
        try:
            turn = self.play(position, move)
        except IllegalMove as error:
            if error.reason != "endless-sowing":
                raise
            turn = None
        return self._traced(position, move, turn)

    def explain(self, position: Position, move: Move, language: str = "en") -> list[str]:
        """The turn in plain sentences; for an illegal move what sowing there is to tell, and then, as the last two,
        why it is one and what would be legal.

        :raises OptionError: there is no such language.
        """
        told_in = load_language(language)
        try:
            return explain_trace(self._traced(position, move, self.play(position, move)), told_in, self.info.terms)
        except IllegalMove as error:
            refused = error
        sown: list[str] = []
        if refused.reason == "endless-sowing":
            sown = explain_trace(self._traced(position, move, None), told_in, self.info.terms)
        elif refused.reason == "false-claim":
            sown = self.explain(position, move.choice, language)
        return sown + explain_refusal(refused, told_in, self.outcome(position) is not None)

    def _traced(self, position: Position, move: Move, turn: Turn | None) -> Trace:
        """The trace of a move that is `turn`, or endless."""
        kernel = self._loaded(position)
        if move.kind is not Kind.SOW:
            return Trace(move, position, (), turn)
        kernel.sow(move.pit_index(self.row), move.directions, MAX_EVENTS)
        told = _Told(*kernel.told())
        return Trace(turn.move if turn else move.choice, position, events_of(told.events), turn, told.cycle)

    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended, when the rules end it in this position; None while it goes on.

        Repetition and the players' own ends depend on more than a position: `records.replay` knows them.
        """
        kernel = self._loaded(position)
        mover = position.to_move
        if kernel.can_move(int(mover)) or self._must_pass(kernel, position):
            return None
        if self.options.get("rearrangement") == "any-turn" and in_row(position, mover):
            return None
        return Outcome.of("normal", self.final_score(position))

    def final_score(self, position: Position) -> tuple[int, int]:
        """The seeds of (South, North) if the game ends here: what is in ordinary pits goes to the owner of the row, in
        Anywoli to nobody."""
        south, north = owned(position)
        if self.info.family == "anywoli":
            return south, north
        return south + in_row(position, SOUTH), north + in_row(position, NORTH)

    def score(self, position: Position) -> tuple[int, int]:
        """Seeds that each side has for good: its store and what lies in its special pits."""
        return owned(position)

    def perft(self, position: Position, depth: int) -> int:
        """How many sequences of exactly `depth` turns there are; a game that ended earlier counts nothing.

        :raises OptionError: a depth below 0 or above `MAX_PERFT_DEPTH`.
        """
        if not 0 <= depth <= MAX_PERFT_DEPTH:
            raise OptionError(f"perft depth {depth} is not possible: expected 0 to {MAX_PERFT_DEPTH}")
        count: int = self._loaded(position).perft(depth)
        return count

    def _laid_out(self) -> Position:
        size = 2 * self.row
        setup = str(self.options.get("setup", ""))
        named = {named.name: named.rows for named in self.info.setups}
        if not setup:
            return Position((self.info.seeds_in_pit(self.options),) * size, (ORDINARY,) * size)
        try:
            position = Position.parse(f"{named.get(setup, setup)} 0-0 s 0")
        except PositionError as error:
            raise OptionError(f"{self.id}: setup={setup}: {'; '.join(error.faults)}") from error
        sides = [sum(position.pits[i] for i in position.pits_of(side)) for side in Side]
        half = self.info.seeds // 2
        if sides != [half, half]:
            raise OptionError(
                f"{self.id}: setup={setup} has {sides[0]} seeds for South and {sides[1]} for North, not {half} a side"
            )
        return position

    def _faults(self, position: Position) -> list[str]:
        if position.row != self.row:
            return [f"{position.row} pits a row: {self.id} is played here with {self.row}"]
        faults: list[str] = []
        if not any(position.marks):
            return faults
        for pit, (count, mark) in enumerate(zip(position.pits, position.marks, strict=True)):
            if mark in OWNED and "special" not in self.info.terms:
                faults.append(f"{position.letter(pit)} is marked as a special pit: {self.id} has none")
            elif mark in OWNED and count < 2:
                faults.append(
                    f"{position.letter(pit)} is a {self.info.terms['special']} with {count} seeds: it had 2 or more"
                )
            elif mark == CLOSED and self.info.family != "bof":
                faults.append(f"{position.letter(pit)} is closed: {self.id} closes no pits")
        for side in Side:
            # Who cannot fill one pit has lost the game; and a lap must have somewhere to fall.
            if all(position.marks[pit] == CLOSED for pit in position.pits_of(side)):
                faults.append(f"every pit of {side}'s row is closed: a row has at least one that is open")
        return faults

    def _loaded(self, position: Position) -> Any:
        """A kernel with the position in it, which must be one of this game."""
        self.verify_position(position)
        return self._load(position)

    def _load(self, position: Position) -> Any:
        """A kernel of its own for every call, so that calls in several threads never meet."""
        kernel = self._kernel_class(self._config)
        kernel.load(position.pits, position.marks, position.stores, int(position.to_move), position.ply)
        return kernel

    def _must_pass(self, kernel: Any, position: Position) -> bool:
        if not self._config["may_pass"] or kernel.can_move(int(position.to_move)):
            return False
        return bool(kernel.can_move(int(position.to_move.other)))

    def _verify_pit(self, kernel: Any, position: Position, move: Move) -> None:
        pit, letter = move.pit_index(self.row), move.pit
        mover = position.to_move
        if move.index >= self.row:
            last = pit_letter(self.row - 1 if move.side is SOUTH else 2 * self.row - 1, self.row)
            self._refuse("no-such-pit", move, position, pit=letter, last=last)
        if move.side is not mover:
            self._refuse("not-your-pit", move, position, pit=letter, owner=mover.other, mover=mover)
        count, mark = position.pits[pit], position.marks[pit]
        if mark == CLOSED:
            self._refuse("closed-pit", move, position, pit=letter)
        if mark != ORDINARY:
            owner, special = Side(OWNED.index(mark)), Term(self.info.terms["special"])
            self._refuse("special-pit", move, position, pit=letter, special=special, owner=owner, count=count)
        if count == 0:
            self._refuse("empty-pit", move, position, pit=letter)
        if not kernel.may_start(pit):
            if position.ply == 0 and self._config["right_end_first"]:
                right = position.letter(position.pits_of(mover)[-1])
                self._refuse("first-move", move, position, right=right, pit=letter)
            if self.outcome(position) is not None:
                self._refuse("game-over", move, position)
            self._refuse("must-feed", move, position, other=mover.other, pit=letter, count=count)

    def _turn(self, kernel: Any, before: Position, move: Move, told: _Told) -> Turn:
        pits, marks, stores = kernel.board()
        mover = before.to_move
        taken = [stores[SOUTH] - before.stores[SOUTH], stores[NORTH] - before.stores[NORTH]]
        taken[mover] -= told.banked
        special = ""
        if marks != before.marks:
            special = "".join(before.letter(pit) for pit in range(len(pits)) if marks[pit] != before.marks[pit])
        choices = canonical_choices(told.taken[: len(move.choices)], self.step)
        done = move.doing((taken[mover], taken[mover.other]), special, choices)
        if move.captured not in (None, done.captured or (0, 0)):
            self._refuse("false-claim.captured", move, before, written=move, done=done)
        if move.special is not None and sorted(move.special) != sorted(special):
            self._refuse("false-claim.special", move, before, written=move, done=done)
        after = Position(pits, marks, stores, mover if told.again else mover.other, before.ply + 1)
        assert after.seeds == before.seeds, f"{done} in {before} lost seeds: {after}"
        return Turn(done, before, after, (taken[SOUTH], taken[NORTH]), special, told.laps)

    def _rearrange(self, position: Position, move: Move, previous: Move | None) -> Turn:
        allowed = self.options.get("rearrangement", "none")
        if allowed == "none" or (allowed == "initial" and position.ply > 1):
            self._refuse(f"rearrangement.{'never' if allowed == 'none' else 'initial'}", move, position)
        if previous is not None and previous.kind is Kind.REARRANGE and previous.side is position.to_move:
            self._refuse("rearrangement.again", move, position, mover=position.to_move)
        try:
            pits = rearranged(position, move)
        except NotRearranged as error:
            raise self._refusal(error.why, move, position) from error
        after = position.replaced(pits=pits)
        return Turn(move, position, _next(after) if allowed == "any-turn" else after)

    def _refuse(self, name: str, move: Move, position: Position, **fields: object) -> NoReturn:
        """Refuse a move with the message ``refusals.<name>``; what stands before a dot in `name` is the reason."""
        raise self._refusal(Message(f"refusals.{name}", fields), move, position)

    def _refusal(self, why: Message, move: Move, position: Position) -> IllegalMove:
        reason = why.key.split(".")[1]
        legal = tuple(self.legal_moves(position, MAX_LEGAL_TOLD))
        if not legal and reason != "game-over" and self.outcome(position) is not None:
            why = Message("illegal.over", {"why": why})
        return IllegalMove(reason, load_language("en").tell(why), move, position, legal, why)


def _next(position: Position) -> Position:
    return position.replaced(to_move=position.to_move.other, ply=position.ply + 1)
