"""docs/cli.md: its examples are run and compared."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from inkeek.service.cli import main
from tests.docs.pages import ROOT, Block, blocks, page

EXAMPLES = [block for block in blocks(page("cli.md")) if "sample" not in block.kind]


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
