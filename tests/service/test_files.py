"""Files that commands write."""

import os
import stat

import pytest

from inkeek.service.cli import main
from inkeek.service.files import written_file

GAME = '[Game "bof"]\n\n1.   ax5\n'
BAD = '[Game "bof"]\n\n1. zz\n'


def write(path, data=b"new", then=lambda: None):
    with written_file(path) as file:
        file.write(data)
        file.flush()
        then()


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("further")
    (tmp_path / "further").symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)


def test_all_names_of_a_file_have_what_was_written(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"old, and longer")
    other.hardlink_to(one)
    write(one)
    assert other.read_bytes() == b"new"


def test_a_file_of_several_names_stays_as_it_was_where_there_is_no_room(tmp_path):
    resource = pytest.importorskip("resource")
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"old" * 100)
    other.hardlink_to(one)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(OSError, match=r"."):
            write(one, b"new" * 10_000, then=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1])))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"old" * 100}
    write(one, b"new" * 200)
    write(one, b"newest")
    assert other.read_bytes() == b"newest"


def test_a_new_file_is_only_its_owners_also_behind_a_link(tmp_path):
    (tmp_path / "link").symlink_to("new")
    write(tmp_path / "link")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), written_file(path) as file:
        file.writelines([b"half", 3])
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("file", b"old")]


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path, tmp_path / "fifo", "/dev/null", tmp_path / "loop", tmp_path / "none" / "file"):
        with pytest.raises(OSError, match=r".") as caught:
            write(path)
        assert caught.value.filename is not None


def test_formatting_goes_on_after_a_bad_file_and_sums_up(runner, tmp_path):
    names = ["bad.pmn", "none.pmn", "folder", "pipe", "good.pmn"]
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # to which nobody writes
    (tmp_path / "bad.pmn").write_text(BAD)
    (tmp_path / "good.pmn").write_text(GAME)
    paths = [str(tmp_path / name) for name in names]
    done = runner.invoke(main, ["fmt", "--write", *paths])
    assert done.exit_code == 1
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [
        *paths[:4],
        "4 of 5 files could not be written.",
    ]
    assert (tmp_path / "bad.pmn").read_text() == BAD
    assert "1. ax5" in (tmp_path / "good.pmn").read_text()
    assert runner.invoke(main, ["fmt", "--write", "-"], input=GAME).exit_code == 2


def test_a_file_may_have_the_name_of_standard_input(runner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_text(GAME)
    assert runner.invoke(main, ["fmt", "--write", "./-"]).exit_code == 0
    assert "1. ax5" in (tmp_path / "-").read_text()
    (tmp_path / "-").unlink()
    runner.invoke(main, ["db", "upgrade", "--data", "data"])
    assert runner.invoke(main, ["db", "export", "./-", "--data", "data"]).stdout == ""
    assert (tmp_path / "-").is_file()


@pytest.mark.parametrize("command", [["validate"], ["replay"], ["annotate", "--nodes", "10"], ["fmt"]])
def test_commands_over_many_files_go_on_after_one_that_cannot_be_read(runner, tmp_path, command):
    good = tmp_path / "good.pmn"
    good.write_text(GAME)
    done = runner.invoke(main, [*command, str(tmp_path / "none.pmn"), str(tmp_path), str(good)])
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (1, "2 of 3 files could not be read.")
    assert "ax5" in done.stdout or "1 good" in done.stdout


@pytest.mark.parametrize(("command", "start"), [("export", b"{"), ("checkpoint", b"{"), ("backup", b"SQLite format 3")])
def test_what_a_database_writes_goes_through_a_link(runner, tmp_path, command, start):
    data, link = ["--data", str(tmp_path / "data")], tmp_path / "link"
    runner.invoke(main, ["db", "upgrade", *data])
    link.symlink_to("target")
    assert runner.invoke(main, ["db", command, str(link), *data]).exit_code == 0
    written = (tmp_path / "target").read_bytes()
    assert written.startswith(start)
    assert link.is_symlink()
    assert runner.invoke(main, ["db", command, str(link), *data]).exit_code == 2
    assert (tmp_path / "target").read_bytes() == written


@pytest.mark.parametrize("command", ["export", "checkpoint"])
def test_what_a_database_writes_without_a_file_is_printed(runner, tmp_path, command):
    data = ["--data", str(tmp_path / "data")]
    runner.invoke(main, ["db", "upgrade", *data])
    assert runner.invoke(main, ["db", command, *data]).stdout.startswith("{")


def test_a_backup_removes_no_file_that_it_was_not_given(runner, tmp_path):
    data, other = ["--data", str(tmp_path / "data")], tmp_path / "copy.part"
    runner.invoke(main, ["db", "upgrade", *data])
    other.write_text("dear")
    done = runner.invoke(main, ["db", "backup", str(tmp_path / "copy"), *data])
    assert (done.exit_code, "copy.part" in done.stderr) == (1, True)
    assert other.read_text() == "dear"


def test_a_file_that_a_command_makes_is_only_its_owners(runner, tmp_path):
    before = os.umask(0)
    try:
        runner.invoke(main, ["board", "record", "--port", "loop://", "--seconds", "0", str(tmp_path / "recording")])
        assert stat.S_IMODE((tmp_path / "recording").stat().st_mode) == 0o600
        assert os.umask(0) == 0, "the umask is as it was"
    finally:
        os.umask(before)


MAKING = [
    ["db", "backup"],
    ["key", "new", "--key"],
    ["board", "record", "--port", "loop://"],
    ["engine", "match", "inkeek", "inkeek", "--game", "bof", "--depth", "1", "--pmn"],
]  # commands that make a file, and cannot write to standard output; the name of the file comes next


ENDLESS = [
    "validate",
    "validate zero",
    "fmt zero",
    "fmt --check zero",
    "fmt --lenient",
    "replay zero",
    "annotate --nodes 1 zero",
    "db import zero",
    "db import",
    "db verify --checkpoint zero",
    "verify zero --key zero",
    "serve --check --config zero",
    "board attach loop:// --to https://localhost:1 --ca zero",
    "board playback zero",
    "event new Cup --game bof --players zero",
]


@pytest.mark.parametrize("command", ENDLESS)
def test_no_command_reads_a_file_that_has_no_end(runner, command, tmp_path, monkeypatch):
    """The file has one here, which is far: to read it all would take its size of memory."""
    monkeypatch.chdir(tmp_path)
    with open("zero", "wb") as zero:
        zero.truncate(1 << 36)
    runner.invoke(main, ["db", "upgrade", "--data", "data"])
    data = ["--data", "data"] if command.split()[0] in ("db", "event") else []
    with open("zero", "rb") as stdin:
        done = runner.invoke(main, [*command.split(), *data], input=stdin)
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code in (1, 2)


@pytest.mark.parametrize("command", MAKING)
def test_no_command_makes_a_file_with_the_name_of_standard_output(runner, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runner.invoke(main, [*command, "-"]).exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [*MAKING, ["db", "export"], ["db", "checkpoint"], ["db", "proof", "nothing"]])
def test_no_command_overwrites_a_file(runner, command, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    done = runner.invoke(main, [*command, str(file)])
    assert done.exit_code in (1, 2)
    assert f"{str(file)!r} exists" in done.stderr
    assert file.read_text() == "mine"
