import json
from pathlib import Path

from click.testing import CliRunner

from inkeek.records import evaluations, read_games
from inkeek.service.cli import main

GAME = '[Game "oware"]\n\n1. c D 2. a B *\n'


def run(*arguments: str, given: str | None = None):
    return CliRunner().invoke(main, ["annotate", "--depth", "2", *arguments], input=given)


def test_the_records_come_out_with_values():
    result = run(given=f"{GAME}\n{GAME}")
    assert result.exit_code == 0
    games = list(read_games(result.stdout.encode().splitlines(keepends=True)))
    assert len(games) == 2
    for game in games:
        assert not game.errors
        assert all(value is not None for value in evaluations(game))


def test_several_processes_find_the_same(tmp_path: Path):
    path = tmp_path / "games.pmn"
    path.write_text("\n".join([GAME] * 6))
    alone, together = run(str(path), "--json"), run(str(path), "--json", "--workers", "2")
    assert (alone.exit_code, together.exit_code) == (0, 0)
    assert together.stdout == alone.stdout
    found = list(map(json.loads, alone.stdout.splitlines()))
    assert [one["index"] for one in found] == list(range(6))
    assert [turn["move"] for turn in found[0]["turns"]] == ["c", "D", "a", "B"]


def test_a_wrong_record_is_named_and_the_others_are_annotated():
    result = run(given=f'{GAME}\n[Game "oware"]\n\n1. c z *\n\n{GAME}')
    assert result.exit_code == 1
    assert len(list(read_games(result.stdout.encode().splitlines(keepends=True)))) == 2
    assert "game 2" in result.stderr
