"""A record's turns as the review page lists them: two to a row, with comments, glyphs and variations between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from records import Side, Turn
from records.notation.move_numbers import number_turns

from .labels import Glyph, Note, glyph, note

MAX_PIECES = 5000  # of all variations at one turn: more than anyone reads on a page


@dataclass(frozen=True, slots=True)
class Listed:
    """One turn in the list.

    `number` is what stands before it when it is cited alone, as ``3.`` or ``3…``; `asides` are commands that no
    words go with (who played it, on which board), which the list itself leaves out.
    """

    ply: int
    number: str
    text: str
    side: Side
    glyphs: tuple[Glyph, ...]
    asides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a variation: a `move`, a `comment`, an `open` or `close` bracket, or `more` when it was cut short."""

    kind: str
    text: str


@dataclass(slots=True)
class Row:
    """A number with South's and North's turn, either of which may be missing, and what is said about them."""

    number: int
    turns: list[Listed | None] = field(default_factory=lambda: [None, None])
    comments: list[Note] = field(default_factory=list)
    variations: list[list[Piece]] = field(default_factory=list)


def list_turns(plies: Sequence[dict[str, Any]], turns: Sequence[Turn]) -> list[Row]:
    """The rows for `plies` (in the JSON form of a record), as far as they could be replayed as `turns`.

    A row is closed by a comment or a variation on South's turn, as in print, and by a second turn of one side.
    """
    rows: list[Row] = []
    numbers = number_turns(turns[0].before, (turn.before.to_move for turn in turns)) if turns else iter(())
    for ply, (told, turn, number) in enumerate(zip(plies, turns, numbers, strict=False), 1):
        side = turn.before.to_move
        row = rows[-1] if rows else None
        if row is None or side is Side.SOUTH or row.turns[side] is not None or row.comments or row.variations:
            row = Row(number)
            rows.append(row)
        dots = "." if side is Side.SOUTH else "…"
        glyphs = tuple(glyph(int(nag)) for nag in told.get("nags", ()))
        notes = [note(comment) for comment in told.get("comments", ())]
        asides = tuple(command for said in notes if not said.text for command in said.commands)
        row.turns[side] = Listed(ply, f"{number}{dots}", told["move"], side, glyphs, asides)
        row.comments.extend(said for said in notes if said.text)
        row.variations.extend(variation_pieces(variation) for variation in told.get("variations", ()))
    return rows


def variation_pieces(variation: dict[str, Any]) -> list[Piece]:
    """A variation and those within it as one line of words, without recursion."""
    pieces: list[Piece] = []
    waiting: list[Any] = [variation]
    while waiting:
        if len(pieces) >= MAX_PIECES:
            pieces.append(Piece("more", "… (the record holds more)"))
            break
        item = waiting.pop()
        if isinstance(item, Piece):
            pieces.append(item)
        elif "move" in item:
            signs = "".join(glyph(int(nag)).sign for nag in item.get("nags", ()))
            pieces.append(Piece("move", item["move"] + signs))
            after = [*item.get("comments", ()), *item.get("variations", ())]
            waiting.extend(_spoken(part) for part in reversed(after))
        else:
            pieces.append(Piece("open", "("))
            waiting.append(Piece("close", ")"))
            waiting.extend(reversed([*map(_spoken, item.get("comments", ())), *item["plies"]]))
    return pieces


def _spoken(part: Any) -> Any:
    """A comment as a piece; a variation as it is."""
    if not isinstance(part, str):
        return part
    told = note(part)
    return Piece("comment", " ".join([told.text, *(f"[{command}]" for command in told.commands)]).strip())
