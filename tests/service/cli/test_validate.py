"""`inkeek validate`: warnings, what is refused, and files that cannot be read."""

import json
from pathlib import Path

from click.testing import CliRunner

from inkeek.service.cli import main

CORPUS = Path(__file__).parents[2] / "data" / "notation"


def run(*words):
    done = CliRunner().invoke(main, ["validate", *map(str, words)], prog_name="inkeek")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output, done.exit_code


def test_people_who_do_not_fit_together_are_a_warning_and_no_error(tmp_path):
    path = tmp_path / "twice.pmn"
    text = (CORPUS / "good" / "commands.pmn").read_text()
    head, moves = text.split("\n\n", 1)
    path.write_text(f'{head}\n\n{{[%join north "Twice"] [%join north "Twice"]}} {moves}')
    output, status = run(path)
    assert status == 0
    assert f"{path}: game 1: warning: Twice " in output
    assert output.endswith("1 good (1 with warnings), 0 bad\n")
    output, _ = run("--json", path)
    result = json.loads(output)
    assert (result["ok"], result["error"]) == (True, None)
    assert [warning.split()[0] for warning in result["warnings"]] == ["Twice"]
    assert "warnings" not in json.loads(run("--json", CORPUS / "good" / "commands.pmn")[0])


def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_checked(tmp_path):
    good = CORPUS / "good" / "commands.pmn"
    output, status = run(good, tmp_path / "none.pmn", tmp_path)
    assert status == 1
    assert all(f"{tmp_path / name}: " in output for name in ("none.pmn", ""))
    assert "1 good, 0 bad\n" in output


def test_a_game_of_more_turns_than_a_service_stores_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "long.pmn"
    path.write_text('[Game "bof"]\n\n1. a B c *\n')
    for most in (3, 2):
        monkeypatch.setenv("INKEEK_MAX_PLIES", str(most))
        output, status = run("--json", path)
        assert status == (most == 2), output
