"""Checks of what is written into a game: tags, names, comments, and that the writer knew its state."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from inkeek.records import Game, Kind, Move, Ply, Position, Rules, Turn
from inkeek.records.errors import joined_texts
from inkeek.records.notation.commands import After, commands_in, wrong_commands
from inkeek.records.notation.tags import NAME as TAG_NAME
from inkeek.records.replay import play_ply, verify_ply
from inkeek.service.errors import ErrorText, Invalid, OutsideLimit, Stale, about
from inkeek.service.storage import GameRow, Limit, covers

from .record_check import (
    EVENT_COMMANDS,
    MAX_ACTOR,
    MAX_COMMENT,
    MAX_OPTION,
    check_all_tags,
    check_shown_name,
    check_tag,
    check_text,
)
from .state import changed_tags
from .write import Write

PLACE_TAGS = ("Event", "Round", "Match", "MatchGame", "South", "North")  # say where a game counts, and for whom


def check_current(row: GameRow, expected_seq: int | None) -> None:
    if expected_seq is not None and expected_seq != row.seq:
        raise Stale(
            "the game has changed since event %(expected_seq)s: it is at event %(seq)s. Look at it again",
            expected_seq=expected_seq,
            seq=row.seq,
            current=row,
        )


def is_within(limit: Limit | None, row: GameRow) -> bool:
    """Whether the limit, if there is one, covers the game."""
    return limit is None or covers(limit, row)


def check_within(limit: Limit | None, row: GameRow) -> None:
    """:raises OutsideLimit: the limit does not cover the game."""
    if is_within(limit, row):
        return
    assert limit is not None
    error = ErrorText("The key is limited to %(limit)s, and this game would be outside of it.", limit=limit)
    if limit.kind in ("event", "table"):
        error = joined_texts((error, ErrorText("Its Event tag is %(event)r.", event=row.tags.get("Event", "")[:80])))
    raise OutsideLimit(error)


def may_arrange(limit: Limit | None) -> bool:
    """Whether a writer with that limit says which games there are and who plays them: who keeps the score of a table
    does not."""
    return limit is None or limit.kind == "event"


def check_place(limit: Limit | None, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Check that a writer may change the tags that say where a game counts, from `before` to `after`.

    A limit to a game, a match or a table covers neither the event and the round in which it counts nor its players.

    :raises OutsideLimit: they may not.
    """
    if may_arrange(limit):
        return
    for name in PLACE_TAGS:
        if before.get(name) != after.get(name):
            raise OutsideLimit(
                "tags.%(name)s says where the game counts, and the key is limited to %(limit)s. Change it with a "
                "key for the event, or without a limit.",
                name=name,
                limit=limit,
            )


def check_tag_changes(before: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The tags after changes, of which only the changes are checked: what is stored can always be edited."""
    for name, value in changes.items():
        check_tag(name, value or "")
    tags = changed_tags(before, changes)
    check_all_tags(tags, before)
    return tags


def check_options(options: Mapping[str, Any]) -> None:
    """Check what any option must be. The rule set knows which there are."""
    for name, value in options.items():
        word = isinstance(value, str) and 0 < len(value) <= MAX_OPTION and not any(map(str.isspace, value))
        if not TAG_NAME.fullmatch(name) or not (word or isinstance(value, int)):
            raise Invalid(
                "options.%(name)s is %(value).80r: expected a word, a whole number, true or false",
                field=f"options.{name}",
                name=name[:80],
                value=value,
            )


def check_actor(by: str) -> None:
    """Check a person's name, which a comment quotes."""
    check_shown_name("by", by, MAX_ACTOR)


def check_remark(where: str, text: str) -> None:
    """Check a comment, wherever it stands in a record: its characters, its length, its commands."""
    check_text(where, text, MAX_COMMENT)
    for _, _, message in wrong_commands(text):
        raise Invalid("%(field)s: %(message)s", field=where, message=message)


def check_comment(text: str) -> None:
    """Check a comment of a turn that is played: none of its commands has a request of its own."""
    check_remark("comments", text)
    for command in commands_in([text]):
        if isinstance(command, EVENT_COMMANDS):
            raise Invalid(
                "comments: %(command)s: there is a request of its own for this", field="comments", command=command
            )


def check_name(where: str, text: str) -> str:
    """Normalize a person's name.

    :raises Invalid: it is empty, or cannot stand in a record.
    """
    name = " ".join(text.split())
    check_shown_name(where, name, MAX_ACTOR)
    if not name:
        raise Invalid("%(field)s is %(text)r: expected a name", field=where, text=text)
    return name


def check_write(write: Write) -> Write:
    """Normalize the name of who writes, for commands that quote it.

    :raises Invalid: it cannot stand in a record.
    """
    return replace(write, actor=check_name("by", write.actor)) if write.actor else write


def read_move(text: str, field: str = "move") -> Move:
    """:raises RecordsError: the text in this field is no move."""
    with about(field):
        return Move.parse(text)


def check_side(move: Move, position: Position) -> None:
    """Check that a move is of the side to move, and from one of its pits."""
    mover = position.to_move
    if move.side not in (None, mover):
        raise Invalid("move is '%(move)s': %(side)s is to move", field="move", move=str(move), side=mover)
    if move.side is not None and move.pit and move.index >= position.row:
        raise Invalid(
            "move is '%(move)s': there are %(pits)s pits in a row", field="move", move=str(move), pits=position.row
        )


def check_no_new_error(before: Game, after: Game) -> None:
    """Check that a change gave a record no error that it did not have.

    :raises Invalid: it did; says what the rules or the tags forbid.
    """
    known = {error.message for error in before.errors}
    new = next((error for error in after.errors if error.message not in known), None)
    if new is not None:
        raise Invalid(new.message)


def irregular(rules: Rules, before: Position, move: Move, position: str) -> tuple[Turn, str]:
    """A turn against the rules that leads to `position`, and the comment that says so.

    :raises Invalid: the move is not an irregular turn of the side to move. :raises RecordsError: the position is not
        one of the game.
    """
    if move.kind is not Kind.IRREGULAR:
        raise Invalid(
            "move is '%(move)s': an irregular turn is ~ and the pit it was played from, or ~?", field="move", move=move
        )
    check_side(move, before)
    with about("position"):
        after = str(After(str(Position.parse(position))))
        turn = play_ply(rules, before, Ply(move, comments=(after,)))
        verify_ply(turn)
    return turn, after


def gap(rules: Rules, before: Position, unseen: int | None, position: str | None) -> tuple[Turn, list[str]]:
    """Turns that nobody saw, `unseen` of them if that is known, which led to `position`, if anything is known of that;
    and the comment that says so.

    :raises RecordsError: neither is known, or the position is not one of the game.
    """
    move = Move(kind=Kind.GAP, unseen=unseen)
    with nullcontext() if position is None else about("position"):
        comments = [] if position is None else [str(After(str(Position.parse(position))))]
        turn = play_ply(rules, before, Ply(move, comments=tuple(comments)))
        verify_ply(turn)
    return turn, comments
