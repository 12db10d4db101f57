"""What the service needs of the operating system."""

import subprocess
import sys

SIGNALS_WHILE_WAITING = """
import signal, threading
from inkeek.service.processes.system import set_on_signals

for microseconds in range(1000):
    stop = threading.Event()
    set_on_signals(stop, signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + microseconds % 97))
    while not stop.wait(0.00001):
        pass
print("stopped")
"""


def test_a_signal_that_comes_as_its_event_is_waited_for_stops_nothing() -> None:
    command = [sys.executable, "-c", SIGNALS_WHILE_WAITING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "stopped\n", done.stderr
