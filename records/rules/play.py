"""The rules at work: start, legal turns, play, the end of a game. The sowing itself is in `records.kernel.sowing`."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, NoReturn

from inkeek.records.errors import A_LISTED_TURN, Budget, ErrorText, OptionError, PositionError, expect, joined_texts
from inkeek.records.explain import explain_refusal, explain_trace
from inkeek.records.kernel.board import MutableBoard
from inkeek.records.kernel.codes import STATUSES, Sown
from inkeek.records.kernel.loader import kernels_of
from inkeek.records.language import Message, Term, load_language
from inkeek.records.moves import (
    MAX_CHOICES,
    PASS,
    Code,
    IllegalMove,
    Kind,
    Listed,
    Move,
    Turn,
    as_move,
    canonical_move,
)
from inkeek.records.position import CLOSED, NORTH, ORDINARY, OWNED, SOUTH, SUCH_AS, Position, Side, pit_letter

from .outcome import Outcome, in_row, owned
from .rearrangement import is_rearranged, rearrange, why_not_now
from .ruleset import EQUAL, RuleSet, Value, load_ruleset
from .trace import MAX_EVENTS, Trace, events_of

MAX_TRIES = 1_000_000  # series of choices tried for one list of legal turns
MAX_TURNS = 10_000  # in one list; 113 were seen in play, but direction_choice=each-relay can offer any number
MAX_LEGAL_LISTED = 200  # legal moves listed in an error
MAX_PERFT_DEPTH = 60
ENDED, ENDLESS, UNSETTLED, NOT_STARTED, TOO_MANY_CHOICES = STATUSES  # what `Kernel.sow` answers


def ruleset(id: str | RuleSet, /, *, kernel: str | None = None, **options: Value) -> Rules:
    """The rules of a game under options (`docs/rules.md` lists them); the others follow from these or are defaults.

    The game is one of ours, or a rule set from `read_ruleset`. `kernel` forces a mode of the kernel: "compiled"
    or "interpreted".
    :raises OptionError: an unknown game, option or value, or a contradiction; lists what is allowed.
    """
    info = id if isinstance(id, RuleSet) else load_ruleset(id)
    return Rules(info, info.resolve(options), kernel=kernel)


def rules_at(id: str | RuleSet, options: Mapping[str, Value], position: Position) -> Rules:
    """The rules of a game that is set up as `position`: the options need not name a set-up, nor the number of pits.

    :raises RecordsError: they do not fit together.
    """
    expect(position, Position, SUCH_AS)
    info = id if isinstance(id, RuleSet) else load_ruleset(id)
    try:
        resolved = info.resolve({"pits": position.row, **options}, laid_out=False)
        return Rules(info, resolved, position).starting_from(position)
    except (OptionError, PositionError) as error:
        if isinstance(error, PositionError) or (error.field == "options.pits" and "pits" not in options):
            error.field = "position"
        raise


class Rules:
    """One game under fixed options. It has no state: every method is a function of its arguments.

    Rules are equal if they are the same game with the same options and the same start. Where a move is wanted, its text
    does too.
    """

    def __new__(cls, info: RuleSet, *_: object, **__: object) -> Rules:
        return super().__new__(cls if info.is_known else UnknownRules)

    def __init__(
        self,
        info: RuleSet,
        options: Mapping[str, Value],
        start: Position | None = None,
        kernel: str | None = None,
        by_table: bool = False,
        has_gaps: bool = False,
    ) -> None:
        """`by_table`: the kernel runs the game's table, even if it has code of its own for the game."""
        self.info = info
        self.options = dict(options)
        self.row = int(options["pits"])
        self._by_table = by_table
        self.settings: Mapping[str, Any] = self.options
        """The options, and what the table of a game that the kernel has no code for says in the same words."""
        self._kernel_mode = kernel
        if info.is_known:
            self.family = info.family_under(options, by_table)
            self._kernels = kernels_of(kernel, self.family, info.seeds_on_board(options), tuple(options.items()))
            if self.family.table is not None:
                self.settings = {**options, **dict(self.family.table.settings)}
        self.step = -1 if self.settings.get("direction") == "cw" else 1
        """The direction in which a turn begins: +1 counter-clockwise, -1 clockwise."""
        self._first_turns_vary = (
            options.get("bulls_on_first_move") is False and options.get("rearrangement") == "any-turn"
        )
        self._letters = tuple(pit_letter(pit, self.row) for pit in range(2 * self.row))
        self._start = start or standard_start(info, self.options)
        self.seeds = self._start.seeds
        self.has_gaps = has_gaps
        """Whether positions may have unknown or other numbers of seeds, as after turns that nobody saw."""

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def changed(self) -> dict[str, Value]:
        """The options that differ from the rule set's defaults: what a record's `Options` tag carries."""
        return {name: value for name, value in self.options.items() if value != self.info.option(name).default}

    def __repr__(self) -> str:
        return f"ruleset({', '.join([repr(self.id), *(f'{k}={v!r}' for k, v in self.changed.items())])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        mine = (self.info, self.options, self._start, self.has_gaps)
        return mine == (other.info, other.options, other._start, other.has_gaps)

    def __hash__(self) -> int:
        return hash((self.id, self._start))

    def __reduce__(self) -> tuple[Any, ...]:  # without the kernels, which cannot leave their process
        return Rules, (self.info, self.options, self._start, self._kernel_mode, self._by_table, self.has_gaps)

    def with_gaps(self) -> Rules:
        """The same rules for a game of which turns may not have been seen."""
        return Rules(self.info, self.options, self._start, self._kernel_mode, self._by_table, has_gaps=True)

    def verify_known(self) -> None:
        """Check that the program knows the rules.

        :raises OptionError: it does not, and only keeps what was laid out after each turn.
        """

    def starting_from(self, position: Position) -> Rules:
        """The same rules for a game that is set up as `position`, with as many seeds as that has.

        :raises PositionError: the position does not fit the game.
        """
        faults = position_faults(position, self.info, self.row, first_turns_vary=self._first_turns_vary)
        if position.seeds == 0:
            faults.append(ErrorText("there are no seeds"))
        if faults:
            raise PositionError(str(position), faults)
        return Rules(self.info, self.options, position, self._kernel_mode, self._by_table, self.has_gaps)

    def start(self) -> Position:
        """The position before the first turn."""
        return self._start

    def verify_position(self, position: Position, seeds: int | None = None) -> None:
        """Check that a position can be one of this game; with so many seeds, if that is said.

        :raises PositionError: it cannot; holds every reason.
        """
        faults = position_faults(position, self.info, self.row, first_turns_vary=self._first_turns_vary)
        if seeds is None:
            seeds = position.seeds if self.has_gaps else self.seeds
        if position.is_known and position.seeds != seeds:
            faults.append(
                ErrorText(
                    "%(seeds)s seeds in pits and stores: the game was set up with %(wanted)s",
                    seeds=position.seeds,
                    wanted=seeds,
                )
            )
        if faults:
            raise PositionError(str(position), faults)

    def verify_seen(self, position: Position) -> None:
        """Check that a position with ``?`` for what nobody saw can be one of this game, whatever its seeds.

        :raises PositionError: it cannot; holds every reason.
        """
        filled = position.with_unknown(2)
        faults = position_faults(filled, self.info, self.row, first_turns_vary=self._first_turns_vary)
        if faults:
            raise PositionError(str(position), faults)

    def turns(self, position: Position, limit: int | None = None, budget: Budget | None = None) -> Listed[Turn]:
        """All legal turns with their results, in order of pit, then of choices; each is sown once.

        One `PASS` where passing is the one legal move; empty when the game is over. Rearrangements are never listed.
        At most `limit` turns (`MAX_TURNS`), and at most ten times as many series of choices are tried (`MAX_TRIES`);
        `complete` of the answer says whether that was enough. In a position that is not known, one unchecked turn from
        each pit that is not known to be empty.
        :raises PositionError: the position is not of this game.
        """
        kernel = self._load(position, budget)
        if kernel is None:
            letters = (position.letter(pit) for pit in position.pits_of(position.to_move))
            tried = (self._attempt_unchecked(position, Move(letter), None)[0] for letter in letters)
            return Listed(turn for turn in tried if turn is not None)
        most = limit if limit is not None else MAX_TURNS
        turns = Listed(
            self._turn(position, result)
            for result in kernel.turns(most, MAX_TRIES if limit is None else min(10 * most, MAX_TRIES))
        )
        turns.complete = kernel.all_found()
        if not turns and self._must_pass(kernel, position):
            turns.append(Turn(PASS, position, position.after_pass()))
        return turns

    def legal_moves(self, position: Position, limit: int | None = None, budget: Budget | None = None) -> Listed[Move]:
        """The moves of `turns(position, limit, budget)`: canonical, with what they do as claims.

        :raises PositionError: the position is not of this game.
        """
        turns = self.turns(position, limit, budget)
        moves = Listed(turn.move for turn in turns)
        moves.complete = turns.complete
        return moves

    def is_legal(self, position: Position, move: Move | str) -> bool:
        """Whether `play` would accept the move."""
        return self._attempt(position, as_move(move))[1] is None

    def play(
        self, position: Position, move: Move | str, previous: Move | None = None, budget: Budget | None = None
    ) -> Turn:
        """Play a move.

        A position does not say whether its side has rearranged already: pass the move before this one as `previous`
        where it is known. With a `budget`, what is sown comes out of that.
        :raises IllegalMove: the rules forbid it, or it does not do what it claims.
        :raises PositionError: the position is not of this game.
        :raises MoveSyntaxError: the text is not a move in any position.
        :raises BudgetSpent: the budget was not enough to know.
        """
        move = as_move(move)
        turn, why = self._attempt(position, move, previous, budget=budget)
        if turn is None or why is not None:
            if budget is not None:
                budget.verify()
            raise self._illegal(position, move, why, budget)
        return turn

    def follow(
        self,
        position: Position,
        codes: list[Code | None],
        first: int,
        track: array[int],
        budget: Budget | None = None,
    ) -> int:
        """Play `codes[first:]`, each a `Move.code`, one after the other from `position`.

        Returns the index of the first that `play` must look at: it is not a sowing, or not legal, or does not do what
        it claims. Writes `track_width` numbers for each turn into `track`: see `Kernel.follow`.
        """
        kernel = self._load(position, budget)
        played: int = first if kernel is None else kernel.follow(codes, first, track)
        return played

    def texts(self, track: array[int], first: int, end: int, ply: int) -> list[str]:
        """The texts of the positions after the turns `first` to `end` - 1 of a track: see `Kernel.texts`."""
        found: list[str] = self._kernels.kernel.texts(track, first, end, ply)
        return found

    @property
    def track_width(self) -> int:
        """Numbers that `follow` writes for a turn."""
        return 4 * self.row + 10

    def board(self, position: Position) -> MutableBoard:
        """A fast board for engines, to play on and to take back on. `inkeek.records.Board` does more.

        :raises PositionError: the position is not of this game.
        """
        self.verify_position(position)
        return MutableBoard(self, position)

    def trace(self, position: Position, move: Move | str) -> Trace:
        """The turn seed by seed, from one sowing; also of a turn that is illegal because it never ends.

        :raises IllegalMove: it is illegal for another reason.
        """
        move = as_move(move)
        trace, why = self._attempt_traced(position, move)
        if why is not None and not is_endless(why):
            raise self._illegal(position, move, why)
        return trace

    def describe(self, trace: Trace, language: str = "en") -> list[str]:
        """A trace in plain sentences.

        :raises OptionError: there is no such language.
        """
        return explain_trace(trace, load_language(language), self.info)

    def explain(self, position: Position, move: Move | str, language: str = "en") -> list[str]:
        """The turn in plain sentences. Of an illegal move the last two say why it is illegal and what is legal; before
        them comes what can be sown of it.

        :raises OptionError: there is no such language.
        """
        words = load_language(language)
        move = as_move(move)
        trace, why = self._attempt_traced(position, move)
        sentences = self.describe(trace, language) if why is None or trace.events else []
        return sentences + (explain_refusal(self._illegal(position, move, why), words) if why is not None else [])

    def outcome(self, position: Position, budget: Budget | None = None) -> Outcome | None:
        """How the game ended, if the rules end it in this position; None while it goes on.

        Repetition and ends that players agree on depend on more than a position: `inkeek.records.replay` knows them.
        :raises BudgetSpent: the budget was not enough to know.
        """
        kernel = self._load(position, budget)
        if kernel is None:
            return None
        mover = position.to_move
        if kernel.can_move(mover) or self._must_pass(kernel, position):
            return None
        if budget is not None:
            budget.verify()
        if self.options.get("rearrangement") == "any-turn" and in_row(position, mover):
            return None
        return Outcome.of("normal", self.final_score(position))

    def repetition(self, position: Position, times: int) -> Outcome | None:
        """The outcome if a player ends the game now that the position has occurred `times` times; None if that is not
        often enough."""
        needed = int(self.options["repetition"])
        return Outcome.of("repetition", self.final_score(position)) if 0 < needed <= times else None

    def final_score(self, position: Position) -> tuple[int, int]:
        """The seeds of (South, North) if the game ends here, by what the rule set says of seeds in ordinary pits."""
        expect(position, Position, SUCH_AS)
        south, north = owned(position)
        if self.info.remaining_seeds == "nobody":
            return south, north
        rows = in_row(position, SOUTH), in_row(position, NORTH)
        if self.info.remaining_seeds == "opponent":
            rows = (0, sum(rows)) if position.to_move is SOUTH else (sum(rows), 0)
        return south + rows[0], north + rows[1]

    def score(self, position: Position) -> tuple[int, int]:
        """Seeds that each side keeps whatever happens: those in its store and in its special pits."""
        expect(position, Position, SUCH_AS)
        return owned(position)

    def perft(self, position: Position, depth: int) -> int:
        """How many sequences of exactly `depth` turns there are; a game that ends earlier counts nothing.

        :raises OptionError: a depth below 0 or above `MAX_PERFT_DEPTH`.
        """
        if not 0 <= depth <= MAX_PERFT_DEPTH:
            raise OptionError(f"perft depth {depth} is not possible: expected 0 to {MAX_PERFT_DEPTH}")
        count: int = self._load(position).perft(depth)
        return count

    def _load(self, position: Position, budget: Budget | None = None) -> Any:
        """This thread's kernel with the position in it, limited by the budget; None if the position is not known.

        :raises PositionError: the position is not of this game.
        """
        if not isinstance(position, Position):  # a call for each turn would take a tenth of its time
            expect(position, Position, SUCH_AS)
        kernel = self._kernels.kernel
        seeds = kernel.load(*position)
        if seeds != self.seeds and (seeds < 0 or not self.has_gaps):
            if self.has_gaps and not position.is_known:
                self.verify_seen(position)
                return None
            self.verify_position(position)
        if budget is not None:
            budget.limit(kernel)
        return kernel

    def _must_pass(self, kernel: Any, position: Position) -> bool:
        if self.settings.get("no_move") != "pass" or kernel.can_move(position.to_move):
            return False
        return bool(kernel.can_move(position.to_move.other))

    def _attempt(
        self,
        position: Position,
        move: Move,
        previous: Move | None = None,
        events: int = 0,
        budget: Budget | None = None,
    ) -> tuple[Turn | None, Message | None]:
        """Play a move: its turn, or why it is illegal; both where the turn does not do what the move claims.

        The kernel records at most `events` events.
        """
        kernel = self._load(position, budget)
        if kernel is None:
            return self._attempt_unchecked(position, move, previous)
        if move.kind is not Kind.SOW:
            return self._attempt_without_sowing(kernel, position, move, previous)
        code = move.code or move.choice.code
        status = NOT_STARTED if code is None else kernel.sow(*code[:4], events)
        if status != ENDED:
            return None, self._why_not(kernel, status, position, move)
        turn = self._turn(position, kernel.result())
        return turn, false_claim(move, turn.move)

    def _attempt_unchecked(
        self, position: Position, move: Move, previous: Move | None
    ) -> tuple[Turn | None, Message | None]:
        """Play a move in a position that is not known: its claims stay unchecked, and nobody knows where it leads."""
        allowed, why = self.options.get("rearrangement", "none"), None
        if self.family.banks and move.side is not None:  # either side may have moved again
            position = position.replaced(to_move=move.side)
        if move.kind in (Kind.IRREGULAR, Kind.GAP):
            why = refused("irregular")
        elif move.kind is Kind.PASS:
            why = None if self.settings.get("no_move") == "pass" else refused("must-move")
        elif move.kind is Kind.REARRANGE:
            why = why_not_now(allowed, position, previous)
            if why is None and move.side is not position.to_move:
                owner, mover = position.to_move.other, position.to_move
                why = refused("not-your-pit", pit=move.emptied[0], owner=owner, mover=mover)
        else:
            why = wrong_pit(position, move, self.info.terms)
        if why is not None:
            return None, why
        after = position.after_unseen(1)
        if move.kind is Kind.REARRANGE and allowed == "initial":
            after = after.replaced(to_move=position.to_move, ply=position.ply)
        taken = move.captured or (0, 0)
        captured = taken if position.to_move is SOUTH else taken[::-1]
        return Turn(move, position, after, captured, move.special or ""), None

    def _attempt_without_sowing(
        self, kernel: Any, position: Position, move: Move, previous: Move | None
    ) -> tuple[Turn | None, Message | None]:
        if move.kind in (Kind.IRREGULAR, Kind.GAP):
            return None, refused("irregular")
        if move.kind is Kind.PASS:
            if not self._must_pass(kernel, position):
                return None, refused("must-move")
            return Turn(PASS, position, position.after_pass()), None
        allowed = self.options.get("rearrangement", "none")
        why = why_not_now(allowed, position, previous)
        if why is not None:
            return None, why
        after = rearrange(position, move, bool(self.options.get("rearrange_into_bulls")))
        if isinstance(after, Message):
            return None, after
        if allowed == "initial":
            return Turn(move, position, after), None
        if position.ply <= 1 and self._first_turns_vary:
            after = after.replaced(unsown=after.unsown | 1 << position.to_move)
        return Turn(move, position, after.after_pass()), None

    def _turn(self, position: Position, sown: Sown) -> Turn:
        assert sown.seeds == self.seeds or self.has_gaps, (
            f"{self._letters[sown.pit]}{sown.choices} in {position} changed the number of seeds to {sown.seeds}"
        )
        mover = position.to_move
        south = mover is SOUTH
        letters = "".join(letter for k, letter in enumerate(self._letters) if sown.special >> k & 1)
        taken = sown.captured if south else sown.captured[::-1]
        return Turn(
            canonical_move(self._letters[sown.pit], sown.choices, taken, letters, self.step),
            position,
            Position(
                sown.pits,
                position.marks if sown.marks is None else sown.marks,
                sown.stores,
                mover if sown.again else (NORTH if south else SOUTH),
                position.ply + 1,
                position.unsown and position.unsown & ~(1 << mover),
            ),
            sown.captured,
            letters,
            sown.laps,
            sown.emptied,
            sown.end,
        )

    def _attempt_traced(self, position: Position, move: Move) -> tuple[Trace, Message | None]:
        turn, why = self._attempt(position, move, None, MAX_EVENTS)
        if move.kind is not Kind.SOW or not position.is_known or (turn is None and not is_endless(why)):
            return Trace(move, position, (), turn), why
        kernel = self._kernels.kernel
        return (
            Trace(
                turn.move if turn else move.choice, position, events_of(kernel.recorded()), turn, kernel.failure()[1]
            ),
            why,
        )

    def _why_not(self, kernel: Any, status: int, position: Position, move: Move) -> Message:
        laps, cycle, offered = kernel.failure()
        if status == ENDLESS:
            return refused("endless-sowing.cycle", cycle=cycle)
        if status == UNSETTLED:
            return refused("endless-sowing.unsettled", laps=laps)
        if status == TOO_MANY_CHOICES:
            return refused("no-such-choice.few", offered=offered, given=len(move.choices))
        why = wrong_pit(position, move, self.info.terms)
        if why is not None:
            return why
        pit, mover = move.pit_index(self.row), position.to_move
        if kernel.may_start(pit):
            return refused("no-such-choice.many", most=MAX_CHOICES)
        if position.ply == 0 and self.settings.get("first_move") == "right-end":
            return refused("first-move", right=self._letters[position.pits_of(mover)[-1]], pit=move.pit)
        if self.outcome(position) is not None:
            return refused("game-over")
        return refused("must-feed", other=mover.other, pit=move.pit, count=position.pits[pit])

    def _illegal(
        self, position: Position, move: Move, why: Message | None, budget: Budget | None = None
    ) -> IllegalMove:
        assert why is not None, "an attempt without a turn says why"
        most = MAX_LEGAL_LISTED if budget is None else max(1, min(MAX_LEGAL_LISTED, budget.left // A_LISTED_TURN))
        legal = tuple(self.legal_moves(position, most, budget))
        if budget is not None:
            budget.spend(A_LISTED_TURN * len(legal))
        return IllegalMove(move, position, why, legal, over=not legal and self.outcome(position, budget) is not None)


class UnknownRules(Rules):
    """The rules of a game that nobody has described to the program.

    Its turns are irregular turns: each is written with the position that it led to, of which only the shape is checked.
    No turn is legal, and the rules never end the game. What needs rules raises `OptionError`.
    """

    @property
    def changed(self) -> dict[str, Value]:
        """As of other rules, without the number of pits, which a set-up says."""
        return {name: value for name, value in super().changed.items() if name != "pits"}

    def verify_known(self) -> None:
        raise OptionError(
            ErrorText("The rules of %(game)s are not known: its turns can be kept, but not checked.", game=self.id)
        )

    def verify_position(self, position: Position, seeds: int | None = None) -> None:
        """:raises PositionError: it has rows of another length than the set-up."""
        self.starting_from(position)

    def turns(self, position: Position, limit: int | None = None, budget: Budget | None = None) -> Listed[Turn]:
        turns: Listed[Turn] = Listed()
        turns.complete = False
        return turns

    def follow(
        self,
        position: Position,
        codes: list[Code | None],
        first: int,
        track: array[int],
        budget: Budget | None = None,
    ) -> int:
        return first

    def outcome(self, position: Position, budget: Budget | None = None) -> Outcome | None:
        return None

    def board(self, position: Position) -> NoReturn:
        """:raises OptionError: the rules are not known."""
        self._load(position)

    def _load(self, position: Position, budget: Budget | None = None) -> NoReturn:
        self.verify_known()
        raise AssertionError

    def _attempt(
        self,
        position: Position,
        move: Move,
        previous: Move | None = None,
        events: int = 0,
        budget: Budget | None = None,
    ) -> tuple[Turn | None, Message | None]:
        return None, refused("unknown-rules")


# What the rules refuse.


def position_faults(position: Position, info: RuleSet, row: int, *, first_turns_vary: bool) -> list[str]:
    """Why a position does not fit a game with `row` pits in a row, seeds apart. `Kernel.load` must let none of these
    pass. `first_turns_vary`: whether positions say who has not sown yet.

    :raises TypeError: it is no position.
    """
    expect(position, Position, SUCH_AS)
    if position.row != row:
        text = ErrorText(
            "%(pits)s pits a row: %(game)s is played here with %(row)s", pits=position.row, game=info.id, row=row
        )
        return [text]
    faults: list[str] = []
    if not position.is_known:
        faults.append(ErrorText("it has ? for seeds that nobody counted: expected the number"))
    if position.unsown and not (first_turns_vary and position.ply):
        faults.append(
            ErrorText(
                "it says who has not sown yet: expected that only after a rearrangement, with rearrangement=any-turn "
                "and bulls_on_first_move=false"
            )
        )
    if not any(position.marks):
        return faults
    for pit, (count, mark) in enumerate(zip(position.pits, position.marks, strict=True)):
        letter = position.letter(pit)
        if mark in OWNED and "special" not in info.terms:
            faults.append(ErrorText("%(pit)s is marked as a special pit: %(game)s has none", pit=letter, game=info.id))
        elif mark in OWNED and count < info.least_special and info.is_known:
            values = {"pit": letter, "special": info.terms["special"], "seeds": count}
            faults.append(ErrorText("%(pit)s is a %(special)s with %(seeds)s seeds: expected 2 or more", **values))
        elif mark == CLOSED and not info.closes_pits:
            faults.append(ErrorText("%(pit)s is closed: %(game)s closes no pits", pit=letter, game=info.id))
    for side in Side:
        # Who cannot fill one pit has lost the game; and a lap needs a pit to end in.
        if all(position.marks[pit] == CLOSED for pit in position.pits_of(side)):
            faults.append(ErrorText("every pit of %(side)s's row is closed: expected at least one open pit", side=side))
    return faults


def refused(name: str, **fields: object) -> Message:
    """The message ``refusals.<name>``; the part of `name` before a dot is the reason of the error."""
    return Message(f"refusals.{name}", fields)


def is_endless(message: Message | None) -> bool:
    return message is not None and message.key.startswith("refusals.endless-sowing.")


def wrong_pit(position: Position, move: Move, terms: Mapping[str, str]) -> Message | None:
    """Why no sowing can start from the move's pit; None if the pit is the mover's, ordinary and not empty.

    `terms` are the words of the rule set.
    """
    row, mover = position.row, position.to_move
    if move.index >= row:
        last = pit_letter(row - 1 if move.side is SOUTH else 2 * row - 1, row)
        return refused("no-such-pit", pit=move.pit, last=last)
    if move.side is not mover:
        return refused("not-your-pit", pit=move.pit, owner=mover.other, mover=mover)
    pit = move.pit_index(row)
    count, mark = position.pits[pit], position.marks[pit]
    if mark == CLOSED:
        return refused("closed-pit", pit=move.pit)
    if mark != ORDINARY:
        owner, special = Side(OWNED.index(mark)), Term(terms["special"])
        return refused("special-pit", pit=move.pit, special=special, owner=owner, count=count)
    return refused("empty-pit", pit=move.pit) if count == 0 else None


def false_claim(move: Move, done: Move) -> Message | None:
    """What a move claims that its turn, in canonical form `done`, does not do."""
    if move.captured is not None and move.captured != (done.captured or (0, 0)):
        claimed, captured = (
            ",".join(map(str, pair if pair[1] else pair[:1])) for pair in (move.captured, done.captured or (0, 0))
        )
        return refused("false-claim.captured", done=done, claimed=claimed, captured=captured)
    if move.special is not None and sorted(move.special) != sorted(done.special or ""):
        special = list(done.special) if done.special else Message("words.none", {})
        return refused("false-claim.special", done=done, claimed=list(move.special), special=special)
    return None


# The set-up that options ask for.


def standard_start(info: RuleSet, options: Mapping[str, Value]) -> Position:
    """The position before the first turn.

    :raises OptionError: the rows of `setup` are not valid.
    """
    size, setup = 2 * int(options["pits"]), str(options.get("setup", EQUAL))
    if setup == EQUAL:
        return Position((info.seeds_in_pit(options),) * size, (ORDINARY,) * size)
    named = {named.name: _position(info, setup, named.rows) for named in info.setups if 2 * named.pits == size}
    if setup in named:
        return named[setup]
    position = _position(info, setup, setup)
    south, north = sum(position.pits[: position.row]), sum(position.pits[position.row :])
    usual = ErrorText("as many on both sides")
    if not info.other_seeds:
        usual = ErrorText("%(half)s on both sides", half=info.seeds // 2)
    if south != north or not south or not (info.other_seeds or 2 * south == info.seeds):
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s has %(south)s seeds for South and %(north)s for North: expected %(usual)s",
                id=info.id,
                setup=setup,
                south=south,
                north=north,
                usual=usual,
            ),
            "options.setup",
        )
    is_new = named and not any(is_rearranged(before, position) for before in named.values())
    if options.get("rearrangement") == "setup" and is_new:
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s does not follow from a named set-up (%(names)s), as rearrangement=setup asks: "
                "expected both rows of one of these, each with at most two pits that have fewer seeds there",
                id=info.id,
                setup=setup,
                names=", ".join(named),
            ),
            "options.setup",
        )
    return position


def _position(info: RuleSet, setup: str, rows: str) -> Position:
    try:
        return Position.parse(f"{rows} 0-0 s 0")
    except PositionError as error:
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s: %(faults)s",
                id=info.id,
                setup=setup,
                faults=joined_texts(error.faults, "; "),
            ),
            "options.setup",
        ) from error
