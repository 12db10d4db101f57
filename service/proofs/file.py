"""The file of a proof: lines of JSON that say everything about a game, and a signature (`docs/proof.md`).

This module knows the form of the lines. `making` writes them, `check` says whether what they say is right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inkeek.records.json_codec import JsonError, from_json
from inkeek.service.errors import Invalid
from inkeek.service.maintenance.signatures import sign
from inkeek.service.storage import GameEvent, LedgerEntry

MAX_BYTES = 1 << 24  # of a file; the longest games have 2 MB
MAX_EVENTS = 20_000
MAX_ENTRIES = 10_000  # of the ledger
MAX_DEPTH = 400  # of JSON; variations in a turn may have 260
MAX_NUMBER = 1 << 53  # what every JSON reader keeps

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]


@dataclass(frozen=True, slots=True)
class ProofHeader:
    """The first line: what the file proves, and when it was made."""

    inkeek: Literal["proof"]
    version: Literal[1]
    game: str
    dispute: Count | None
    time: str


@dataclass(frozen=True, slots=True)
class ProofFile:
    """What a file says. `start` and `end` are the documents of two checkpoints, `entries` stand between them.

    `signed` are the bytes that `signature`, the document in the last line, is about.
    """

    header: ProofHeader
    events: tuple[GameEvent, ...]
    record: str
    start: dict[str, Any]
    entries: tuple[LedgerEntry, ...]
    end: dict[str, Any]
    signed: bytes
    signature: dict[str, Any]


def body_lines(
    header: ProofHeader,
    events: Sequence[GameEvent],
    record: str,
    start: dict[str, Any],
    entries: Sequence[LedgerEntry],
    end: dict[str, Any],
) -> bytes:
    """All lines but the last."""
    lines: list[object] = [
        asdict(header),
        *({"event": event[:-1], "hash": event.hash} for event in events),
        {"record": record},
        {"checkpoint": start},
        *({"entry": [*entry[:5], entry.head], "hash": entry.hash} for entry in entries),
        {"checkpoint": end},
    ]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def seal(body: bytes) -> dict[str, Any]:
    """What the last line says about all lines before it, and signs."""
    return {"inkeek": "proof", "version": 1, "sha256": hashlib.sha256(body).hexdigest()}


def sign_file(body: bytes, key: Ed25519PrivateKey) -> bytes:
    """The whole file: the lines, and the last one, which signs them."""
    return body + msgspec.json.encode(sign(seal(body), key)) + b"\n"


def read_proof(data: bytes) -> ProofFile:
    """Read a file.

    :raises Invalid: it has another form; says in which line.
    """
    if len(data) > MAX_BYTES:
        raise Invalid(f"the file has more than {MAX_BYTES} bytes: no proof is so long")
    lines = _Lines(data)
    line = lines.next("the header")
    lines.check_names(line, *(field.name for field in fields(ProofHeader)))
    header = lines.read_value(line, ProofHeader)
    events: list[GameEvent] = []
    line = lines.next("event 1")
    while "event" in line or not events:
        if len(events) == MAX_EVENTS:
            lines.refuse(f"there are more than {MAX_EVENTS} events")
        value, hash_ = lines.read_hashed(line, "event", len(GameEvent._fields) - 1)
        events.append(lines.read_value(dict(zip(GameEvent._fields, [*value, hash_], strict=True)), GameEvent))
        line = lines.next("an event or the record")
    record = lines.member(line, "record", str)
    start = lines.member(lines.next("the first checkpoint"), "checkpoint", dict)
    entries: list[LedgerEntry] = []
    line = lines.next("an entry of the ledger or the second checkpoint")
    while "entry" in line:
        if len(entries) == MAX_ENTRIES:
            lines.refuse(f"there are more than {MAX_ENTRIES} entries of the ledger")
        value, hash_ = lines.read_hashed(line, "entry", len(LedgerEntry._fields) - 2)
        *numbers, head = value
        values = zip(LedgerEntry._fields, [*numbers, "", head, hash_], strict=True)
        entries.append(lines.read_value(dict(values), LedgerEntry))
        line = lines.next("an entry of the ledger or the second checkpoint")
    end = lines.member(line, "checkpoint", dict)
    signed = data[: lines.offset]
    signature = lines.next("the signature")
    lines.check_names(signature, *seal(b""), "key", "signature")
    lines.finish()
    return ProofFile(header, tuple(events), record, start, tuple(entries), end, signed, signature)


class _Lines:
    """Reads one line after the other. `offset` is that of the next one, in bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._number = 0
        self.offset = 0

    def next(self, what: str) -> dict[str, Any]:
        """The JSON object in the next line, which should be `what`."""
        self._number += 1
        end = self._data.find(b"\n", self.offset)
        if end < 0:
            self.refuse(f"the file ends here, without a whole line for {what}: it was cut short")
        line, self.offset = self._data[self.offset : end], end + 1
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError) as error:
            self.refuse(f"expected {what}, but the line is not JSON: {error}")
        if not isinstance(value, dict):
            self.refuse(f"expected {what}, but the line is no JSON object")
        for fault in _value_faults(value):
            self.refuse(fault)
        if msgspec.json.encode(value) != line:
            self.refuse("it is not written as this file format has it: no name twice, no spaces, no needless escapes")
        return value

    def member(self, line: dict[str, Any], name: str, kind: type[T]) -> T:
        """The only member of the object in a line."""
        self.check_names(line, name)
        if not isinstance(line[name], kind):
            self.refuse(f"{name!r} is no {kind.__name__}")
        found: T = line[name]
        return found

    def read_hashed(self, line: dict[str, Any], name: str, length: int) -> tuple[list[Any], object]:
        """The array of `length` values in a line, and its hash."""
        self.check_names(line, name, "hash")
        if not isinstance(line[name], list) or len(line[name]) != length:
            self.refuse(f"{name!r} is no array of {length} values")
        return line[name], line["hash"]

    def check_names(self, line: dict[str, Any], *names: str) -> None:
        """Check that the object in a line has these members, in this order."""
        if tuple(line) != names:
            got = ", ".join(list(line)[:9])[:200] or "none"
            self.refuse(f"expected the members {', '.join(names)}, got {got}")

    def read_value(self, value: object, kind: type[T]) -> T:
        try:
            return from_json(value, kind)
        except JsonError as error:
            self.refuse(str(error))

    def finish(self) -> None:
        """Check that this was the last line."""
        if self.offset != len(self._data):
            self._number += 1
            self.refuse("the file goes on after the signature")

    def refuse(self, reason: str) -> NoReturn:
        """:raises Invalid: always."""
        raise Invalid(f"line {self._number}: {reason}")


def _value_faults(value: dict[str, Any]) -> Iterator[str]:
    """What of a line other readers would not read as it is meant. Only the data of an event may have fractions."""
    event = value.get("event")
    data = event[6] if isinstance(event, list) and len(event) > 6 else None
    waiting = [(value, 1, False)]
    while waiting:
        item, depth, fractions = waiting.pop()
        if isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                yield f"the JSON is nested more than {MAX_DEPTH} deep"
            inner = item.values() if isinstance(item, dict) else item
            waiting += [(one, depth + 1, fractions or one is data) for one in inner]
        elif (isinstance(item, float) and not fractions) or (isinstance(item, int) and abs(item) > MAX_NUMBER):
            yield f"the number {item!r:.40} is no whole number up to 2^53"
