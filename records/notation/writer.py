"""The writer: for every record one exact text. LF, 80 columns, fixed order; reading it gives the same record."""

from __future__ import annotations

from collections.abc import Iterator

from records.errors import RecordsError
from records.game import Game
from records.moves import Kind
from records.position import NORTH, SOUTH, Side
from records.record import MAX_NAG, MAX_NESTING, Ply, Variation

from .move_numbers import first_number
from .movetext import GLYPHS
from .tags import MAX_VALUE, NAME, RESULTS, canonical_tags, is_value, rules_of

WIDTH = 80

_GLYPH = {nag: glyph for glyph, nag in GLYPHS.items()}


def write_game(game: Game) -> str:
    """The record in canonical form, ending with a line end. Between two records of a file stands an empty line.

    Moves that the rules allow are written with what they do; from the first that is not, all stand as they came.

    :raises RecordsError: a tag or a comment cannot be written in the notation (a line break in a tag, say).
    """
    tags = canonical_tags(game.tags)
    head = "".join(f"[{_name(name)} {_quoted(name, value)}]\n" for name, value in tags.items())
    words = [*_words(game), game.ended or (tags["Result"] if tags["Result"] in RESULTS else "*")]
    return f"{head}\n{_wrapped(words)}"


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise RecordsError(f"{name!r} cannot be a tag's name: expected a letter, then letters, digits or _")
    return name


def _quoted(name: str, value: str) -> str:
    if not is_value(value):
        raise RecordsError(
            f"the value of the tag {name} is longer than {MAX_VALUE} characters or a line: {value[:40]!r}"
        )
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words(game: Game) -> Iterator[str]:
    """The movetext as words to be wrapped; one with a line end in it ends its line."""
    plies = game.replay().plies
    number, side, uncounted = _numbering(game)
    yield from _line(Variation(plies + game.plies[len(plies) :], game.comments), number, side, uncounted, 0)


def _line(line: Variation, number: int, side: Side, uncounted: Kind | None, depth: int) -> Iterator[str]:
    """A line whose first ply has `number` and is `side`'s, unless its letters say otherwise. Moves of the kind
    `uncounted` are no turns: the same side's turn follows under the same number."""
    if depth > MAX_NESTING:
        raise RecordsError(f"variations are nested more than {MAX_NESTING} deep")
    yield from _comments(line.comments)
    shown = True  # whether the next move must show its number: neither North's after South's nor a further one needs to
    previous: Side | None = None
    for ply in line.plies:
        mover = side if ply.move.side is None else ply.move.side
        if previous is NORTH and mover is SOUTH:
            number, shown = number + 1, True
        if shown:
            yield f"{number}." if mover is SOUTH else f"{number}..."
        yield from _ply(ply)
        for variation in ply.variations:
            yield "("
            yield from _line(variation, number, mover, uncounted, depth + 1)
            yield ")"
        counted = ply.move.kind is not uncounted
        shown = bool(ply.comments or ply.variations) or not counted
        previous, side = mover, mover.other if counted else mover


def _numbering(game: Game) -> tuple[int, Side, Kind | None]:
    """The number and the side of the first ply, as in chess: a number for South's turn and North's after it; and the
    kind of move that is no turn."""
    try:
        rules = rules_of(game.tags)
    except RecordsError:
        side = game.plies[0].move.side if game.plies else None
        return 1, SOUTH if side is None else side, None
    start = rules.start()
    uncounted = Kind.REARRANGE if rules.options.get("rearrangement") == "initial" else None
    return first_number(start), start.to_move, uncounted


def _ply(ply: Ply) -> Iterator[str]:
    nags = list(ply.nags)
    if any(not 0 <= nag <= MAX_NAG for nag in nags):
        raise RecordsError(f"annotations are $0 to ${MAX_NAG}, not {nags}")
    yield str(ply.move) + (_GLYPH[nags.pop(0)] if nags and nags[0] in _GLYPH else "")
    yield from (f"${nag}" for nag in nags)
    yield from _comments(ply.comments)


def _comments(comments: tuple[str, ...]) -> Iterator[str]:
    for comment in comments:
        words = comment.split()
        if not words:
            continue  # nothing is what a reader would make of it
        if "}" not in comment:
            yield from ("{" + " ".join(words) + "}").split(" ")
        elif len(comment.splitlines()) == 1:
            yield ";" + " ".join(words) + "\n"
        else:
            raise RecordsError(f"a comment with '}}' must be one line: {comment[:40]!r}")


def _wrapped(words: list[str]) -> str:
    lines = [""]
    for word in words:
        if not lines[-1]:
            lines[-1] = word
        elif len(lines[-1]) + 1 + len(word.rstrip("\n")) <= WIDTH and not lines[-1].endswith("\n"):
            lines[-1] += " " + word
        else:
            lines.append(word)
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"
