"""The listening socket. A restart under load: with systemd's socket no client notices, without it they are refused."""

import os
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path

import httpx
import pytest

from inkeek.records import ruleset
from inkeek.service.errors import SettingError
from inkeek.service.processes import child_process, listening
from inkeek.service.processes.listening import PortTaken, listen, passed_listener
from tests.e2e.following.feed_readers import FeedReader
from tests.ports import free_port
from tests.service.clients import token_in
from tests.service.waiting import until

WRITERS = 8
RESTARTS = 2
# Runs the arguments as `python`, with the file descriptor that the first one names as systemd passes a socket.
AS_SOCKET = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); "
    "os.execv(sys.executable, sys.orig_argv[:1] + sys.argv[2:])"
)


class Writer(threading.Thread):
    """Plays games without a pause, on a connection that stays open, or with `closes` on a new one for each request;
    `acknowledged`: turns by game; `refused`: the times at which a request got no answer, and was sent again; `longest`:
    seconds until an answer."""

    def __init__(self, port: int, token: str, stop: threading.Event, *, closes: bool) -> None:
        super().__init__()
        self.acknowledged: dict[str, int] = {}
        self.answers, self.longest = 0, 0.0
        self.refused: list[float] = []
        self._stop_writing = stop
        headers = {"Authorization": f"Bearer {token}", **({"Connection": "close"} if closes else {})}
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, trust_env=False)

    def run(self) -> None:
        with self._client:
            while not self._stop_writing.is_set():
                self._play(self._post("games", {"game": "oware"})["id"])

    def _play(self, game: str) -> None:
        self.acknowledged[game] = 0
        rules = ruleset("oware")
        position = rules.start()
        while not self._stop_writing.is_set() and (legal := rules.legal_moves(position)):
            self._post(f"games/{game}/turns", {"move": str(legal[0])})
            self.acknowledged[game] += 1
            position = rules.play(position, legal[0]).position

    def _post(self, path: str, body: object) -> dict[str, str]:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        while True:
            began = time.monotonic()
            try:
                answer = self._client.post(f"/api/v1/{path}", json=body, headers=headers)
            except httpx.TransportError:
                self.refused.append(time.monotonic())
                self._stop_writing.wait(0.01)
            else:
                self.answers, self.longest = self.answers + 1, max(self.longest, time.monotonic() - began)
                return answer.raise_for_status().json()


def wait_for_answers(writers: list[Writer], count: int) -> None:
    """Wait until each gets so many more answers."""
    least = [writer.answers + count for writer in writers]
    until(lambda: all(writer.answers >= wanted for writer, wanted in zip(writers, least, strict=True)))


def test_a_port_that_is_taken_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "BIND_WITHIN", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {port}.*--port"):
            listen("127.0.0.1", port)


def test_a_port_that_becomes_free_is_taken() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    timer = threading.Timer(0.3, taken.close)
    timer.start()
    with listen("127.0.0.1", taken.getsockname()[1]) as listener:
        assert listener.getsockname()[1]
    timer.join()


@pytest.mark.parametrize(("family", "count"), [(socket.AF_INET, "2"), (socket.AF_UNIX, "1")])
def test_a_service_takes_one_socket_of_tcp(family: int, count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(family) as passed:
        monkeypatch.setattr(listening, "PASSED", passed.detach())
        monkeypatch.setenv("LISTEN_PID", str(os.getpid()))
        monkeypatch.setenv("LISTEN_FDS", count)
        with pytest.raises(SettingError, match="ListenStream"):
            passed_listener()


@pytest.mark.parametrize("has_socket", [True, False])
def test_a_restart_refuses_nobody_with_the_socket_of_systemd_and_loses_nothing_without(
    tmp_path: Path, has_socket: bool
) -> None:
    token, stop = token_in(tmp_path), threading.Event()
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd,
    ):
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        port = listener.getsockname()[1] if has_socket else free_port()

        def start() -> subprocess.Popen[bytes]:
            given = ["-c", AS_SOCKET, str(listener.fileno())] if has_socket else []
            command = [*given, "-m", "inkeek.service.cli", "serve", "--exit-with-parent", "--port", str(port)]
            environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "INKEEK_DATA": str(tmp_path)}
            inherited = [listener.fileno()] if has_socket else []
            return child_process.start(command, environ, inherited=inherited, stdout=subprocess.DEVNULL)

        service = start()
        writers = [Writer(port, token, stop, closes=number % 2 == 0) for number in range(WRITERS)]
        try:
            assert systemd.recv(99) == b"READY=1"
            reader = FeedReader(port, token, "sse")
            for writer in writers:
                writer.start()
            refused = []
            for _ in range(RESTARTS):
                wait_for_answers(writers, 20)
                began = time.monotonic()
                child_process.stop(service, within=child_process.STOP_FAMILY_WITHIN)
                assert service.returncode == 0
                assert systemd.recv(99) == b"STOPPING=1"
                service = start()
                assert systemd.recv(99) == b"READY=1"
                wait_for_answers(writers, 2)  # the first of them may have been on its way
                late = [at for writer in writers for at in writer.refused if at > began]
                refused.append(max(late, default=0.0) - min(late, default=0.0))
            stop.set()
            for writer in writers:
                writer.join(60)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", trust_env=False) as client:
                acknowledged = {game: turns for writer in writers for game, turns in writer.acknowledged.items()}
                games = {game: client.get(f"/games/{game}").json() for game in acknowledged}
            assert {game: shown["ply"] for game, shown in games.items()} == acknowledged
            events = {(game, seq) for game, shown in games.items() for seq in range(1, shown["seq"] + 1)}
            until(lambda: len(reader.events) >= len(events))
            reader.close()
            assert sorted(reader.events) == sorted(events), "each event is read once, and there are no other games"
        finally:
            stop.set()
            child_process.stop(service, within=child_process.STOP_FAMILY_WITHIN)
        count, longest = sum(len(writer.refused) for writer in writers), max(writer.longest for writer in writers)
        print(f"{count} attempts were refused, for {refused} s; an answer took {longest:.2f} s at most")  # `pytest -s`
        assert (count == 0) == has_socket
        assert reader.resumed == 0 or not has_socket, "streams ended, and were not cut"
