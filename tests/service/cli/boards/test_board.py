"""`inkeek board`: the commands against the simulated board as a process of its own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inkeek.service.cli import main
from tests.e2e.processes import SimulatedBoard
from tests.service.waiting import until

pytestmark = pytest.mark.usefixtures("installed")

EXAMPLE = Path(__file__).parents[4] / "docs/examples/enkeshui.pmn"


@pytest.fixture(scope="module")
def sim(tmp_path_factory):
    """A board whose hands play until nobody answers them."""
    folder = tmp_path_factory.mktemp("sim")
    options = ["--pty", "--link", str(folder / "board"), "--play", str(EXAMPLE), "--speed", "max"]
    with SimulatedBoard(folder, *options) as board:
        yield board


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def test_the_simulator_names_itself_as_it_was_called():
    command = [sys.executable, "-m", "inkeek.service.cli", "board", "sim", "--tcp", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: inkeek board sim ")


def test_a_session_is_recorded_and_played_again(runner, sim, tmp_path):
    file = str(tmp_path / "a.jsonl")
    done = runner.invoke(main, ["board", "record", file, "--port", sim.url, "--seconds", "1.5", "--json"])
    assert done.exit_code == 0, done.output
    recorded = lines(done.output)
    kinds = [event["event"] for event in recorded]
    assert kinds[0] == "connected"
    assert "snapshot" in kinds  # events that the board held come before it
    played = runner.invoke(main, ["board", "playback", file, "--json"])
    assert played.exit_code == 0, played.output
    *events, end = lines(played.output)
    assert end == {"end": {"differences": 0, "first": [], "cut": None}}
    drop_time = [{**event, "t": 0} for event in events]
    assert drop_time == [{**event, "t": 0} for event in recorded]
    text = runner.invoke(main, ["board", "playback", file, "--speed", "1000"])
    assert text.output.startswith(f"{sim.url} (inkeek), recorded at ")
    assert "SIM-0001" in text.output


def test_a_recorder_that_is_killed_leaves_a_file_that_plays(runner, sim, tmp_path):
    file = tmp_path / "a.jsonl"
    command = [sys.executable, "-m", "inkeek.service.cli", "board", "record", str(file), "--port", sim.url]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    until(lambda: file.exists() and file.read_bytes().count(b"\n") > 6)
    process.kill()
    process.wait()
    played = runner.invoke(main, ["board", "playback", str(file)])
    assert played.exit_code == 0, played.output
    assert json.loads(runner.invoke(main, ["board", "playback", str(file), "--json"]).output.splitlines()[-1])["end"][
        "cut"
    ]


def test_a_watch_prints_lines(runner, sim):
    done = runner.invoke(main, ["board", "watch", sim.url, "--seconds", "0.5"])
    assert done.exit_code == 0, done.output
    assert "SIM-0001" in done.output
    assert "\x1b" not in done.output


@pytest.mark.parametrize(("take", "acknowledged"), [([], []), (["--take"], ["1a2b3c4d,2"])])
def test_only_watch_with_take_acknowledges_events(runner, monkeypatch, take, acknowledged):
    from tests.drivers.board_side import hello, lift
    from tests.drivers.ports.test_connection import World

    world = World()
    world.incoming = [hello(last=2), lift(1) + lift(2)]
    monkeypatch.setattr("inkeek.drivers.ports.driver.SystemEnvironment", lambda *given: world)
    done = runner.invoke(main, ["board", "watch", "/dev/fake", "--seconds", "0.05", *take])
    assert done.exit_code == 0, done.output
    assert [line.removeprefix("ACK,") for line in world.take() if line.startswith("ACK")] == acknowledged


def test_a_host_that_sends_other_data_is_reported(runner, sim, tmp_path):
    file = tmp_path / "a.jsonl"
    runner.invoke(main, ["board", "record", str(file), "--port", sim.url, "--seconds", "0.5"])
    file.write_text(file.read_text().replace("$SNAP?", "$SNIP?"))
    done = runner.invoke(main, ["board", "playback", str(file)])
    assert done.exit_code == 1
    changed = sum("$SNIP?" in line for line in file.read_text().splitlines())
    end = lines(runner.invoke(main, ["board", "playback", str(file), "--json"]).output)[-1]["end"]
    assert end["differences"] == changed > 0


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        (["watch", "/dev/no-such-board"], "/dev/no-such-board: No such file or directory"),
        (["watch", "board"], "'board'"),
        (["watch", "board:X", "--driver", "counts"], "'X'"),
        (["watch", "recorded:x", "--driver", "recorded"], "x: No such file"),
        (["watch", "/dev/null", "--driver", "clay"], "'clay'"),
        (["playback", "no.jsonl"], "no.jsonl: No such file"),
        (["playback", os.devnull], os.devnull),
        (["record", "/no/where.jsonl", "--port", "loop://"], "/no/where.jsonl: No such file"),
        (["calibrate", "loop://", "--driver", "typed"], "0.2 seconds"),
    ],
)
def test_an_error_is_one_line(runner, monkeypatch, arguments, quoted):
    monkeypatch.setattr("inkeek.service.cli.boards.steps.ANSWER_WITHIN", 0.2)
    done = runner.invoke(main, ["board", *arguments])
    assert done.exit_code == 1, done.output
    assert quoted in done.output
    assert done.output.count("\n") == 1


def test_a_port_in_use_is_an_error(runner, sim):
    from inkeek.drivers.ports.transport import Transport

    holder = Transport.open(sim.url)
    try:
        done = runner.invoke(main, ["board", "watch", sim.url])
        assert done.exit_code == 1
        assert sim.url in done.output
    finally:
        holder.close()


def test_a_board_of_another_version_is_refused(runner):
    from tests.drivers.board_side import hello

    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "inkeek.service.cli", "board", "watch", url], stdout=subprocess.PIPE, text=True
        )
        try:
            peer, _ = server.accept()
            with peer:
                assert peer.recv(100)  # the host's greeting: what came before it is not listened to
                peer.sendall(hello(version="2.0"))
                assert process.stdout is not None
                line = process.stdout.readline()
        finally:
            process.kill()
            process.communicate()
    assert "refused:" in line.split()
    assert [name for name in ("'B-1'", "2.0") if name not in line] == []
