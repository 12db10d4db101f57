import json

import pytest

from inkeek.service.cli import main


@pytest.fixture
def inkeek(runner, tmp_path):
    def run(*words):
        done = runner.invoke(main, [*words, "--data", str(tmp_path)])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


def test_a_key_is_made_once_and_shown(inkeek, tmp_path):
    status, output, _ = inkeek("key", "new", "--json")
    made = json.loads(output)
    assert (status, made["file"]) == (0, str(tmp_path / "key.pem"))
    assert json.loads(inkeek("key", "show", "--json")[1]) == made
    assert made["public"] in inkeek("key", "show")[1]
    status, output, errors = inkeek("key", "new")
    assert (status, output) == (1, "")
    assert str(tmp_path / "key.pem") in errors


def test_without_a_key_there_is_none_to_show(inkeek):
    status, output, errors = inkeek("key", "show")
    assert (status, output) == (1, "")
    assert "key.pem" in errors


def test_a_checkpoint_is_signed_if_there_is_a_key(inkeek, tmp_path):
    inkeek("db", "upgrade")
    status, output, errors = inkeek("db", "checkpoint")
    assert (status, json.loads(output)["signature"]) == (0, None)
    assert "inkeek key new" in errors
    plain = tmp_path / "plain.json"
    plain.write_text(output)
    public = json.loads(inkeek("key", "new", "--json")[1])["public"]
    signed = tmp_path / "signed.json"
    assert inkeek("db", "checkpoint", str(signed)) == (0, "", "")
    assert json.loads(signed.read_text())["key"] == public

    status, output, errors = inkeek("db", "verify", "--checkpoint", str(signed), "--public", public)
    assert (status, errors) == (0, "")
    status, _, errors = inkeek("db", "verify", "--checkpoint", str(signed))
    assert (status, public in errors) == (0, True)
    other = json.loads(inkeek("key", "new", "--json", "--key", str(tmp_path / "other.pem"))[1])["public"]
    for file, key in ((signed, other), (plain, public)):
        status, output, errors = inkeek("db", "verify", "--checkpoint", str(file), "--public", key)
        assert (status, output) == (1, "")
        assert key in errors


def test_a_changed_checkpoint_and_a_missing_key_are_refused(inkeek, tmp_path):
    inkeek("db", "upgrade")
    inkeek("key", "new")
    file = tmp_path / "signed.json"
    inkeek("db", "checkpoint", str(file))
    file.write_text(file.read_text().replace('"games": 0', '"games": 1'))
    assert inkeek("db", "verify", "--checkpoint", str(file))[0] == 1
    assert inkeek("db", "checkpoint", "--key", str(tmp_path / "missing.pem"))[0] == 1
    assert inkeek("db", "verify", "--public", "ed25519:x")[0] == 2
