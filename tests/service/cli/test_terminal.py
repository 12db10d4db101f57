"""What the command line prints is seen, and never obeyed by a terminal."""

import json
import re

import click
import pytest

from inkeek.service.cli import main
from inkeek.service.terminal import visible

OBEYED = "\x1b]0;x\x07 \x1b[31m \x9b2J \x7f \u202e \u2066 \u2028 \x08 \rnew"
SHOWN = "\\u001b]0;x\\u0007 \\u001b[31m \\u009b2J \\u007f \\u202e \\u2066 \\u2028 \\u0008 \\u000dnew"
EVIL = '[Game "bof"]\n[South "S\x1b]0;x\x07\x9b\u202e"]\n[North "N\x1b[31m"]\n\n1. MOVE {\x9b31m} *\n'


def test_escapes_are_as_in_json():
    assert visible(OBEYED) == SHOWN
    text = "é \u05d0 \x9b \u202e \x7f"
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text
    assert visible("é\tא\r\n\u200d") == "é\tא\r\n\u200d"


@pytest.fixture(params=["a", "zz"])
def evil(request, tmp_path):
    file = tmp_path / "e\x1b[31m\x9b.pmn"
    file.write_text(EVIL.replace("MOVE", request.param), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "FILE"],
        ["replay", "FILE", "--json"],
        ["validate", "FILE"],
        ["fmt", "--check", "FILE"],
        ["annotate", "--json", "--nodes", "10", "FILE"],
        ["db", "import", "FILE"],
        ["match", "FILE", "--game", "bof", "--best-of", "3"],
        ["verify", "FILE", "--key", "\x1b"],
        ["board", "playback", "FILE"],
        ["board", "watch", "FILE"],
        ["board", "check", "FILE"],
        ["board", "attach", "FILE", "--to", "http://FILE", "--game", "FILE"],
        ["serve", "--config", "FILE"],
        ["db", "verify", "--config", "FILE"],
        ["db", "proof", "FILE"],
        ["db", "checkpoint", "--key", "FILE"],
        ["db", "import", "FILE", "FILE"],
        ["tables", "verify", "--tables", "FILE"],
        ["key", "show", "--key", "FILE"],
        ["finding", "--game", "bof", "--position", "FILE"],
        ["solve", "--game", "bof", "--position", "FILE"],
        ["fmt", "--lenient", "FILE"],
        ["validate", "FILE", "none"],
        ["legal", "--game", "FILE"],
        ["legal", "--game", "bof", "--position", "FILE"],
        ["play", "--game", "bof", "-o", "FILE", "a"],
        ["engine", "match", "FILE", "FILE", "--game", "bof", "--games", "2", "--depth", "1"],
        ["FILE"],
        ["--FILE"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_nothing_of_a_file_or_an_error_is_obeyed(runner, evil, words, tmp_path):
    environ = {"INKEEK_DATA": str(tmp_path / "data")}
    done = runner.invoke(main, [word.replace("FILE", evil) for word in words], env=environ)
    assert done.output
    assert not re.search("[^\n\t -~\xa0-\u2027\u202f-\u2065\u206a-\uffff]", done.output)
    assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit)


def test_a_file_name_that_is_no_text_is_shown(runner, tmp_path):
    name = tmp_path / "bad\udcff"
    done = runner.invoke(main, ["validate", str(name)])
    assert (done.exit_code, "\\udcff" in done.stderr) == (2, True)


def test_the_bytes_of_a_record_stay_where_no_terminal_shows_them(runner, tmp_path):
    file = tmp_path / "a.pmn"
    file.write_text('[Game "bof"]\n[Site "\u200fA"]\n\n1. a *\n', encoding="utf-8")
    assert "\u200fA" in runner.invoke(main, ["fmt", str(file)]).stdout


def numbers(command, path=()):
    """Every number that a command takes, with the names that lead to it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from numbers(command.get_command(context, name), (*path, name))
    for param in command.params:
        for kind in param.type.types if isinstance(param.type, click.Tuple) else [param.type]:
            if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
                yield " ".join((*path, param.name)), kind


NUMBERS = dict(numbers(main))
SETTINGS = {"serve port", "serve workers", "serve threads", "demo port"}  # `read_settings` checks them


def test_commands_take_numbers():
    assert len(NUMBERS) > 40
    assert set(main.list_commands(click.Context(main))) >= {name.split()[0] for name in NUMBERS}


@pytest.mark.parametrize("name", sorted(NUMBERS.keys() - SETTINGS))
def test_no_option_takes_a_number_that_is_none_or_too_large(name):
    for text in ("nan", "NaN", "inf", "-inf", "1e999", str(2**63), "9" * 5000):
        with pytest.raises(click.BadParameter):
            NUMBERS[name].convert(text, None, None)


@pytest.mark.parametrize("command", [["analyse", "--game", "bof", "--depth", "2"], ["solve", "--game", "bof"]])
def test_memory_that_cannot_be_had_is_said_in_a_sentence(run, monkeypatch, command):
    def fail(memory):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("inkeek.records.analysis.search.TranspositionTable", fail)
    assert "memory" in run(*command, status=1).stderr
