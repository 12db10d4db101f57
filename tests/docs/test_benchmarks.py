"""docs/benchmarks.md: every benchmark is told, every command runs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from .pages import ROOT, page, quoted, rows, section

TEXT = page("benchmarks.md")
COMMANDS = [command[1] for command in re.finditer(r"^    python (.*)$", TEXT, re.MULTILINE)]
# Little enough to be over soon: only that they run is tested here, and what they say of each other.
SMALL = {
    "benchmarks.play": ["--turns", "40", "--rounds", "1"],
    "benchmarks.reading": ["--games", "2", "--rounds", "1"],
    "benchmarks.writing": ["--games", "2", "--rounds", "1"],
    "benchmarks.memory": ["--size", "0.2"],
}


def test_every_benchmark_is_in_the_table() -> None:
    told = {quoted(row[0])[0] for row in rows(TEXT.split("\n## ")[0])}
    programs = {path for path in (ROOT / "benchmarks").glob("*.py") if "def main(" in path.read_text("utf-8")}
    assert told == {path.relative_to(ROOT).as_posix() for path in programs}


def test_every_command_names_a_benchmark() -> None:
    assert {command.split()[1] for command in COMMANDS if command.startswith("-m ")} == SMALL.keys()
    for command in COMMANDS:
        if not command.startswith("-m "):
            assert (ROOT / command.split()[0]).is_file()


@pytest.mark.parametrize("module", SMALL)
def test_a_benchmark_runs_and_prints_the_table_of_the_page(module: str) -> None:
    pytest.importorskip("chess", reason="benchmarks against python-chess need the extra bench")
    done = subprocess.run(
        [sys.executable, "-m", module, *SMALL[module]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if module != "benchmarks.memory":
        assert done.stdout.splitlines()[0] in TEXT
    else:
        assert re.fullmatch(r"read: .*\n.*MB/s.*\nmost memory: [0-9]+ MB\n", done.stdout)


def test_figures_are_told_with_their_day_and_machine() -> None:
    assert re.search(r"^Figures below: \d{4}-\d\d-\d\d, .*\d cores", TEXT, re.MULTILINE)
    for title in ("Kernel", "Playing from Python", "Reading", "Writing"):
        assert len(list(rows(section(TEXT, title)))) > 0, title
