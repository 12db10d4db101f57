"""The service as processes, with the simulated board on a serial line: what a power cut leaves must go on."""

import contextlib
import os
import pty
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import httpx
import pytest

from inkeek.service.demo.client import ServiceClient
from inkeek.service.demo.demo import Child
from inkeek.service.processes.supervisor import FIGURES, stop_on_signals
from inkeek.service.settings import METRICS_FOLDER, memory_folder
from tests.service.clients import token_in
from tests.service.waiting import alive, until

PROCESSES = ("web_server", "desk_process", "process")


def service(folder: Path, port: int = 0) -> Child:
    return Child(
        "the service",
        ["-m", "inkeek.service.cli", "serve", "--exit-with-parent", "--port", str(port), "--data", str(folder)],
        folder / "service.log",
    )


def client_of(child: Child, folder: Path) -> ServiceClient:
    url = next(word.rstrip("/") for word in child.line(60).split() if word.startswith("http://"))
    client = ServiceClient(url, child, token_in(folder))
    client.wait_ready(60)
    return client


def family(pid: int) -> dict[str, int]:
    """The web server, the desk and the process of jobs of a service, by the module they run."""
    found: dict[str, int] = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):  # it has just ended
            command = Path(f"/proc/{child}/cmdline").read_bytes().decode()
            found |= {name: int(child) for name in PROCESSES if f".{name}\0" in command}
    return found


def whole_family(pid: int) -> dict[str, int]:
    """The same, as soon as all run."""
    return until(lambda: len(found := family(pid)) == len(PROCESSES) and found)


def folders_of_metrics() -> set[Path]:
    return set(Path(memory_folder() or tempfile.gettempdir()).glob(f"{FIGURES}*"))


@pytest.mark.parametrize(("before", "stops"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_hangup_stops_the_service_unless_nohup_started_it(before, stops):
    handlers = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGHUP, before)
        stop = stop_on_signals()
        os.kill(os.getpid(), signal.SIGHUP)
        assert stop.wait(60 * stops) == stops
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)


def test_a_terminal_that_closes_ends_the_service(tmp_path):
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[3] |= termios.TOSTOP  # local flags: what writes in the background is stopped, such as our children
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    first = (  # these tests may run under `nohup`
        "import os, signal, sys; os.login_tty(int(sys.argv[1])); signal.signal(signal.SIGHUP, signal.SIG_DFL); "
        "os.execv(sys.executable, sys.orig_argv[:1] + sys.argv[2:])"
    )
    command = [
        sys.executable,
        "-c",
        first,
        str(theirs),
        "-m",
        "inkeek.service.cli",
        "serve",
        "--data",
        tmp_path,
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(theirs,)) as child:
        os.close(theirs)
        shown = b""
        while b"Press Ctrl-C" not in shown:
            shown += os.read(ours, 1024)
        os.close(ours)
        assert child.wait(60) == 0


def test_the_service_starts_answers_leads_a_second_start_to_itself_and_stops_with_its_children(tmp_path):
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)
        pids = whole_family(child.pid)
        # Each may hold the lock of the database, for which the others wait.
        assert {os.getpriority(os.PRIO_PROCESS, pid) for pid in pids.values()} == {os.getpriority(0, 0)}
        assert client.get("/api/v1/games")["items"] == []
        game = client.post("/api/v1/games", {"game": "enkeshui"})
        stream = client.events(f"/api/v1/games/{game['id']}/events")
        while next(stream)[0] != "created":
            pass
        environ = {**os.environ, "INKEEK_DATA": str(tmp_path), "BROWSER": "true"}
        again = [sys.executable, "-m", "inkeek.service.cli"]
        done = subprocess.run(again, env=environ, capture_output=True, text=True, timeout=60, check=True)
        link = done.stdout.split()[-1]
        assert link.startswith(f"{client.url}/sign-in?key=ink_l_")
        assert httpx.get(link).status_code == 200
    assert not any(alive(pid) for pid in pids.values())
    assert "Traceback" not in child.errors()


def test_phones_are_let_in_while_a_file_is_there(tmp_path, monkeypatch):
    choice = tmp_path / "phones"
    monkeypatch.setenv("INKEEK_PHONES", str(choice))
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)

        def status(url: str = client.url, verify: ssl.SSLContext | bool = True) -> int:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(f"{url}/api/v1/games", verify=verify).status_code
            return 0

        assert status() == 200
        choice.touch()
        until(lambda: status() == 401)
        assert client.get("/api/v1/games")["items"] == []
        choice.write_text("tls")
        certificate = tmp_path / "own-certificate.pem"
        until(certificate.exists)
        known = ssl.create_default_context(cafile=certificate)
        until(lambda: status(client.url.replace("http:", "https:"), known) == 401)
        assert certificate.stat().st_mode & 0o077 == 0
        choice.unlink()
        until(lambda: status() == 200)


def test_all_processes_end_with_the_first_one_and_the_port_is_free_again(tmp_path):
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)
        game = client.post("/api/v1/games", {"game": "enkeshui"})
        pids = whole_family(child.pid)
        left = folders_of_metrics()
        os.kill(child.pid, signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in pids.values()))
    with service(tmp_path, int(client.url.rpartition(":")[2])) as again:
        assert client_of(again, tmp_path).get(f"/api/v1/games/{game['id']}")["id"] == game["id"]
        assert left - folders_of_metrics(), "a start removes the metrics of a service that was killed"


@pytest.mark.parametrize("killed", PROCESSES)
def test_a_process_that_is_killed_is_started_again(tmp_path, killed):
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)
        before = whole_family(child.pid)
        os.kill(before[killed], signal.SIGKILL)
        after = until(lambda: (found := whole_family(child.pid))[killed] != before[killed] and found)
        client.wait_ready(60)
        assert client.get("/api/v1/games")["items"] == []
        assert {name for name in PROCESSES if before[name] != after[name]} == {killed}
        assert not alive(before[killed])
    assert not [name for name, pid in after.items() if alive(pid)], child.errors()


def test_killed_processes_leave_what_they_counted(tmp_path):
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)
        web = whole_family(child.pid)["web_server"]
        environ = Path(f"/proc/{web}/environ").read_bytes().decode().split("\0")
        figures = Path(next(line for line in environ if line.startswith(METRICS_FOLDER)).partition("=")[2])
        for _ in range(3):
            client.get("/api/v1/rulesets")
            os.kill(web, signal.SIGKILL)
            web = until(lambda web=web: (found := whole_family(child.pid)["web_server"]) != web and found)
            client.wait_ready(60)
        client.get("/api/v1/rulesets")
        assert re.search(r'rulesets",status="200"\} 4\.0$', client.text("/metrics"), re.MULTILINE)
        owners = {int(path.stem.rpartition("_")[2]) for path in figures.glob("gauge_*.db")}
        assert web in owners
        assert all(alive(owner) for owner in owners)


def test_a_request_waits_while_the_web_server_is_started_again(tmp_path):
    """The listening socket outlives it, so nobody is refused."""
    with service(tmp_path) as child:
        client = client_of(child, tmp_path)
        os.kill(whole_family(child.pid)["web_server"], signal.SIGKILL)
        assert client.get("/api/v1/games")["items"] == []


def test_a_service_that_cannot_start_ends_with_an_error(tmp_path, monkeypatch):
    def failure(**settings: str) -> str:
        for name, value in settings.items():
            monkeypatch.setenv(f"INKEEK_{name.upper()}", value)
        with service(tmp_path) as child:
            assert child.ended(30)
            assert child._process.returncode in (1, 2)
            return child.errors()

    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    assert str(wrong) in failure(tls_cert=str(wrong), tls_key=str(wrong))
    monkeypatch.undo()
    assert "mysql" in failure(database="mysql://nowhere/games")
    monkeypatch.undo()
    assert "nofolder" in failure(database=f"sqlite:///{wrong}/nofolder/games.sqlite3")
