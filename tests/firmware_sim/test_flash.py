"""Flashing with a stand-in for mpremote, which is called as the real one is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inkeek.firmware_sim import flash
from inkeek.firmware_sim.pico import wiring
from tests.firmware_sim.micropython import ROOT, SOURCES

MPREMOTE = """
import json, os, pathlib, shutil, sys
here = pathlib.Path(os.environ["BOARD"])
with open(here / "calls", "a") as file:
    file.write(json.dumps(sys.argv[1:]) + chr(10))
say = (here / "says").read_text()
if say.startswith("error"):
    sys.exit(say)
commands, words = [], sys.argv[3:]
while "+" in words:
    commands.append(words[: words.index("+")])
    words = words[words.index("+") + 1 :]
for name, *rest in [*commands, words]:
    if name == "exec" and rest[0].startswith("import sys"):
        print(say)
    elif name == "exec":
        os.chdir(here)
        exec(rest[0])
    elif name == "cp":
        assert rest[1][0] == ":"
        shutil.copy(rest[0], here / rest[1][1:])
    else:
        assert name == "reset", name
"""


class Board:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.say("inkeek rp2 1 27")

    def say(self, text: str) -> None:
        (self.folder / "says").write_text(text)

    def calls(self) -> list[list[str]]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def flash(self, *words: str) -> Any:
        return CliRunner().invoke(flash.main, words)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    module, folder = tmp_path / "lib" / "mpremote", tmp_path / "board"
    module.mkdir(parents=True)
    folder.mkdir()
    (module / "__init__.py").touch()
    (module / "__main__.py").write_text(MPREMOTE)
    monkeypatch.syspath_prepend(str(module.parent))
    monkeypatch.setenv("PYTHONPATH", str(module.parent))
    monkeypatch.setenv("BOARD", str(folder))
    return Board(folder)


def test_the_firmware_and_its_configuration_are_copied(board: Board) -> None:
    for _ in range(2):  # again over what is there
        done = board.flash("--port", "/dev/ttyACM0", "--row", "6", "--no-stores", "--serial", "B-7")
        assert done.exit_code == 0, done.output
    copied = {path.relative_to(board.folder).as_posix() for path in board.folder.rglob("*.py")}
    source = {path.relative_to(ROOT).as_posix() for pattern in SOURCES for path in ROOT.glob(pattern)}
    assert copied == source | {"main.py"}
    assert (board.folder / "main.py").read_text() == flash.START
    assert json.loads((board.folder / wiring.CONFIG).read_text()) == {"row": 6, "stores": False, "serial": "B-7"}
    assert board.calls()[-1][:2] == ["connect", "/dev/ttyACM0"]
    assert board.calls()[-1][-1] == "reset"


def test_without_options_the_configuration_stays(board: Board) -> None:
    (board.folder / wiring.CONFIG).write_text('{"row": 6}')
    assert board.flash().exit_code == 0
    assert (board.folder / wiring.CONFIG).read_text() == '{"row": 6}'
    assert board.calls()[0][:2] == ["connect", "auto"]


@pytest.mark.parametrize(
    ("says", "named"),
    [
        ("error: no device found", "no device found"),
        ("inkeek esp32 1 27", "'esp32'"),
        ("inkeek rp2 1 22", "1.22"),
        ("Hello world", "'Hello world'"),
    ],
)
def test_another_device_is_left_alone(board: Board, says: str, named: str) -> None:
    board.say(says)
    done = board.flash("--port", "/dev/ttyACM7")
    assert done.exit_code == 1
    assert named in done.output
    assert "/dev/ttyACM7" in done.output
    assert len(board.calls()) == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [(("--row", "17"), "--row"), (("--seed-grams", "0"), "--seed-grams"), (("--serial", "a b"), "--serial")],
)
def test_wrong_options_touch_no_board(board: Board, words: tuple[str, ...], named: str) -> None:
    done = board.flash(*words)
    assert done.exit_code == 2
    assert re.search(rf"{named}\b", done.output)
    assert board.calls() == []


def test_without_mpremote_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkeek.firmware_sim.flash.importlib.util.find_spec", lambda name: None)
    done = CliRunner().invoke(flash.main, [])
    assert done.exit_code == 1
    assert "pip install" in done.output
