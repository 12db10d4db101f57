import json

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


def test_the_values_of_each_game_come_as_json():
    result = run("--json", given=f"{GAME}\n{GAME}")
    found = list(map(json.loads, result.stdout.splitlines()))
    assert [one["index"] for one in found] == [0, 1]
    assert [turn["move"] for turn in found[0]["turns"]] == ["c", "D", "a", "B"]


def test_a_wrong_record_is_named_and_the_others_are_annotated():
    result = run(given=f'{GAME}\n[Game "oware"]\n\n1. c z *\n\n{GAME}')
    assert result.exit_code == 1
    assert len(list(read_games(result.stdout.encode().splitlines(keepends=True)))) == 2
    assert "game 2" in result.stderr
