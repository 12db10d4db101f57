import shlex
from pathlib import Path

import pytest

from inkeek.records.rules.ruleset import read_ruleset

FILE = Path("docs/examples/rules/ayoayo.toml").absolute()
ID = read_ruleset(FILE.read_text("utf-8")).id


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("INKEEK_DATA", str(tmp_path))
    return tmp_path / "rules"


def test_a_rule_set_is_added_and_played_until_its_file_is_removed(run, folder):
    run("rules", "add", FILE)
    assert "already" in run("rules", "add", FILE).output
    (path,) = folder.iterdir()
    assert path.read_bytes() == FILE.read_bytes()
    assert ID in run("rulesets").output.splitlines()[-1]
    assert run("play", "--game", ID, "a").output == run("play", "--game", FILE, "a").output
    path.unlink()
    assert ID in run("play", "--game", ID, "a", status=2).output


def test_the_turn_that_is_proposed_can_be_played_wherever_the_rules_were_added(run, tmp_path, monkeypatch):
    proposed = run("rules", "add", FILE, "--data", tmp_path / "other folder").output.rpartition("Play a turn: ")[2]
    given, command, *arguments = shlex.split(proposed)
    assert command == "inkeek"
    monkeypatch.setenv(*given.split("=", 1))
    run(*arguments)


def test_a_bad_file_is_named_and_nothing_is_written(run, folder, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text(FILE.read_text("utf-8").replace("relay", "rely"), "utf-8")
    assert "rely" in run("rules", "add", bad, status=1).output
    assert "rely" in run("legal", "--game", bad, status=2).output
    bad.write_bytes(b"\xff")
    assert "UTF-8" in run("rules", "add", bad, status=1).output
    assert not folder.exists()


def test_a_bad_file_in_the_folder_is_named_and_hides_no_other(run, folder):
    run("rules", "add", FILE)
    (folder / "bad.toml").write_text("id = 1", "utf-8")
    listed = run("rulesets")
    assert (ID in listed.stdout, "bad.toml" in listed.stderr) == (True, True)


def test_another_file_of_the_same_id_is_refused(run, folder, tmp_path):
    run("rules", "add", FILE)
    (folder / "aaa.toml").write_text(FILE.read_text("utf-8").replace("each = 4", "each = 3"), "utf-8")
    assert "aaa.toml" in run("play", "--game", ID, "a", status=2).output
    assert "aaa.toml" in run("rules", "add", FILE, status=1).output
    (folder / "aaa.toml").unlink()
    other = tmp_path / "other.toml"
    other.write_text(FILE.read_text("utf-8").replace("each = 4", "each = 3"), "utf-8")
    assert ID in run("rules", "add", other, status=1).output
