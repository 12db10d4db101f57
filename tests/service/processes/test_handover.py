"""A reload, and a socket that systemd has opened: clients notice neither."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from records import ruleset
from service.errors import SettingError
from service.processes import child_process, handover, launcher
from service.settings import read_settings
from service.storage import Store
from tests.e2e.following.feed_readers import FeedReader
from tests.e2e.processes import Service
from tests.service.waiting import until

ROOT = Path(__file__).parents[3]
WRITERS = 20
MIGRATION = "revision, down_revision = '{next}', '{last}'\n\n\ndef upgrade() -> None:\n    pass\n"
# Runs the arguments as `python` with the file descriptor that the first one names as systemd passes a socket, or as the
# terminal.
AS_SOCKET = "os.dup2(fd, 3); os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')"
AS_TERMINAL = "os.login_tty(fd)"


def serve(folder: Path, fd: int, passed: str, *more: str, **environ: str) -> subprocess.Popen[bytes]:
    first = (
        f"import os, sys; fd = int(sys.argv[1]); {passed}; os.execv(sys.executable, sys.orig_argv[:1] + sys.argv[2:])"
    )
    arguments = ["-c", first, str(fd), "-m", "service.cli", "serve", "--data", str(folder), *more]
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **environ},
        pass_fds=(fd,),
        start_new_session=True,  # a terminal of the tests is none of the service
    )


class Writer(threading.Thread):
    """Plays games without a pause, on a connection that stays open; `acknowledged`: turns by game."""

    def __init__(self, service: Service, stop: threading.Event) -> None:
        super().__init__()
        self.acknowledged: dict[str, int] = {}
        self.faults: list[str] = []
        self._stop_writing = stop
        headers = {"Authorization": f"Bearer {service.token}"}
        self._client = httpx.Client(base_url=service.client.url, headers=headers, timeout=60, trust_env=False)

    def run(self) -> None:
        try:
            with self._client:
                while not self._stop_writing.is_set():
                    self._play(self._post("games", {"game": "oware"})["id"])
        except httpx.HTTPError as error:
            self.faults.append(repr(error))

    def _play(self, game: str) -> None:
        self.acknowledged[game] = 0
        rules = ruleset("oware")
        position = rules.start()
        while not self._stop_writing.is_set() and (legal := rules.legal_moves(position)):
            self._post(f"games/{game}/turns", {"move": str(legal[0])})
            self.acknowledged[game] += 1
            position = rules.play(position, legal[0]).position

    def _post(self, path: str, body: object) -> dict[str, str]:
        answer = self._client.post(f"/api/v1/{path}", json=body)
        return answer.raise_for_status().json()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the program, which is run from now on, and can be changed."""
    program = tmp_path / "program"
    for part in ("service", "records", "drivers"):
        shutil.copytree(ROOT / part, program / part)
    monkeypatch.chdir(program)
    monkeypatch.setenv("PYTHONPATH", str(program))
    return program


def test_a_reload_takes_settings_program_and_tables_and_no_client_notices(tmp_path: Path, program: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    service = Service(data, workers=1)
    settings, web_server = data / "settings.toml", program / "service" / "processes" / "web_server.py"

    def reload(until_it_is_over: Callable[[list[int], list[int]], bool]) -> dict[str, list[int]]:
        """Reload, and wait until that is so of the supervisors before and now, and all runs."""
        before = service.pids()["supervisor"]
        os.kill(service.pids()["parent"][0], signal.SIGHUP)
        return until(
            lambda: all((now := service.pids()).values()) and until_it_is_over(before, now["supervisor"]) and now
        )

    def is_new(before: list[int], now: list[int]) -> bool:
        return len(now) == 1 and now != before

    try:
        service.start()
        stop = threading.Event()
        writers = [Writer(service, stop) for _ in range(WRITERS)]
        reader = FeedReader(service.port, service.token, "sse")
        for writer in writers:
            writer.start()
        settings.write_text("workers = 3\n")
        assert len(reload(is_new)["web"]) == 3
        settings.write_text("workerz = 2\n")
        reload(lambda before, now: now == before and "workerz" in service.errors())
        settings.write_text("workers = 2\n")
        whole = web_server.read_text("utf-8")
        web_server.write_text("mistake = (\n", "utf-8")
        reload(lambda before, now: now == before and "SyntaxError" in service.errors())
        web_server.write_text(whole, "utf-8")
        store = Store(read_settings({}, {"data": str(data)}).database_url, 60.0)
        last = store.check_revision()
        later = f"{int(last) + 1:04}"
        versions = program / "service" / "storage" / "migrations" / "versions"
        (versions / f"r{later}_later.py").write_text(MIGRATION.format(next=later, last=last), "utf-8")
        with (versions.parent / "released.py").open("a", encoding="utf-8") as released:
            released.write(f"RELEASED['{later}'] = RELEASED['{last}']\n")
        reload(is_new)
        assert store.revisions()[0] == later
        store.close()
        stop.set()
        for writer in writers:
            writer.join(60)
        assert [fault for writer in writers for fault in writer.faults] == []
        acknowledged = {game: turns for writer in writers for game, turns in writer.acknowledged.items()}
        games = {game: service.client.get(f"/api/v1/games/{game}") for game in acknowledged}
        assert {game: shown["ply"] for game, shown in games.items()} == acknowledged
        events = {(game, seq) for game, shown in games.items() for seq in range(1, shown["seq"] + 1)}
        until(lambda: len(reader.events) >= len(events))
        reader.close()
        assert sorted(reader.events) == sorted(events), "each event is read once, and there are no other games"
        assert reader.resumed == 0, "streams ended, and were not cut"
    finally:
        print(service.errors()[-5000:])  # pytest shows it if the test fails
        service.stop()


def test_a_socket_of_systemd_outlives_reloads_and_restarts_and_systemd_hears_of_them(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd,
    ):
        systemd.bind(address)
        systemd.settimeout(60)
        for _ in range(2):
            with socket.create_connection(listener.getsockname(), 60) as waiting:
                waiting.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
                service = serve(tmp_path, listener.fileno(), AS_SOCKET, "--exit-with-parent", NOTIFY_SOCKET=address)
                try:
                    assert b" 200 " in waiting.recv(99)
                    assert systemd.recv(99) == b"READY=1"
                    service.send_signal(signal.SIGHUP)
                    assert systemd.recv(99).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
                    assert systemd.recv(99) == b"READY=1"
                finally:
                    child_process.stop(service, within=handover.STOPS_WITHIN)
                assert systemd.recv(99) == b"STOPPING=1"
                assert service.returncode == 0


def test_a_log_in_json_goes_on_after_reloads(tmp_path: Path) -> None:
    service = Service(tmp_path, workers=1, log_format="json")

    def lines(part: str, message: str) -> int:
        entries = [json.loads(line) for line in service.errors().split("\n")[1:-1]]
        return sum((entry["part"], entry["message"]) == (part, message) for entry in entries)

    def reload(count: int) -> None:
        os.kill(service.pids()["parent"][0], signal.SIGHUP)
        until(lambda: lines("serve", "the service is reloaded") == count and all(service.pids().values()))
        service.client.get("/api/v1/games")
        until(lambda: lines("web", "GET /api/v1/games 200") == count)

    try:
        service.start()
        reload(1)
        reload(2)
    finally:
        service.stop()


def test_a_stop_while_the_program_on_the_disk_is_checked_is_no_reload(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    monkeypatch.setattr(handover, "fault_on_disk", lambda: stop.set() or "")
    monkeypatch.setattr(handover, "run_again", lambda *_: pytest.fail("it runs again"))
    launcher._reload(None, handover.Left(handover.ProcessFamily(0, 0, 0), "", ""), stop)


def test_a_terminal_that_closes_ends_the_service(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[3] |= termios.TOSTOP  # local flags: what writes in the background is stopped, such as our children
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    service = serve(tmp_path, theirs, AS_TERMINAL, "--port", "0")
    os.close(theirs)
    shown = b""
    while b"Press Ctrl-C" not in shown:
        shown += os.read(ours, 1024)
    os.close(ours)
    assert service.wait(60) == 0
    service.stdin.close()


@pytest.mark.parametrize(("family", "count"), [(socket.AF_INET, "2"), (socket.AF_UNIX, "1")])
def test_a_service_takes_one_socket_of_tcp(family: int, count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(family) as passed:
        monkeypatch.setattr(handover, "PASSED", passed.detach())
        monkeypatch.setenv("LISTEN_PID", str(os.getpid()))
        monkeypatch.setenv("LISTEN_FDS", count)
        with pytest.raises(SettingError, match="ListenStream"):
            handover.take_passed()


def test_a_script_that_has_moved_on_says_which_python_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "inkeek"
    script.write_text("#!/bin/sh\necho not this Python >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "orig_argv", [sys.executable, str(script), "serve"])
    assert handover.fault_on_disk() == "not this Python"
