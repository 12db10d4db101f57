"""Checks of what is written into a game: tags, names, comments, and that the writer knew its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from records import Game, Move, Position
from records.notation.commands import After, commands_in, wrong_commands
from records.notation.tags import MAX_VALUE, NAME
from records.notation.teams import starting_teams
from service.errors import Invalid, OutsideLimit, Stale
from service.storage import GameRow, Limit, covers

from .plies import KEPT
from .state import DERIVED_TAGS
from .write import Write

MAX_TAGS = 100
MAX_OPTION = 400  # characters in an option's value; a set-up given as rows is the longest
MAX_COMMENT = 4000  # characters in a comment
MAX_COMMENTS = 20  # comments at a turn
MAX_ACTOR = 200  # characters in a name
MAX_TEXT = 2000  # characters in a claim or a note
EVENT_COMMANDS = (After, *KEPT)  # follow from events of their own


def check_current(row: GameRow, expected_seq: int | None) -> None:
    if expected_seq is not None and expected_seq != row.seq:
        raise Stale(f"If-Match names event {expected_seq}: the game is at event {row.seq}", current=row)


def check_within(limit: Limit | None, row: GameRow) -> None:
    """:raises OutsideLimit: the limit does not cover the game."""
    if limit is None or covers(limit, row):
        return
    hint = f" Its Event tag is {row.tags.get('Event', '')[:80]!r}." if limit.kind == "event" else ""
    raise OutsideLimit(f"The key is limited to {limit}, and this game would be outside of it.{hint}")


def check_tags(tags: Mapping[str, str]) -> None:
    if len(tags) > MAX_TAGS:
        raise Invalid(f"tags: {len(tags)} of them; a game has at most {MAX_TAGS}")
    starting_teams(tags)
    for name, value in tags.items():
        if not NAME.fullmatch(name):
            raise Invalid(
                f"tags: {name[:80]!r} cannot be a tag: expected a letter, then letters, digits or _, at most 64"
            )
        if name in DERIVED_TAGS:
            raise Invalid(f"tags.{name} cannot be given: it follows from the game")
        check_text(f"tags.{name}", value, MAX_VALUE)


def check_options(options: Mapping[str, Any]) -> None:
    """Check what any option must be. The rule set knows which there are."""
    for name, value in options.items():
        word = isinstance(value, str) and 0 < len(value) <= MAX_OPTION and not any(map(str.isspace, value))
        if not NAME.fullmatch(name) or not (word or isinstance(value, int)):
            raise Invalid(f"options.{name[:80]} is {value!r:.80}: expected a word, a whole number, true or false")


def check_actor(by: str) -> None:
    """Check a person's name, which a comment quotes."""
    check_text("by", by, MAX_ACTOR, '"}')


def check_remark(where: str, text: str) -> None:
    """Check a comment, wherever it stands in a record: its characters, its length, its commands."""
    check_text(where, text, MAX_COMMENT, "}")
    for _, _, message in wrong_commands(text):
        raise Invalid(f"{where}: {message}")


def check_comment(text: str) -> None:
    """Check a comment of a turn that is played: none of its commands has a request of its own."""
    check_remark("comments", text)
    for command in commands_in([text]):
        if isinstance(command, EVENT_COMMANDS):
            raise Invalid(f"comments: {command}: there is a request of its own for this")


def check_note(where: str, text: str) -> str:
    """Normalize a claim or a note to one line.

    :raises Invalid: it cannot stand in a record.
    """
    line = " ".join(text.split())
    check_text(where, line, MAX_TEXT, "}")
    return line


def check_name(where: str, text: str) -> str:
    """Normalize a person's name.

    :raises Invalid: it is empty, or cannot stand in a record.
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
    """Check that a move is of the side to move, and from one of its pits."""
    mover = position.to_move
    if move.side not in (None, mover):
        raise Invalid(f"move is '{move}': {mover} is to move")
    if move.side is not None and move.pit and move.index >= position.row:
        raise Invalid(f"move is '{move}': there are {position.row} pits in a row")


def check_no_new_error(before: Game, after: Game) -> None:
    """Check that a change gave a record no error that it did not have.

    :raises Invalid: it did; says what the rules or the tags forbid.
    """
    known = {error.message for error in before.errors}
    new = next((error for error in after.errors if error.message not in known), None)
    if new is not None:
        raise Invalid(new.message)


def check_text(where: str, text: str, limit: int, barred: str = "") -> None:
    if len(text) > limit:
        raise Invalid(f"{where}: {len(text)} characters; at most {limit} are allowed")
    bad = next((c for c in text if not c.isprintable() or c in barred), None)
    if bad is not None:
        raise Invalid(f"{where}: the character {bad!r} is not allowed in a record")
