"""The short words and signs of the pages. What a turn does seed by seed is told by `records` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from records import NORTH, SOUTH, Position, Side, Turn
from records.notation.comments import split_comment

# Numeric annotation glyphs that are written as signs (PGN standard, section 10).
NAGS = {
    1: ("!", "good move"),
    2: ("?", "mistake"),
    3: ("!!", "brilliant move"),
    4: ("??", "blunder"),
    5: ("!?", "interesting move"),
    6: ("?!", "dubious move"),
}
TERMINATIONS = {
    "normal": "",
    "repetition": "by repetition",
    "agreement": "by agreement",
    "resignation": "by resignation",
    "forfeit": "by forfeit",
    "time": "on time",
    "abandoned": "abandoned",
    "adjudication": "by adjudication",
}


@dataclass(frozen=True, slots=True)
class Glyph:
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """A comment: its plain text, and its ``[%…]`` commands as they were written, without the brackets."""

    text: str
    commands: tuple[str, ...]


def glyph(nag: int) -> Glyph:
    sign, words = NAGS.get(nag, (f"${nag}", f"annotation {nag}"))
    return Glyph(sign, words)


def note(comment: str) -> Note:
    told = split_comment(comment)
    return Note(told.text, tuple(f"{command.name} {command.arguments}".strip() for command in told.commands))


def mark_words(mark: int, terms: Mapping[str, str]) -> str:
    """What a pit is, when it is no ordinary one."""
    return ("", *(f"{terms.get('special', 'special pit')} of {side}" for side in (SOUTH, NORTH)), "closed")[mark]


def player_names(tags: Mapping[str, str]) -> tuple[str, str]:
    """The players' names, (South, North); the side's own where the record does not know one."""

    def name(side: Side) -> str:
        told = tags.get(str(side), "").strip()
        return told if told not in ("", "?") else str(side)

    return name(SOUTH), name(NORTH)


def known(tags: Mapping[str, str], name: str) -> str:
    """A tag's value; empty when the record says that it does not know it."""
    value = tags.get(name, "")
    return "" if value in ("?", "-") or value.startswith("????") else value


def turn_summary(turn: Turn, terms: Mapping[str, str]) -> str:
    """What a turn did, in a line."""
    if turn.laps == 0:
        return "passes" if str(turn.move) == "--" else "rearranges"
    parts = [f"{turn.laps} {'lap' if turn.laps == 1 else 'laps'}"]
    for side in (turn.before.to_move, turn.before.to_move.other):
        if turn.captured[side]:
            parts.append(f"{side} takes {turn.captured[side]}")
    if turn.special:
        special = terms.get("special", "special pit")
        many = terms.get("specials", special + "s")
        parts.append(
            f"{special} in {turn.special}" if len(turn.special) == 1 else f"{many} in {' and '.join(turn.special)}"
        )
    return ", ".join(parts)


def result_words(names: tuple[str, str], result: str, score: tuple[int, int] | None, termination: str | None) -> str:
    """Who won and how, in a line; the score is South's first, as everywhere."""
    if result == "1-0":
        words = f"{names[SOUTH]} wins"
    elif result == "0-1":
        words = f"{names[NORTH]} wins"
    elif result == "1/2-1/2":
        words = "A draw"
    else:
        words = "No result"
    if score is not None:
        words += f" {score[0]}–{score[1]}"
    how = TERMINATIONS.get(termination or "normal", termination or "")
    return f"{words}, {how}" if how else words


def board_title(position: Position, turn: str, *, ended: bool) -> str:
    """What a board shows, for its title; `turn` is the one before, with its number, empty at the set-up."""
    place = f"After {turn}" if turn else "The set-up"
    return place if ended else f"{place}, {position.to_move} to move"
