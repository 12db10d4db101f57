"""The secrets by which the board proves its serial number to the hosts that gave them (docs/protocol.md)."""

from hashlib import sha256

from .crc import crc16

MAX_KEYS = 4  # hosts that may know the board
KEY_DIGITS = 8
NONCE_DIGITS = 32
SECRET_DIGITS = 64
FORMAT = "1"

_BLOCK = 64  # bytes of a block of SHA-256
_DIGITS = "0123456789abcdef"


class Keyring:
    """The secrets the board keeps, by their ids. It never gives one away, and never replaces one.

    The caller stores `dump()` whenever `changes` has grown.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._secrets: dict[str, str] = {}  # in hex digits

    def keep(self, key: str, secret: str) -> bool:
        """Keep a secret. False if there is no room for it, or another one has this id."""
        known = self._secrets.get(key)
        if known is None and len(self._secrets) < MAX_KEYS:
            self._secrets[key] = secret
            self.changes += 1
            return True
        return known == secret

    def prove(self, key: str, text: str) -> str:
        """Return the HMAC-SHA256 of a text in hex digits; "-" without such a key."""
        secret = self._secrets.get(key)
        return "-" if secret is None else hmac(_from_hex(secret), text.encode())

    def dump(self) -> bytes:
        """Encode all secrets."""
        body = " ".join([FORMAT] + [key + ":" + secret for key, secret in self._secrets.items()]).encode()
        return body + f" {crc16(body):04X}".encode()

    def load(self, data: bytes) -> None:
        """Decode what `dump` returned; nothing if the bytes are damaged."""
        body = data[:-5]
        if data[-5:] != f" {crc16(body):04X}".encode():
            return
        words = body.decode().split(" ")
        if words[0] == FORMAT:
            for word in words[1:]:
                key, secret = word.split(":")
                self._secrets[key] = secret


def is_hex(text: str, digits: int) -> bool:
    """Whether a text is a number of so many lower-case hex digits."""
    return len(text) == digits and not text.strip(_DIGITS)


def hmac(secret: bytes, text: bytes) -> str:
    """Return the HMAC-SHA256 of a text in hex digits. The secret is shorter than a block."""
    secret = secret + b"\x00" * (_BLOCK - len(secret))
    inner = sha256(bytes([byte ^ 0x36 for byte in secret]) + text).digest()
    outer = sha256(bytes([byte ^ 0x5C for byte in secret]) + inner).digest()
    return "".join([f"{byte:02x}" for byte in outer])


def _from_hex(text: str) -> bytes:
    return bytes([int(text[at : at + 2], 16) for at in range(0, len(text), 2)])
