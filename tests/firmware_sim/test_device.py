from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from typing import Any

import pytest

from inkeek.firmware_sim.device import SimulatedDevice
from inkeek.firmware_sim.errors import GaveUp
from inkeek.firmware_sim.firmware.board import RING_SIZE, BoardFirmware
from inkeek.firmware_sim.hands.hands import MOMENTS, Hands
from inkeek.firmware_sim.hands.plan import GamePlan
from inkeek.firmware_sim.world import World
from tests.firmware_sim.conftest import Clock, MemoryCable, make_mistakes
from tests.firmware_sim.host import Host


class Setup:
    """A device on a cable, with a host on its other end."""

    def __init__(
        self,
        plan: GamePlan,
        cable: MemoryCable,
        clock: Clock,
        speed: float | None = None,
        give_up: float | None = None,
        stores: bool = True,
        ring: int = RING_SIZE,
        unplugs: Mapping[tuple[int, str], float] | None = None,
        restarts: Sequence[tuple[int, str]] = (),
        mistakes: Mapping[int, str] | None = None,
        **options: Any,
    ) -> None:
        random = Random(5)
        boots = count(2)
        self.reported: list[Mapping[str, object]] = []
        self.world = World(plan.row, stores, random)

        def start_board(boot: str) -> BoardFirmware:
            return BoardFirmware(plan.row, stores, "SIM", boot, ring=ring)

        self.board = start_board("00000001")
        self.device = SimulatedDevice(
            self.board, self.world, cable, clock, self._wait, speed=speed, give_up=give_up, report=self.reported.append
        )
        self.hands = Hands(
            plan,
            self.world,
            self.board.lights,
            random,
            self.reported.append,
            mistakes=make_mistakes(plan, mistakes or {}),
            troubles={
                **{
                    at: [lambda ply, moment, long=seconds: self.device.unplug(ply, moment, long)]
                    for at, seconds in (unplugs or {}).items()
                },
                **{at: [lambda *_: self.device.restart(start_board(f"{next(boots):08x}"))] for at in restarts},
            },
            **options,
        )
        self.device.hands = self.hands
        self.host = Host(plan, cable.write, stores)
        self.cable = cable
        self.clock = clock
        self.present = True  # the host reads and answers
        self.waits = 0
        cable.plug()

    def play(self, limit: float = 3600) -> None:
        """Run until the game is over, or for `limit` seconds."""
        self.host.greet()
        self.device.run(lambda: not self.device.playing or self.clock.now > limit)

    def _wait(self, files: list[int], seconds: float) -> None:
        assert files == self.cable.files()
        self.waits += 1
        self.clock.now += seconds
        if self.present:
            self.host.receive(self.cable.read())

    def events(self, kind: str) -> list[Mapping[str, object]]:
        return [event for event in self.reported if event["event"] == kind]


@pytest.mark.parametrize("stores", [True, False])
def test_a_game_at_full_speed(stores: bool, whole_game: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(whole_game, cable, clock, stores=stores)
    run.play()
    assert run.hands.done
    assert run.host.played == len(whole_game.turns)
    assert run.host.refusals == []
    assert run.device.now > 60_000
    assert clock.now < 5
    run.device.step()
    assert run.device.acknowledged


def test_a_game_at_human_speed(plan: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(plan, cable, clock, speed=20)
    run.play()
    assert run.host.played == len(plan.turns)
    assert clock.now == pytest.approx(run.device.now / 1000 / 20, rel=0.05)
    assert run.waits <= clock.now * 120


@pytest.mark.parametrize("speed", [20, None])
def test_mistakes_are_refused_and_corrected(
    speed: float | None, plan: GamePlan, cable: MemoryCable, clock: Clock
) -> None:
    run = Setup(plan, cable, clock, speed=speed, mistakes={1: "skip", 2: "double"})
    run.play()
    assert [ply for ply, _ in run.host.refusals] == [1, 2]
    assert [event["ply"] for event in run.events("mended")] == [1, 2]
    assert run.host.played == len(plan.turns)


@pytest.mark.parametrize("speed", [20, None])
def test_an_unplugged_cable_loses_no_event(
    speed: float | None, plan: GamePlan, cable: MemoryCable, clock: Clock
) -> None:
    run = Setup(plan, cable, clock, speed=speed, unplugs={(2, "middle"): 30.0})
    missed = []

    def report(event: Mapping[str, object]) -> None:
        run.reported.append(event)
        if event["event"] == "plugged":
            missed.append(len(run.board.ring))
            run.host.greet()

    run.device.report = report
    run.play()
    assert run.events("plugged") == [{"event": "plugged", "url": "memory"}]
    assert missed
    assert missed[0] > 5
    assert run.host.played == len(plan.turns)
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.acknowledged + 1))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_game_goes_on_after_restarts_of_the_board(
    moment: str, plan: GamePlan, cable: MemoryCable, clock: Clock
) -> None:
    run = Setup(plan, cable, clock, speed=20, restarts=[(1, moment), (4, moment)])
    run.play()
    boots = [event["boot"] for event in run.events("restarted")]
    assert len(set(boots)) == 2
    assert run.host.boot == boots[-1]
    assert run.host.played == len(plan.turns)
    assert run.host.refusals == []


def test_a_button_lost_in_a_restart_is_pressed_again(plan: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(plan, cable, clock, restarts=[(2, "button")])
    run.play()
    assert run.hands.done
    assert [event["tries"] for event in run.events("turn")] == [1] * len(plan.turns)
    presses = [event for event in run.host.events if event[2] == "BTN"]
    assert [event[3] for event in presses] == [turn.side for turn in plan.turns]


def test_a_host_that_does_not_read_does_not_block_the_device(plan: GamePlan, clock: Clock) -> None:
    run = Setup(plan, MemoryCable(capacity=100), clock, speed=20)
    run.play(limit=2)
    run.present = False
    run.play(limit=20)
    assert run.device.now > 300_000
    assert not run.hands.done
    run.present = True
    run.play()
    assert run.hands.done


def test_hands_at_full_speed_do_not_outrun_a_slow_host(whole_game: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(whole_game, cable, clock, ring=24)
    most = []
    late = bytearray()
    receive = run.host.receive

    def slow(data: bytes) -> None:
        late.extend(data)
        most.append(len(run.board.ring))
        if len(most) % 10 == 0:
            receive(bytes(late))
            late.clear()

    run.host.receive = slow  # type: ignore[method-assign]
    run.play()
    assert run.hands.done
    assert 12 <= max(most) < 24
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.acknowledged + 1))


def test_hands_give_up_after_the_given_time(plan: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(plan, cable, clock, give_up=60)
    run.present = False
    cable.unplug()
    with pytest.raises(GaveUp, match="60"):
        run.play()
    assert 60 <= clock.now < 61


def test_hands_without_a_limit_go_on_waiting(plan: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(plan, cable, clock)
    run.present = False
    cable.unplug()
    run.play(limit=120)
    assert run.hands.waiting


def test_a_machine_that_slept_does_not_catch_up(plan: GamePlan, cable: MemoryCable, clock: Clock) -> None:
    run = Setup(plan, cable, clock, speed=1)
    run.device.step()
    clock.now += 86_400
    run.device.step()
    run.device.step()
    assert run.device.now <= 4000
