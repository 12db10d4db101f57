from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from typing import Any

import pytest

from firmware_sim.device import Device
from firmware_sim.errors import GaveUp
from firmware_sim.firmware.board import Board
from firmware_sim.firmware.ring import RING_SIZE
from firmware_sim.hands.hands import MOMENTS, Hands
from firmware_sim.hands.plan import Plan
from firmware_sim.world import World
from tests.firmware_sim.conftest import Clock, Wire
from tests.firmware_sim.host import Host


class Setup:
    """A device on a wire, a host on its other end."""

    def __init__(
        self,
        plan: Plan,
        wire: Wire,
        clock: Clock,
        speed: float | None = None,
        give_up: float | None = None,
        stores: bool = True,
        ring: int = RING_SIZE,
        pulls: Mapping[tuple[int, str], float] | None = None,
        restarts: Sequence[tuple[int, str]] = (),
        **options: Any,
    ) -> None:
        random = Random(5)
        boots = count(2)
        self.told: list[Mapping[str, object]] = []
        self.world = World(plan.row, stores, random)
        self.board = Board(plan.row, stores, "SIM", "00000001", ring=ring)
        self.device = Device(
            self.board, self.world, wire, clock, self._wait, speed=speed, give_up=give_up, tell=self.told.append
        )
        self.hands = Hands(
            plan,
            self.world,
            self.board.lights,
            random,
            self.told.append,
            troubles={
                **{
                    at: [lambda ply, moment, long=seconds: self.device.pull(ply, moment, long)]
                    for at, seconds in (pulls or {}).items()
                },
                **{
                    at: [
                        lambda *_: self.device.restart(Board(plan.row, stores, "SIM", f"{next(boots):08x}", ring=ring))
                    ]
                    for at in restarts
                },
            },
            **options,
        )
        self.device.hands = self.hands
        self.host = Host(plan, wire.write, stores)
        self.wire = wire
        self.clock = clock
        self.present = True  # the host reads and answers
        self.waits = 0
        wire.plug()

    def play(self, limit: float = 3600) -> None:
        """Run until the game is over, or for `limit` seconds."""
        self.host.greet()
        self.device.run(lambda: not self.device.playing or self.clock.now > limit)

    def _wait(self, files: list[int], seconds: float) -> None:
        assert files == self.wire.files()
        self.waits += 1
        self.clock.now += seconds
        if self.present:
            self.host.hear(self.wire.read())

    def events(self, kind: str) -> list[Mapping[str, object]]:
        return [event for event in self.told if event["event"] == kind]


@pytest.mark.parametrize("stores", [True, False])
def test_a_game_without_waiting(stores: bool, whole_game: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(whole_game, wire, clock, stores=stores)
    run.play()
    assert run.hands.done
    assert run.host.played == len(whole_game.turns)
    assert run.host.refusals == []
    assert run.device.now > 60_000
    assert clock.now < 5
    run.device.step()
    assert run.device.heard


@pytest.mark.parametrize("speed", [1, 20])
def test_a_game_at_human_speed(speed: float, plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, speed=speed)
    run.play()
    assert run.host.played == len(plan.turns)
    assert clock.now == pytest.approx(run.device.now / 1000 / speed, rel=0.05)
    assert run.waits <= clock.now * 120


def test_the_same_seed_plays_the_same(plan: Plan) -> None:
    runs = []
    for _ in range(2):
        run = Setup(plan, Wire(), Clock(), speed=20)
        run.play()
        runs.append((run.host.events, run.told))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("speed", [20, None])
def test_mistakes_are_caught_and_mended(speed: float | None, plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, speed=speed, mistakes={1: "skip", 2: "double"})
    run.play()
    assert [ply for ply, _ in run.host.refusals] == [1, 2]
    assert [event["ply"] for event in run.events("mended")] == [1, 2]
    assert run.host.played == len(plan.turns)


@pytest.mark.parametrize("speed", [20, None])
def test_a_pulled_cable_loses_nothing(speed: float | None, plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, speed=speed, pulls={(2, "middle"): 30.0})
    missed = []

    def tell(event: Mapping[str, object]) -> None:
        run.told.append(event)
        if event["event"] == "plugged":
            missed.append(len(run.board.ring))
            run.host.greet()

    run.device._tell = tell
    run.play()
    assert run.events("plugged") == [{"event": "plugged", "url": "wire"}]
    assert missed
    assert missed[0] > 5
    assert run.host.played == len(plan.turns)
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.safe + 1))


@pytest.mark.parametrize("speed", [20, None])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_board_that_starts_again_is_played_on(
    moment: str, speed: float | None, plan: Plan, wire: Wire, clock: Clock
) -> None:
    run = Setup(plan, wire, clock, speed=speed, restarts=[(1, moment), (4, moment)])
    run.play()
    boots = [event["boot"] for event in run.events("restarted")]
    assert len(set(boots)) == 2
    assert run.host.boot == boots[-1]
    assert run.host.played == len(plan.turns)
    assert run.host.refusals == []


def test_a_button_that_a_restart_swallowed_is_pressed_again(plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, restarts=[(2, "button")])
    run.play()
    assert run.hands.done
    assert [event["tries"] for event in run.events("turn")] == [1] * len(plan.turns)
    presses = [event for event in run.host.events if event[2] == "BTN"]
    assert [event[3] for event in presses] == [turn.side for turn in plan.turns]


def test_a_host_that_does_not_read_blocks_nobody(plan: Plan, clock: Clock) -> None:
    run = Setup(plan, Wire(capacity=100), clock, speed=20)
    run.play(limit=2)
    run.present = False
    run.play(limit=20)
    assert run.device.now > 300_000
    assert not run.hands.done
    run.present = True
    run.play()
    assert run.hands.done


def test_hands_without_waiting_do_not_outrun_a_slow_host(whole_game: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(whole_game, wire, clock, ring=24)
    most = []
    late = bytearray()
    hear = run.host.hear

    def slow(data: bytes) -> None:
        late.extend(data)
        most.append(len(run.board.ring))
        if len(most) % 10 == 0:
            hear(bytes(late))
            late.clear()

    run.host.hear = slow  # type: ignore[method-assign]
    run.play()
    assert run.hands.done
    assert 12 <= max(most) < 24
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.safe + 1))


def test_patience_ends_where_it_is_told_to(plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, give_up=60)
    run.present = False
    wire.unplug()
    with pytest.raises(GaveUp, match="60 seconds"):
        run.play()
    assert 60 <= clock.now < 61


def test_without_a_limit_they_wait_for_long(plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock)
    run.present = False
    wire.unplug()
    run.play(limit=600)
    assert run.hands.waiting


def test_a_machine_that_slept_does_not_make_up_for_it(plan: Plan, wire: Wire, clock: Clock) -> None:
    run = Setup(plan, wire, clock, speed=1)
    run.device.step()
    clock.now += 86_400
    run.device.step()
    run.device.step()
    assert run.device.now <= 4000
