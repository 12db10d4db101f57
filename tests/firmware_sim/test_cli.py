"""The whole simulator as a process, with a host on the other end of a real line."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

import firmware_sim
from firmware_sim.cli import main
from firmware_sim.hands.mistakes import MISTAKES
from firmware_sim.hands.plan import Plan, plan_game
from firmware_sim.scenarios.scenario import read_scenario
from firmware_sim.scenarios.stage import plan_of
from records import Game, Move, Ply, write_game
from tests.firmware_sim.conftest import line, rules_8
from tests.firmware_sim.host import Host

DEADLINE_S = 30.0
SCENARIO = str(Path(__file__).parents[2] / "docs/examples/scenarios/weak-supply.toml")


@pytest.fixture(scope="module")
def game() -> Game:
    tags = {"Game": "enkeshui", "Options": "pits=8 setup=fours-right"}
    return Game(tags).with_plies(*(Ply(move) for move in line(rules_8(), 10)))


@pytest.fixture
def record(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "game.pmn"
    path.write_text(write_game(game), encoding="utf-8")
    return path


class Simulator:
    """The process, and what it has told."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "firmware_sim", "--json", *arguments], stdout=subprocess.PIPE
        )
        self.told: list[dict[str, Any]] = []
        self._rest = b""
        self.until(lambda: bool(self.told))
        assert self.told[0]["event"] == "listening"
        self.url: str = self.told[0]["url"]

    def until(self, condition: Callable[[], bool], serve: Callable[[], None] = lambda: None) -> None:
        """Read what it tells, and serve the line, until the condition holds."""
        assert self.process.stdout is not None
        end = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end, f"nothing came of it: {self.told[-3:]}"
            if select.select([self.process.stdout], [], [], 0.005)[0]:
                data = os.read(self.process.stdout.fileno(), 65536)
                assert data, f"it ended: {self.told[-3:]}"
                *lines, self._rest = (self._rest + data).split(b"\n")
                self.told += [json.loads(line) for line in lines]
            serve()

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.told if event["event"] == kind]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Simulator]]:
    started: list[Simulator] = []

    def begin(*arguments: str) -> Simulator:
        started.append(Simulator(*arguments))
        return started[-1]

    yield begin
    for simulator in started:
        simulator.close()


class PtyHost:
    """A host that opens the line again whenever it vanishes."""

    def __init__(self, url: str, plan: Plan) -> None:
        self.url = url
        self.file = -1
        self.opened = 0
        self.host = Host(plan, lambda data: self._write(data))

    def serve(self) -> None:
        try:
            if self.file < 0:
                self.file = os.open(self.url, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
                tty.setraw(self.file)
                self.opened += 1
                self.host.greet()
            if select.select([self.file], [], [], 0)[0]:
                data = os.read(self.file, 4096)
                if not data:
                    raise OSError("hung up")
                self.host.hear(data)
        except (OSError, tty.error):
            self.close()

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def _write(self, data: bytes) -> None:
        os.write(self.file, data)


def test_a_game_on_a_pty_with_a_mistake_and_a_pulled_cable(
    game: Game, record: Path, tmp_path: Path, start: Callable[..., Simulator]
) -> None:
    plan = plan_game(game)
    link = tmp_path / "board"
    simulator = start(
        *("--pty", "--link", str(link), "--play", str(record), "--speed", "max", "--exit", "--seed", "3"),
        *("--mistake", "1:skip", "--unplug", "4:0.3"),
    )
    assert simulator.url == str(link)
    assert (simulator.told[0]["serial"], simulator.told[0]["pits"]) == ("SIM-0001", 8)
    host = PtyHost(simulator.url, plan)
    simulator.until(lambda: bool(simulator.events("finished")), host.serve)
    end = time.monotonic() + DEADLINE_S
    while simulator.process.poll() is None:
        assert time.monotonic() < end
        host.serve()
    host.close()
    assert simulator.process.returncode == 0
    assert simulator.events("finished")[0]["moves"] == [turn.move for turn in plan.turns]
    assert simulator.events("finished")[0]["position"] == str(plan.end)
    assert [event["tries"] for event in simulator.events("turn")] == [2] + [1] * (len(plan.turns) - 1)
    assert host.host.played == len(plan.turns)
    assert host.opened >= 2
    assert [int(event[0]) for event in host.host.events] == list(range(1, host.host.safe + 1))
    assert not link.is_symlink()


def test_a_still_board_on_tcp_lives_until_it_is_told_to_end(start: Callable[..., Simulator]) -> None:
    simulator = start("--tcp", "127.0.0.1:0", "-o", "pits=8", "-o", "setup=fours-left", "--serial", "IK-9")
    port = int(simulator.url.removeprefix("socket://127.0.0.1:"))
    rules = rules_8()
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S) as line:
        host = Host(Plan(8, (), "s", (), rules.start()), line.sendall)
        host.greet()
        while not [told for told in host.lines if told[0] == "SNAP" and told[5] == "f" * 18]:
            host.say("SNAP?")
            host.hear(line.recv(4096))
    counts = [int(count) / 100 for count in host.lines[-1][4].split(".")]
    assert [round(count) for count in counts] == [4] * 6 + [0] * 2 + [4] * 6 + [0] * 4
    assert host.lines[0][3] == "IK-9"
    assert host.events == []
    assert simulator.stop(signal.SIGINT) == 0


def test_every_start_has_a_boot_id_of_its_own(start: Callable[..., Simulator]) -> None:
    boots = {start("--tcp", "127.0.0.1:0", "--seed", "1").told[0]["boot"] for _ in range(2)}
    assert len(boots) == 2


def test_hands_that_give_up_say_so(record: Path, start: Callable[..., Simulator]) -> None:
    simulator = start("--pty", "--play", str(record), "--speed", "max", "--give-up", "0.2")
    simulator.until(lambda: bool(simulator.events("gave-up")))
    assert "0.2 seconds" in simulator.events("gave-up")[0]["why"]
    assert simulator.process.wait(DEADLINE_S) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "--pty or --tcp"),
        (["--pty", "--tcp", "127.0.0.1:0"], 2, "either --pty or --tcp"),
        (["--tcp", "127.0.0.1:0", "--link", "x"], 2, "--link goes with --pty"),
        (["--pty", "--exit"], 2, "go with --play only"),
        (["--pty", "--play", "{record}", "-o", "pits=8"], 2, "-o goes without --play"),
        (["--pty", "--play", "{record}", "--speed", "fast"], 2, "'fast': expected a factor"),
        (["--pty", "--play", "{record}", "--game", "2"], 2, "fewer than 2 games"),
        (
            ["--pty", "--play", "{record}", "--mistake", "1:skip", "--mistake", "1:double"],
            2,
            "names a turn twice: 1, 1",
        ),
        (["--pty", "--play", "{record}", "--mistake", "99:skip"], 1, "no turn 99: the game has 10"),
        (["--pty", "--play", "nowhere.pmn"], 2, "'nowhere.pmn' does not exist"),
        (["--pty", "--ruleset", "ludo"], 2, "ludo"),
        (["--pty", "-o", "pits=9"], 2, "pits=9"),
        (["--pty", "--serial", "a,b"], 2, "'a,b'"),
        (["--pty", "--link", "/no/such/folder/board"], 1, "/no/such/folder/board"),
        (["--pty", "--scenario", "nowhere.toml"], 2, "'nowhere.toml' does not exist"),
        (["--pty", "--scenario", "{record}"], 2, "this is no TOML"),
        (["--pty", "--scenario", SCENARIO, "--speed", "2"], 2, "--speed goes without --scenario only"),
        (["--pty", "--scenario", SCENARIO, "--play", "{record}"], 2, "--play goes without --scenario only"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(arguments: list[str], status: int, message: str, record: Path) -> None:
    told = CliRunner().invoke(main, [argument.format(record=record) for argument in arguments])
    assert message in told.output
    assert told.exit_code == status


def test_a_record_with_an_illegal_turn_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.pmn"
    path.write_text(write_game(Game({"Game": "enkeshui"}, (Ply(Move.parse("a")),))), encoding="utf-8")
    told = CliRunner().invoke(main, ["--pty", "--play", str(path)])
    assert told.exit_code == 1
    assert "turn 1 cannot be played: a: a is empty" in told.output


def test_a_scenario_is_played(tmp_path: Path, start: Callable[..., Simulator]) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(
        'seed = 4\nspeed = "max"\n[game]\noptions = { pits = 8, setup = "fours-right" }\nturns = 5\n'
        '[[at]]\nturn = 2\nwhat = "brown-out"\nseconds = 0.2\n[[at]]\nturn = 3\nwhat = "mistake"\nkind = "bump"\n'
    )
    simulator = start("--pty", "--scenario", str(path), "--exit")
    plan = plan_of(read_scenario(path), Random(4))
    host = PtyHost(simulator.url, plan)
    simulator.until(lambda: bool(simulator.events("finished")), host.serve)
    host.close()
    assert simulator.events("finished")[0]["moves"] == [turn.move for turn in plan.turns]
    assert [event["ply"] for event in simulator.events("brown-out")] == [2]
    assert [event["kind"] for event in simulator.events("mistake")] == ["bump"]
    assert simulator.events("mended")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.pmn"
    path.write_bytes(b"\xff\xfe\x00")
    told = CliRunner().invoke(main, ["--pty", "--play", str(path)])
    assert told.exit_code == 1
    assert "bad.pmn" in told.output


def test_people_read_the_address_first(record: Path) -> None:
    told = CliRunner().invoke(main, ["--pty", "--play", str(record), "--speed", "max", "--give-up", "0.1"])
    first, second, *_ = told.output.splitlines()
    assert first.startswith("/dev/")
    assert second.startswith("laid-out counts=")


def test_every_option_mistake_and_event_is_in_the_docs() -> None:
    docs = (Path(__file__).parents[2] / "docs/simulator.md").read_text(encoding="utf-8")
    options = [name for option in main.params for name in (*option.opts, *option.secondary_opts)]
    sources = [path.read_text(encoding="utf-8") for path in Path(firmware_sim.__file__).parent.rglob("*.py")]
    events = {event for source in sources for event in re.findall(r'"event": "([a-z-]+)"', source)}
    assert len(events) > 8
    for word in (*options, *MISTAKES, *events):
        assert re.search(rf"`{word}[ `]", docs), f"{word} is not in docs/simulator.md"
