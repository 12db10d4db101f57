"""Checks of what is written into a game: tags, names, comments, and that the writer knew its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from records import Game, Move, Ply, Position, Rules, Variation
from records.errors import joined_texts
from records.notation.command_forms import Command
from records.notation.commands import After, By, commands_in, wrong_commands
from records.notation.movetext import MAX_PLIES
from records.notation.splitter import MAX_RECORD
from records.notation.tags import MAX_VALUE, ROSTER
from records.notation.tags import NAME as TAG_NAME
from records.notation.teams import starting_teams
from records.record import count_plies
from service.errors import ErrorText, Invalid, OutsideLimit, Stale
from service.storage import GameRow, Limit, covers
from service.storage.texts import check_shown_name, check_text

from .plies import KEPT
from .state import DERIVED_TAGS, changed_tags
from .write import Write

PLACE_TAGS = ("Event", "Round", "Match", "MatchGame", "South", "North")  # say where a game counts, and for whom
NAME_TAGS = ("Event", "South", "North", "SouthTeam", "NorthTeam", "Recorder", "Arbiter")
MAX_TAGS = 100  # besides the roster
MAX_TAG_CHARACTERS = 16_384  # in all tags: lists and standings read those of many games
MAX_OPTION = 400  # characters in an option's value; a set-up given as rows is the longest
MAX_COMMENT = 20_000  # characters in a comment
MAX_COMMENTS = 100  # comments at a turn, but for those that are commands of events; and NAGs, and variations
MAX_CHARACTERS = MAX_RECORD // 2  # in all comments of a record that comes in
MAX_ACTOR = 200  # characters in a name
MAX_TEXT = 2000  # characters in a claim or a note
EVENT_COMMANDS: tuple[type[Command], ...] = (After, *KEPT)  # follow from events of their own
# Characters in these arguments of commands.
_LIMITS = {"by": MAX_ACTOR, "name": MAX_ACTOR, "claim": MAX_TEXT, "note": MAX_TEXT, "reason": MAX_TEXT}


def check_current(row: GameRow, expected_seq: int | None) -> None:
    if expected_seq is not None and expected_seq != row.seq:
        raise Stale(
            "If-Match names event %(expected_seq)s: the game is at event %(seq)s",
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


def check_place(limit: Limit | None, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Check that a writer may change the tags that say where a game counts, from `before` to `after`.

    A limit to a game or a match covers neither the event and the round in which it counts nor its players.

    :raises OutsideLimit: they may not.
    """
    if limit is None or limit.kind in ("event", "table"):
        return
    for name in PLACE_TAGS:
        if before.get(name) != after.get(name):
            raise OutsideLimit(
                "tags.%(name)s says where the game counts, and the key is limited to %(limit)s. Change it with a "
                "key for the event, or without a limit.",
                name=name,
                limit=limit,
            )


def check_tags(tags: Mapping[str, str]) -> None:
    """Check all tags of a game but those that follow from it."""
    if _count(tags) > MAX_TAGS:
        raise Invalid("tags: %(tags)s of them; a game has at most %(max_tags)s", tags=_count(tags), max_tags=MAX_TAGS)
    _check_characters(tags, MAX_TAG_CHARACTERS)
    starting_teams(tags)
    for name, value in tags.items():
        _check_tag(name, value)


def check_tag_changes(before: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The tags after changes, of which only the changes are checked: what is stored can always be edited."""
    for name, value in changes.items():
        _check_tag(name, value or "")
    tags = changed_tags(before, changes)
    if _count(tags) > max(MAX_TAGS, _count(before)):
        raise Invalid("tags: %(tags)s of them; a game has at most %(max_tags)s", tags=_count(tags), max_tags=MAX_TAGS)
    _check_characters(tags, max(MAX_TAG_CHARACTERS, _characters(before)))
    starting_teams(tags)
    return tags


def _characters(tags: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in tags.items())


def _check_characters(tags: Mapping[str, str], most: int) -> None:
    if _characters(tags) > most:
        raise Invalid(
            "tags: %(characters)s characters in all; a game has at most %(most)s",
            characters=_characters(tags),
            most=most,
        )


def _count(tags: Mapping[str, str]) -> int:
    """How many tags there are besides the roster, which the notation always writes."""
    return len(tags.keys() - ROSTER.keys())


def _check_tag(name: str, value: str) -> None:
    if not TAG_NAME.fullmatch(name):
        raise Invalid(
            "tags: %(name)r cannot be a tag: expected a letter, then letters, digits or _, at most 64", name=name[:80]
        )
    if name in DERIVED_TAGS:
        raise Invalid("tags.%(name)s cannot be given: it follows from the game", name=name)
    (check_shown_name if name in NAME_TAGS else check_text)(f"tags.{name}", value, MAX_VALUE)


def check_record(game: Game) -> None:
    """Check a record that comes in whole, and has no errors: what other requests refuse, it may not hold either.

    :raises Invalid: a tag, a name, a comment or a number of something that is not allowed.
    """
    check_tags({name: value for name, value in game.tags.items() if name not in DERIVED_TAGS})
    if not game.plies:
        check_start(game.rules())
    plies = count_plies(game.plies)
    if plies > MAX_PLIES:
        raise Invalid(
            "the record has %(plies)s plies, variations included: at most %(max_plies)s are stored",
            plies=plies,
            max_plies=MAX_PLIES,
        )
    waiting: list[tuple[str, Ply | Variation]] = [("", Variation(game.plies, game.comments))]
    characters = 0
    while waiting:
        where, item = waiting.pop()
        characters += _check_comments(f"{where}comments", item.comments)
        if isinstance(item, Variation):
            waiting += (
                (f"{where}plies[{index}].", ply)
                for index, ply in enumerate(item.plies)
                if ply.comments or ply.nags or ply.variations
            )
            continue
        for name, of in (("nags", item.nags), ("variations", item.variations)):
            if len(of) > MAX_COMMENTS:
                raise Invalid(
                    "%(where)s%(name)s: %(of)s of them; a turn has at most %(max_comments)s",
                    where=where,
                    name=name,
                    of=len(of),
                    max_comments=MAX_COMMENTS,
                )
        waiting += ((f"{where}variations[{index}].", line) for index, line in enumerate(item.variations))
    if characters > MAX_CHARACTERS:
        raise Invalid(
            "the comments have %(characters)s characters: at most %(max_characters)s are stored",
            characters=characters,
            max_characters=MAX_CHARACTERS,
        )


def _check_comments(where: str, comments: Sequence[str]) -> int:
    """Check the comments at one place of a record; returns how many characters they have."""
    for index, comment in enumerate(comments):
        check_text(f"{where}[{index}]", comment, MAX_COMMENT)
        for command in commands_in([comment]) if len(comment) > MAX_ACTOR else ():  # none else has a long name
            for name, limit in _LIMITS.items():
                check_text(f"{where}[{index}]: {name}", getattr(command, name, ""), limit)
    if len(comments) > MAX_COMMENTS:
        own = sum(not any(commands_in([comment], *EVENT_COMMANDS, By)) for comment in comments)
        if own > MAX_COMMENTS:
            raise Invalid(
                "%(where)s: %(own)s of them; a turn has at most %(max_comments)s",
                where=where,
                own=own,
                max_comments=MAX_COMMENTS,
            )
    return sum(map(len, comments))


def check_start(rules: Rules) -> None:
    """Check that a game can be played from its start.

    :raises Invalid: it is over there.
    """
    start = rules.start()
    if rules.outcome(start) is not None:
        raise Invalid("setup is '%(position)s': the game is over before it begins", position=str(start))


def check_options(options: Mapping[str, Any]) -> None:
    """Check what any option must be. The rule set knows which there are."""
    for name, value in options.items():
        word = isinstance(value, str) and 0 < len(value) <= MAX_OPTION and not any(map(str.isspace, value))
        if not TAG_NAME.fullmatch(name) or not (word or isinstance(value, int)):
            raise Invalid(
                "options.%(name)s is %(value).80r: expected a word, a whole number, true or false",
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
        raise Invalid("%(where)s: %(message)s", where=where, message=message)


def check_comment(text: str) -> None:
    """Check a comment of a turn that is played: none of its commands has a request of its own."""
    check_remark("comments", text)
    for command in commands_in([text]):
        if isinstance(command, EVENT_COMMANDS):
            raise Invalid("comments: %(command)s: there is a request of its own for this", command=command)


def check_note(where: str, text: str) -> str:
    """Normalize a claim or a note to one line.

    :raises Invalid: it cannot stand in a record.
    """
    line = " ".join(text.split())
    check_text(where, line, MAX_TEXT)
    return line


def check_name(where: str, text: str) -> str:
    """Normalize a person's name.

    :raises Invalid: it is empty, or cannot stand in a record.
    """
    name = " ".join(text.split())
    check_shown_name(where, name, MAX_ACTOR)
    if not name:
        raise Invalid("%(where)s is %(text)r: expected a name", where=where, text=text)
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
        raise Invalid("move is '%(move)s': %(side)s is to move", move=str(move), side=mover)
    if move.side is not None and move.pit and move.index >= position.row:
        raise Invalid("move is '%(move)s': there are %(pits)s pits in a row", move=str(move), pits=position.row)


def check_no_new_error(before: Game, after: Game) -> None:
    """Check that a change gave a record no error that it did not have.

    :raises Invalid: it did; says what the rules or the tags forbid.
    """
    known = {error.message for error in before.errors}
    new = next((error for error in after.errors if error.message not in known), None)
    if new is not None:
        raise Invalid(new.message)
