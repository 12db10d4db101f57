"""The commands on records: what they print, for people and as JSON, and their exit status."""

import json
from pathlib import Path

import pytest

from inkeek.records import read_games, ruleset, ruleset_ids
from inkeek.records.notation.movetext import PlyPlaces
from inkeek.records.record import count_plies
from inkeek.service.cli import main

EXAMPLES = sorted(Path(__file__).parents[3].joinpath("docs/examples").glob("*.pmn"))
CORPUS = Path(__file__).parents[2] / "data" / "notation"
GOOD = '[Game "bof"]\n\n1. ax5 Bx2 *\n'
BAD = '[Game "bof"]\n\n1. ax5 Bx9 *\n'


def objects(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


class TestExamples:
    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_are_valid_canonical_and_replayed(self, run, path):
        assert run("validate", path).output == "1 good, 0 bad\n"
        assert run("fmt", path).stdout_bytes == path.read_bytes()
        run("fmt", "--check", path)
        (replayed,) = objects(run("replay", "--json", path))
        (game,) = read_games(path.read_text().splitlines())
        assert replayed["error"] is None
        assert len(replayed["turns"]) == len(game.plies)
        assert replayed["ended"]["score"] == [int(part) for part in game.tags["Score"].split("-")]

    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_a_wrong_move_is_found_at_its_place(self, run, path, tmp_path):
        (game,) = read_games(path.read_text().splitlines())
        for number in (0, len(game.plies) // 2, len(game.plies) - 1):
            ply = game.plies[number]
            line, column = PlyPlaces(game.source).place(count_plies(game.plies[:number]))
            lines = path.read_text().splitlines(keepends=True)
            # No board here has a pit p.
            spoilt = "p" if ply.move.pit.islower() else "P"
            lines[line - 1] = lines[line - 1][: column - 1] + spoilt + lines[line - 1][column:]
            bad = tmp_path / "spoilt.pmn"
            bad.write_text("".join(lines))
            (answer,) = objects(run("validate", "--json", bad, status=1))
            error = answer["error"]
            assert (answer["ok"], answer["plies"]) == (False, number)
            assert (error["line"], error["column"], error["ply"]) == (line, column, number + 1)
            assert "no-such-pit" in error["message"]
            before = game.replay().positions[number]
            assert error["legal"] == [str(move.choice) for move in game.rules().legal_moves(before)]


class TestRulesets:
    def test_all(self, run):
        assert [line.split(":")[0] for line in run("rulesets").output.splitlines()] == list(ruleset_ids())
        assert [answer["id"] for answer in objects(run("rulesets", "--json"))] == list(ruleset_ids())


class TestPlay:
    def test_the_end_of_a_game(self, run):
        arguments = ("play", "--game", "anywoli", "-o", "pits=7", "--position", POSITION, "a")
        (answer,) = objects(run(*arguments, "--json"))
        assert answer["ended"] == {"termination": "normal", "winner": "South", "score": [56, 0], "result": "1-0"}
        assert "The game is over: 56-0, 1-0." in run(*arguments).output

    def test_special_pits(self, run):
        position = "2.2.3.0.0.0.0.0/0.0.0.0.0.0.0.1 20-20 s 4"
        (answer,) = objects(run("play", "--game", "enkeshui", "-o", "pits=8", "--position", position, "a", "--json"))
        assert answer["special"] == ["b", "c"]

    def test_an_illegal_move(self, run):
        done = run("play", "--game", "bof", "a", "A", "--json", status=1)
        played, refused = objects(done)
        assert played["move"] == "ax5"
        assert refused["move"] == "A"
        assert refused["error"]["reason"] == "empty-pit"
        assert refused["error"]["legal"] == ["B", "C", "D", "E"]
        assert "Legal: B C D E." in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "status", "quoted"),
        [
            (("--game", "bof"), 2, "MOVE..."),
            (("a",), 2, "'--game'"),
            (("--game", "chess", "a"), 2, "'chess'"),
            (("--game", "bof", "-o", "pits", "a"), 2, "'pits'"),
            (("--game", "bof", "-o", "kernel=x", "a"), 2, "'kernel'"),
            (("--game", "bof", "a4"), 1, "'a4'"),
            (("--game", "bof", "--position", "4.4", "a"), 1, "'4.4'"),
        ],
    )
    def test_wrong_usage_and_wrong_input(self, run, arguments, status, quoted):
        assert quoted in run("play", *arguments, status=status).output


POSITION = "1.3.0.0.0.0.0/0.0.4.0.0.0.0 48-0 s 6"


class TestLegal:
    def test_a_game_that_is_over(self, run):
        over = "0.0.0.0.0/1.0.0.0.0 20-19 s 9"
        assert run("legal", "--game", "bof", "--position", over).output == "The game is over: 20-20, 1/2-1/2.\n"
        (answer,) = objects(run("legal", "--game", "bof", "--position", over, "--json"))
        assert (answer["legal"], answer["ended"]["result"]) == ([], "1/2-1/2")

    def test_a_bad_position(self, run):
        assert "41 seeds" in run("legal", "--game", "bof", "--position", "4.4.4.4.4/4.4.4.4.4 1-0 s 0", status=1).output


class TestPerft:
    def test_as_json(self, run):
        (answer,) = objects(run("perft", "--game", "bof", "2", "--json"))
        assert answer == {"game": "bof", "position": str(ruleset("bof").start()), "depth": 2, "count": 19}


class TestValidate:
    def test_standard_input(self, run):
        assert run("validate", given=GOOD).output == "1 good, 0 bad\n"
        assert run("validate", "-", given=GOOD + "\n" + GOOD).output == "2 good, 0 bad\n"

    def test_a_warning_is_an_error_for_the_strict(self, run, tmp_path):
        path = tmp_path / "twice.pmn"
        head, moves = (CORPUS / "good" / "commands.pmn").read_text().split("\n\n", 1)
        path.write_text(f'{head}\n\n{{[%join north "Twice"] [%join north "Twice"]}} {moves}')
        output = run("validate", path).output
        assert f"{path}: game 1: warning: Twice " in output
        assert output.endswith("1 good (1 with warnings), 0 bad\n")
        assert run("validate", "--strict", path, status=1).output.endswith("0 good, 1 bad\n")
        (result,) = objects(run("validate", "--json", path))
        assert (result["ok"], result["error"]) == (True, None)
        assert [warning.split()[0] for warning in result["warnings"]] == ["Twice"]
        assert "warnings" not in objects(run("validate", "--json", CORPUS / "good" / "commands.pmn"))[0]

    def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_checked(self, run, tmp_path):
        assert "No such file" in run("validate", tmp_path / "none.pmn", status=2).output
        output = run("validate", CORPUS / "good" / "commands.pmn", tmp_path / "none.pmn", tmp_path, status=1).output
        assert all(f"{tmp_path / name}: " in output for name in ("none.pmn", ""))
        assert "1 good, 0 bad\n" in output

    @pytest.mark.parametrize("most", [3, 2])
    def test_a_game_of_more_turns_than_a_service_stores_is_refused(self, run, monkeypatch, most):
        monkeypatch.setenv("INKEEK_MAX_PLIES", str(most))
        run("validate", "--json", given='[Game "bof"]\n\n1. a B c *\n', status=int(most == 2))


class TestFmt:
    def test_a_file_that_is_not_canonical_is_named_printed_or_rewritten(self, run, tmp_path):
        path = tmp_path / "x.pmn"
        path.write_bytes(b'[Result "*"]\r\n[Game "bof"]\r\n1. a B')
        assert "is not in canonical form" in run("fmt", "--check", path, status=1).output
        printed = run("fmt", path).output
        assert printed.endswith('[Game "bof"]\n\n1. ax5 Bx2 *\n')
        assert path.read_bytes().startswith(b'[Result "*"]\r\n')
        run("fmt", "--write", path)
        assert path.read_text() == printed
        run("fmt", "--check", path)
        assert [entry.name for entry in tmp_path.iterdir()] == ["x.pmn"]

    def test_files_one_after_the_other_are_one_file(self, run, tmp_path):
        path = tmp_path / "x.pmn"
        path.write_text(GOOD)
        both = run("fmt", path, path).output
        assert run("fmt", given=both).output == both

    def test_a_record_that_cannot_be_read_is_not_written_over(self, run, tmp_path):
        path = tmp_path / "x.pmn"
        path.write_text(GOOD + "\n" + '[Game "bof"]\n\n1. a4 *\n')
        old = path.read_bytes()
        assert "game 2: line 7, column 4" in run("fmt", "--write", path, status=1).output
        assert path.read_bytes() == old

    def test_a_line_that_the_canonical_form_leaves_out_is_listed_and_not_written_over(self, run, tmp_path):
        path = tmp_path / "x.pmn"
        path.write_text('% first\n[Game "bof"]\n% tags\n\n1. a\n%moves\nB {x\n% kept\ny} *\n% last\n')
        old = path.read_bytes()
        done = run("fmt", "--write", path, status=1)
        assert path.read_bytes() == old
        assert [f"line {line}, " in done.stderr for line in (1, 3, 6, 10)] == [True] * 4
        for command in ("fmt", "fmt --lenient", "annotate --nodes 1"):
            done = run(*command.split(), path, status=1)
            assert [text.split("left out: ")[1] for text in done.stderr.splitlines()] == [
                "'% first'", "'% tags'", "'%moves'", "'% last'"
            ]  # fmt: skip
            assert "{x % kept y" in done.stdout

    @pytest.mark.parametrize("arguments", [("--check", "--write", "x"), ("--write",)])
    def test_wrong_usage(self, run, arguments):
        run("fmt", *arguments, status=2)


class TestReplay:
    def test_as_far_as_a_record_is_right(self, run, tmp_path):
        path = tmp_path / "x.pmn"
        path.write_text(BAD + "\n" + GOOD)
        bad, good = objects(run("replay", "--json", path, status=1))
        assert [turn["move"] for turn in bad["turns"]] == ["ax5"]
        assert (bad["error"]["ply"], good["error"]) == (2, None)
        assert [turn["ply"] for turn in good["turns"]] == [1, 2]


class TestBench:
    def test_every_rule_set_is_measured(self, run):
        answer = objects(run("bench", "sow", "--seconds", "0.05", "--json"))
        assert [line["game"] for line in answer] == list(ruleset_ids())
        assert all(line["interpreted"] > 0 for line in answer)


def test_a_side_rearranges_once(run):
    arguments = ("play", "--game", "enkeshui", "-o", "pits=8", "-o", "setup=fours-right", "gh@a4b4")
    run(*arguments, "c")
    assert "ab@g8" in run(*arguments, "ab@g8", status=1).output


def test_a_lenient_format_of_nothing_is_nothing(runner):
    done = runner.invoke(main, ["fmt", "--lenient"], input="")
    assert (done.exit_code, done.output) == (0, "")


def test_what_a_lenient_format_leaves_out_is_listed_and_the_status_is_1(runner, tmp_path):
    file = tmp_path / "a.pmn"
    file.write_bytes(b'[Game "bof"]\n\n1. a {never} B {\xff gone}\nC *\n\n[Game "bof"]\n\n1. b {not closed\n')
    done = runner.invoke(main, ["fmt", "--lenient", str(file)])
    assert done.exit_code == 1
    first, second = done.stderr.splitlines()
    assert first.startswith(f"{file}: game 1: line 3, column 17: ")
    assert first.endswith(repr("\\xff gone}\nC *"))
    assert second.startswith(f"{file}: game 2: line 8, column 6: ")
    assert second.endswith("'{not closed'")
    again = runner.invoke(main, ["fmt", "--lenient"], input=done.stdout)
    assert (again.exit_code, again.stdout, again.stderr) == (0, done.stdout, "")
