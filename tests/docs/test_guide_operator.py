"""docs/guide-operator.md: every command of it, read from its text, on a machine in a folder with a real PostgreSQL.

Stand-ins: `apt`, `useradd` and `pip` do nothing, `python3 -m venv` makes a program that runs the checkout, `sudo` takes
the user of the tests' PostgreSQL for ``postgres``, and `systemctl` starts and stops the service and the server.
"""

from __future__ import annotations

import getpass
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from tests.databases import PostgreSQL
from tests.docs.pages import ROOT, blocks, page, section
from tests.ports import free_port
from tests.service.waiting import until

pytestmark = pytest.mark.timeout(1200)  # it waits for many processes
TEXT = page("guide-operator.md")
TIME = "2026-11-27 18:15:00+03"
PASSWORD = "not in the log"
NAMES = re.compile(r"(?<![\w.])/(?=(?:etc|opt|var|tmp)/)")  # of files, which the machine has in its folder
CONFIG = Path("etc/postgresql/17/main")
VERIFIED = re.compile(r"^(\d+) good, 0 bad$", re.MULTILINE)


class Machine:
    """A machine in `root`, on which the guide is followed section by section."""

    def __init__(self, root: Path, server: PostgreSQL) -> None:
        self.root, self._programs, self._server_user = root, server.programs, server.user
        self.port, self.server_port = free_port(), free_port()
        self.time = TIME
        self._service: subprocess.Popen[bytes] | None = None
        path = os.pathsep.join([str(server.programs), str(Path(sys.executable).parent), os.environ["PATH"]])
        self._environ = {
            **os.environ,
            "PATH": path,
            "PGHOST": str(root / "var/lib/postgresql"),
            "PYTHONPATH": str(ROOT),
            "PGPORT": str(self.server_port),
            "PGUSER": "inkeek",
            "INKEEK_PORT": str(self.port),
            "INKEEK_DATA": str(root / "var/lib/inkeek"),
        }
        for folder in (
            "etc/cron.d",
            "etc/systemd/system",
            "opt",
            "var/lib/inkeek",
            "var/backups",
            "tmp",
            CONFIG / "conf.d",
        ):
            (root / folder).mkdir(parents=True)
        self._install_server()

    def _install_server(self) -> None:
        """As Debian's package does: the settings stand apart from the data."""
        data, config = self.root / "var/lib/postgresql/17/main", self.root / CONFIG
        data.parent.mkdir(parents=True)
        for folder in data.parents[:2]:
            shutil.chown(folder, self._server_user)
        self._shell(f"initdb --pgdata {data} --username postgres --no-sync", self._server_user)
        (config / "postgresql.conf").write_text(
            f"data_directory = '{data}'\nhba_file = '{config}/pg_hba.conf'\nident_file = '{config}/pg_ident.conf'\n"
            f"unix_socket_directories = '{data.parents[1]}'\nport = {self.server_port}\nfsync = off\n"
            "include_dir = 'conf.d'\n"
        )
        (config / "pg_hba.conf").write_text(
            "local all all peer map=test\n"
            "local replication all peer map=test\n"
            "host inkeek inkeek localhost scram-sha-256\n"
        )
        users = {self._server_user, getpass.getuser()}
        lines = [f"test {user} {role}\n" for user in users for role in ("postgres", "inkeek")]
        (config / "pg_ident.conf").write_text("".join(lines))
        self.systemctl("start", "postgresql@17-main")

    def follow(self, title: str, *parts: int) -> str:
        """Do what the blocks of a section say, or those with these numbers; return what is printed."""
        text, printed = section(TEXT, title), ""
        for number, block in enumerate(blocks(text)):
            if parts and number not in parts:
                continue
            if block.kind == "sh":
                for line in block.text.splitlines():
                    printed += self.run(line)
            else:  # a file, whose name is the last one in the paragraph before
                before = "".join(text.splitlines(keepends=True)[: block.line - 2])
                self.path(re.findall(r"`(/[^`]+)`", before)[-1]).write_text(self.localized(block.text))
        return printed

    def localized(self, text: str) -> str:
        """A text with the files, the database and the time of this machine."""
        text = NAMES.sub(f"{self.root}/", text).replace(TIME, self.time)
        text = text.replace("db.example.org", "localhost").replace("sslmode=verify-full&", "")  # it has no certificate
        return text.replace(":5432:", f":{self.server_port}:")

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def run(self, line: str) -> str:
        """Run a command of the guide; return what it prints."""
        words, user, role = shlex.split(line), getpass.getuser(), "inkeek"
        if words[0] in ("apt", "useradd") or Path(words[0]).name == "pip":
            return ""
        if words[0] == "systemctl":
            self.systemctl(words[1], words[-1])
            return ""
        if words[:3] == ["python3", "-m", "venv"]:
            program = self.path(words[3]) / "bin/inkeek"
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\nexec {sys.executable} -m inkeek.service.cli "$@"\n')
            program.chmod(0o755)
            return ""
        if words[0] == "sudo":
            assert words[1] == "-u"
            role = words[2]
            if role == "postgres" and "/" not in words[3]:
                user = self._server_user
            line = line.partition(f"-u {role} ")[2]
        line = line.replace("-o postgres -g inkeek", f"-o {self._server_user}")
        return self._shell(self.localized(line), user, role)

    def systemctl(self, what: str, unit: str) -> None:
        if unit == "postgresql@17-main":
            log = self.root / "var/lib/postgresql/log"
            self._shell(f"pg_ctl --pgdata {self.root / CONFIG} --log {log} {what} > {log}-pg_ctl", self._server_user)
            return
        if what in ("stop", "restart"):
            assert self._service is not None
            self._service.terminate()
            assert self._service.wait(30) == 0
            self._service = None
        if what != "stop":
            assert self._service is None
            unit = self.path("/etc/systemd/system/inkeek.service").read_text()
            command = self.localized(unit.partition("\nExecStart=")[2].partition("\n")[0]).split()
            with (self.root / "service.log").open("ab") as log:
                self._service = subprocess.Popen(
                    command, env=self._environ, stdout=log, stderr=log, start_new_session=True
                )
            until(self._is_ready)

    def _is_ready(self) -> bool:
        assert self._service is not None
        assert self._service.poll() is None, (self.root / "service.log").read_text()
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def _shell(self, line: str, user: str, role: str = "postgres") -> str:
        done = subprocess.run(
            ["sh", "-c", line],
            env={**self._environ, "PGUSER": role},
            cwd=ROOT if user == getpass.getuser() else "/",
            user=None if user == getpass.getuser() else user,
            start_new_session=True,  # without a terminal, programs read a password from standard input
            input=f"{PASSWORD}\n{PASSWORD}\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def play(self, token: str, count: int) -> str:
        """Begin games over HTTP; return the id of the last one."""
        made = [self.post(token, "/games", {"game": "oware"}) for _ in range(count)]
        return str(made[-1]["id"])

    def post(self, token: str, path: str, body: dict[str, object]) -> dict[str, object]:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"http://127.0.0.1:{self.port}/api/v1{path}", json=body, headers=headers, timeout=60)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def close(self) -> None:
        if self._service is not None:
            self.systemctl("stop", "inkeek")
        self.systemctl("stop", "postgresql@17-main")


@pytest.fixture
def machine(postgresql: PostgreSQL) -> Iterator[Machine]:
    # Not in pytest's own folder: the server runs as another user, who may not enter it.
    with tempfile.TemporaryDirectory(prefix="inkeek-guide-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        made = Machine(root, postgresql)
        try:
            yield made
        finally:
            made.close()


def games_of(verified: str) -> int:
    """How many games `inkeek db verify` found to be good."""
    return int(VERIFIED.findall(verified)[-1])


def test_the_guide_can_be_followed(machine: Machine) -> None:
    machine.follow("Install")
    machine.follow("PostgreSQL")
    assert "https://games.example.org/" in machine.follow("Start")
    made = "sudo -u inkeek /opt/inkeek/bin/inkeek token create keeper --scope record --config /etc/inkeek.toml"
    token = machine.run(made).strip()
    game = machine.play(token, 20)

    assert games_of(machine.follow("Upgrade, and go back", 0)) == 20
    machine.play(token, 3)
    machine.post(token, f"/games/{game}/turns", {"move": "a"})
    assert "Stored 3 games and 4 events" in machine.follow("Upgrade, and go back", 1)
    machine.post(token, f"/games/{game}/turns", {"move": "A", "ply": 2})
    machine.play(token, 1)

    cron = re.fullmatch(r"([\d*]+ ){5}postgres (.*)\n", blocks(section(TEXT, "Backups, and a drill"))[0].text)
    assert cron is not None
    machine.run(f"sudo -u postgres {cron[2]}".replace("\\%", "%"))
    (dump,) = machine.path("/var/backups/inkeek").glob("[0-9]*.dump")
    dump.rename(dump.with_name("18.dump"))
    assert games_of(machine.follow("Backups, and a drill", 1)) == 24

    machine.follow("Restore to a point in time", 0, 1, 2)
    machine.play(token, 2)
    machine.time = datetime.now(UTC).isoformat()
    machine.play(token, 4)
    assert games_of(machine.follow("Restore to a point in time", 3, 4, 5)) == 26
    machine.play(token, 1)


def test_a_password_is_read_from_its_file(machine: Machine) -> None:
    machine.follow("Install")
    machine.follow("PostgreSQL")
    line, url = re.findall(r"`(db\.example[^`]*|postgresql://[^`]*)`", section(TEXT, "PostgreSQL"))
    file = machine.path("/etc/inkeek.pgpass")
    file.write_text(machine.localized(line).replace("PASSWORD", PASSWORD))
    file.chmod(0o600)
    shown = machine.run(f"/opt/inkeek/bin/inkeek db upgrade --database '{url}'")
    assert "passfile" in shown
    assert PASSWORD not in shown
    file.unlink()
    with pytest.raises(AssertionError, match="password"):
        machine.run(f"/opt/inkeek/bin/inkeek db upgrade --database '{url}'")


def test_a_backup_of_sqlite_passes_the_drill(machine: Machine) -> None:
    machine.follow("Install")
    machine.path("/var/backups/inkeek").mkdir()
    machine.run("/opt/inkeek/bin/inkeek db import --data /var/lib/inkeek docs/examples/kalah.pmn")
    backup = "/var/backups/inkeek/inkeek-20261127-181700.sqlite3"
    machine.run(f"/opt/inkeek/bin/inkeek db backup --data /var/lib/inkeek {backup}")
    assert games_of(machine.follow("Backups, and a drill", 2)) == 1
