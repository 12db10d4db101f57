"""The whole simulator as a process, with a host at the other end of a real port."""

from __future__ import annotations

import json
import math
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
from typing import Any

import click
import pytest
from click.testing import CliRunner

from inkeek.firmware_sim.cli import (
    MAX_SECONDS,
    UNPLUGGED_S,
    main,
    read_address,
    read_mistake,
    read_option,
    read_restart,
    read_speed,
    read_unplug,
)
from inkeek.firmware_sim.hands.plan import GamePlan, plan_game
from inkeek.records import Game, Ply, write_game
from tests.firmware_sim.conftest import middle_turns, rules_8
from tests.firmware_sim.host import Host

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def game() -> Game:
    tags = {"Game": "enkeshui", "Options": "pits=8 setup=fours-right"}
    return Game(tags, tuple(map(Ply, middle_turns(rules_8(), 10))))


@pytest.fixture
def record(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "game.pmn"
    path.write_text(write_game(game), encoding="utf-8")
    return path


class Simulator:
    """The process and the events it has reported."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inkeek.firmware_sim", "--json", *arguments], stdout=subprocess.PIPE
        )
        self.reported: list[dict[str, Any]] = []
        self._rest = b""
        self.until(lambda: bool(self.reported))
        assert self.reported[0]["event"] == "listening"
        self.url: str = self.reported[0]["url"]

    def until(self, condition: Callable[[], bool], serve: Callable[[], None] = lambda: None) -> None:
        """Read its events, and serve the port, until the condition holds."""
        assert self.process.stdout is not None
        end = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end, f"condition not reached: {self.reported[-3:]}"
            if select.select([self.process.stdout], [], [], 0.005)[0]:
                data = os.read(self.process.stdout.fileno(), 65536)
                assert data, f"the simulator ended: {self.reported[-3:]}"
                *lines, self._rest = (self._rest + data).split(b"\n")
                self.reported += [json.loads(line) for line in lines]
            serve()

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.reported if event["event"] == kind]

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
    """A host that reopens the port whenever it vanishes."""

    def __init__(self, url: str, plan: GamePlan) -> None:
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
                self.host.receive(data)
        except (OSError, tty.error):
            self.close()

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def _write(self, data: bytes) -> None:
        os.write(self.file, data)


def test_a_game_on_a_pty_with_a_mistake_and_an_unplugged_cable(
    game: Game, record: Path, tmp_path: Path, start: Callable[..., Simulator]
) -> None:
    plan = plan_game(game)
    link = tmp_path / "board"
    simulator = start(
        *("--pty", "--link", str(link), "--play", str(record), "--speed", "max", "--exit", "--seed", "3"),
        *("--mistake", "1:skip", "--unplug", "4:0.3"),
    )
    assert simulator.url == str(link)
    assert (simulator.reported[0]["serial"], simulator.reported[0]["pits"]) == ("SIM-0001", 8)
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
    assert [int(event[0]) for event in host.host.events] == list(range(1, host.host.acknowledged + 1))
    assert not link.is_symlink()


def test_an_idle_board_on_tcp_runs_until_a_signal(start: Callable[..., Simulator]) -> None:
    simulator = start("--tcp", "127.0.0.1:0", "-o", "pits=8", "-o", "setup=fours-left", "--serial", "IK-9")
    port = int(simulator.url.removeprefix("socket://127.0.0.1:"))
    rules = rules_8()
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S) as line:
        host = Host(GamePlan(8, (), "s", (), rules.start()), line.sendall)
        host.greet()
        while not [fields for fields in host.lines if fields[0] == "SNAP" and fields[5] == "f" * 18]:
            host.send("SNAP?")
            host.receive(line.recv(4096))
    counts = [int(count) / 100 for count in host.lines[-1][4].split(".")]
    assert [round(count) for count in counts] == [4] * 6 + [0] * 2 + [4] * 6 + [0] * 4
    assert host.lines[0][3] == "IK-9"
    assert host.events == []
    assert simulator.stop(signal.SIGINT) == 0


def test_every_start_has_its_own_boot_id(start: Callable[..., Simulator]) -> None:
    boots = {start("--tcp", "127.0.0.1:0", "--seed", "1").reported[0]["boot"] for _ in range(2)}
    assert len(boots) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--pty", "--tcp", "127.0.0.1:0"], 2, "--pty .*--tcp"),
        (["--tcp", "127.0.0.1:0", "--link", "x"], 2, "--link .*--pty"),
        (["--pty", "--exit"], 2, "--exit .*--play"),
        (["--pty", "--play", "{record}", "-o", "pits=8"], 2, "-o .*--play"),
        (["--pty", "--play", "{record}", "--speed", "fast"], 2, "'fast'"),
        (["--pty", "--play", "{record}", "--game", "2"], 2, "game.pmn'.*2"),
        (
            ["--pty", "--play", "{record}", "--mistake", "1:skip", "--mistake", "1:bump"],
            2,
            "--mistake .*1, 1",
        ),
        (["--pty", "--play", "{record}", "--mistake", "99:skip"], 1, "99.*10"),
        (["--pty", "--play", "nowhere.pmn"], 2, "'nowhere.pmn'"),
        (["--pty", "--ruleset", "ludo"], 2, "ludo"),
        (["--pty", "-o", "pits=9"], 2, "pits=9"),
        (["--pty", "--serial", "a,b"], 2, "'a,b'"),
        (["--pty", "--link", "/no/such/folder/board"], 1, "/no/such/folder/board"),
    ],
)
def test_invalid_options_are_refused_by_name(arguments: list[str], status: int, message: str, record: Path) -> None:
    result = CliRunner().invoke(main, [argument.format(record=record) for argument in arguments])
    assert re.search(message, result.output)
    assert result.exit_code == status


def test_a_record_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.pmn"
    path.write_bytes(b"\xff\xfe\x00")
    result = CliRunner().invoke(main, ["--pty", "--play", str(path)])
    assert result.exit_code == 1
    assert "bad.pmn" in result.output


def test_the_first_line_of_text_is_the_address_of_a_pseudo_terminal(record: Path) -> None:
    command = [sys.executable, "-m", "inkeek.firmware_sim", "--play", str(record), "--speed", "max"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("/dev/")
        assert process.stdout.readline().startswith("laid-out counts=")
        process.terminate()
    assert process.returncode == 0


def test_what_a_terminal_would_obey_is_shown(tmp_path: Path) -> None:
    record = tmp_path / "e\x1b[31m\x9b.pmn"
    record.write_text('[Game "bof"]\n\n1. z *\n')
    done = CliRunner().invoke(main, ["--play", str(record), "--tcp", "127.0.0.1:0"], color=True)
    assert "\\u001b[31m\\u009b" in done.output
    assert "\x1b" not in done.output


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (read_speed, "1", 1.0),
        (read_speed, "0.5", 0.5),
        (read_speed, "max", math.inf),
        (read_address, "127.0.0.1:0", ("127.0.0.1", 0)),
        (read_address, "[::1]:65535", ("::1", 65535)),
        (read_mistake, "7:skip", (7, "skip")),
        (read_mistake, "12:forget-capture", (12, "forget-capture")),
        (read_unplug, "9", ((9, "middle"), UNPLUGGED_S)),
        (read_unplug, "9:0.5", ((9, "middle"), 0.5)),
        (read_unplug, "9@button:0.5", ((9, "button"), 0.5)),
        (read_restart, "9@start", (9, "start")),
        (read_restart, "9", (9, "middle")),
        (read_option, "setup=4.4/4.4", ("setup", "4.4/4.4")),
    ],
)
def test_valid_texts_are_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (read_speed, ["", "0", "-1", "nan", "inf", "1001", "fast"]),
        (read_address, ["", "localhost", ":80", "h:", "h:65536", "h:-1", "h:²"]),
        (read_mistake, ["", "7", "7:", "0:skip", "x:skip", "7:oops", "9999999:skip"]),
        (read_unplug, ["", "0", "x", "3:", "3:x", "3:-1", f"3:{MAX_SECONDS + 1}", "3:nan", "3@", "3@noon:1"]),
        (read_restart, ["", "0", "3:1", "3@noon", "@start"]),
        (read_option, ["", "pits", "=8"]),
    ],
)
def test_invalid_texts_are_quoted(read: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(click.BadParameter) as caught:
            read(text)
        assert repr(text) in caught.value.message
