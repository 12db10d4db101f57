"""A second reader of the notation, in JavaScript (`tests/second_reader/`). Somebody wrote it from the specification
alone, without having read the first. Both must agree on the corpus, and on files that neither was written for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from inkeek.records.notation.tags import ORDER
from tests.data.notation import conformance
from tests.records.fuzzing.inputs import make
from tests.records.notation.answer import answer

READER = Path(__file__).parents[2] / "second_reader" / "pmn.mjs"
CHANGED = 300  # files


@pytest.fixture(scope="module")
def command(request: pytest.FixtureRequest) -> list[str]:
    """Starts the second reader."""
    node = shutil.which("node")
    if node is None:
        reason = "there is no node: run .ci/micropython, which needs npm"
        pytest.fail(reason) if request.config.getoption("--micropython") == "must" else pytest.skip(reason)
    return [node, str(READER)]


def answers(command: list[str], paths: list[Path]) -> list[object]:
    """The answers about files, in one process: to start one takes longer than to read a file."""
    done = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, encoding="utf-8", check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths), f"{paths[len(lines)]}: {done.stderr}"
    return [json.loads(line) for line in lines]


def test_it_reads_the_corpus_as_the_specification_says(command: list[str]) -> None:
    paths = conformance.cases()
    got = answers(command, paths)
    for path, one in zip(paths, got, strict=True):
        assert list(conformance.differences(conformance.expected(path)["records"], one, "syntax")) == [], path
    assert conformance.answer_of(command, paths[0].read_bytes()) == got[0]


def test_both_readers_write_the_tags_in_the_same_order(command: list[str]) -> None:
    tags = "".join(f'[{name} "{"1.1" if name == "Version" else "1"}"]\n' for name in reversed(ORDER))
    (record,) = conformance.answer_of(command, f"{tags}\n*\n".encode())["records"]
    assert tuple(re.findall(r"^\[(\w+)", record["canonical"], re.MULTILINE)) == ORDER


def test_both_readers_agree_on_changed_files(command: list[str], tmp_path: Path) -> None:
    """On the content of each record, and where the grammar forbids it, on the place of the error."""
    paths = [tmp_path / f"{number}.pmn" for number in range(CHANGED)]
    for number, path in enumerate(paths):
        data = make("bytes", 1, number)
        assert isinstance(data, bytes)
        path.write_bytes(data)
    for path, there in zip(paths, answers(command, paths), strict=True):
        data = path.read_bytes()
        here = answer(data)["records"]
        for record in here:
            if record["record"] is None:
                del record["record"]
        assert list(conformance.differences(here, there, "syntax")) == [], data
