"""Records checked by several processes are told as by one."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main, validate

CORPUS = Path(__file__).parents[2] / "data" / "notation"


def run(*words):
    done = CliRunner().invoke(main, ["validate", *map(str, words)], prog_name="inkeek")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output, done.exit_code


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_several_processes_say_what_one_says(tmp_path, monkeypatch, options):
    monkeypatch.setattr(validate, "PART", 500)
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
    assert "-: only files can be read by several processes: leave out -j" in output
    assert run("-j", 2, tmp_path / "none.pmn")[1] == 2
