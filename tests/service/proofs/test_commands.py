import json

import pytest

from inkeek.service.cli import main
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store
from tests.service.proofs.falsified import GAME, PUBLIC, Draft


@pytest.fixture
def inkeek(runner):
    """Runs a command; returns its status, output and errors."""

    def run(*words):
        done = runner.invoke(main, [str(word) for word in words])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


@pytest.fixture
def file(proof, tmp_path):
    path = tmp_path / "game.proof"
    path.write_bytes(proof)
    return path


def test_a_proof_that_holds_is_described(inkeek, file):
    status, output, errors = inkeek("verify", file, "--key", PUBLIC)
    assert (status, errors) == (0, "")
    assert f"{GAME}-11" in output
    status, output, _ = inkeek("verify", file, "--key", PUBLIC, "--json")
    report = json.loads(output)
    assert (status, report["ok"], report["game"], report["dispute"]) == (0, True, GAME, 11)
    assert (report["key"], report["faults"]) == (PUBLIC, [])


def test_a_proof_that_does_not_hold_ends_with_status_1(inkeek, file):
    draft = Draft(file.read_bytes())
    draft.events[3][3] = "\x1b[31mSomebody"
    file.write_bytes(draft.data())
    status, output, _ = inkeek("verify", file, "--key", PUBLIC)
    assert status == 1
    assert "event 4 " in output
    assert "\x1b" not in output
    status, output, _ = inkeek("verify", file, "--key", PUBLIC, "--json")
    report = json.loads(output)
    assert (status, report["ok"]) == (1, False)
    assert {fault["check"] for fault in report["faults"]} == {"signature", "chain"}


def test_what_a_proof_quotes_cannot_control_the_terminal(inkeek, file):
    draft = Draft(file.read_bytes())
    draft.lines[0]["game"] = "\x1b[2J\u202egame"
    file.write_bytes(draft.data())
    _, output, _ = inkeek("verify", file, "--key", PUBLIC)
    assert not {"\x1b", "\u202e"} & set(output)


def test_the_key_may_be_in_a_file(inkeek, file, tmp_path):
    key = tmp_path / "club.pub"
    key.write_text(PUBLIC + "\n")
    assert inkeek("verify", file, "--key", key)[0] == 0


@pytest.mark.parametrize("key", ["ed25519:x", "nothing", ""])
def test_what_is_no_key_is_wrong_usage(inkeek, file, key):
    status, output, errors = inkeek("verify", file, "--key", key)
    assert (status, output) == (2, "")
    assert "--key" in errors
    assert inkeek("verify", file)[0] == 2
    assert inkeek("verify", file.with_name("none"), "--key", PUBLIC)[0] == 2


def test_a_game_is_proven_from_the_database_and_compared_with_a_checkpoint(inkeek, tmp_path):
    data = ("--data", tmp_path)
    inkeek("db", "upgrade", *data)
    store = Store(f"sqlite:///{tmp_path / 'inkeek.sqlite3'}")
    games = Games(store, max_plies=100)
    game = games.create("bof", {}, {}, Write("api")).id
    status, _, errors = inkeek("db", "proof", game, *data)
    assert (status, "key.pem" in errors) == (1, True)
    public = json.loads(inkeek("key", "new", "--json", *data)[1])["public"]
    kept, file = tmp_path / "kept.json", tmp_path / "game.proof"
    assert inkeek("db", "checkpoint", kept, *data) == (0, "", "")
    games.create("bof", {}, {}, Write("api"))
    store.close()
    assert inkeek("db", "proof", game, file, *data) == (0, "", "")
    assert inkeek("verify", file, "--key", public, "--checkpoint", kept)[0] == 0
    assert inkeek("verify", file, "--key", PUBLIC)[0] == 1
    assert inkeek("verify", file, "--key", PUBLIC, "--checkpoint", kept)[0] == 1
    kept.write_text("{}")
    assert inkeek("verify", file, "--key", public, "--checkpoint", kept)[0] == 1
    status, _, errors = inkeek("db", "proof", game, "--dispute", 1, *data)
    assert (status, f"{game}-1" in errors) == (1, True)
