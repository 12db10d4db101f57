"""How long commands take to start, in multiples of ``python -c 'import click'``, and how soon `inkeek serve` is ready.

Times of commands are user and system time of the whole process, the least of several rounds. `serve` is timed by the
clock until ``/readyz`` answers, the least of as many starts. As in an installed service, modules are compiled before.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

RECORD = Path(__file__).parents[2] / "docs" / "examples" / "bof.pmn"
CLICK = ("-c", "import click")
COMMANDS = {
    "--help": ("-m", "inkeek.service.cli", "--help"),
    "validate": ("-m", "inkeek.service.cli", "validate", str(RECORD)),
    "legal": ("-m", "inkeek.service.cli", "legal", "--game", "bof"),
    "token list": ("-m", "inkeek.service.cli", "token", "list"),
}


def cost(arguments: tuple[str, ...], environ: dict[str, str]) -> float:
    """Run Python once; return its user and system time."""
    silent = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], environ, file_actions=[silent])
    _, status, used = os.wait4(pid, 0)
    assert status == 0, arguments
    return used.ru_utime + used.ru_stime


def ready_after(folder: str, environ: dict[str, str]) -> float:
    """Start the service; return the seconds until it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began = time.perf_counter()
    arguments = [sys.executable, "-m", "inkeek.service.cli", "serve", "--port", str(port), "--data", folder]
    with subprocess.Popen(arguments, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as service:
        try:
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
                        return time.perf_counter() - began
                except OSError:
                    assert service.poll() is None, "the service ended"
                    time.sleep(0.01)
        finally:
            service.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        environ = {**os.environ, "INKEEK_DATA": folder, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        with tempfile.TemporaryDirectory() as other:
            ready_after(other, environ)
        first = ready_after(folder, environ)
        again = min(ready_after(folder, environ) for _ in range(rounds))
        least: dict[str, float] = {}
        for _ in range(rounds):
            for name, arguments in {"import click": CLICK, **COMMANDS}.items():
                least[name] = min(least.get(name, 1e9), cost(arguments, environ))
    for name, seconds in least.items():
        print(f"{name:14} {seconds * 1000:6.0f} ms {seconds / least['import click']:6.2f}")
    print(f"serve is ready after {again:.2f} s; {first:.2f} s with a new database")


if __name__ == "__main__":
    main()
