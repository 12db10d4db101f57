"""A service whose parts fail, watched from outside: its log in JSON, and its metrics."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
from sqlalchemy import make_url

from inkeek.service.demo.client import ServiceClient
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.services import build_services
from inkeek.service.settings import read_settings
from tests.misbehaving.distribution import BAD, install
from tests.service.processes.test_supervisor import service, whole_family
from tests.service.waiting import until


class Gate:
    """A socket in `folder` that leads to a server's, until it is shut: then connections end, and none is let in."""

    def __init__(self, folder: Path, server: str) -> None:
        self.path = folder / ".s.PGSQL.5432"
        self._server = server
        self._ends: list[socket.socket] = []
        self.open()

    def open(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self.path.unlink()
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
                server.connect(f"{self._server}/.s.PGSQL.5432")
                self._ends += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)


def worker_of(pid: int) -> int:
    """The process that computes for the process of jobs: a child of one of its children. 0 while there is none."""
    family = psutil.Process(pid).children(recursive=True)
    return next((process.pid for process in family if process.ppid() != pid), 0)


@contextmanager
def shut_off(gate: Gate) -> Iterator[None]:
    gate.shut()
    try:
        yield
    finally:
        gate.open()


def test_every_line_is_json_whatever_fails(tmp_path, postgresql, monkeypatch):
    with postgresql.database(empty=True) as url:
        server = make_url(url)
        gate = Gate(tmp_path, str(server.query["host"]))
        others = tmp_path / "others"
        others.mkdir()
        install(others, BAD)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(others), os.getcwd()]))
        monkeypatch.setenv("INKEEK_LOG_FORMAT", "json")
        shown = server.set(query={"host": str(tmp_path)}).render_as_string(hide_password=False)
        monkeypatch.setenv("INKEEK_DATABASE", shown)
        services = build_services(read_settings({}, {"database": shown}))
        services.store.upgrade()
        token = services.keys.create(TOKEN, "tests", ("admin",), None)[1]
        services.close()
        log = tmp_path / "service.log"

        def entries() -> list[dict[str, Any]]:
            return [json.loads(line) for line in log.read_text("utf-8").split("\n")[:-1]]

        def errors(part: str, text: str = "") -> list[dict[str, Any]]:
            found = [entry for entry in entries() if (entry["part"], entry["level"]) == (part, "error")]
            return [entry for entry in found if text in entry["message"]]

        with service(tmp_path) as child:
            address = next(word.rstrip("/") for word in child.line(60).split() if word.startswith("http://"))
            client = ServiceClient(address, child, token)
            client.wait_ready(60)
            pids = whole_family(child.pid)
            httpx.get(f"{address}/join/SECRET-CODE")
            game = client.post("/api/v1/games", {"game": "enkeshui"})["id"]
            client.post("/api/v1/boards", {"game": game, "port": "bad:poll:crashes", "driver": "bad"})
            until(lambda: errors("desk", "bad:poll:crashes"))
            client.post(f"/api/v1/games/{game}/analysis", {"seconds": 9})

            def killed() -> list[dict[str, Any]]:
                """The errors of jobs, after one more worker was killed: one may have just given its answer."""
                with suppress(ProcessLookupError, psutil.NoSuchProcess):
                    if worker := worker_of(pids["process"]):
                        os.kill(worker, signal.SIGSEGV)
                return errors("jobs")

            until(killed)
            os.kill(pids["desk_process"], signal.SIGSEGV)
            until(lambda: errors("serve", "SIGSEGV"))
            until(lambda: 'inkeek_part_restarts_total{part="desk"} 1.0' in client.text("/metrics"))
            with shut_off(gate):
                until(lambda: errors("jobs", "no games are analyzed"))
                assert httpx.get(f"{address}/api/v1/games").status_code == 503
                assert httpx.get(f"{address}/readyz").status_code == 503
                metrics = client.text("/metrics")
                assert "inkeek_ready 0.0" in metrics
                assert 'inkeek_part_restarts_total{part="jobs"} 0.0' in metrics
            client.wait_ready(60)
            assert len(errors("jobs", "no games are analyzed")) == 1  # said once, however long it lasts
            assert whole_family(child.pid)["process"] == pids["process"]
        assert {entry["part"] for entry in entries()} == {"serve", "web", "desk", "jobs"}
        assert "SECRET-CODE" not in log.read_text("utf-8")
