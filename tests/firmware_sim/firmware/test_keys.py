"""Secrets that the board keeps, and the proofs that it makes with them."""

import hashlib
import hmac as reference

from firmware_sim.firmware.board import BoardFirmware
from firmware_sim.firmware.codec import LineDecoder, encode
from firmware_sim.firmware.keys import MAX_KEYS, Keyring, hmac

KEY, OTHER = "0123abcd", "89abcdef"
SECRET, LATER = "5a" * 32, "c3" * 32
NONCE = "0f" * 16


def asked(board, *lines):
    """The board's answers."""
    board.mark_sent(len(board.output(0)))
    board.receive(b"".join(encode(list(line)) for line in lines))
    return LineDecoder().feed(board.output(0))


def board():
    return BoardFirmware(2, False, "IK-7", "1a2b3c4d")


def test_the_mac_is_that_of_the_standard_library():
    for size in range(200):
        text = bytes(range(size % 128)) * 2
        expected = reference.new(bytes.fromhex(SECRET), text, hashlib.sha256).hexdigest()
        assert hmac(bytes.fromhex(SECRET), text) == expected


def test_a_board_proves_its_serial_number_with_the_secret_it_was_given():
    one = board()
    assert asked(one, ("PROVE", KEY, NONCE)) == [["PROOF", "1a2b3c4d", KEY, NONCE, "-"]]
    assert asked(one, ("KEY", KEY, SECRET)) == [["KEPT", KEY, "ok"]]
    text = f"inkeek,IK-7,1a2b3c4d,{NONCE}".encode()
    mac = reference.new(bytes.fromhex(SECRET), text, hashlib.sha256).hexdigest()
    assert asked(one, ("PROVE", KEY, NONCE)) == [["PROOF", "1a2b3c4d", KEY, NONCE, mac]]


def test_a_secret_is_never_replaced_and_there_is_room_for_some():
    one = board()
    asked(one, ("KEY", KEY, SECRET))
    assert asked(one, ("KEY", KEY, SECRET), ("KEY", KEY, LATER)) == [["KEPT", KEY, "ok"], ["KEPT", KEY, "full"]]
    for number in range(1, MAX_KEYS):
        assert asked(one, ("KEY", f"{number:08x}", LATER)) == [["KEPT", f"{number:08x}", "ok"]]
    assert asked(one, ("KEY", OTHER, LATER)) == [["KEPT", OTHER, "full"]]
    assert one.keyring.changes == MAX_KEYS


def test_a_line_that_does_not_fit_is_refused_without_its_secret():
    lines = (("KEY", KEY), ("KEY", "x", SECRET), ("KEY", KEY, SECRET[1:]), ("KEY", KEY, SECRET.upper()[:-1] + "G"))
    answers = asked(board(), *lines, ("PROVE", KEY, "0f"))
    assert [answer[:2] for answer in answers] == [["ERR", "range"]] * 5
    assert not any(SECRET[1:20] in field for answer in answers for field in answer)


def test_the_secrets_outlast_a_restart():
    ring = Keyring()
    ring.keep(KEY, SECRET)
    ring.keep(OTHER, LATER)
    again = Keyring()
    again.load(ring.dump())
    assert (again.dump(), again.prove(OTHER, "x")) == (ring.dump(), ring.prove(OTHER, "x"))
    for data in (b"", b"1", ring.dump()[:-1], ring.dump().replace(b"5a", b"5b", 1)):
        damaged = Keyring()
        damaged.load(data)
        assert damaged.prove(KEY, "x") == "-"
