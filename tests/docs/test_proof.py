"""docs/proof.md: its checks and bounds are those of the code, and its example holds."""

from __future__ import annotations

import re

from inkeek.service.proofs import file
from inkeek.service.proofs.check import CHECKS, check_proof
from tests.docs.pages import ROOT, page, quoted, rows, section
from tests.service.proofs.falsified import Draft

TEXT = page("proof.md")
EXAMPLE = (ROOT / "docs" / "examples" / "dispute.proof").read_bytes()


def test_every_check_is_documented() -> None:
    assert tuple(quoted(row[0])[0] for row in rows(section(TEXT, "What a proof shows"))) == CHECKS


def test_the_bounds_are_those_of_the_code() -> None:
    bounds = next(line for line in TEXT.splitlines() if "may refuse files of more than" in line)
    numbers = [
        int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?= MiB| events| entries| deep)", bounds)
    ]
    mib, *rest = numbers
    assert [mib << 20, *rest] == [
        file.MAX_BYTES,
        file.MAX_EVENTS,
        file.MAX_ENTRIES,
        file.MAX_DEPTH,
    ]


def test_the_lines_are_those_of_the_example() -> None:
    lines = [row for row in rows(section(TEXT, "The file")) if row[0][0] in "1oa"]
    documented = [re.findall(r'"(\w+)":', quoted(row[1])[0]) for row in lines]
    found = []
    for line in Draft(EXAMPLE).lines:
        if not found or list(line) != found[-1]:
            found.append(list(line))
    assert found == documented


def test_the_example_holds() -> None:
    (key,) = re.findall(r"`(ed25519:[\w-]{43})`", TEXT)
    assert check_proof(EXAMPLE, [key]).ok
