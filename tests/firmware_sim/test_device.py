from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import pytest

from inkeek.firmware_sim.hands.hands import MOMENTS
from inkeek.firmware_sim.scenarios import BoardSetup, GameSetup, Scenario, ScheduledTrouble
from tests.firmware_sim.conftest import MemoryCable
from tests.firmware_sim.host import Staged

WHOLE = 500  # turns: more than a game has


def staged(
    *troubles: ScheduledTrouble,
    speed: float = inf,
    turns: int = 12,
    cable: MemoryCable | None = None,
    **board: Any,
) -> Staged:
    game = GameSetup("", 1, "enkeshui", {"pits": 8, "setup": "fours-right"}, turns)
    return Staged(Scenario(6, speed, game, BoardSetup("SIM", **board), at=troubles), cable)


@pytest.mark.parametrize("stores", [True, False])
def test_a_game_at_full_speed(stores: bool) -> None:
    run = staged(turns=WHOLE, stores=stores)
    run.play()
    assert not run.device.playing
    assert run.host.played == len(run.plan.turns) > 30
    assert run.host.refusals == []
    assert run.device.now > 60_000
    assert run.clock.now < 5
    run.device.step()
    assert run.device.acknowledged


def test_a_game_at_human_speed() -> None:
    run = staged(speed=20)
    run.play()
    assert run.host.played == len(run.plan.turns)
    assert run.clock.now == pytest.approx(run.device.now / 1000 / 20, rel=0.05)
    assert run.waits <= run.clock.now * 120


@pytest.mark.parametrize("speed", [20, inf])
def test_mistakes_are_refused_and_corrected(speed: float) -> None:
    run = staged(*(ScheduledTrouble(ply, "mistake", kind="bump") for ply in (1, 2)), speed=speed)
    run.play()
    assert [ply for ply, _ in run.host.refusals] == [1, 2]
    assert [event["ply"] for event in run.events("mended")] == [1, 2]
    assert run.host.played == len(run.plan.turns)


@pytest.mark.parametrize("speed", [20, inf])
def test_an_unplugged_cable_loses_no_event(speed: float) -> None:
    run = staged(ScheduledTrouble(2, "unplug", seconds=30.0), speed=speed)
    missed = []

    def report(event: Mapping[str, object]) -> None:
        run.reported.append(event)
        if event["event"] == "plugged":
            missed.append(len(run.device.board.ring))
            run.host.greet()

    run.device.report = report
    run.play()
    assert run.events("plugged") == [{"event": "plugged", "url": "memory"}]
    assert missed
    assert missed[0] > 5
    assert run.host.played == len(run.plan.turns)
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.acknowledged + 1))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_game_goes_on_after_restarts_of_the_board(moment: str) -> None:
    run = staged(*(ScheduledTrouble(ply, "restart", moment) for ply in (1, 4)), speed=20)
    run.play()
    boots = [event["boot"] for event in run.events("restarted")]
    assert len(set(boots)) == 2
    assert run.host.boot == boots[-1]
    assert run.host.played == len(run.plan.turns)
    assert run.host.refusals == []


def test_a_button_lost_in_a_restart_is_pressed_again() -> None:
    run = staged(ScheduledTrouble(2, "restart", "button"))
    run.play()
    assert not run.device.playing
    assert [event["tries"] for event in run.events("turn")] == [1] * len(run.plan.turns)
    presses = [event for event in run.host.events if event[2] == "BTN"]
    assert [event[3] for event in presses] == [turn.side for turn in run.plan.turns]


def test_a_host_that_does_not_read_does_not_block_the_device() -> None:
    run = staged(speed=20, cable=MemoryCable(capacity=100))
    run.play(limit=2)
    run.present = False
    run.play(limit=20)
    assert run.device.now > 300_000
    assert run.device.playing
    run.present = True
    run.play()
    assert not run.device.playing


def test_hands_at_full_speed_do_not_outrun_a_slow_host() -> None:
    run = staged(turns=WHOLE, ring=24)
    most = []
    late = bytearray()
    receive = run.host.receive

    def slow(data: bytes) -> None:
        late.extend(data)
        most.append(len(run.device.board.ring))
        if len(most) % 10 == 0:
            receive(bytes(late))
            late.clear()

    run.host.receive = slow  # type: ignore[method-assign]
    run.play()
    assert not run.device.playing
    assert 12 <= max(most) < 24
    assert [int(event[0]) for event in run.host.events] == list(range(1, run.host.acknowledged + 1))


def test_a_machine_that_slept_does_not_catch_up() -> None:
    run = staged(speed=1)
    run.device.step()
    run.clock.now += 86_400
    run.device.step()
    run.device.step()
    assert run.device.now <= 4000
