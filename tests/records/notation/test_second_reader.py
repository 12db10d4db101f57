"""A second reader of the notation, in JavaScript (`tests/second_reader/`). Somebody wrote it from the specification
alone, without having read the first. Both must agree on the corpus, and on files that neither was written for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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


def test_it_reads_the_corpus_as_the_specification_says(command: list[str]) -> None:
    for path in conformance.cases():
        got = conformance.answer_of(command, path.read_bytes())
        assert list(conformance.differences(conformance.expected(path)["records"], got, "syntax")) == [], path


def test_both_readers_agree_on_changed_files(command: list[str]) -> None:
    """On the content of each record, and where the grammar forbids it, on the place of the error."""
    for number in range(CHANGED):
        data = make("bytes", 1, number)
        assert isinstance(data, bytes)
        here = answer(data)["records"]
        for record in here:
            if record["record"] is None:
                del record["record"]
        assert list(conformance.differences(here, conformance.answer_of(command, data), "syntax")) == [], data
