"""The club's key, and what is signed with it: Ed25519.

The private key is a PEM file (PKCS #8) that only its owner may read. The public key is one line of text,
``ed25519:`` and 43 characters, that can be printed, published and given on a command line.
"""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from typing import Any

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from inkeek.service.errors import Invalid
from inkeek.service.storage.database.files import open_private

PREFIX = "ed25519:"
MAX_KEY_FILE = 1 << 16  # bytes


def new_key(path: Path) -> Ed25519PrivateKey:
    """Make a key and store it in a new file with the mode 0600.

    :raises Invalid: the file exists, or cannot be written.
    """
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open_private(path)
        try:
            with open(file, "wb") as stream:
                stream.write(text)
        except OSError:
            path.unlink()
            raise
    except FileExistsError as error:
        raise Invalid(f"{str(path)!r} exists: a key is never overwritten; move the file away first") from error
    except OSError as error:
        raise Invalid(f"cannot write the key to {str(path)!r}: {error}") from error
    return key


def read_key(path: Path) -> Ed25519PrivateKey:
    """The key in a file.

    :raises Invalid: it cannot be read, others may read it, or it is another kind of key.
    """
    try:
        with path.open("rb") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise Invalid(f"others may read the key {str(path)!r}: run chmod 600 {path}")
            key = load_pem_private_key(file.read(MAX_KEY_FILE), None)
    except OSError as error:
        raise Invalid(f"cannot read the key {str(path)!r}: {error}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Invalid(f"{str(path)!r} is not a private key in PEM without a password: {error}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise Invalid(f"{str(path)!r} is not an Ed25519 key: make one with 'inkeek key new'")
    return key


def public_text(key: Ed25519PrivateKey | Ed25519PublicKey) -> str:
    """The line of text for the public key."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return PREFIX + _encode(public.public_bytes(Encoding.Raw, PublicFormat.Raw))


def read_public(text: str) -> Ed25519PublicKey:
    """The public key of a line of text.

    :raises Invalid: the text is not a public key.
    """
    try:
        if not text.startswith(PREFIX):
            raise ValueError("it has another beginning")
        return Ed25519PublicKey.from_public_bytes(_decode(text.removeprefix(PREFIX)))
    except ValueError as error:
        message = f"{text[:80]!r} is not a public key: expected {PREFIX} and 43 characters ({error})"
        raise Invalid(message) from error


def sign(document: dict[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """The document with the public key, and the signature over the JSON of all that."""
    signed = {**document, "key": public_text(key)}
    return {**signed, "signature": _encode(key.sign(_signed_text(signed)))}


def check_signature(document: dict[str, Any]) -> str | None:
    """The public key that a document was signed with, None if it is not signed.

    :raises Invalid: the signature is not right.
    """
    if document.get("key") is None and document.get("signature") is None:
        return None
    text = str(document.get("key"))
    body = {name: value for name, value in document.items() if name != "signature"}
    try:
        read_public(text).verify(_decode(str(document.get("signature"))), _signed_text(body))
    except (InvalidSignature, ValueError) as error:
        raise Invalid(f"the signature of {text} is not right: the document was changed after it was signed") from error
    return text


def _signed_text(document: dict[str, Any]) -> bytes:
    """What is signed: the JSON with all keys sorted, so that their order does not matter."""
    return msgspec.json.encode(document, order="sorted")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    """:raises ValueError: it is not what `_encode` writes."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _encode(data) != text:  # other characters, or other bits at the end, that mean the same
        raise ValueError("its characters are not those of these bytes")
    return data
