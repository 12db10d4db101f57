"""Evidence in disputes: what witnesses saw, and photographs of the board, which only arbiters see until one releases
them."""

from __future__ import annotations

import hashlib

from msgspec import UNSET

from service.errors import Conflict, Damaged, Forbidden, Invalid
from service.games.disputes.event_data import EvidenceData, PhotoData, ReleaseData
from service.games.repository import Games
from service.games.validation import check_note, check_write
from service.games.write import Write
from service.storage import GameEvent, Store

from .courses import Course
from .disputes import course_of, parse_dispute_id

MAX_EVIDENCE = 40  # in one dispute
MAX_PHOTOGRAPHS = 8  # of these
MAX_BYTES = 4 << 20  # of a photograph
MAX_ALL = 1 << 30  # bytes of all photographs that the service has
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
        the service has as many photographs.
    :raises Invalid: no witness, or nothing that they saw; or the photograph is none, or too long.
    """
    witness, text, write = check_note("witness", witness), check_note("text", text), check_write(write)
    if not witness:
        raise Invalid("witness is empty: say who saw it")
    if not text and photograph is None:
        raise Invalid("text is empty: say what %(witness)s saw, or give a photograph", witness=witness)
    game_id, seq = parse_dispute_id(dispute_id)
    data = EvidenceData(seq, witness, text, write.actor, UNSET if photograph is None else _describe(photograph))
    with games.edit(game_id, write) as game:
        course = course_of(game, seq, waits=True)
        there = course.of("evidence")
        photographs = sum("photo" in event.data for event in there)
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
        event = game.append(data)
        if photograph is not None:
            if game.photograph_bytes() + len(photograph) > MAX_ALL:
                raise Conflict(
                    "The photographs of the service have %(most)s bytes already: no more are stored.",
                    most=MAX_ALL,
                    current=game.row,
                )
            game.save_photograph(event.data["photo"]["sha256"], photograph)
        return event


def _describe(photograph: bytes) -> PhotoData:
    """A photograph as the event has it."""
    if len(photograph) > MAX_BYTES:
        raise Invalid("The photograph has %(bytes)s bytes: at most %(most)s.", bytes=len(photograph), most=MAX_BYTES)
    kind = type_of(photograph)
    if kind is None:
        raise Invalid(
            "The photograph begins with the bytes %(bytes)s. Expected a JPEG, PNG or WebP picture.",
            bytes=photograph[:12].hex(" ") or "(none)",
        )
    return PhotoData(hashlib.sha256(photograph).hexdigest(), kind, len(photograph))


def release(games: Games, dispute_id: str, evidence: int, write: Write) -> GameEvent:
    """Let everybody who may read the game see the photograph of an event of evidence.

    :raises NotFound: there is no such photograph. :raises Conflict: it was released.
    """
    write = check_write(write)
    game_id, seq = parse_dispute_id(dispute_id)
    with games.edit(game_id, write) as game:
        course = course_of(game, seq, waits=False)
        course.photograph(evidence)
        if course.is_released(evidence):
            raise Conflict("the photograph of evidence %(seq)s was released before", seq=evidence, current=game.row)
        return game.append(ReleaseData(seq, evidence, write.actor))


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
