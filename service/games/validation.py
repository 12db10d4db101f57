"""What may be written into a game: tags, names, comments, and whether the writer knew what he was changing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from records import Move, Position
from records.notation.commands import (
    After,
    Dispute,
    Join,
    Leave,
    Retraction,
    Ruling,
    Trial,
    commands_in,
    wrong_commands,
)
from records.notation.tags import MAX_VALUE, NAME
from records.notation.teams import starting_teams
from service.errors import Invalid, Stale
from service.storage import GameRow

from .state import DERIVED_TAGS
from .write import Write

MAX_TAGS = 100
MAX_OPTION = 400  # characters in an option's value; a set-up given as rows is the longest
MAX_COMMENT = 4000  # characters in a comment
MAX_COMMENTS = 20  # comments at a turn
MAX_ACTOR = 200  # characters in a name
MAX_TEXT = 2000  # characters in a claim or a note
OWN_WAY = (After, Dispute, Join, Leave, Retraction, Ruling, Trial)  # commands that follow from events of their own


def check_current(row: GameRow, expected_seq: int | None) -> None:
    if expected_seq is not None and expected_seq != row.seq:
        raise Stale(f"If-Match names event {expected_seq}: the game is at event {row.seq}", current=row)


def check_tags(tags: Mapping[str, str]) -> None:
    if len(tags) > MAX_TAGS:
        raise Invalid(f"tags: {len(tags)} of them; a game has at most {MAX_TAGS}")
    starting_teams(tags)
    for name, value in tags.items():
        if not NAME.fullmatch(name):
            raise Invalid(f"tags: {name[:80]!r} is no tag: a letter, then letters, digits or _, at most 64")
        if name in DERIVED_TAGS:
            raise Invalid(f"tags.{name} follows from the game and cannot be given")
        check_text(f"tags.{name}", value, MAX_VALUE)


def check_options(options: Mapping[str, Any]) -> None:
    """What an option can be at all; whether a game has it, its rule set says."""
    for name, value in options.items():
        word = isinstance(value, str) and 0 < len(value) <= MAX_OPTION and not any(map(str.isspace, value))
        if not NAME.fullmatch(name) or not (word or isinstance(value, int)):
            raise Invalid(f"options.{name[:80]} is {value!r:.80}: expected a word, a whole number, true or false")


def check_actor(by: str) -> None:
    """Who did it: stands in quotes in a comment."""
    check_text("by", by, MAX_ACTOR, '"}')


def check_comment(text: str) -> None:
    """What may be written beside a turn: a comment whose commands are right, and none that has a request of its own."""
    check_text("comments", text, MAX_COMMENT, "}")
    for _, _, message in wrong_commands(text):
        raise Invalid(f"comments: {message}")
    for command in commands_in([text]):
        if isinstance(command, OWN_WAY):
            raise Invalid(f"comments: {command}: that is told by a request of its own")


def check_note(where: str, text: str) -> str:
    """A claim or a note as it is stored, on one line.

    :raises Invalid: it cannot stand in a record.
    """
    told = " ".join(text.split())
    check_text(where, told, MAX_TEXT, "}")
    return told


def check_name(where: str, text: str) -> str:
    """Somebody's name as it is stored.

    :raises Invalid: it is none, or cannot stand in a record.
    """
    name = " ".join(text.split())
    check_text(where, name, MAX_ACTOR, '"}')
    if not name:
        raise Invalid(f"{where} is {text!r}: expected a name")
    return name


def check_write(write: Write) -> Write:
    """Normalize the name of who writes, for commands that quote it.

    :raises Invalid: it cannot stand in a record.
    """
    return replace(write, actor=check_name("by", write.actor)) if write.actor else write


def check_side(move: Move, position: Position) -> None:
    """:raises Invalid: the move is one of the side that is not to move, or from a pit that is not there."""
    mover = position.to_move
    if move.side not in (None, mover):
        raise Invalid(f"move is '{move}': {mover} is to move")
    if move.side is not None and move.pit and move.index >= position.row:
        raise Invalid(f"move is '{move}': there are {position.row} pits in a row")


def check_text(where: str, text: str, limit: int, barred: str = "") -> None:
    if len(text) > limit:
        raise Invalid(f"{where}: {len(text)} characters; at most {limit} are kept")
    bad = next((c for c in text if not c.isprintable() or c in barred), None)
    if bad is not None:
        raise Invalid(f"{where}: the character {bad!r} cannot stand there in a record")
