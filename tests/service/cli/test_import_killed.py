"""`inkeek db import` is killed at any moment, and run again: nothing that it reported is lost, and nothing doubled."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from inkeek.service.games.repository import Games
from inkeek.service.maintenance import verify
from inkeek.service.storage.store import Store

GAMES = 200
RECORD = '[Round "{}"]\n[Game "enkeshui"]\n[Options "pits=8"]\n\n1. c A *\n\n'


def command(file: Path, database: str) -> list[str]:
    return [sys.executable, "-m", "inkeek.service.cli", "db", "import", str(file), "--json", "--database", database]


def ids(lines: list[str]) -> dict[int, str]:
    return {result["index"]: result["id"] for result in map(json.loads, lines)}


@pytest.mark.parametrize("answers", [1, 40, 120])
def test_an_import_that_is_killed_loses_and_doubles_nothing(database, tmp_path, answers):
    file = tmp_path / "games.pmn"
    file.write_text("".join(RECORD.format(number) for number in range(GAMES)), "utf-8")
    with subprocess.Popen(command(file, database), stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(answers)]
        process.kill()
        lines += [line for line in process.stdout.read().splitlines() if line.endswith("}")]
    store = Store(database, 5.0)
    games = Games(store, max_plies=100)
    before = ids(lines)
    assert [games.integrity(game_id) for game_id in before.values()] == [[]] * len(before)
    assert len(before) >= answers
    again = subprocess.run(command(file, database), check=True, capture_output=True, text=True).stdout.splitlines()
    after = ids(again)
    assert {index: after[index] for index in before} == before
    assert (verify.count(store), len(set(after.values()))) == (GAMES, GAMES)
    assert [report.faults for report in verify.verify(store) if report.faults] == []
    store.close()
