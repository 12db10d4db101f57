"""docs/benchmarks.md: every benchmark runs and prints what is stored, and every stored result is on the page."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import measure
from docs.generate import parts_of
from tests.docs.pages import ROOT, page

# Short runs: the tests check that they run, and that they print the lines that are stored.
SMALL = {
    "benchmarks.service.start": ["--rounds", "1"],
    "benchmarks.boards.detection": ["--turns", "5", "--stone", "0.05", "--sensor", "0.05", "--row", "8"],
    "benchmarks.rules.kernel": ["--depth", "5", "--rounds", "1"],
    "benchmarks.analysis.search": [
        *("--seconds", "0.02", "--largest", "400", "--depth", "2", "--positions", "1", "--rounds", "2"),
        *("--nodes", "1000", "--table", "1"),
    ],
    "benchmarks.notation.reading": ["--games", "2", "--rounds", "1"],
    "benchmarks.service.throughput": ["--seconds", "0.2", "--rounds", "1", "--streams", "3", "--warm", "1"],
    "benchmarks.service.slow_clients": [
        *("--seconds", "0.2", "--rounds", "1", "--half", "5", "--drip-head", "2", "--drip-body", "2", "--unread", "2"),
        *("--drip-read", "2", "--streams", "3"),
    ],
    "benchmarks.service.costly_requests": ["--seconds", "0.2", "--games", "40", "--only", "a "],
    "benchmarks.storage.imports": ["--games", "20", "--seconds", "0.2", "--clients", "1"],
    "benchmarks.analysis.annotating": ["--games", "1", "--turns", "3", "--nodes", "50", "--appends", "5"],
    "benchmarks.analysis.tune": ["--game", "bof", "--games", "4", "--match", "4", "--nodes", "50"],
}
RESULTS = sorted(path.stem for path in measure.RESULTS.glob("*.json"))


def stored_name(module: str) -> str:
    return module.rpartition(".")[2]


def text_of(result: measure.Result) -> str:
    """The figures of a result as the benchmark printed them."""
    lines = []
    for figures in result.figures:
        rows = [figures["columns"], *figures["rows"]] if "rows" in figures else []
        lines += figures.get("lines", []) + [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def test_every_result_is_shown_and_names_a_benchmark() -> None:
    shown = {argument for name, argument in parts_of(page("benchmarks.md")) if name == "measured"}
    assert shown == set(RESULTS)
    assert {stored_name(module) for module in SMALL} <= set(RESULTS)
    for name in RESULTS:
        module = re.search(r"python -m ([\w.]+)|inkeek", measure.read_result(name).command)
        assert module is not None
        if module[1] is not None:
            assert (ROOT / module[1].replace(".", "/")).with_suffix(".py").is_file()


def test_an_output_is_stored_as_tables_and_lines() -> None:
    output = "two cores\n| what | ms |\n|---|--:|\n| a turn | 1.5 |\n| a read | 0.5 |\n\nthe end\n"
    figures = list(measure.figures_of(output))
    assert figures == [
        {"lines": ["two cores"]},
        {"columns": ["what", "ms"], "rows": [["a turn", "1.5"], ["a read", "0.5"]]},
        {"lines": ["the end"]},
    ]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_written_as_it_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, stored = measure.read_result(name), (measure.RESULTS / f"{name}.json").read_text("utf-8")
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    measure.write_result(name, result)
    assert measure.read_result(name) == result
    assert (tmp_path / f"{name}.json").read_text("utf-8") == stored
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", result.date)
    assert result.machine


@pytest.mark.parametrize("module", SMALL)
def test_a_benchmark_runs_and_prints_what_is_stored(module: str) -> None:
    if module == "benchmarks.rules.kernel":
        if shutil.which("cc") is None:
            pytest.skip("there is no C compiler")
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
    shown = without_figures(text_of(measure.read_result(stored_name(module))))
    assert without_figures(done.stdout.splitlines()[0]) in shown
    assert without_figures(done.stdout.splitlines()[-1]) in shown


def without_figures(text: str) -> str:
    return re.sub(r"[0-9][0-9,.]*", "0", re.sub(r" +", " ", text))
