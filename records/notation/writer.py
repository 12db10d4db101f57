"""The writer: one exact text for each record, with LF, 80 columns and a fixed order. Reading it loses nothing."""

from __future__ import annotations

from collections.abc import Iterator

from inkeek.records.errors import PositionError, RecordsError, expect
from inkeek.records.game import Game
from inkeek.records.moves import Kind
from inkeek.records.position import SOUTH, Position, Side
from inkeek.records.record import MAX_NAG, MAX_NESTING, Ply, Variation
from inkeek.records.text import barred_in_note

from .commands import after_position
from .movetext import GLYPHS, first_number, next_number
from .splitter import MAX_LINE, MAX_RECORD
from .tags import NAME, RESULTS, canonical_tags, rules_of, value_fault

WIDTH = 80

_GLYPH = {nag: glyph for glyph, nag in GLYPHS.items()}


def write_game(game: Game) -> str:
    """The record in canonical form, ending with a line end. Put an empty line between two records of a file.

    Legal moves are written with what they do. From the first illegal move on, all are written as they are.

    :raises RecordsError: it cannot be written so that a reader accepts it: a line break in a tag, for example, or too
        long a text.
    """
    expect(game, Game, "board.game()")
    tags = canonical_tags(game.tags)
    head = "".join(f"[{_name(name)} {_quote(name, value)}]\n" for name, value in tags.items())
    words = [*_words(game), game.ended or (tags["Result"] if tags["Result"] in RESULTS else "*")]
    text = f"{head}\n{_wrap(words)}"
    _verify_length(text)
    return text


def line_text(line: Variation, number: int, side: Side) -> str:
    """A line in one line of text, as it was read; its first ply has `number` and is `side`'s."""
    return " ".join(word.rstrip("\n") for word in _line(line, number, side, None, 0, 0))


def _verify_length(text: str) -> None:
    """:raises RecordsError: a reader would refuse the text as too long."""
    if len(text) > MAX_RECORD:
        raise RecordsError(f"the record is longer than {MAX_RECORD} characters in canonical form: split it")
    long = next((line for line in text.split("\n") if len(line) > MAX_LINE), None) if len(text) > MAX_LINE else None
    if long is not None:
        raise RecordsError(f"{long[:40]!r}… has no space within {MAX_LINE} characters: add one")


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise RecordsError(f"{name!r} is not a tag name: expected a letter, then letters, digits or _")
    return name


def _quote(name: str, value: str) -> str:
    fault = value_fault(name, value)
    if fault is not None:
        raise RecordsError(fault)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words(game: Game) -> Iterator[str]:
    """The movetext as words to be wrapped. A word that ends with a line end ends its line."""
    plies = game.replay().plies
    number, side, uncounted, start = _numbering(game)
    yield from _line(Variation(plies + game.plies[len(plies) :], game.comments), number, side, uncounted, start, 0)


def _line(line: Variation, number: int, side: Side, uncounted: Kind | None, at: int, depth: int) -> Iterator[str]:
    """A line whose first ply has `number` and is `side`'s, unless its letters say otherwise, after `at` turns. Moves of
    the kind `uncounted` are not turns: the same side's turn follows with the same number."""
    if depth > MAX_NESTING:
        raise RecordsError(f"variations are nested more than {MAX_NESTING} deep")
    yield from _comments(line.comments)
    shown = True  # whether the next move shows its number; North's directly after South's does not
    previous: Side | None = None
    turns = 1  # of the ply before
    for ply in line.plies:
        mover = side if ply.move.side is None else ply.move.side
        if previous is not None and (following := next_number(number, previous, mover, turns)) != number:
            number, shown = following, True
        if shown:
            yield f"{number}." if mover is SOUTH else f"{number}..."
        if ply.nags or ply.comments:
            yield from _ply(ply)
        else:
            yield str(ply.move)
        for variation in ply.variations:
            yield "("
            yield from _line(variation, number, mover, uncounted, at, depth + 1)
            yield ")"
        counted = ply.move.kind is not uncounted
        shown = bool(ply.comments or ply.variations) or not counted
        previous, side, turns = mover, mover.other if counted else mover, 1
        if ply.move.kind is Kind.GAP:
            after = _after_gap(ply, mover, at)
            shown, side, turns = True, after.to_move, max(after.ply - at, 1)
        at += turns if counted else 0


def _after_gap(ply: Ply, mover: Side, at: int) -> Position:
    """A position with the side to move and the ply after turns that nobody saw; they began with `mover`, after `at`."""
    text = after_position(ply.comments)
    try:
        if text is not None:
            return Position.parse(text)
    except PositionError:
        pass  # the record is wrong, and written as it is
    return Position((), (), to_move=mover, ply=at).after_unseen(ply.move.unseen or 1)


def _numbering(game: Game) -> tuple[int, Side, Kind | None, int]:
    """The number and the side of the first ply (South's turn and North's after it share a number, as in chess), the
    kind of move that is not a turn, and the ply of the start."""
    try:
        rules = rules_of(game.tags)
    except RecordsError:
        side = game.plies[0].move.side if game.plies else None
        return 1, SOUTH if side is None else side, None, 0
    start = rules.start()
    uncounted = Kind.REARRANGE if rules.options.get("rearrangement") == "initial" else None
    return first_number(start), start.to_move, uncounted, start.ply


def _ply(ply: Ply) -> Iterator[str]:
    nags = list(ply.nags)
    if any(not 0 <= nag <= MAX_NAG for nag in nags):
        raise RecordsError(f"the annotations {nags} cannot be written: expected 0 to {MAX_NAG}")
    yield str(ply.move) + (_GLYPH[nags.pop(0)] if nags and nags[0] in _GLYPH else "")
    yield from (f"${nag}" for nag in nags)
    yield from _comments(ply.comments)


def _comments(comments: tuple[str, ...]) -> Iterator[str]:
    for comment in comments:
        words = comment.split()
        if not words:
            continue  # a reader ignores an empty comment
        bad = barred_in_note(comment)
        if bad is not None:
            raise RecordsError(f"the comment {comment[:40]!r} has {bad!r}: expected text without control characters")
        if "}" not in comment:
            yield from ("{" + " ".join(words) + "}").split(" ")
        elif len(comment.splitlines()) == 1:
            yield ";" + " ".join(words) + "\n"
        else:
            raise RecordsError(
                f"the comment {comment[:40]!r} has a '}}' and more than one line: expected only one of the two"
            )


def _wrap(words: list[str]) -> str:
    lines: list[str] = []
    line: list[str] = []
    room = WIDTH
    for word in words:
        room -= len(word.rstrip("\n")) + 1
        if line and (room < -1 or line[-1].endswith("\n")):
            lines.append(" ".join(line))
            line, room = [], WIDTH - len(word.rstrip("\n")) - 1
        line.append(word)
    lines.append(" ".join(line))
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"
