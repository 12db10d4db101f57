"""docs/benchmarks.md: every benchmark is in the table, every command runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT, page, quoted, rows, section
from tests.service.http.web.browsing import BROWSERS

TEXT = page("benchmarks.md")
COMMANDS = [command[1] for command in re.finditer(r"^    python (.*)$", TEXT, re.MULTILINE)]
# Short runs: the tests check that they run, and that they print the lines that the page shows.
SMALL = {
    "benchmarks.start": ["--rounds", "1"],
    "benchmarks.detection": ["--turns", "5", "--stone", "0.05", "--sensor", "0.05", "--row", "8"],
    "benchmarks.mistakes": ["--each", "2", "--game", "enkeshui"],
    "benchmarks.imperfect": ["--turns", "3", "--kind", "walk", "--game", "bof"],
    "benchmarks.kernel": ["--depth", "5", "--rounds", "1"],
    "benchmarks.search": [
        *("--seconds", "0.02", "--largest", "400", "--depth", "2", "--positions", "1", "--rounds", "2"),
        *("--nodes", "1000", "--table", "1"),
    ],
    "benchmarks.play": ["--turns", "40", "--rounds", "1"],
    "benchmarks.reading": ["--games", "2", "--rounds", "1"],
    "benchmarks.writing": ["--games", "2", "--rounds", "1"],
    "benchmarks.memory": ["--size", "0.2"],
    "benchmarks.service": ["--seconds", "0.2", "--rounds", "1", "--streams", "3", "--warm", "1"],
    "benchmarks.slow_clients": [
        *("--seconds", "0.2", "--rounds", "1", "--half", "5", "--drip-head", "2", "--drip-body", "2", "--unread", "2"),
        *("--drip-read", "2", "--streams", "3"),
    ],
    "benchmarks.costly_requests": ["--seconds", "0.2", "--games", "40", "--only", "a "],
    "benchmarks.pages": ["--steps", "3", "--turns", "4", "--every", "0.05"],
    "benchmarks.codec": ["--turns", "20", "--rounds", "1"],
    "benchmarks.far": ["--boards", "1", "--turns", "3", "--seconds", "0.4"],
    "benchmarks.board_page": ["--turns", "2"],
    "benchmarks.boards": ["--boards", "2", "--turns", "2", "--every", "1", "--idle", "0.2"],
    "benchmarks.board_processes": ["--boards", "2", "--rounds", "1"],
    "benchmarks.imports": ["--games", "20", "--seconds", "0.2", "--clients", "1"],
    "benchmarks.million": ["--games", "6000", "--questions", "3", "--databases", "sqlite"],
    "benchmarks.annotating": ["--games", "1", "--turns", "3", "--nodes", "50", "--appends", "5"],
    "benchmarks.strength": ["--game", "bof", "--games", "2", "--nodes", "50"],
    "benchmarks.tune": ["--game", "bof", "--games", "4", "--match", "4", "--nodes", "50"],
    "benchmarks.storage": ["--games", "60", "--copies", "1", "--turns", "4", "--questions", "9"],
}
TITLES = {
    "benchmarks.start": "Start",
    "benchmarks.detection": "Detection",
    "benchmarks.mistakes": "Mistakes",
    "benchmarks.imperfect": "Imperfect boards",
    "benchmarks.kernel": "Kernel",
    "benchmarks.search": "Search",
    "benchmarks.play": "Playing from Python",
    "benchmarks.reading": "Reading",
    "benchmarks.writing": "Writing",
    "benchmarks.memory": "Memory",
    "benchmarks.service": "Service",
    "benchmarks.imports": "Imports",
    "benchmarks.million": "A million games",
    "benchmarks.annotating": "Annotating",
    "benchmarks.strength": "Strength",
    "benchmarks.tune": "Tuning",
    "benchmarks.storage": "Storage",
    "benchmarks.slow_clients": "Slow clients",
    "benchmarks.costly_requests": "Costly requests",
    "benchmarks.pages": "Pages",
    "benchmarks.codec": "Codec",
    "benchmarks.far": "Far boards",
    "benchmarks.board_page": "The live page",
    "benchmarks.boards": "Boards",
    "benchmarks.board_processes": "Boards and processes",
}


def test_every_benchmark_is_in_the_table() -> None:
    documented = {quoted(row[0])[0] for row in rows(TEXT.split("\n## ")[0])}
    programs = {path for path in (ROOT / "benchmarks").glob("*.py") if "def main(" in path.read_text("utf-8")}
    assert documented == {path.relative_to(ROOT).as_posix() for path in programs}


def test_every_command_names_a_benchmark() -> None:
    assert {command.split()[1] for command in COMMANDS} == SMALL.keys() | {"benchmarks.longest_turns"}
    for command in COMMANDS:
        assert (ROOT / command.split()[1].replace(".", "/")).with_suffix(".py").is_file()


@pytest.mark.parametrize("module", SMALL)
def test_a_benchmark_runs_and_prints_what_the_page_shows(module: str) -> None:
    if module == "benchmarks.kernel":
        if shutil.which("cc") is None:
            pytest.skip("there is no C compiler")
    elif module in ("benchmarks.pages", "benchmarks.board_page"):
        if not any(map(shutil.which, BROWSERS)):
            pytest.skip("there is no browser")
    else:
        pytest.importorskip("chess", reason="benchmarks against python-chess need the extra bench")
    done = subprocess.run(
        [sys.executable, "-m", module, *SMALL[module]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = section(TEXT, TITLES[module])
    assert without_figures(done.stdout.splitlines()[0]) in without_figures(shown)
    assert without_figures(done.stdout.splitlines()[-1]) in without_figures(shown)


def test_the_search_for_longest_turns_prints_the_table_of_the_page() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.longest_turns", "--seconds", "0.01"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    printed = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    shown = section(TEXT, "Longest turns")
    assert printed[0] in shown
    assert [row.split("|")[1] for row in printed[1:]] == [
        row.split("|")[1] for row in shown.split(printed[0])[1].split("\n\n")[0].splitlines()[2:]
    ]


def without_figures(text: str) -> str:
    return re.sub(r"[0-9][0-9,.]*", "0", re.sub(r" +", " ", text))


def test_figures_have_a_date_and_a_machine() -> None:
    assert re.search(r"^Figures below: \d{4}-\d\d-\d\d, .*\d cores", TEXT, re.MULTILINE)
