"""Reads plain values and JSON as structs, from any thread.

msgspec (0.22) publishes what it knows of a struct before it has read all of its fields. A second thread that reads
such a struct meanwhile follows a null pointer, and the whole process ends. So one thread at a time gets to know a
struct, before anyone reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import msgspec

_Kind = TypeVar("_Kind")
_known: set[Any] = set()
_one_thread = Lock()


def convert(value: Any, kind: type[_Kind], dec_hook: Callable[[type, Any], Any] | None = None) -> _Kind:
    """A plain value as a `kind`, as `msgspec.convert` reads it.

    :raises msgspec.ValidationError: the value is none.
    """
    _get_to_know(kind)
    return msgspec.convert(value, kind, dec_hook=dec_hook)


def decode_json(text: bytes | str, kind: type[_Kind]) -> _Kind:
    """A JSON text as a `kind`, as `msgspec.json.decode` reads it.

    :raises msgspec.MsgspecError: the text is no JSON, or not of this kind.
    """
    _get_to_know(kind)
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is nested too deeply") from error


def _get_to_know(kind: Any) -> None:
    if kind not in _known:
        with _one_thread:
            msgspec.json.Decoder(kind)  # reads the fields of the struct and of all that it holds
            _known.add(kind)
