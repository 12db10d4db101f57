"""The hands of both players: they play a planned game on the board, seed by seed, and heed its lights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from .errors import GaveUp, SimulatorError
from .firmware.lights import Lights
from .mistakes import spoil
from .plan import IN_HAND, Plan, PlannedTurn, Step
from .world import World

MAX_TRIES = 5  # commits of one turn: after so many refusals a person calls the arbiter
LOOK_MS = 10  # between two looks at the lights
MOMENTS = ("start", "middle", "button")  # of a turn, when trouble may come: `button` is just after the commit

Moment = tuple[int, str]  # a turn (from 1) and one of `MOMENTS`

Tell = Callable[[Mapping[str, object]], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a person takes, in milliseconds."""

    lay: int = 400  # to fill a pit before the game
    think: tuple[int, int] = (1000, 2000)  # before a turn: from, to
    lift: int = 500  # to pick up a handful, or what was captured
    seed: int = 250  # from one seed to the next
    button: int = 400  # from the last seed to the button, and to let go of it
    notice: int = 1500  # that something is wrong


class Hands:
    """Hands that play `plan` in `world` and watch `lights`.

    `mistakes` gives turns (from 1) a kind of mistake, `pulls` moments when the cable is pulled: for how many
    seconds; at `restarts` the board starts again. They `tell` what happens as flat mappings with the key
    ``event``; `pull` and `restart` make it happen. `step` moves them; they own no clock.
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
        mistakes: Mapping[int, str] | None = None,
        pulls: Mapping[Moment, float] | None = None,
        pull: Callable[[float], None] = lambda seconds: None,
        restarts: Collection[Moment] = (),
        restart: Callable[[], None] = lambda: None,
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
        self._mistakes = dict(mistakes or {})
        self._pulls = dict(pulls or {})
        self._pull = pull
        self._restarts = frozenset(restarts)
        self._restart = restart
        self._spoilt = {ply: _spoilt(plan, ply, kind) for ply, kind in self._mistakes.items()}
        for ply, _ in (*self._pulls, *self._restarts):
            _turn(plan, ply)
        self._hand: list[float] = []
        self._pressed = lights, 0, 0  # the lights when the button was last pressed, their alarms and renewals then
        self._last = 0  # the pit of the last drop
        self._onward = 1  # from there to the next pit, modulo all pits
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
        yield from self._watch(lambda: self._shown() == self._plan.starts)
        for turn in self._plan.turns:
            self._trouble(turn, "start")
            yield self._random.randint(*self._pace.think)
            yield from self._sow(turn)
            tries = yield from self._commit(turn)
            self._tell({"event": "turn", "ply": turn.ply, "move": turn.move, "side": turn.side, "tries": tries})
        moves = [turn.move for turn in self._plan.turns]
        self._tell({"event": "finished", "moves": moves, "position": str(self._plan.end)})

    def _lay_out(self) -> Iterator[int]:
        for place, count in enumerate(self._plan.counts):
            if count:
                yield self._pace.lay
                self._world.add(place, count)
        self._tell({"event": "laid-out", "counts": list(self._plan.counts)})

    def _sow(self, turn: PlannedTurn) -> Iterator[int]:
        steps = self._spoilt.get(turn.ply, turn.steps)
        middle = len(steps) // 2
        for number, step in enumerate(steps):
            if number == middle:
                self._trouble(turn, "middle")
            yield from self._do(step)
        if not steps:
            self._trouble(turn, "middle")
        yield from self._empty_hand()
        if turn.ply in self._mistakes:
            kind = self._mistakes[turn.ply]
            self._tell({"event": "mistake", "ply": turn.ply, "kind": kind, "move": turn.move})

    def _trouble(self, turn: PlannedTurn, moment: str) -> None:
        seconds = self._pulls.get((turn.ply, moment))
        if seconds is not None:
            self._tell({"event": "unplugged", "ply": turn.ply, "moment": moment, "seconds": seconds})
            self._pull(seconds)
        if (turn.ply, moment) in self._restarts:
            self._restart()

    def _do(self, step: Step) -> Iterator[int]:
        if step.kind == "lift":
            yield from self._empty_hand()
            yield self._pace.lift
            self._hand = self._world.lift(step.place)
        elif step.kind == "drop":
            if self._hand:
                yield from self._drop(step.place)
        elif step.kind == "shift":
            yield self._pace.lift
            self._world.carry(step.place, step.to)
        else:
            yield self._pace.lift
            taken = self._hand if step.place == IN_HAND else self._world.lift(step.place)
            if step.place == IN_HAND:
                self._hand = []
            for stone in taken:
                self._world.drop(step.to, stone)

    def _drop(self, pit: int) -> Iterator[int]:
        yield self._pace.seed
        self._world.drop(pit, self._hand.pop())
        onward = (pit - self._last) % (2 * self._plan.row)
        if onward in (1, 2 * self._plan.row - 1):
            self._onward = onward
        self._last = pit

    def _empty_hand(self) -> Iterator[int]:
        """Seeds left over after a mistake are sown on from where the hand is."""
        while self._hand:
            yield from self._drop((self._last + self._onward) % (2 * self._plan.row))

    def _commit(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """Press the button until the lights say that the turn counts; the answer is how often it took."""
        tries = 1
        yield from self._press(turn)
        self._trouble(turn, "button")
        while (yield from self._refused(turn)):
            if tries == MAX_TRIES:
                raise GaveUp(f"turn {turn.ply}, {turn.move}, was refused {MAX_TRIES} times")
            self._tell({"event": "refused", "ply": turn.ply, "move": turn.move})
            yield self._pace.notice
            moved = yield from self._mend(turn)
            self._tell({"event": "mended", "ply": turn.ply, "seeds": moved})
            tries += 1
            yield from self._press(turn)
        if self._world.counts() != turn.counts:
            self._tell({"event": "unnoticed", "ply": turn.ply, "counts": list(self._world.counts())})
        if turn.following and self._shown() == "":
            raise GaveUp(f"the lights say that the game is over after turn {turn.ply}, {turn.move}; it is not")
        return tries

    def _refused(self, turn: PlannedTurn) -> Generator[int, None, bool]:
        """Wait for the answer to the button: the error light lit anew, or the light of the next side.

        A board that has started again may have forgotten the button: when it asks for the turn, it gets it again.
        """
        while True:
            yield from self._watch(lambda: self._answer(turn) is not None)
            answer = self._answer(turn)
            if answer != "again":
                return answer == "refused"
            yield from self._press(turn)

    def _answer(self, turn: PlannedTurn) -> str | None:
        """What the lights say to the last press: ``refused``, ``accepted``, ``again`` (press again), or nothing yet."""
        lights, alarms, renewals = self._pressed
        restarted = self.lights is not lights
        if self.lights.error:
            return "refused" if restarted or self.lights.alarms > alarms else None
        shown = self._shown()
        if shown in ("", "n" if turn.side == "s" else "s"):
            return "accepted"
        if shown == turn.side and restarted:
            return "again"
        if shown == turn.side == turn.following and self.lights.renewals > renewals:
            return "accepted"  # the same side moves again: the light went out and came back
        return None

    def _press(self, turn: PlannedTurn) -> Iterator[int]:
        yield self._pace.button
        self._pressed = self.lights, self.lights.alarms, self.lights.renewals
        self._world.press(turn.side, "commit", self._now, self._now + self._pace.button)
        yield self._pace.button

    def _mend(self, turn: PlannedTurn) -> Generator[int, None, int]:
        """Carry seeds one by one until every place holds what it should; the answer is how many."""
        moved = 0
        while True:
            surplus = [have - want for have, want in zip(self._world.counts(), turn.counts, strict=True)]
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

    def _watch(self, seen: Callable[[], bool]) -> Iterator[int]:
        self.waiting = True
        while not seen():
            yield LOOK_MS
        self.waiting = False


def _turn(plan: Plan, ply: int) -> PlannedTurn:
    if not 1 <= ply <= len(plan.turns):
        raise SimulatorError(f"there is no turn {ply}: the game has {len(plan.turns)}")
    return plan.turns[ply - 1]


def _spoilt(plan: Plan, ply: int, kind: str) -> tuple[Step, ...]:
    turn = _turn(plan, ply)
    try:
        return spoil(kind, turn.steps, plan.row)
    except SimulatorError as error:
        raise SimulatorError(f"turn {ply}, {turn.move}: {error}") from error
