import json
import os
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from inkeek.service.errors import Invalid
from inkeek.service.maintenance.signatures import check_signature, new_key, public_text, read_key, read_public, sign

DOCUMENT = {"kind": "test", "values": [1, {"b": "é", "a": None}]}


@pytest.fixture
def key(tmp_path):
    return new_key(tmp_path / "key.pem")


def test_a_key_is_stored_for_its_owner_alone_and_read_back(tmp_path, key):
    path = tmp_path / "key.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    assert public_text(read_key(path)) == public_text(key)
    assert public_text(read_public(public_text(key))) == public_text(key)
    assert len(public_text(key)) == len("ed25519:") + 43


def test_a_key_is_not_overwritten(tmp_path, key):
    with pytest.raises(Invalid):
        new_key(tmp_path / "key.pem")
    assert public_text(read_key(tmp_path / "key.pem")) == public_text(key)


def test_a_key_for_which_there_is_no_room_leaves_no_file(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(Invalid, match=r"key\.pem"):
            new_key(tmp_path / "key.pem")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    new_key(tmp_path / "key.pem")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path, key, mode):
    path = tmp_path / "key.pem"
    path.chmod(mode)
    with pytest.raises(Invalid, match="chmod"):
        read_key(path)


def test_other_files_are_no_keys(tmp_path):
    other = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for number, content in enumerate((b"", b"\xff", b"-----BEGIN PRIVATE KEY-----\n", other)):
        path = tmp_path / str(number)
        path.touch(0o600)
        path.write_bytes(content)
        with pytest.raises(Invalid, match=str(path)):
            read_key(path)
    with pytest.raises(Invalid):
        read_key(tmp_path / "missing")


def test_openssl_reads_the_key(tmp_path, key):
    """The form is a standard one."""
    try:
        done = subprocess.run(
            ["openssl", "pkey", "-in", tmp_path / "key.pem", "-pubout", "-outform", "DER"], capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("there is no openssl")
    assert public_text(read_public(public_text(key))).removeprefix("ed25519:")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["", "ed25519:", "ed25519:" + "A" * 42, "x" * 51, "ed25519:" + "*" * 43, "ed25519:é"])
def test_other_texts_are_no_public_keys(text):
    with pytest.raises(Invalid):
        read_public(text)


def test_a_signature_holds_whatever_the_order_of_the_keys(key):
    signed = sign(DOCUMENT, key)
    assert check_signature(signed) == public_text(key)
    read_again = json.loads(json.dumps(signed, sort_keys=True, indent=2))
    assert check_signature(read_again) == public_text(key)


def test_what_is_not_signed_has_no_key():
    assert check_signature(DOCUMENT) is None
    assert check_signature({**DOCUMENT, "key": None, "signature": None}) is None


def test_every_change_of_a_signed_document_is_found(tmp_path, key):
    signed = sign(DOCUMENT, key)
    other = new_key(tmp_path / "other.pem")
    changed = [
        {**signed, "kind": "other"},
        {**signed, "more": 1},
        {**signed, "values": [1, {"b": "e", "a": None}]},
        {**signed, "key": public_text(other)},
        {**signed, "key": "nonsense"},
        {**signed, "key": None},
        {**signed, "signature": None},
        {**signed, "signature": sign(DOCUMENT, other)["signature"]},
        {**signed, "signature": "*"},
        {name: value for name, value in signed.items() if name != "values"},
    ]
    for document in changed:
        with pytest.raises(Invalid):
            check_signature(document)


def test_the_folder_of_a_key_is_made(tmp_path):
    path = tmp_path / "new" / "key.pem"
    new_key(path)
    assert os.access(path, os.R_OK)
