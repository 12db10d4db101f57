"""docs/cli.md: its examples are run and compared, its commands and options are those of the program."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from service.cli import main
from tests.docs.pages import ROOT, Block, blocks, page, quoted, rows, section

TEXT = page("cli.md")
EXAMPLES = [block for block in blocks(TEXT) if "sample" not in block.kind]


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command of the program that is not a group, with its whole name."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(commands(main, "inkeek"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the project's examples, in which the commands are run."""
    for folder in ("docs/examples", "tests/data/notation"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str, runner: CliRunner) -> tuple[str, int]:
    """What a command line prints, and its status; ``< file`` at the end is its standard input."""
    words = shlex.split(line)
    assert words.pop(0) == "inkeek"
    given = b""
    if "<" in words:
        given = Path(words[words.index("<") + 1]).read_bytes()
        words = words[: words.index("<")]
    done = runner.invoke(main, words, input=given, prog_name="inkeek")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output, done.exit_code


def expected(text: str) -> re.Pattern[str]:
    """A pattern of an example's output: ``…`` alone stands for any lines, within a line for any characters."""
    pattern = ""
    for line in text.splitlines(keepends=True):
        pattern += r"(?:.*\n)*" if line == "…\n" else ".*".join(re.escape(part) for part in line.split("…"))
    return re.compile(pattern)


@pytest.mark.usefixtures("here", "installed")
@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: block.text.splitlines()[0])
def test_examples_print_what_the_page_shows(block: Block, runner: CliRunner) -> None:
    status = int(block.kind.partition("status=")[2] or 0)
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == ""
    for line, shown in zip(parts[1::2], parts[2::2], strict=True):
        output, ended = run(line, runner)
        assert expected(shown).fullmatch(output), output
        assert ended == status


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_with_all_its_options_and_no_others(name: str) -> None:
    documented = {word.split()[0] for row in rows(section(TEXT, name)) for word in quoted(row[0])}
    command = COMMANDS[name]
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    assert documented == {word for option in options for word in option.opts}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_section_names_the_arguments_and_has_an_example(name: str) -> None:
    text = section(TEXT, name)
    arguments = [argument for argument in COMMANDS[name].params if isinstance(argument, click.Argument)]
    usage = re.search(rf"^    {name}(.*)$", text, re.MULTILINE)
    assert usage is not None
    if name != "inkeek board sim":  # it hands on what it is given
        context = click.Context(COMMANDS[name])
        assert usage[1].split() == [argument.make_metavar(context) for argument in arguments]
    assert f"$ {name}" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_required_options_are_marked(name: str) -> None:
    documented = {word.split()[0]: row[1] for row in rows(section(TEXT, name)) for word in quoted(row[0])}
    for option in COMMANDS[name].params:
        if isinstance(option, click.Option) and not option.hidden:
            assert ("must be given" in documented[option.opts[-1]]) == option.required, option.opts


def test_every_section_is_about_a_command() -> None:
    assert re.findall(r"^## (.*)$", TEXT, re.MULTILINE) == [
        quoted(row[0])[0] for row in rows(TEXT) if row[0].startswith("[")
    ]
    assert set(re.findall(r"^## (.*)$", TEXT, re.MULTILINE)) == set(COMMANDS)


def test_the_page_gives_the_defaults() -> None:
    for name, command in COMMANDS.items():
        documented = {word.split()[0]: row[1] for row in rows(section(TEXT, name)) for word in quoted(row[0])}
        for option in command.params:
            if isinstance(option, click.Option) and option.show_default and not option.hidden:
                assert re.search(
                    rf"\b{re.escape(str(option.default).removesuffix('.0'))}\b", documented[option.opts[-1]]
                )
