"""The turns of a record as the review page lists them: two to a row, with comments, glyphs and variations between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from records import Ply, Side, Turn, Variation
from records.notation.move_numbers import number_turns

from .labels import CommentView, Glyph, comment_view, glyph

MAX_TOKENS = 5000  # of all variations at one turn: more than anyone reads on a page


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """One turn of the list.

    `number` stands before the turn when it is cited alone, as ``3.`` or ``3…``. `commands` belong to comments without
    words (who played it, on which board); the list itself leaves them out.
    """

    ply: int
    number: str
    text: str
    side: Side
    glyphs: tuple[Glyph, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a variation: a `move`, a `comment`, an `open` or `close` bracket, or `more` where it was cut short."""

    kind: str
    text: str


@dataclass(slots=True)
class MoveRow:
    """A number with South's and North's turn, either of which may be missing, and the remarks on them."""

    number: int
    turns: list[ListedTurn | None] = field(default_factory=lambda: [None, None])
    comments: list[CommentView] = field(default_factory=list)
    variations: list[list[Token]] = field(default_factory=list)


def list_turns(plies: Sequence[Ply], turns: Sequence[Turn]) -> list[MoveRow]:
    """The rows for `plies`, as far as they could be replayed as `turns`.

    A comment or a variation on South's turn closes its row, as in print; so does a second turn of one side.
    """
    rows: list[MoveRow] = []
    numbers = number_turns(turns[0].before, (turn.before.to_move for turn in turns)) if turns else iter(())
    for ply, (written, turn, number) in enumerate(zip(plies, turns, numbers, strict=False), 1):
        side = turn.before.to_move
        row = rows[-1] if rows else None
        if row is None or side is Side.SOUTH or row.turns[side] is not None or row.comments or row.variations:
            row = MoveRow(number)
            rows.append(row)
        dots = "." if side is Side.SOUTH else "…"
        comments = [comment_view(comment) for comment in written.comments]
        commands = tuple(command for comment in comments if not comment.text for command in comment.commands)
        glyphs = tuple(map(glyph, written.nags))
        row.turns[side] = ListedTurn(ply, f"{number}{dots}", str(written.move), side, glyphs, commands)
        row.comments.extend(comment for comment in comments if comment.text)
        row.variations.extend(map(variation_tokens, written.variations))
    return rows


def variation_tokens(variation: Variation) -> list[Token]:
    """A variation with those within it, in order, at most `MAX_TOKENS`. Works for any depth."""
    tokens: list[Token] = []
    open_variations = [_tokens(variation)]
    while open_variations:
        if len(tokens) >= MAX_TOKENS:
            tokens.append(Token("more", "… (the record has more)"))
            break
        item = next(open_variations[-1], None)
        if item is None:
            open_variations.pop()
        elif isinstance(item, Variation):
            open_variations.append(_tokens(item))
        else:
            tokens.append(item)
    return tokens


def _tokens(variation: Variation) -> Iterator[Token | Variation]:
    yield Token("open", "(")
    yield from map(_comment, variation.comments)
    for ply in variation.plies:
        yield Token("move", str(ply.move) + "".join(glyph(nag).sign for nag in ply.nags))
        yield from map(_comment, ply.comments)
        yield from ply.variations
    yield Token("close", ")")


def _comment(text: str) -> Token:
    comment = comment_view(text)
    return Token("comment", " ".join([comment.text, *(f"[{command}]" for command in comment.commands)]).strip())
