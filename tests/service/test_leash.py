from __future__ import annotations

import subprocess
import sys

from service import leash

from .waiting import alive, until

SLEEPER = (
    "import sys, threading; from service import leash; done = threading.Event(); leash.watch(done.set); "
    "print('up', flush=True); sys.exit(0 if done.wait(30) else 3)"
)


def test_a_child_stops_when_its_parent_lets_go():
    child = leash.start(["-c", SLEEPER], {}, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"up\n"
    child.stdin.close()
    assert child.wait(15) == 0
    child.stdout.close()


def test_a_child_stops_when_its_parent_is_killed():
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import os, signal, subprocess; from service import leash; c = leash.start(['-c', {SLEEPER!r}], {{}}, "
            "stdout=subprocess.PIPE); c.stdout.readline(); print(c.pid, flush=True); "
            "os.kill(os.getpid(), signal.SIGKILL)",
        ],
        stdout=subprocess.PIPE,
    )
    pid = int(parent.stdout.readline())
    parent.wait(15)
    parent.stdout.close()
    until(lambda: not alive(pid))


def test_a_child_that_does_not_listen_is_killed(monkeypatch):
    monkeypatch.setattr(leash, "STOP_WITHIN", 0.2)
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"
    child = leash.start(["-c", stubborn], {}, stdout=subprocess.PIPE)
    child.stdout.readline()
    leash.stop(child)
    child.stdout.close()
    assert child.returncode == -9
    leash.stop(child)  # twice does no harm


def test_a_module_that_knows_no_leash_runs_on_one():
    child = leash.start(
        ["-m", "service.leash", "http.server", "--bind", "127.0.0.1", "0"],
        {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
    )
    assert b"Serving" in child.stdout.readline()
    child.stdin.close()
    assert child.wait(15) == -15
    child.stdout.close()
