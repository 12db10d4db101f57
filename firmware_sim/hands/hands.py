"""The hands of both players: they play a planned game on the board, seed by seed, and watch its lights."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from random import Random

from inkeek.firmware_sim.errors import GaveUp
from inkeek.firmware_sim.firmware.panel import LightPanel
from inkeek.firmware_sim.world import World

from .mistakes import PRESS, Steps
from .plan import IN_HAND, GamePlan, HandPath, PlannedTurn, Step

MAX_TRIES = 5  # commits of one turn: after that many refusals a person calls the arbiter
LONG_MS = 2000  # how long a button is held for a long press
LOOK_MS = 10  # between two looks at the lights
MOMENTS = ("start", "middle", "button")  # of a turn, when trouble may come; `button` is just after the commit

Moment = tuple[int, str]  # a turn (from 1) and one of `MOMENTS`
Report = Callable[[Mapping[str, object]], None]  # takes one event, with the key ``event``
Trouble = Callable[[int, str], None]  # called with the turn and the moment


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a person takes, in milliseconds."""

    lay: int = 400  # to fill a pit before the game
    think: tuple[int, int] = (1000, 2000)  # before a turn: from, to
    lift: int = 500  # to pick up a handful or captured seeds
    seed: int = 250  # from one seed to the next
    button: int = 400  # from the last seed to the button, and to release it
    notice: int = 1500  # to notice a refusal
    remember: int = 6000  # to remember a forgotten button, or to give up waiting for an undo
    patience: int | None = None  # to press again if no light answers, in real time; default: never


@dataclass
class Hands:
    """Plays `plan` in `world` and watches `lights`. It owns no clock: `step` moves it.

    `mistakes` gives the kind and the steps of mistakes by turn (from 1); `troubles` are called at their moments.

    :raises SimulatorError: a mistake or a trouble belongs to a turn that the plan does not have.
    """

    plan: GamePlan
    world: World
    lights: LightPanel  # replaced when the board restarts
    random: Random
    report: Report
    _: KW_ONLY
    pace: Pace = Pace()
    mistakes: Mapping[int, tuple[str, Steps]] = field(default_factory=dict)
    troubles: Mapping[Moment, Sequence[Trouble]] = field(default_factory=dict)
    accepts: bool = False  # a turn that was refused, if the lights offer it
    waiting: bool = field(default=False, init=False)  # for the lights
    done: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        for ply in (*self.mistakes, *(ply for ply, _ in self.troubles)):
            self.plan.turn(ply)
        self._pair = [_Hand(2 * self.plan.row), _Hand(2 * self.plan.row)]  # the mover's, and the other side's
        self._now = 0
        self._begun = 0  # steps of the next turn that the other side has already done
        self._set_mark(0)
        self._next_at = 0
        self._script = self._play_game()

    def step(self, now: int) -> None:
        """Do whatever is due by `now` (milliseconds).

        :raises GaveUp: a turn was refused `MAX_TRIES` times, or its press changed nothing so often, or the lights show
            the end of the game too early.
        """
        while not self.done and now >= self._next_at:
            self._now = now
            delay = next(self._script, None)
            if delay is None:
                self.done = True
            else:
                self._next_at = now + delay

    def _play_game(self) -> Iterator[int]:
        for place, count in enumerate(self.plan.counts):
            if count:
                yield self.pace.lay
                self.world.add(place, count)
        self.report({"event": "laid-out", "counts": list(self.plan.counts)})
        while not (yield from self._watch(lambda: self._lit_side() == self.plan.first_side, self.pace.patience)):
            yield from self._press(self.plan.first_side, "commit")  # any press gets an answer from the host
        for turn in self.plan.turns:
            self._start_troubles(turn, "start")
            if not self._begun:
                yield self.random.randint(*self.pace.think)
            tries = yield from self._play(turn)
            self.report({"event": "turn", "ply": turn.ply, "move": turn.move, "side": turn.side, "tries": tries})
        moves = [turn.move for turn in self.plan.turns]
        self.report({"event": "finished", "moves": moves, "position": str(self.plan.end)})

    def _play(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """Play a turn and its buttons; return how many commits it took."""
        kind, steps = self.mistakes.get(turn.ply, ("", (*turn.steps, PRESS)))
        begun, self._begun = self._begun, 0
        sown = next((at for at, step in enumerate(steps) if step.kind == "press"), len(steps))
        middle = max(sown // 2, begun)
        tries = 0
        for number, step in enumerate(steps[begun:], begun):
            if number == middle:
                self._start_troubles(turn, "middle")
            if number == sown:
                yield from self._finish_sowing(turn, kind)
            if step.kind == "press":
                tries += yield from self._commit(turn)
            elif step.kind == "undo":
                if not (yield from self._undo(turn)):
                    return tries
            else:
                yield from self._do(step)
        if not steps:
            self._start_troubles(turn, "middle")
        if sown == len(steps):  # the button was forgotten
            yield from self._finish_sowing(turn, kind)
            accepted = yield from self._watch(lambda: self._answer(turn) == "accepted", self.pace.remember)
            tries = 1 if accepted else (yield from self._commit(turn))
        self._begun = sum(step.hand for step in steps) if self._pair[1].stones else 0
        self._pair.reverse()
        return tries

    def _finish_sowing(self, turn: PlannedTurn, kind: str) -> Iterator[int]:
        yield from self._sow_on(self._pair[0])
        self._set_mark(0)
        if kind:
            self.report({"event": "mistake", "ply": turn.ply, "kind": kind, "move": turn.move})

    def _start_troubles(self, turn: PlannedTurn, moment: str) -> None:
        for trouble in self.troubles.get((turn.ply, moment), ()):
            trouble(turn.ply, moment)

    def _do(self, step: Step) -> Iterator[int]:
        hand = self._pair[step.hand]
        if step.kind == "lift":
            yield from self._sow_on(hand)
            yield self.pace.lift
            hand.stones = self.world.lift(step.place)
            hand.path.lift(step.place)
            hand.lifted_from = step.place
        elif step.kind == "drop":
            if hand.stones:
                yield from self._drop(hand, step.place)
        elif step.kind == "shift":
            yield self.pace.lift
            if self.world.counts()[step.place]:
                self.world.carry(step.place, step.to)
        elif step.kind == "shake":
            self.world.shake(self._now)
        else:
            yield self.pace.lift
            taken = hand.stones if step.place == IN_HAND else self.world.lift(step.place)
            if step.place == IN_HAND:
                hand.stones = []
            for stone in taken:
                self.world.drop(step.to, stone)

    def _drop(self, hand: _Hand, place: int) -> Iterator[int]:
        yield self.pace.seed
        self.world.drop(place, hand.stones.pop())
        hand.path.drop(place)

    def _sow_on(self, hand: _Hand) -> Iterator[int]:
        """Sow the seeds left over after a mistake."""
        while hand.stones:
            yield from self._drop(hand, hand.path.next())

    def _commit(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """Press the button and correct the board until the lights accept the turn; return the number of commits."""
        tries = 1
        yield from self._press(turn.side, "commit")
        self._start_troubles(turn, "button")
        while (yield from self._wait_for_refusal(turn)):
            if tries == MAX_TRIES:
                raise GaveUp(f"turn {turn.ply}, {turn.move}, was refused {MAX_TRIES} times")
            self.report({"event": "refused", "ply": turn.ply, "move": turn.move})
            yield self.pace.notice
            moved = yield from self._correct(turn.after)
            self.report({"event": "mended", "ply": turn.ply, "seeds": moved})
            tries += 1
            if self._answer(turn) != "accepted":  # the turn may have been entered on the page meanwhile
                if self.accepts and self._is_offered(turn):
                    self.report({"event": "held", "ply": turn.ply, "move": turn.move})
                    yield from self.accept(turn.side)
                else:
                    yield from self._press(turn.side, "commit")
        if self.world.counts() != turn.after and not self._pair[1].stones:
            self.report({"event": "unnoticed", "ply": turn.ply, "counts": list(self.world.counts())})
        if turn.next_side and self._lit_side() == "":
            raise GaveUp(f"the lights show the end of the game after turn {turn.ply}, {turn.move}: it goes on")
        return tries

    def _undo(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        """Press undo and return whether it was granted. If not, the turn stands: lay it out again."""
        yield from self._press(turn.side, "undo")
        yield from self._watch(self._is_answered)
        granted = yield from self._watch(lambda: self._lit_side() == turn.side, self.pace.remember)
        self.report({"event": "taken-back", "ply": turn.ply, "granted": granted})
        if not granted:
            yield from self._correct(turn.after)
        return granted

    def _wait_for_refusal(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        """Wait for the answer to the button, pressing again if needed; return whether it is a refusal."""
        unchanged = 0
        while True:
            yield from self._watch(lambda: self._answer(turn) is not None)
            answer = self._answer(turn)
            if answer in ("accepted", "refused"):
                return answer == "refused"
            if answer == "unchanged":
                if self._pair[1].stones:
                    return False  # the other side is sowing: its button will say what was played
                unchanged += 1
            if unchanged == MAX_TRIES:
                raise GaveUp(f"turn {turn.ply}, {turn.move}, was neither recorded nor refused in {MAX_TRIES} presses")
            self.report({"event": "pressed-again", "ply": turn.ply})
            yield from self._press(turn.side, "commit")

    def _answer(self, turn: PlannedTurn) -> str | None:
        """Read the answer to the last press: ``refused``, ``accepted``, ``unchanged`` (it was answered, and the side is
        still to move), ``again`` (it may be forgotten, or nobody answers), or None yet."""
        lights, _, alarms, clears, since = self._mark
        restarted = self.lights is not lights
        if self._is_answered():
            if self.lights.error and (restarted or self.lights.answers or self.lights.alarms > alarms):
                return "refused"
            lit, kept = self._lit_side(), self._blinking_side()
            other = "n" if turn.side == "s" else "s"
            if lit in ("", other) or kept == other:
                return "accepted"
            if lit == turn.side and restarted:
                return "again"  # the board may have forgotten the button
            if turn.side == turn.next_side and turn.side in (lit, kept) and self.lights.clears > clears:
                return "accepted"  # the same side moves again: its light went out and came back
            if lit == turn.side and self.lights.answers:
                return "unchanged"
        if self.pace.patience is not None and self._now - since >= self.pace.patience:
            return "again"
        return None

    def _is_offered(self, turn: PlannedTurn) -> bool:
        """Whether the lights blink where the turn begins and ends, and nowhere else."""
        pits = [step.place for step in turn.steps if step.kind in ("lift", "drop")]
        offered = {pit for pit, light in enumerate(self.lights.pits) if light == "blink"}
        return bool(pits) and pits[0] in offered and offered <= {pits[0], pits[-1]}

    def accept(self, side: str) -> Iterator[int]:
        """Hold the commit button down: the side takes what the lights offer (`docs/protocol.md`, ``accept``)."""
        yield from self._press(side, "commit", LONG_MS, 2)

    def _press(self, side: str, action: str, hold: int = 0, presses: int = 1) -> Iterator[int]:
        """Press a button for `hold` milliseconds, 0: as usual. The board counts it as `presses` presses."""
        yield self.pace.button
        self._set_mark(presses)
        hold = hold or self.pace.button
        self.world.press(side, action, self._now, self._now + hold)
        yield hold

    def _set_mark(self, presses: int) -> None:
        """Count any later change of the lights as an answer, once the board has seen `presses` more presses."""
        lights = self.lights
        self._mark = lights, lights.presses + presses, lights.alarms, lights.clears, self._now

    def _is_answered(self) -> bool:
        """Whether the lights can be the answer to the last press: the host has set them, and says so if it can."""
        lights, presses, *_ = self._mark
        if self.lights is not lights or not self.lights.answers:
            return self.lights.clears > 0
        return self.lights.presses >= presses and not self.lights.waiting

    def _correct(self, wanted: Sequence[int]) -> Generator[int, None, int]:
        """Put back what the hands hold, then carry seeds until every place holds what it should; return how many."""
        moved = 0
        for hand in self._pair:
            moved += len(hand.stones)
            while hand.stones:
                self.world.drop(hand.lifted_from, hand.stones.pop())
        while True:
            surplus = [have - want for have, want in zip(self.world.counts(), wanted, strict=True)]
            if not any(surplus):
                return moved
            yield self.pace.seed
            self.world.carry(surplus.index(max(surplus)), surplus.index(min(surplus)))
            moved += 1

    def _lit_side(self) -> str | None:
        """Return the side whose row is lit, "" if the lights show the end of the game, else None."""
        south, north = self.lights.rows["s"], self.lights.rows["n"]
        if self.lights.error:
            return None
        if south == north == "blink":
            return ""
        return {("on", "off"): "s", ("off", "on"): "n"}.get((south, north))

    def _blinking_side(self) -> str | None:
        """Return the side whose row blinks alone: the last press is kept far from the service. Else None."""
        rows = self.lights.rows["s"], self.lights.rows["n"]
        return None if self.lights.error else {("blink", "off"): "s", ("off", "blink"): "n"}.get(rows)

    def _watch(self, seen: Callable[[], bool], limit: int | None = None) -> Generator[int, None, bool]:
        """Wait until `seen` holds, or for `limit` milliseconds; return whether it held."""
        self.waiting = True
        end = None if limit is None else self._now + limit
        while not (held := seen()) and (end is None or self._now < end):
            yield LOOK_MS
        self.waiting = False
        return held


class _Hand:
    """The stones in a hand, the pit they were lifted from, and the hand's path around the board."""

    def __init__(self, pits: int) -> None:
        self.stones: list[float] = []
        self.lifted_from = 0
        self.path = HandPath(pits)
