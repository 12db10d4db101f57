"""The conformance corpus, run as `tests/data/notation/README.md` describes."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from inkeek.records import Game, read_games, write_game
from tests.data.notation import conformance
from tests.records.notation.answer import answer

CORPUS = conformance.FOLDER
CASES = conformance.cases()
ROOT = Path(__file__).parents[3]

by_name = pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")


@by_name
def test_reading_gives_what_the_corpus_says(path: Path) -> None:
    got = answer(path.read_bytes())
    wanted = conformance.expected(path)["records"]
    for level in conformance.LEVELS:
        assert list(conformance.differences(wanted, got, level)) == []
    for one, record in zip(wanted, got["records"], strict=True):
        if "error" in one:
            assert [part for part in one["error"]["contains"] if part not in record["error"]["message"]] == []
        if "record" in one:
            assert Game.from_json(one["record"]).to_json() == record["record"]


@by_name
def test_what_is_written_is_read_and_written_again(path: Path) -> None:
    for one in answer(path.read_bytes())["records"]:
        if one["canonical"] is not None:
            (again,) = read_games(io.StringIO(one["canonical"]))
            assert write_game(again) == one["canonical"]


def test_every_file_has_its_reading_and_every_reading_its_file() -> None:
    assert {path.stem for path in CASES} == {path.stem for path in CORPUS.glob("*/*.json")}
    for path in CASES:
        wrong = [entry for entry in conformance.expected(path)["records"] if "error" in entry]
        assert bool(wrong) == (path.parent.name == "bad"), path
        assert all(entry["error"]["contains"] for entry in wrong), path


def test_no_two_files_make_the_same_point() -> None:
    points = [conformance.expected(path)["point"] for path in CASES]
    assert len(points) == len(set(points))


def test_every_sentence_of_the_specification_has_a_file_and_every_file_a_sentence() -> None:
    sentences = re.findall(r"^\* \*\*(N-[0-9]+\.[0-9]+)\*\* ", conformance.SPECIFICATION.read_text("utf-8"), re.M)
    assert len(sentences) == len(set(sentences))
    tested = {path: set(conformance.expected(path)["sentences"]) for path in CASES}
    assert set().union(*tested.values()) == set(sentences)
    assert [path for path, names in tested.items() if not names] == []


def test_the_runner_names_the_file_and_the_sentence_of_a_wrong_answer(tmp_path: Path) -> None:
    runner = [sys.executable, str(Path(conformance.__file__))]
    archive = tmp_path / "corpus.zip"
    subprocess.run([*runner, "--archive", archive], check=True)
    with zipfile.ZipFile(archive) as files:
        names = set(files.namelist())
        assert {f"notation-corpus/{name}" for name in ("README.md", "conformance.py", "notation.md")} < names
        assert len(names) == len(conformance.cases()) * 2 + 4
        for name in names:
            if not re.search(r"README|conformance|notation\.md|good/(pass|setup|non-ascii)\.", name):
                continue
            files.extract(name, tmp_path)
    command = "import json; print(json.dumps({'records': [{'record': {}, 'error': None}]}))"
    there = tmp_path / "notation-corpus" / "conformance.py"
    done = subprocess.run(
        [sys.executable, there, "--level", "syntax", "--", sys.executable, "-c", command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "good/pass.pmn (N-7.4): record 1: record is" in done.stdout
    assert "0 of 3 files" in done.stdout
