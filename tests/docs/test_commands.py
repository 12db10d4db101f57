"""README.md and the pages in docs/: every command in a block of code is run, or named here with what prevents that.

`test_guide_operator.py` runs those of the operator's guide, `test_cli.py` those of docs/cli.md.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from inkeek.records import read_games
from inkeek.service.cli import main
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.access.scopes import SCOPES
from tests.docs.pages import ROOT, blocks
from tests.e2e.processes import SimulatedBoard
from tests.ports import free_port
from tests.service.clients import token_in
from tests.service.http.web.club import Club, club_of_its_own

PROGRAMS = ("inkeek", "make", "curl", "python", "npx", "openapi-python-client")
OTHERS = {"cli.md", "guide-operator.md"}  # pages with tests of their own
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md") if path.name not in OTHERS)]
TOO_LONG, HARDWARE, GENERATORS = "takes minutes", "needs a real board", "needs npm"
NOT_RUN = {  # the beginning of a command: what keeps it from being run here, and the test of the same
    "make": ("works in the repository itself", "Makefile"),
    "npx": (GENERATORS, "tests/service/http/api/test_generators.py"),
    "openapi-python-client": (GENERATORS, "tests/service/http/api/test_generators.py"),
    "python -m benchmarks.": (TOO_LONG, "tests/docs/test_benchmarks.py"),
    "python -m tests.faults": (TOO_LONG, "tests/faults/test_sessions.py"),
    "python -m inkeek.firmware_sim.flash": (HARDWARE, "tests/firmware_sim/test_flash.py"),
    "inkeek board test": (HARDWARE, "tests/service/cli/boards/test_check.py"),
    "inkeek board calibrate": (HARDWARE, "tests/service/cli/boards/test_calibrate.py"),
    "inkeek board check": (HARDWARE, "tests/service/cli/boards/test_check.py"),
    "inkeek board attach": ("needs a service with TLS", "tests/service/cli/boards/test_remote.py"),
    "inkeek board watch --driver counts": (HARDWARE, "tests/drivers/boards/test_unnumbered.py"),
    "inkeek engine match": ("needs the reader's engine", "tests/service/engines/test_commands.py"),
    "inkeek solve --game kalah": (TOO_LONG, "tests/records/analysis/test_solving.py"),
}
STARTED = ("inkeek serve", "inkeek board sim", "inkeek board watch", "inkeek board record")  # until they are stopped
PYTHON = [  # pages whose blocks follow one another, with what a reader has at their beginning
    ("README.md", {}),
    ("docs/analysis.md", {"game": next(read_games(ROOT / "docs/examples/bof.pmn"))}),
    ("docs/engine.md", {}),
    ("docs/solved.md", {}),
    ("docs/tables.md", {}),
]
PORT = "/dev/ttyACM0"


def commands_of(name: str) -> list[str]:
    """The commands in the indented blocks of a page, without comments."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in re.findall(r"^    (?=\w).*", text, re.MULTILINE)]
    return [re.sub(r"\s+# .*", "", line) for line in lines if line.split()[0] in PROGRAMS]


ALL = [(name, line) for name in PAGES for line in commands_of(name)]
CURL = [line for _, line in ALL if line.startswith("curl")]
RUN = [(name, line) for name, line in ALL if not line.startswith(("curl", *NOT_RUN))]


class Place:
    """A folder with the files, the service's data and the board that commands name."""

    def __init__(self, folder: Path, board: SimulatedBoard) -> None:
        self.folder, self.port = folder, board.url
        self.key = self.game = ""

    def prepare(self) -> None:
        for name in ("docs/examples", "tests/data/notation"):
            shutil.copytree(ROOT / name, self.folder / name)
        records = [(ROOT / f"docs/examples/{name}.pmn").read_text("utf-8") for name in ("bof", "oware")]
        (self.folder / "games.pmn").write_text("\n".join(records), "utf-8")
        shutil.copy(ROOT / "docs/examples/board.jsonl", self.folder)
        (self.folder / "settings.toml").write_text("max_plies = 4000\n")
        token_in(self.folder / "data")
        self.store("games.pmn")

    def filled_in(self, line: str) -> str:
        line = line.replace("k3v9wqz2mt", self.game).replace("ed25519:yPL1…", self.key).replace(PORT, self.port)
        return line.replace("--port 9000", f"--port {free_port()}").replace(
            "board record board.jsonl", "board record x"
        )

    def run(self, line: str) -> str:
        """Run a command to its end; return what it prints."""
        command, _, file = self.filled_in(line).partition(" > ")
        words = [found for word in shlex.split(command)[1:] for found in self._expanded(word)]
        again = ["--data", "other"] if "db import games.jsonl" in line else []  # "of either kind"
        done = CliRunner().invoke(main, [*words, *again], prog_name="inkeek")
        assert done.exit_code == 0, done.output
        if file:
            (self.folder / file.strip()).write_text(done.stdout, "utf-8")
        if "key new" in line:
            self.key = re.findall(r"ed25519:\S+", done.stdout)[0]
        if "friday.json" in words and "checkpoint" in words:
            self.store("docs/examples/kalah.pmn")  # what is proven began between the checkpoints
        return done.stdout

    def store(self, file: str) -> None:
        self.game = json.loads(self.run(f"inkeek db import {file} --json").splitlines()[0])["id"]

    def _expanded(self, word: str) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob(word)) if "*" in word else [word]

    def start_and_stop(self, line: str) -> None:
        """Run a command until it prints something, and interrupt it."""
        words = shlex.split(self.filled_in(line))[1:]
        more = ["--port", str(free_port())] if words[0] == "serve" and "--port" not in words else []
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "inkeek.service.cli", *words, *more]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as process:
            try:
                assert process.stdout is not None
                assert process.stderr is not None
                ready, _, _ = select.select([process.stdout, process.stderr], [], [], 60)
                printed = os.read(ready[0].fileno(), 4000).decode()
                process.send_signal(signal.SIGINT)
                assert process.wait(60) in (0, 1), printed
                assert printed.strip()
                assert "Error" not in printed
            finally:
                process.kill()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("commands")
    record = str(ROOT / "docs/examples/enkeshui.pmn")
    with (
        SimulatedBoard(folder, "--pty", "--link", str(folder / "port"), "--play", record) as board,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.chdir(folder)
        patch.setenv("INKEEK_DATA", str(folder / "data"))
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        place = Place(folder, board)
        place.prepare()
        yield place


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", sorted({name for name, _ in RUN}))
def test_the_commands_of_a_page_work_in_their_order(place: Place, name: str) -> None:
    for line in (line for page, line in RUN if page == name):
        if line.startswith(STARTED):
            place.start_and_stop(line)
        else:
            place.run(line)


@pytest.mark.parametrize(("name", "names"), PYTHON, ids=[name for name, _ in PYTHON])
def test_the_python_of_a_page_runs(place: Place, name: str, names: dict[str, object]) -> None:
    found = [block.text for block in blocks((ROOT / name).read_text("utf-8")) if block.kind == "python"]
    assert found
    for text in found:
        exec(compile(text, name, "exec"), names)


@pytest.fixture(scope="module")
def club() -> Iterator[tuple[Club, str]]:
    with club_of_its_own() as club:
        scopes = tuple(SCOPES)
        yield club, club.services.keys.create(TOKEN, "all", scopes, None)[1]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_every_request_with_curl_is_answered(club: tuple[Club, str], tmp_path: Path) -> None:
    here, token = club
    game, answers = here.game(6), ""
    here.games.create("bof", {}, {"Event": "cup"}, Write("api"))
    for line in CURL:
        dispute = re.findall(r'"id": ?"([^"]+-\d+)"', answers)
        line = line.replace("http://127.0.0.1:8000", here.base).replace("$TOKEN", token)
        line = line.replace("GAME_ID/turns", f"{here.game(0)}/turns").replace("GAME_ID", game)
        line = line.replace("DISPUTE_ID", dispute[-1] if dispute else "none")
        more = ["-sS", "-w", "\n%{http_code}", *(["--max-time", "3"] if " -N " in line else [])]
        done = subprocess.run(
            [*shlex.split(line), *more], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        answers += done.stdout
        assert done.returncode in (0, 28), (line, done.stderr)
        assert done.stdout.splitlines()[-1].startswith("2"), (line, done.stdout)


def test_what_is_not_run_is_tested_elsewhere() -> None:
    for start, (_, path) in NOT_RUN.items():
        assert (ROOT / path).exists(), path
        assert any(line.startswith(start) for _, line in ALL), start
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    modules = [line.split()[2] for _, line in ALL if line.startswith("python -m")]
    assert {line.split()[1] for _, line in ALL if line.startswith("make")} <= targets
    for module in modules:
        path = ROOT / module.removeprefix("inkeek.").replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module
