"""The hands of both players: they play a planned game on the board, seed by seed, and heed its lights."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from firmware_sim.errors import GaveUp, SimulatorError
from firmware_sim.firmware.lights import Lights
from firmware_sim.world import World

from .mistakes import PRESS, spoil
from .plan import IN_HAND, Plan, PlannedTurn, Step, Way

MAX_TRIES = 5  # commits of one turn: after so many refusals a person calls the arbiter
LOOK_MS = 10  # between two looks at the lights
MOMENTS = ("start", "middle", "button")  # of a turn, when trouble may come: `button` is just after the commit

Moment = tuple[int, str]  # a turn (from 1) and one of `MOMENTS`

Tell = Callable[[Mapping[str, object]], None]
Trouble = Callable[[int, str], None]  # what happens at a moment, which it is told


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a person takes, in milliseconds. `patience` None: a light that does not come is awaited for ever."""

    lay: int = 400  # to fill a pit before the game
    think: tuple[int, int] = (1000, 2000)  # before a turn: from, to
    lift: int = 500  # to pick up a handful, or what was captured
    seed: int = 250  # from one seed to the next
    button: int = 400  # from the last seed to the button, and to let go of it
    notice: int = 1500  # that something is wrong
    remember: int = 6000  # a button that was forgotten, or that nobody answers to an undo
    patience: int | None = None  # then the button is pressed again


class Hands:
    """Hands that play `plan` in `world` and watch `lights`.

    `mistakes` gives turns (from 1) a kind of mistake, or a kind and the steps of one; `troubles` are what happens at a
    moment. They `tell` what they do as flat mappings with the key ``event``. `step` moves them; they own no clock.
    """

    def __init__(
        self,
        plan: Plan,
        world: World,
        lights: Lights,
        random: Random,
        tell: Tell,
        *,
        pace: Pace = Pace(),
        mistakes: Mapping[int, str | tuple[str, tuple[Step, ...]]] | None = None,
        troubles: Mapping[Moment, Sequence[Trouble]] | None = None,
    ) -> None:
        """:raises SimulatorError: there is no such turn, or it gives no occasion for its mistake."""
        self.waiting = False  # for the lights; no time of their own passes
        self.done = False
        self.lights = lights  # others after the board has started again
        self._plan = plan
        self._world = world
        self._random = random
        self._tell = tell
        self._pace = pace
        self._troubles = dict(troubles or {})
        self._spoilt = {
            ply: (made, _spoilt(plan, ply, made)) if isinstance(made, str) else made
            for ply, made in (mistakes or {}).items()
        }
        for ply, _ in self._troubles:
            _turn(plan, ply)
        self._pairs = [_Hand(2 * plan.row), _Hand(2 * plan.row)]  # the mover's, and the other side's
        self._begun = 0  # steps of the next turn that the other side has done already
        self._pressed = lights, 0, 0, 0  # when last pressed: the lights, their alarms and renewals, and the time
        self._now = 0
        self._until = 0
        self._script = self._game()

    def step(self, now: int) -> None:
        """Do what is due by `now` (milliseconds).

        :raises GaveUp: a turn was refused `MAX_TRIES` times, or the game was declared over too early.
        """
        while not self.done and now >= self._until:
            self._now = now
            delay = next(self._script, None)
            if delay is None:
                self.done = True
            else:
                self._until = now + delay

    def _game(self) -> Iterator[int]:
        yield from self._lay_out()
        while not (yield from self._watch(lambda: self._shown() == self._plan.starts, self._pace.patience)):
            yield from self._press(self._plan.starts, "commit")  # whoever is there has to answer it
        for turn in self._plan.turns:
            self._trouble(turn, "start")
            if not self._begun:
                yield self._random.randint(*self._pace.think)
            tries = yield from self._play(turn)
            self._tell({"event": "turn", "ply": turn.ply, "move": turn.move, "side": turn.side, "tries": tries})
        moves = [turn.move for turn in self._plan.turns]
        self._tell({"event": "finished", "moves": moves, "position": str(self._plan.end)})

    def _lay_out(self) -> Iterator[int]:
        for place, count in enumerate(self._plan.counts):
            if count:
                yield self._pace.lay
                self._world.add(place, count)
        self._tell({"event": "laid-out", "counts": list(self._plan.counts)})

    def _play(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """A turn and its buttons; the answer is how often it took to have it accepted."""
        kind, steps = self._spoilt.get(turn.ply, ("", (*turn.steps, PRESS)))
        begun, self._begun = self._begun, 0
        sown = next((at for at, step in enumerate(steps) if step.kind == "press"), len(steps))
        middle = max(sown // 2, begun)
        tries = 0
        for number, step in enumerate(steps[begun:], begun):
            if number == middle:
                self._trouble(turn, "middle")
            if number == sown:
                yield from self._finished(turn, kind)
            if step.kind == "press":
                tries += yield from self._commit(turn)
            elif step.kind == "undo":
                if not (yield from self._undo(turn)):
                    return tries
            else:
                yield from self._do(step)
        if not steps:
            self._trouble(turn, "middle")
        if sown == len(steps):  # the button was forgotten
            yield from self._finished(turn, kind)
            answered = yield from self._watch(lambda: self._answer(turn) == "accepted", self._pace.remember)
            tries = 1 if answered else (yield from self._commit(turn))
        self._begun = sum(step.hand for step in steps) if self._pairs[1].stones else 0
        self._pairs.reverse()
        return tries

    def _finished(self, turn: PlannedTurn, kind: str) -> Iterator[int]:
        """The turn is played as far as the mover knows."""
        yield from self._empty(self._pairs[0])
        self._mark()
        if kind:
            self._tell({"event": "mistake", "ply": turn.ply, "kind": kind, "move": turn.move})

    def _trouble(self, turn: PlannedTurn, moment: str) -> None:
        for trouble in self._troubles.get((turn.ply, moment), ()):
            trouble(turn.ply, moment)

    def _do(self, step: Step) -> Iterator[int]:
        hand = self._pairs[step.hand]
        if step.kind == "lift":
            yield from self._empty(hand)
            yield self._pace.lift
            hand.stones = self._world.lift(step.place)
            hand.way.lifted(step.place)
            hand.lifted = step.place
        elif step.kind == "drop":
            if hand.stones:
                yield from self._drop(hand, step.place)
        elif step.kind == "shift":
            yield self._pace.lift
            if self._world.counts()[step.place]:
                self._world.carry(step.place, step.to)
        elif step.kind == "shake":
            self._world.shake(self._now)
        else:
            yield self._pace.lift
            taken = hand.stones if step.place == IN_HAND else self._world.lift(step.place)
            if step.place == IN_HAND:
                hand.stones = []
            for stone in taken:
                self._world.drop(step.to, stone)

    def _drop(self, hand: _Hand, place: int) -> Iterator[int]:
        yield self._pace.seed
        self._world.drop(place, hand.stones.pop())
        hand.way.dropped(place)

    def _empty(self, hand: _Hand) -> Iterator[int]:
        """Seeds left over after a mistake are sown on from where the hand is."""
        while hand.stones:
            yield from self._drop(hand, hand.way.onward())

    def _commit(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """Press the button until the lights say that the turn counts; the answer is how often it took."""
        tries = 1
        yield from self._press(turn.side, "commit")
        self._trouble(turn, "button")
        while (yield from self._refused(turn)):
            if tries == MAX_TRIES:
                raise GaveUp(f"turn {turn.ply}, {turn.move}, was refused {MAX_TRIES} times")
            self._tell({"event": "refused", "ply": turn.ply, "move": turn.move})
            yield self._pace.notice
            moved = yield from self._mend(turn.counts)
            self._tell({"event": "mended", "ply": turn.ply, "seeds": moved})
            tries += 1
            yield from self._press(turn.side, "commit")
        if self._world.counts() != turn.counts and not self._pairs[1].stones:
            self._tell({"event": "unnoticed", "ply": turn.ply, "counts": list(self._world.counts())})
        if turn.following and self._shown() == "":
            raise GaveUp(f"the lights say that the game is over after turn {turn.ply}, {turn.move}; it is not")
        return tries

    def _undo(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        """Press undo; when it is not granted, lay the turn again, which counts as it did. Whether it was granted."""
        yield from self._press(turn.side, "undo")
        granted = yield from self._watch(lambda: self._shown() == turn.side, self._pace.remember)
        self._tell({"event": "taken-back", "ply": turn.ply, "granted": granted})
        if not granted:
            yield from self._mend(turn.counts)
        return granted

    def _refused(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        """Wait for the answer to the button: the error light lit anew, or the light of the next side.

        A board that has started again may have forgotten the button: when it asks for the turn, it gets it again.
        """
        while True:
            yield from self._watch(lambda: self._answer(turn) is not None)
            answer = self._answer(turn)
            if answer != "again":
                return answer == "refused"
            self._tell({"event": "pressed-again", "ply": turn.ply})
            yield from self._press(turn.side, "commit")

    def _answer(self, turn: PlannedTurn) -> str | None:
        """What the lights say to the last press: ``refused``, ``accepted``, ``again`` (press again), or nothing yet."""
        lights, alarms, renewals, since = self._pressed
        restarted = self.lights is not lights
        if self.lights.error and (restarted or self.lights.alarms > alarms):
            return "refused"
        shown = self._shown()
        if shown in ("", "n" if turn.side == "s" else "s"):
            return "accepted"
        if shown == turn.side and restarted:
            return "again"
        if shown == turn.side == turn.following and self.lights.renewals > renewals:
            return "accepted"  # the same side moves again: the light went out and came back
        if self._pace.patience is not None and self._now - since >= self._pace.patience:
            return "again"
        return None

    def _press(self, side: str, action: str) -> Iterator[int]:
        yield self._pace.button
        self._mark()
        self._world.press(side, action, self._now, self._now + self._pace.button)
        yield self._pace.button

    def _mark(self) -> None:
        """From now on the lights answer to what lies there."""
        self._pressed = self.lights, self.lights.alarms, self.lights.renewals, self._now

    def _mend(self, wanted: Sequence[int]) -> Generator[int, None, int]:
        """Put back what hands hold, then carry seeds one by one until every place holds what it should; how many."""
        moved = 0
        for hand in self._pairs:
            moved += len(hand.stones)
            while hand.stones:
                self._world.drop(hand.lifted, hand.stones.pop())
        while True:
            surplus = [have - want for have, want in zip(self._world.counts(), wanted, strict=True)]
            if not any(surplus):
                return moved
            yield self._pace.seed
            self._world.carry(surplus.index(max(surplus)), surplus.index(min(surplus)))
            moved += 1

    def _shown(self) -> str | None:
        """The side whose row is lit, "" when the lights say that the game is over, else None."""
        south, north = self.lights.rows["s"], self.lights.rows["n"]
        if self.lights.error:
            return None
        if south == north == "blink":
            return ""
        return {("on", "off"): "s", ("off", "on"): "n"}.get((south, north))

    def _watch(self, seen: Callable[[], bool], limit: int | None = None) -> Generator[int, None, bool]:
        """Wait until it is seen, or for `limit` milliseconds; whether it was."""
        self.waiting = True
        end = None if limit is None else self._now + limit
        while not (found := seen()) and (end is None or self._now < end):
            yield LOOK_MS
        self.waiting = False
        return found


class _Hand:
    """The stones in it, the pit they were lifted from, and its way round the board."""

    def __init__(self, pits: int) -> None:
        self.stones: list[float] = []
        self.lifted = 0
        self.way = Way(pits)


def _turn(plan: Plan, ply: int) -> PlannedTurn:
    if not 1 <= ply <= len(plan.turns):
        raise SimulatorError(f"there is no turn {ply}: the game has {len(plan.turns)}")
    return plan.turns[ply - 1]


def _spoilt(plan: Plan, ply: int, kind: str) -> tuple[Step, ...]:
    turn = _turn(plan, ply)
    try:
        return spoil(kind, plan, ply)
    except SimulatorError as error:
        raise SimulatorError(f"turn {ply}, {turn.move}: {error}") from error
