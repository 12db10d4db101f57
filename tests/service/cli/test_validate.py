"""`inkeek validate`: warnings, and several processes that print what one prints."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from inkeek.service.cli import main, validate

CORPUS = Path(__file__).parents[2] / "data" / "notation"


def run(*words):
    done = CliRunner().invoke(main, ["validate", *map(str, words)], prog_name="inkeek")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output, done.exit_code


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_several_processes_print_what_one_prints(tmp_path, monkeypatch, options):
    monkeypatch.setattr(validate, "PART_SIZE", 500)
    texts = [path.read_bytes() for path in sorted(CORPUS.glob("*/*.pmn"))]
    files = [tmp_path / "many.pmn", tmp_path / "empty.pmn", tmp_path / "one.pmn"]
    files[0].write_bytes(b"\n\n".join(texts))
    files[1].write_bytes(b"")
    files[2].write_bytes(texts[0])
    output, status = run(*options, *files)
    assert (output.count("\n") > 50, status) == (True, 1)
    assert run(*options, "-j", 2, *files) == (output, status)


def test_only_files_are_read_by_several_processes(tmp_path):
    output, status = run("-j", 2, "-")
    assert status == 2
    assert "-j" in output
    assert run("-j", 2, tmp_path / "none.pmn")[1] == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_people_who_do_not_fit_together_are_a_warning_and_no_error(tmp_path, jobs):
    path = tmp_path / "twice.pmn"
    text = (CORPUS / "good" / "commands.pmn").read_text()
    head, moves = text.split("\n\n", 1)
    path.write_text(f'{head}\n\n{{[%join north "Twice"] [%join north "Twice"]}} {moves}')
    output, status = run("-j", jobs, path)
    assert status == 0
    assert f"{path}: game 1: warning: Twice " in output
    assert output.endswith("1 good (1 with warnings), 0 bad\n")
    output, _ = run("-j", jobs, "--json", path)
    result = json.loads(output)
    assert (result["ok"], result["error"]) == (True, None)
    assert [warning.split()[0] for warning in result["warnings"]] == ["Twice"]
    assert "warnings" not in json.loads(run("--json", CORPUS / "good" / "commands.pmn")[0])


def test_a_file_that_processes_cannot_read_is_reported_and_the_others_are_checked(tmp_path):
    good = CORPUS / "good" / "commands.pmn"
    os.mkfifo(tmp_path / "fifo")
    output, status = run("-j", 2, tmp_path / "fifo", good, tmp_path / "none.pmn", tmp_path)
    assert status == 1
    assert all(f"{tmp_path / name}: " in output for name in ("fifo", "none.pmn", ""))
    assert "1 good, 0 bad\n" in output


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_game_of_more_turns_than_a_service_stores_is_refused(tmp_path, monkeypatch, jobs):
    path = tmp_path / "long.pmn"
    path.write_text('[Game "bof"]\n\n1. a B c *\n')
    for most in (3, 2):
        monkeypatch.setenv("INKEEK_MAX_PLIES", str(most))
        output, status = run("-j", jobs, "--json", path)
        assert status == (most == 2), output
