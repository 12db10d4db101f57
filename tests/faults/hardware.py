"""Boards with dead sensors, boards that are turned round, and hands whose board fits another turn than was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from inkeek.firmware_sim.firmware.panel import ACTIONS, LightPanel, contact
from inkeek.firmware_sim.hands.hands import MOMENTS
from inkeek.firmware_sim.hands.mistakes import PRESS, Steps, carry
from inkeek.firmware_sim.hands.plan import LEGAL_LIMIT, GamePlan, PlannedTurn, counts_after
from inkeek.firmware_sim.scenarios import MAX_SECONDS, Scenario, ScheduledTrouble, Troubles
from inkeek.firmware_sim.world import Readings, World
from inkeek.records import PASS, Kind, Move, Rules, Turn, ruleset
from tests.faults.draws import FaultyScenario
from tests.faults.table import Table

MAX_CARRIED = 16  # seeds that an arm moves
NOTICE_MS = 800  # from a refusal until the hands go on
NOISE_SD = (1.0, 4.0)  # of readings, in hundredths of a seed


def rules_of(scenario: Scenario) -> Rules:
    """The rules of the scenario's game."""
    return ruleset(scenario.game.ruleset, **scenario.game.options)


def others(scenario: Scenario, plan: GamePlan) -> Iterator[tuple[PlannedTurn, Turn, list[Turn]]]:
    """Yield each planned turn, as the rules play it, and the other legal turns."""
    rules = rules_of(scenario)
    position = rules.start()
    for planned in plan.turns:
        turn = rules.play(position, Move.parse(planned.move))
        legal = [rules.play(position, move) for move in rules.legal_moves(position, LEGAL_LIMIT)]
        yield planned, turn, [other for other in legal if other.move not in (turn.move, PASS)]
        position = turn.position


# Dead sensors


def draw_dead_sensors(
    scenario: Scenario, plan: GamePlan, random: Random, ways: Sequence[str] = ("open", "stuck")
) -> Troubles:
    """Let one or two sensors fail for the rest of the game, if possible those that alone tell a turn from another."""
    sensors = 2 * plan.row + (2 if scenario.board.stores else 0)
    telling = []
    for planned, _, legal in others(scenario, plan):
        for other in legal:
            after = (*other.position.pits, *other.position.stores)[:sensors]
            unlike = [at for at, (one, two) in enumerate(zip(after, planned.after, strict=False)) if one != two]
            if 1 <= len(unlike) <= 2:
                telling.append((planned.ply, unlike))
    at = []
    for _ in range(random.choice([1, 1, 1, 2])):
        ply, chosen = random.randint(1, len(plan.turns)), [random.randrange(sensors)]
        if telling and random.random() < 0.7:
            ply, chosen = random.choice(telling)
            ply = random.randint(1, ply)
        how, moment = random.choice(ways), random.choice(MOMENTS)
        at += [ScheduledTrouble(ply, how, moment, MAX_SECONDS, "", sensor) for sensor in chosen]
    if len(at) > 1 or not scenario.board.stores:
        # A board reports a stuck sensor only after a while. Until then the number of seeds must show it: with another
        # sensor dead, or without those under the stores, its board may be just that of another turn.
        at = [replace(trouble, what="open") for trouble in at]
    return Troubles(tuple(at), {})


def kill_sensors(table: Table) -> None:
    """Let the sensors that are to fail be dead from the start."""
    for trouble in table.stage.troubles.at:
        table.stage.world.fail(trouble.sensor, trouble.what)


# Boot ids


def boots_again(random: Random) -> Iterator[str]:
    """Boot ids as an unseeded generator gives them: the same ones come again."""
    few = [f"{number:08x}" for number in range(1, random.choice([1, 1, 2]) + 1)]
    return (random.choice(few) for _ in count())


# A board that fits another turn


def draw_other_turns(scenario: Scenario, plan: GamePlan, random: Random) -> Troubles:
    """In some turns, let an arm move seeds so that the board is as after another turn, which begins in another pit.

    The hands have emptied a pit that the other turn leaves alone, and never the pit that the other turn begins in: what
    the sensors saw on the way contradicts the counts.
    """
    mistakes: dict[int, tuple[str, Steps]] = {}
    for planned, _, legal in others(scenario, plan):
        possible: list[tuple[int, Steps]] = []
        for other in legal:
            carried = carry(planned.after, (*other.position.pits, *other.position.stores))
            steps = (*planned.steps, *carried)
            if len(carried) > MAX_CARRIED or other.move.kind is not Kind.SOW:
                continue
            emptied = emptied_by(planned.before, steps)
            begins = other.move.pit_index(plan.row)
            if begins not in emptied and any(not other.emptied >> pit & 1 for pit in emptied if pit < 2 * plan.row):
                possible.append((len(carried), (*steps, PRESS)))
        if possible and random.random() < 0.8:
            mistakes[planned.ply] = "other-turn", min(possible, key=lambda one: one[0])[1]
    return Troubles((), mistakes)


def emptied_by(before: Sequence[int], steps: Steps) -> set[int]:
    """The places that held seeds before the steps, and none at some time meanwhile."""
    lifted = {step.place for step in steps if step.kind == "lift" and before[step.place]}
    return lifted | {
        place
        for at in range(1, len(steps) + 1)
        for place, held in enumerate(counts_after(before, steps[:at]))
        if not held and before[place]
    }


# A board turned round


class TurnedWorld:
    """A `World` under a board that was turned by 180 degrees: each row has the other side's sensors and buttons."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def readings(self, now: int) -> Readings:
        found = self._world.readings(now)
        row = self._world.row
        return [*found[row : 2 * row], *found[:row], *reversed(found[2 * row :])]

    def contacts(self, now: int) -> int:
        mask = self._world.contacts(now)
        turned = 0
        for action in ACTIONS:
            for side, other in (("s", "n"), ("n", "s")):
                if mask & contact(side, action):
                    turned |= contact(other, action)
        return turned


class TurnedLights:
    """The lights of a board that was turned round, as people on both sides see them."""

    def __init__(self, lights: LightPanel) -> None:
        self._lights = lights

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lights, name)

    @property
    def rows(self) -> dict[str, str]:
        rows = self._lights.rows
        return {"s": rows["n"], "n": rows["s"]}


def turn_round(table: Table) -> None:
    """Turn the board by 180 degrees, seeds and all; a second time, turn it back."""
    device = table.stage.device
    assert device.hands is not None
    if isinstance(device.world, TurnedWorld):
        device.world = table.stage.world
        device.hands.lights = device.board.lights
    else:
        device.world = TurnedWorld(table.stage.world)  # type: ignore[assignment]
        device.hands.lights = TurnedLights(device.board.lights)  # type: ignore[assignment]


def let_turn(table: Table, random: Random) -> None:
    """Have the board turned round at a random moment. A person who sees a turn refused turns it back, or accepts on
    the page that it is turned; if that does not help, they enter the turn on the page."""
    hands = table.stage.device.hands
    assert hands is not None
    moment = random.randint(1, len(table.stage.plan.turns)), random.choice(MOMENTS)
    hands.troubles = {**hands.troubles, moment: [lambda ply, moment: turn_round(table)]}
    turns_back = random.random() < 0.5

    def help_hands(ply: int, times: int) -> None:
        if times > 1:
            table.enter(ply)
        elif turns_back:
            turn_round(table)
        else:
            table.say_turned()

    table.helper = help_hands


def noisy(scenario: FaultyScenario, random: Random) -> FaultyScenario:
    """The same with so much noise that the board can tell a stuck sensor from a live one, and hands that wait for a
    person to look at the page."""
    pace = replace(scenario.pace, notice=NOTICE_MS)
    return replace(scenario, pace=pace, scales=replace(scenario.scales, noise_sd=random.uniform(*NOISE_SD)))
