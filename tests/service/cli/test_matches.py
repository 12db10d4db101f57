"""The commands on matches and races: what they print, for people and as JSON, and their exit status."""

import io
import json
from pathlib import Path

import pytest

from inkeek.records import Position, read_games
from inkeek.records.matches import read_match
from inkeek.records.notation.tags import rules_of

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "matches"
ENDED = """[Date "2026.11.20"]
[Game "enkeshui"]
[Options "pits=8 race=free"]
[Match "games 2"]
[Race "h H North"]
[RacePosition "1.0.5.5.6.5.0.1/0.2.6.5.5.5.1.1 0-0 n 0"]
[Result "%s"]
[Termination "agreement"]

%s
"""


class TestExamples:
    @pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.pmn")), ids=lambda path: path.stem)
    def test_are_valid_and_canonical(self, run, path):
        assert run("validate", path).output == "3 good, 0 bad\n"
        run("fmt", "--check", path)


class TestMatch:
    def test_the_record_of_the_next_game_can_be_played_on(self, run):
        output = run("match", EXAMPLES / "rounds.pmn", "--close", "acde").output
        games = (EXAMPLES / "rounds.pmn").read_text() + "\n" + output[output.index("[Event") :]
        *_, last = read_games(io.StringIO(games))
        assert last.tags["South"] == "West bench"
        assert str(last.start()) == "x.4.x.x.x/4.4.4.4.4 0-16 n 0"
        begun = run("match", given=games).output
        assert "Game 4: not finished.\n" in begun
        assert "[Event" not in begun

    def test_the_next_game_has_the_tags_that_a_match_keeps(self, run):
        kept = {name: f"the {name}" for name in ("Round", "SouthTeam", "NorthTeam", "Recorder", "Arbiter")}
        head = "".join(f'[{name} "{value}"]\n' for name, value in kept.items())
        tags = json.loads(run("match", "--json", given=head + ENDED % ("1-0", "1-0")).output)["next"]["tags"]
        assert kept.items() <= tags.items()
        assert "Date" not in tags

    def test_records_in_several_files_are_read_in_order(self, run, tmp_path):
        games = (EXAMPLES / "surplus.pmn").read_text().split("\n\n[")
        paths = []
        for number, text in enumerate(games):
            paths.append(tmp_path / f"{number}.pmn")
            paths[-1].write_text(("[" if number else "") + text + "\n")
        assert run("match", *paths).output == run("match", EXAMPLES / "surplus.pmn").output
        assert "game 1: MatchGame is 2" in run("match", *reversed(paths[:2]), status=1).output

    def test_a_draw_and_a_race(self, run):
        output = run("match", given=ENDED % ("1/2-1/2", "1/2-1/2")).output
        assert "a draw (agreement)." in output
        assert "Game 2 of 2:\n  South lays out the standard set-up, 0.0.4.4.4.4.4.4.\n" in output
        output = run("match", given=ENDED % ("1-0", "1-0") + "\n" + ENDED % ("0-1", "0-1")).output
        assert "draw" in output.splitlines()[-1]

    def test_as_json(self, run):
        answer = json.loads(run("match", "--json", EXAMPLES / "rounds.pmn").output)
        match = read_match(read_games(EXAMPLES / "rounds.pmn"))
        assert answer["kind"] == "rounds"
        assert [game["score"] for game in answer["games"]] == [[7, 33], [11, 29], [4, 36]]
        assert answer["tally"] == {"south": 0, "north": 3, "drawn": 0}
        assert (answer["seeds"], answer["removed"], answer["ended"], answer["begun"]) == ([4, 36], 0, None, False)
        assert answer["next"]["first"] == "North"
        assert answer["next"]["standard"] == [False, True]
        assert rules_of(answer["next"]["tags"]).start() == Position.parse(answer["next"]["position"])
        assert answer["next"]["tags"].items() >= match.next_tags().items()
        over = json.loads(run("match", "--json", EXAMPLES / "surplus.pmn").output)
        assert over["ended"] == {"winner": "South", "reason": "cannot-lay"}
        assert (over["next"], over["removed"]) == (None, 21)

    @pytest.mark.parametrize(
        ("given", "arguments", "says"),
        [
            ("", (), "from its first game on"),
            ('[Game "bof"]\n[Match "rounds"]\n\n1. a z *\n', (), "game 1: line 4, column 6"),
            (None, ("--close", "ab"), "must close 4, not 2"),
        ],
    )
    def test_what_is_no_match(self, run, given, arguments, says):
        files = () if given is not None else (EXAMPLES / "rounds.pmn",)
        assert says in run("match", *arguments, *files, given=given, status=1).output
