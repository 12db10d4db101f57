"""`inkeek demo`, run as a process."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from inkeek.records import read_games
from inkeek.service.demo.client import DemoFailed
from inkeek.service.demo.commands import demo
from inkeek.service.demo.demo import Child, Demo, check
from tests.service.waiting import alive, until

pytestmark = pytest.mark.usefixtures("installed")


def run(*arguments, **environ):
    return subprocess.run(
        [sys.executable, "-m", "inkeek.service.cli", "demo", *arguments],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_game_is_played_its_mistake_mended_and_the_record_checked(tmp_path):
    done = run("--port", "0", DEMO_SPEED="max", DEMO_EXIT="1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "/live" in done.stdout
    assert re.search(r"^2…  refused ", done.stdout, re.MULTILINE)
    assert re.search(r"^    mended ", done.stdout, re.MULTILINE)
    assert " 21 " in done.stdout.splitlines()[-1]
    text = done.stdout[done.stdout.index("[Event") : done.stdout.index("Checked:")]
    (record,) = read_games(text.strip().splitlines(keepends=True))
    assert record.errors == ()
    assert len(record.plies) == 21


@pytest.mark.parametrize("speed", ["fast", "-1"])
def test_a_wrong_speed_is_refused(runner, speed):
    done = runner.invoke(demo, ["--exit", "--speed", speed])
    assert done.exit_code == 1
    assert f"'{speed}'" in done.stderr


def test_a_mistake_in_a_turn_that_there_is_not_is_refused():
    done = run("--port", "0", "--exit", "--mistake", "99:skip")
    assert done.returncode == 1
    assert "99" in done.stderr


def test_a_demonstration_that_is_stopped_leaves_no_process_behind(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "inkeek.service.cli", "demo", "--port", "0", "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        # A background job of a shell ignores SIGINT, and so would its processes.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert "/live" in process.stdout.readline()
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
        pids = [int(pid) for pid in file.read().split()]
    assert len(pids) == 2
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stdout.close()
    until(lambda: not any(alive(pid) for pid in pids))


class Answers:
    """A client with prepared answers."""

    def __init__(self, answers):
        self.answers = answers

    def get(self, path):
        return self.answers[path.rpartition("/")[2]]

    def text(self, path):
        return self.answers["pmn"]


def answers_for(game, text):
    turns = game.replay().turns
    return {
        "replay": {"plies": [{"move": str(turn.move)} for turn in turns]},
        "g": {"position": str(turns[-1].position), "result": game.tags["Result"], "state": "ended"},
        "pmn": text,
        "log": {"items": [{"kind": "refused"}, {"kind": "mended"}]},
        "integrity": {"faults": []},
    }


def test_the_check_finds_every_difference():
    from importlib import resources

    text = resources.files("inkeek.service.accounts").joinpath("example.pmn").read_text("utf-8")
    (game,) = read_games(text.splitlines(keepends=True))
    turns = game.replay().turns
    finished = {"moves": [str(turn.move) for turn in turns], "position": str(turns[-1].position)}
    good = answers_for(game, text)
    assert check(Answers(good), "g", "b", game, finished, "4:skip") == []
    for key, value, where in (
        ("replay", {"plies": good["replay"]["plies"][:-1]}, "moves of the replay"),
        ("g", {**good["g"], "position": "?"}, "final position"),
        ("g", {**good["g"], "result": "*"}, "result"),
        ("log", {"items": []}, "mistakes caught"),
        ("integrity", {"faults": ["event 2 was changed"]}, "chain"),
    ):
        (*_, last) = check(Answers({**good, key: value}), "g", "b", game, finished, "4:skip")
        assert any(
            where in fault for fault in check(Answers({**good, key: value}), "g", "b", game, finished, "4:skip")
        ), last
    assert check(Answers(good), "g", "b", game, {**finished, "moves": []}, "4:skip")


def test_a_child_that_ends_or_prints_nothing_is_an_error(tmp_path):
    with Child("it", ["-c", "import sys; sys.exit('no luck')"], tmp_path / "log") as child:
        with pytest.raises(DemoFailed, match=r"it ended with status 1\nno luck"):
            child.line(60)
        with pytest.raises(DemoFailed, match="status 1"):
            child.line(60)
    with (
        Child("it", ["-c", "import signal; signal.pause()"], tmp_path / "log") as child,
        pytest.raises(DemoFailed, match="nothing"),
    ):
        child.line(0.2)
    with (
        Child("it", ["-c", f"print({json.dumps('nonsense')!r})"], tmp_path / "log") as child,
        pytest.raises(DemoFailed, match="object"),
    ):
        child.event(60)


def test_a_child_that_prints_without_end_can_be_stopped(tmp_path):
    with Child("it", ["-c", "while True: print('x' * 100)"], tmp_path / "log") as child:
        assert child.line(60) == "x" * 100
    assert not alive(child.pid)


def test_a_demo_opens_nothing_before_it_runs(tmp_path):
    Demo(speed="1", port=None, data=str(tmp_path / "new"), mistake=None, say=print)
    assert list(tmp_path.iterdir()) == []
