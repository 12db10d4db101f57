import subprocess
import sys

import pytest

from inkeek.service.processes import child_process
from tests.service.waiting import alive, until

SLEEPER = (
    "import sys, threading; from inkeek.service.processes import child_process; done = threading.Event(); "
    "child_process.watch(done.set); "
    "print('up', flush=True); sys.exit(0 if done.wait(30) else 3)"
)


def test_a_child_stops_when_its_parent_lets_go():
    child = child_process.start(["-c", SLEEPER], {}, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"up\n"
    child.stdin.close()
    assert child.wait(60) == 0
    child.stdout.close()


def test_a_child_stops_when_its_parent_is_killed():
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, signal, subprocess; from inkeek.service.processes import child_process; "
            f"c = child_process.start(['-c', {SLEEPER!r}], {{}}, stdout=subprocess.PIPE); c.stdout.readline(); "
            "print(c.pid, flush=True); "
            "os.kill(os.getpid(), signal.SIGKILL)",
        ],
        stdout=subprocess.PIPE,
    )
    pid = int(parent.stdout.readline())
    parent.wait(60)
    parent.stdout.close()
    until(lambda: not alive(pid))


POOL = (
    "import os, signal, time; from concurrent.futures import ProcessPoolExecutor; "
    "from multiprocessing import get_context; from inkeek.service.processes.child_process import end_with_parent\n"
    "if __name__ == '__main__':\n"
    "    pool = ProcessPoolExecutor(2, get_context({method!r}), end_with_parent)\n"
    "    pids = {{pool.submit(os.getpid).result() for _ in range(20)}}; pool.submit(time.sleep, 600)\n"
    "    print(*pids, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_the_processes_of_a_pool_end_with_its_parent_in_the_middle_of_a_call(method):
    parent = subprocess.Popen([sys.executable, "-c", POOL.format(method=method)], stdout=subprocess.PIPE)
    pids = list(map(int, parent.stdout.readline().split()))
    parent.wait(60)
    parent.stdout.close()
    assert pids
    until(lambda: not any(map(alive, pids)))


def test_a_child_that_does_not_listen_is_killed():
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"
    child = child_process.start(["-c", stubborn], {}, stdout=subprocess.PIPE)
    child.stdout.readline()
    child_process.stop(child, within=0.2)
    child.stdout.close()
    assert child.returncode == -9
    child_process.stop(child)  # twice does no harm


def test_any_module_can_end_with_its_parent():
    child = child_process.start(
        ["-m", "inkeek.service.processes.child_process", "http.server", "--bind", "127.0.0.1", "0"],
        {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
    )
    assert b"Serving" in child.stdout.readline()
    child.stdin.close()
    assert child.wait(60) == -15
    child.stdout.close()


def test_a_child_that_does_not_stop_when_its_parent_lets_go_is_ended():
    code = (
        "from inkeek.service.processes import child_process; import signal; "
        "child_process.watch(lambda: None, within=0.1); "
        "print('up', flush=True); signal.pause()"
    )
    child = child_process.start(["-c", code], {}, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"up\n"
    child.stdin.close()
    assert child.wait(60) == 1
    child.stdout.close()
