"""Evidence in disputes: what witnesses saw, and photographs of the board, which only arbiters see until one releases
them."""

from __future__ import annotations

import hashlib
from struct import error as StructError, unpack

from msgspec import UNSET

from inkeek.service.errors import Conflict, Damaged, ErrorText, Forbidden, Invalid
from inkeek.service.games.editor import GameEditor
from inkeek.service.games.record_check import check_note
from inkeek.service.games.repository import Games
from inkeek.service.games.validation import check_write
from inkeek.service.games.write import Write, key_of
from inkeek.service.storage import GameEvent, event_of
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .courses import Course
from .disputes import editing
from .event_data import EvidenceData, PhotoData, ReleaseData, RemovalData

MAX_EVIDENCE = 40  # in one dispute
MAX_PHOTOGRAPHS = 8  # of these
MAX_BYTES = 4 << 20  # of a photograph
MAX_PIXELS = 50_000_000  # of a photograph: whoever looks at it holds four bytes for each
MAX_ALL = 1 << 30  # bytes of all photographs that the service has
MAX_OF_EVENT = MAX_ALL // 4  # of these, in the games of an event
MAX_OF_KIN = MAX_ALL // 4  # of these, with the keys that one key gave to others, and with itself
MAX_OF_KEY = MAX_ALL // 8  # of these, with one key and those that it lent: it leaves room in its event
MAX_OF_GAME = MAX_ALL // 16  # of these, in one game
PHOTOGRAPH_TYPES = ("image/jpeg", "image/png", "image/webp")


def type_of(data: bytes) -> str | None:
    """The media type of a picture, one of `PHOTOGRAPH_TYPES`, by its first bytes; None if it is another."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def add_evidence(
    games: Games, dispute_id: str, witness: str, text: str, write: Write, photograph: bytes | None = None
) -> GameEvent:
    """Add to an open dispute what `witness` saw, or a photograph that they took, or both.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on, or has as much evidence as there can be, or
        the service, the game, its event or the key has as many photographs.
    :raises Invalid: no witness, or nothing that they saw; or the photograph is none, or too large.
    """
    witness, text, write = check_note("witness", witness), check_note("text", text), check_write(write)
    if not witness:
        raise Invalid("witness is empty: say who saw it", field="witness")
    if not text and photograph is None:
        raise Invalid("text is empty: say what %(witness)s saw, or give a photograph", field="text", witness=witness)
    photo = UNSET if photograph is None else _describe(photograph)
    with editing(games, dispute_id, write, waits=True) as (game, course):
        there = course.of("evidence")
        photographs = len(course.photographs)
        if len(there) >= MAX_EVIDENCE or (photograph is not None and photographs >= MAX_PHOTOGRAPHS):
            raise Conflict(
                "dispute %(dispute)s has %(evidence)s pieces of evidence and %(photographs)s photographs: at most "
                "%(most)s are stored, %(most_photographs)s of them with a photograph",
                dispute=dispute_id,
                evidence=len(there),
                photographs=photographs,
                most=MAX_EVIDENCE,
                most_photographs=MAX_PHOTOGRAPHS,
                current=game.row,
            )
        event = game.append(EvidenceData(course.row.seq, witness, text, write.actor, photo))
        if photograph is not None:
            _check_room(game, len(photograph))
            game.transaction.photographs.put(game.row.id, event.data["photo"]["sha256"], photograph)
        return event


def _check_room(game: GameEditor, more: int) -> None:
    """Check that there is room for a photograph of so many bytes: no game, event or key fills that of all.

    :raises Conflict: there is none.
    """
    stored, event, key = game.transaction.photographs, event_of(game.row.tags), key_of(game.write.source)
    sharers = game.transaction.keys.sharers(key) if key else set()
    kin = game.transaction.keys.kin(key) if key else set()
    for what, size, most in (
        (ErrorText("the game"), stored.size(game=game.row.id), MAX_OF_GAME),
        (ErrorText("the event"), stored.size(event=event) if event else 0, MAX_OF_EVENT),
        (ErrorText("this key"), stored.size(keys=sharers) if sharers else 0, MAX_OF_KEY),
        (ErrorText("the keys that one key gave to others"), stored.size(keys=kin) if kin else 0, MAX_OF_KIN),
        (ErrorText("the service"), stored.size(), MAX_ALL),
    ):
        if size + more > most:
            raise Conflict(
                "The photographs of %(what)s have %(size)s bytes, and this one has %(more)s: at most %(most)s are "
                "stored. Who stored one, or an administrator, can remove it.",
                what=what,
                size=size,
                more=more,
                most=most,
                current=game.row,
            )


def _pixels(data: bytes, kind: str) -> int:
    """How many pixels a picture says that it has, 0 if it does not say. Nothing is decoded."""
    try:
        match data[12:16]:
            case b"IHDR" if kind == "image/png":
                width, height = unpack(">II", data[16:24])
            case b"VP8X" if kind == "image/webp":
                width, height = (1 + int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
            case b"VP8L" if kind == "image/webp":
                bits = int.from_bytes(data[21:25], "little")
                width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
            case b"VP8 " if kind == "image/webp":
                width, height = (size & 0x3FFF for size in unpack("<HH", data[26:30]))
            case _:
                width, height = _jpeg_size(data) if kind == "image/jpeg" else (0, 0)
    except StructError:
        return 0
    return int(width * height)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height in the header of a JPEG's frame. Only segments with a length may stand before it: readers differ
    in what they make of others.

    :raises StructError: there is none.
    """
    at = 2
    while True:
        while data[at : at + 2] == b"\xff\xff":  # padding
            at += 1
        marker, length = unpack(">HH", data[at : at + 4])
        if not 0xFFC0 <= marker <= 0xFFFE or 0xFFD0 <= marker <= 0xFFDA or length < 2:
            raise StructError
        if marker <= 0xFFCF and marker not in (0xFFC4, 0xFFC8, 0xFFCC):
            height, width = unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length


def _describe(photograph: bytes) -> PhotoData:
    if len(photograph) > MAX_BYTES:
        raise Invalid("The photograph has %(bytes)s bytes: at most %(most)s.", bytes=len(photograph), most=MAX_BYTES)
    kind = type_of(photograph)
    if kind is None:
        raise Invalid(
            "The photograph begins with the bytes %(bytes)s. Expected a JPEG, PNG or WebP picture.",
            bytes=photograph[:12].hex(" ") or "(none)",
        )
    pixels = _pixels(photograph, kind)
    if not 0 < pixels <= MAX_PIXELS:
        raise Invalid(
            "The photograph has %(pixels)s pixels by its header. Expected at most %(most)s: make it smaller.",
            pixels=pixels,
            most=MAX_PIXELS,
        )
    return PhotoData(hashlib.sha256(photograph).hexdigest(), kind, len(photograph))


def release(games: Games, dispute_id: str, evidence: int, write: Write) -> GameEvent:
    """Let everybody who may read the game see the photograph of an event of evidence.

    :raises NotFound: there is no such photograph. :raises Conflict: it was released.
    """
    write = check_write(write)
    with editing(games, dispute_id, write, waits=False) as (game, course):
        course.photograph(evidence)
        if course.is_released(evidence):
            raise Conflict("the photograph of evidence %(seq)s was released before", seq=evidence, current=game.row)
        return game.append(ReleaseData(course.row.seq, evidence, write.actor))


def remove(games: Games, dispute_id: str, evidence: int, write: Write, *, is_admin: bool) -> GameEvent:
    """Remove the photograph of an event of evidence, whose hash stays.

    :raises NotFound: there is no such photograph. :raises Forbidden: who writes did not store it, and is no
        administrator.
    """
    write = check_write(write)
    with editing(games, dispute_id, write, waits=False) as (game, course):
        added = course.photograph(evidence)
        if not may_remove(game.transaction, added, write.source, is_admin=is_admin):
            raise Forbidden(
                "The photograph of evidence %(seq)s was stored with another key: only who stored it, or an "
                "administrator, removes it.",
                seq=evidence,
            )
        event, sha256 = game.append(RemovalData(course.row.seq, evidence, write.actor)), added.data["photo"]["sha256"]
        left = (one for course in game.state().courses for one in course.photographs)
        if all(one.data["photo"]["sha256"] != sha256 for one in left):
            game.transaction.photographs.delete(game.row.id, sha256)
        return event


def may_remove(transaction: Transaction, added: GameEvent, source: str, *, is_admin: bool) -> bool:
    """Whether a photograph can be removed from there: an administrator asks, or whose key stored it."""
    holder = transaction.keys.holder
    return is_admin or holder(key_of(added.source)) == holder(key_of(source))


def load_photograph(store: Store, course: Course, evidence: int, *, is_arbiter: bool) -> tuple[str, bytes]:
    """The media type and the bytes of the photograph of an event of evidence.

    :raises NotFound: there is none. :raises Forbidden: it was not released, and the caller is no arbiter.
    :raises Damaged: what is stored is another one.
    """
    photo = course.photograph(evidence).data["photo"]
    if not (is_arbiter or course.is_released(evidence)):
        raise Forbidden(
            "The photograph of evidence %(seq)s is not released: only arbiters see it. Its SHA-256 is %(sha256)s.",
            seq=evidence,
            sha256=photo["sha256"],
        )
    with store.reading() as transaction:
        data = transaction.photographs.get(course.row.game, photo["sha256"])
    if data is None or hashlib.sha256(data).hexdigest() != photo["sha256"]:
        raise Damaged(
            f"game {course.row.game} is damaged: the photograph of event {evidence} is missing or was changed"
        )
    return photo["type"], data
