"""``inkeek engine`` and ``inkeek engine match``."""

import json
import sys

import pytest

from inkeek.records import read_games
from inkeek.service.cli import main

OTHER = f'"{sys.executable}" -m tests.service.engines.other_engine'


def test_it_speaks_the_protocol(runner):
    done = runner.invoke(main, ["engine"], input="inkeek 1\nrules bof\nposition start\ngo depth 2\nquit\n")
    assert done.exit_code == 0
    assert "inkeekok 1" in done.stdout


def test_the_end_of_the_input_ends_it(runner):
    assert runner.invoke(main, ["engine"], input="go\n").exit_code == 0


def test_of_a_line_that_is_too_long_nothing_is_obeyed(runner):
    done = runner.invoke(main, ["engine"], input="x" * 70_000 + "\nisready\n")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["error", "readyok"]


def test_bytes_that_are_no_text_are_refused(runner):
    done = runner.invoke(main, ["engine"], input=b"go \xff\xfe\x00\nstop\nisready\ngo depth 1")
    assert [line.split()[0] for line in done.stdout.splitlines() if line[:4] != "info"] == [
        "error",
        "readyok",
        "bestmove",
    ]


def test_a_match_is_told_as_json_and_kept_as_records(runner, tmp_path):
    file = tmp_path / "match.pmn"
    arguments = ["engine", "match", "inkeek", OTHER, "--game", "oware", "--games", "2", "--depth", "2", "--json"]
    done = runner.invoke(main, [*arguments, "--pmn", str(file), "--set-a", "Memory=4"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert set(found) == {"wins", "draws", "losses", "score", "error"}
    assert found["wins"] + found["draws"] + found["losses"] == 2
    with file.open(encoding="utf-8") as text:
        assert [game.errors for game in read_games(text)] == [(), ()]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_an_engine_that_fails_is_said_and_counted(runner, as_json):
    arguments = ["engine", "match", OTHER, f"{OTHER} leaves", "--game", "oware", "--games", "2", "--depth", "1"]
    done = runner.invoke(main, [*arguments, *as_json])
    assert done.exit_code == 1
    assert done.stderr.count("exit status 3") == 2
    if as_json:
        assert json.loads(done.stdout)["failures"] == [0, 2]


def test_tables_belong_to_the_command_line_of_an_engine(runner, tmp_path):
    assert runner.invoke(main, ["engine", "--tables", str(tmp_path)], input="quit\n").exit_code == 0
    own = f"inkeek --tables '{tmp_path / 'none'}'"
    done = runner.invoke(main, ["engine", "match", own, OTHER, "--game", "bof", "--games", "2", "--depth", "1"])
    assert done.exit_code == 0, done.output
    arguments = ["match", "inkeek", OTHER, "--game", "bof", "--depth", "1"]
    assert runner.invoke(main, ["engine", "--tables", str(tmp_path), *arguments]).exit_code == 2


@pytest.mark.parametrize(
    ("flags", "status"),
    [
        ([], 2),
        (["--depth", "1", "--games", "3"], 2),
        (["--depth", "1", "--set-a", "Memory"], 2),
        (["--depth", "1", "--set-a", "Speed=1"], 1),
        (["--depth", "1", "--pmn", "/no/such/folder/x.pmn"], 1),
    ],
)
def test_a_wrong_match_is_refused(runner, flags, status):
    done = runner.invoke(main, ["engine", "match", "inkeek", OTHER, "--game", "oware", *flags])
    assert done.exit_code == status, done.output
