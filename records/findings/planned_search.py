"""The search for drafts by hands that carry out a plan, on a board that is only observed: sensors say how likely each
board is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from records.kernel.slips import CODE_NAMES
from records.moves import PASS, Turn
from records.play import Rules
from records.position import OWNED, Position, Side

from .board_counts import BoardCounts
from .drafts import Draft, Opening
from .kinds import BEGUN_EARLY, CODES, FORGOTTEN_BUTTON, KINDS, LIES_WRONG, MEANT_ANOTHER, NOTHING
from .planned_turns import AFTER_LAP, PlannedHands, PlannedSlip, TurnPlan
from .weights import Slip, SlipWeights

MAX_WORK = 300_000  # events followed in search of slips: a few tenths of a second, far above what a turn needs
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_PAIRS = 2000  # of a turn and the one after it
MAX_BEGUN = 10_000  # events of second turns that may only have begun
MAX_BACK = 50  # turns taken back
MAX_JUMPS = 3  # seeds that jump to the next pit when the table is bumped
NEGLIGIBLE = 40.0  # drafts less likely than the best by this much, as a logarithm, change no probability
UNLIKELY = 0.01  # factor for drafts that contradict the button that was pressed
_NUMBERS = {name: code for code, name in CODE_NAMES.items()}
# How often hands that carry out a plan make any of the slips that are looked for here.
CODES_LOOKED_FOR = (
    "skip", "double", "leave-behind", "break-off", "stop", "reverse", "reverse-lap", "other-pit", "take-none",
    "take-not", "take-other-store",
)  # fmt: skip
KINDS_LOOKED_FOR = ("bumped", "wrong-row", "wrong-start", "special-emptied", "wrong-side")
PLANNED_RATE = (
    sum(KINDS[CODES[code][0]].rate * CODES[code][1] for code in CODES_LOOKED_FOR)
    + sum(KINDS[kind].rate for kind in KINDS_LOOKED_FOR)
    + (NOTHING + LIES_WRONG + FORGOTTEN_BUTTON + BEGUN_EARLY + MEANT_ANOTHER)
)


class Observation(Protocol):
    """What is known of the board. Of a whole board it may see a part, the first places."""

    def likelihood(self, board: BoardCounts) -> float:
        """The log-likelihood of what was observed if `board`, as far as it is seen, is there."""

    def changes(self, board: BoardCounts, by: int) -> list[tuple[float, int]]:
        """By how much that grows when a place has `by` seeds more, and which; for all places that are seen."""

    def visible(self, board: BoardCounts) -> BoardCounts:
        """The part of a whole board that is seen."""


class PlannedSearch:
    """All that may have happened where no legal turn explains the board.

    `turns`: the legal ones, the likeliest first, because the search is bounded. `earlier`: the positions before, the
    latest last. `pressed_by`: the side that said its turn was complete, if any did. The weights of all drafts
    together are about `PLANNED_RATE`.
    """

    def __init__(
        self,
        rules: Rules,
        position: Position,
        turns: Sequence[Turn],
        observation: Observation,
        earlier: Sequence[Position] = (),
        pressed_by: Side | None = None,
    ) -> None:
        self.rules, self.position, self.turns, self.observation = rules, position, turns, observation
        self.earlier, self.pressed_by = earlier, pressed_by
        self._most = -math.inf  # the log of the likeliest draft so far
        self._openings = {
            pit: Opening(position, pit, 1 / len(turns))
            for pit in {turn.move.pit_index(rules.row) for turn in turns if turn.move != PASS}
        }

    def drafts(self) -> list[Draft]:
        """Everything but what is negligible, the slips in legal turns first."""
        # Whoever presses has sown a whole turn, and has not seen the other side do so.
        mover = self.position.to_move
        complete = UNLIKELY if self.pressed_by is mover else 1.0
        begun = UNLIKELY if self.pressed_by is mover.other else 1.0
        accidents = list(self._accidents())  # they tell soon how likely the likeliest draft is at least
        return [
            *self._slips(),
            *accidents,
            *self._wrong_starts(),
            *self.taken_back(UNLIKELY if self.pressed_by is not None else 1.0),
            *self._wrong_side(complete),
            *self._two_turns(complete, begun),
        ]

    def taken_back(self, factor: float = 1.0) -> Iterator[Draft]:
        """The board as it was before the last turns, the latest first."""
        for plies, position in enumerate(reversed(self.earlier[-MAX_BACK:]), 1):
            # Most often one turn is taken back, and two more often than three.
            opening = Opening(position, -plies - 1, factor * NOTHING / 2**plies)
            yield from self._weighed(opening, BoardCounts.of(position))

    def _weighed(
        self,
        opening: Opening,
        board: BoardCounts,
        slips: tuple[Slip, ...] = (),
        log: float = 0.0,
        plan: Turn | None = None,
        held: int = 0,
        stop: int = 0,
    ) -> Iterator[Draft]:
        """The draft with this board, unless it is negligible. `log`: the logarithm of the weight of the slips."""
        seen = self.observation.visible(board)
        log += math.log(opening.weight) + self.observation.likelihood(seen)
        if log > self._most - NEGLIGIBLE:
            self._most = max(self._most, log)
            yield Draft(log, opening, slips, held=held, board=seen, plan=plan, stop=stop)

    # Slips in legal turns

    def _slips(self) -> Iterator[Draft]:
        work = 0
        for turn in self.turns:
            if turn.move == PASS or work >= MAX_WORK:
                continue
            plan = TurnPlan.of(self.rules.trace(turn.before, turn.move))
            found: list[tuple[PlannedSlip, int, BoardCounts, int]] = []
            for planned, before in plan.slips():
                hands = before.copy()
                for stop, _ in enumerate(plan.carry_out(planned, hands)):
                    found.append((planned, stop, hands.board(), hands.hand))
                work += len(plan.trace.events) - planned.lap.lift
                if work > MAX_WORK:
                    break
            yield from self._planned(turn, found)

    def _planned(self, turn: Turn, found: Sequence[tuple[PlannedSlip, int, BoardCounts, int]]) -> Iterator[Draft]:
        """Slips in one turn as drafts: all with one code share its weight."""
        tally = [0] * 64
        for planned, *_ in found:
            tally[_NUMBERS[planned.slip.code]] += 1
        weigh = SlipWeights(tally, len(self.position.pits), True)
        opening = self._openings[turn.move.pit_index(self.rules.row)]
        for planned, stop, board, held in found:
            log = weigh(planned.slip, self.position)
            yield from self._weighed(opening, board, (planned.slip,), log, turn, held, stop)

    # Accidents after a turn

    def _accidents(self) -> Iterator[Draft]:
        """Each turn, or none, with single seeds that are missing, extra or moved: only the likeliest such seeds."""
        share = 1 / (1 + len(self.turns))
        for turn in (None, *(turn for turn in self.turns if turn.move != PASS)):
            pit = -1 if turn is None else turn.move.pit_index(self.rules.row)
            board = BoardCounts.of(self.position, 0) if turn is None else BoardCounts.of(turn.position, turn.emptied)
            seen = self.observation.visible(board)
            log = math.log(share) + self.observation.likelihood(seen)
            plain = Draft(log, Opening(self.position, pit, share), (), board=seen, plan=turn)
            for draft in (*self._lying_wrong(plain), *self._bumped(plain)):
                if draft.log > self._most - NEGLIGIBLE:
                    self._most = max(self._most, draft.log)
                    yield draft

    def _lying_wrong(self, plain: Draft) -> Iterator[Draft]:
        """One seed too few, one too many, or one in the wrong place."""
        assert plain.board is not None
        places, nowhere = len(plain.board.counts), (-math.inf, -1)
        lost, less = max(self.observation.changes(plain.board, -1), default=nowhere)
        won, more = max(self.observation.changes(plain.board, 1), default=nowhere)
        found = []
        if less >= 0:
            found.append(("end-lose", less, 0.25 / places, lost, {less: -1}))
        if more >= 0:
            found.append(("end-add", more, 0.25 / places, won, {more: 1}))
        if less >= 0 and more >= 0 and less != more:
            part = 0.5 / (places * (places - 1))
            found.append(("end-move", less * 64 + more, part, lost + won, {less: -1, more: 1}))
        for code, place, part, gain, changes in found:
            log = plain.log + math.log(LIES_WRONG * part) + gain
            slip = Slip(code, 0, AFTER_LAP, 0, place)
            yield replace(plain, log=log, slips=(slip,), board=_changed(plain.board, changes))

    def _bumped(self, plain: Draft) -> Iterator[Draft]:
        """Up to `MAX_JUMPS` seeds that jumped to a neighboring pit, each the likeliest next one."""
        pits = len(self.position.pits)
        log = plain.log + math.log(KINDS["bumped"].rate / MAX_JUMPS)
        slips: tuple[Slip, ...] = ()
        board = plain.board
        for number in range(1, MAX_JUMPS + 1):
            assert board is not None
            fewer = {place: gain for gain, place in self.observation.changes(board, -1) if place < pits}
            more = {place: gain for gain, place in self.observation.changes(board, 1) if place < pits}
            possible = [(pit, end) for pit in fewer for step in (1, -1) if (end := (pit + step) % pits) in more]
            if not possible:
                return
            start, end = max(possible, key=lambda jump: fewer[jump[0]] + more[jump[1]])
            # The seeds may have jumped in any order.
            log += fewer[start] + more[end] - math.log(len(possible) / number)
            slips = (*slips, Slip("end-move", 0, AFTER_LAP, 0, start * 64 + end))
            board = _changed(board, {start: -1, end: 1})
            yield replace(plain, log=log, slips=slips, board=board)

    # Turns that begin wrong

    def _wrong_starts(self) -> Iterator[Draft]:
        """Every pit with seeds that a turn may not begin in; and, for a turn that was broken off, those that it may."""
        position = self.position
        legal = {turn.move.pit_index(self.rules.row) for turn in self.turns if turn.move != PASS}
        starts: dict[tuple[str, float], list[tuple[int, list[BoardCounts]]]] = {}
        for pit, count in enumerate(position.pits):
            if not count:
                continue
            hands = PlannedHands(position)
            boards = [hands.board() for _ in hands.sow(pit, self.rules.step)]
            starts.setdefault(self._start_kind(pit, pit in legal), []).append((pit, boards))
        for (kind, rate), found in starts.items():
            weight = rate / sum(len(boards) for _, boards in found)
            for pit, boards in found:
                opening = Opening(position, pit, weight, kind)
                for stop, board in enumerate(boards):
                    yield from self._weighed(opening, board, stop=stop)

    def _start_kind(self, pit: int, legal: bool) -> tuple[str, float]:
        """Why no turn should have begun in a pit, and how often one does."""
        position = self.position
        if legal:
            return "wrong-pit", MEANT_ANOTHER
        kind = "wrong-row" if position.side_of(pit) is not position.to_move else "wrong-start"
        if position.marks[pit] in OWNED:
            kind = "special-emptied"
        return kind, KINDS[kind].rate

    def _wrong_side(self, factor: float) -> Iterator[Draft]:
        turned = self.position.replaced(to_move=self.position.to_move.other)
        turns = [turn for turn in self.rules.turns(turned, limit=MAX_OTHER_TURNS) if turn.move != PASS]
        for turn in turns:
            weight = factor * KINDS["wrong-side"].rate / len(turns)
            opening = Opening(turned, turn.move.pit_index(self.rules.row), weight, "wrong-side")
            yield from self._weighed(opening, BoardCounts.of(turn.position, turn.emptied), plan=turn)

    # Two turns

    def _two_turns(self, complete: float, begun: float) -> Iterator[Draft]:
        """Each legal turn with each that may follow it, complete or only begun; `complete` and `begun` are factors."""
        pairs: list[tuple[Turn, Turn]] = []
        for first in self.turns:
            if len(pairs) >= MAX_PAIRS:
                break
            seconds = self.rules.turns(first.position, limit=MAX_OTHER_TURNS)
            pairs += ((first, second) for second in seconds if second.move != PASS)
        work = 0
        for first, second in pairs:
            weight = complete * FORGOTTEN_BUTTON / len(pairs)
            opening = Opening(first.position, second.move.pit_index(self.rules.row), weight, "two-turns", first)
            board = BoardCounts.of(second.position, first.emptied | second.emptied)
            yield from self._weighed(opening, board, plan=second)
            if work > MAX_BEGUN:
                continue
            plan = TurnPlan.of(self.rules.trace(first.position, second.move))
            work += len(plan.trace.events)
            if second.move.choices or work > MAX_BEGUN:
                continue  # a turn with choices begins like the one without
            yield from self._begun(replace(opening, weight=begun * BEGUN_EARLY / len(pairs)), plan)

    def _begun(self, opening: Opening, plan: TurnPlan) -> Iterator[Draft]:
        assert opening.turn is not None
        found = list(plan.unfinished(opening.turn.emptied))
        for planned, board, held in found:
            log = -math.log(len(found))
            yield from self._weighed(opening, board, (planned.slip,), log, plan.trace.turn, held)


def _changed(board: BoardCounts, changes: dict[int, int]) -> BoardCounts:
    return BoardCounts(tuple([count + changes.get(at, 0) for at, count in enumerate(board.counts)]), board.emptied)
