"""What a record may hold that is stored: its tags, names, comments, and how many of them.

The service and `inkeek validate` refuse the same; this module needs no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from inkeek.records import Game, OptionError, Ply, RecordsError, Rules, Variation
from inkeek.records.notation.commands import FORMS, After, By, Command, commands_in
from inkeek.records.notation.movetext import MAX_PLIES
from inkeek.records.notation.splitter import MAX_RECORD
from inkeek.records.notation.tags import (
    EVENT_TAGS,
    MAX_VALUE,
    NAME as TAG_NAME,
    PERSON_TAGS,
    ROSTER,
    TEAM_TAGS,
    starting_teams,
)
from inkeek.records.record import count_plies
from inkeek.records.text import STROKES, alphabet_of, barred_in_line, character_name, hidden_in
from inkeek.service.errors import Invalid

ID_TAG = "GameId"  # in exports: the id of the game, by which an import knows it again
OTHER_TAG = "OtherVersion"  # the id of the game that had the same id and another content
CASUAL_TAG = "Casual"  # in exports: the game has the name of an event with rounds, and counts for nothing there
DERIVED_TAGS = (
    "Version",
    "Game",
    "Options",
    "Setup",
    "Result",
    "Score",
    "Termination",
    ID_TAG,
)  # follow from the events
FIXED_TAGS = (*DERIVED_TAGS, "Rules")  # those, and what only a whole record brings
# Commands of events that stay in the record when the turn that they stand at is taken back.
KEPT = tuple(form.kind for form in FORMS.values() if form.stays)
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


def check_note(field: str, text: str) -> str:
    """Normalize a claim or a note to one line.

    :raises Invalid: it cannot stand in a record.
    """
    line = " ".join(text.split())
    check_text(field, line, MAX_TEXT)
    return line


def check_tags(tags: Mapping[str, str]) -> None:
    """Check all tags of a game but those that follow from it."""
    check_all_tags(tags, {})
    for name, value in tags.items():
        check_tag(name, value)


@contextmanager
def tags_from(**fields: str) -> Iterator[None]:
    """Have the errors of these tags be about the fields that they were made from."""
    try:
        yield
    except (Invalid, RecordsError) as error:
        made_from = fields.get(error.field.removeprefix("tags."), error.field)
        if made_from == "options" and isinstance(error.__cause__, OptionError):
            made_from = error.__cause__.field or made_from
        error.field = made_from
        raise


def check_all_tags(tags: Mapping[str, str], before: Mapping[str, str]) -> None:
    """Check tags together: there may be as many, and as long ones, as there were before. The roster, which the notation
    always writes, does not count."""
    count, length = len(tags.keys() - ROSTER.keys()), sum(map(len, (*tags, *tags.values())))
    if count > max(MAX_TAGS, len(before.keys() - ROSTER.keys())):
        raise Invalid(
            "tags: %(tags)s of them; a game has at most %(max_tags)s", field="tags", tags=count, max_tags=MAX_TAGS
        )
    most = max(MAX_TAG_CHARACTERS, sum(map(len, (*before, *before.values()))))
    if length > most:
        raise Invalid(
            "tags: %(characters)s characters in all; a game has at most %(most)s",
            field="tags",
            characters=length,
            most=most,
        )
    starting_teams(tags)


def check_tag(name: str, value: str) -> None:
    if not TAG_NAME.fullmatch(name):
        raise Invalid(
            "tags: %(name)r cannot be a tag: expected a letter, then letters, digits or _, at most 64",
            field="tags",
            name=name[:80],
        )
    if name in FIXED_TAGS:
        raise Invalid("tags.%(name)s cannot be given: it follows from the game", field=f"tags.{name}", name=name)
    (check_shown_name if name in (*EVENT_TAGS, *PERSON_TAGS, *TEAM_TAGS) else check_text)(
        f"tags.{name}", value, MAX_VALUE
    )


def check_turns(turns: int, max_plies: int) -> None:
    """:raises Invalid: a game has more than `max_plies` turns."""
    if turns > max_plies:
        raise Invalid("the game has %(ply)s turns: at most %(max_plies)s are stored", ply=turns, max_plies=max_plies)


def check_record(game: Game) -> None:
    """Check a record that comes in whole, and has no errors: what other requests refuse, it may not hold either.

    :raises Invalid: a tag, a name, a comment or a number of something that is not allowed.
    """
    check_tags({name: value for name, value in game.tags.items() if name not in FIXED_TAGS})
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
                    "%(field)s: %(own)s of them; a turn has at most %(max_comments)s",
                    field=f"{where}{name}",
                    own=len(of),
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
                check_text(f"{where}[{index}]", getattr(command, name, ""), limit, part=name)
    if len(comments) > MAX_COMMENTS:
        own = sum(not any(commands_in([comment], *EVENT_COMMANDS, By)) for comment in comments)
        if own > MAX_COMMENTS:
            raise Invalid(
                "%(field)s: %(own)s of them; a turn has at most %(max_comments)s",
                field=where,
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
        raise Invalid("setup is '%(position)s': the game is over before it begins", field="setup", position=str(start))


def check_text(field: str, text: str, limit: int, barred: str = "", *, part: str = "") -> None:
    """Check a text: its length, and that it has none of the `barred` characters, nor those that no text may hold.
    `part`: what it is of the field, if it is not all of it."""
    where = f"{field}: {part}" if part else field
    if len(text) > limit:
        raise Invalid(
            "%(where)s: %(count)s characters; at most %(most)s are allowed",
            field=field,
            where=where,
            count=len(text),
            most=limit,
        )
    bad = barred_in_line(text) or next((character for character in barred if character in text), None)
    if bad is not None:
        raise Invalid("%(where)s: the character %(bad)r is not allowed here", field=field, where=where, bad=bad)


def check_shown_name(field: str, text: str, limit: int, barred: str = "") -> None:
    """Check the name of a person, an event or a key: as `check_text`, and that it cannot be taken for another one
    because of characters that nobody sees, or words that mix alphabets whose letters look alike."""
    check_text(field, text, limit, barred)
    if text.isascii():
        return
    at = next(hidden_in(text), None)
    if at is not None:
        code = character_name(text[at])
        raise Invalid(
            "%(where)s: the character %(code)s cannot be seen: leave it out", field=field, where=field, code=code
        )
    for word in text.split():
        seen: dict[str, str] = {}
        for character in word:
            if character.isalpha() and (alphabet := alphabet_of(character)) in STROKES:
                seen.setdefault(alphabet, character)
        if len(seen) > 1:
            raise Invalid(
                "%(where)s: the word %(word)r mixes letters of alphabets that look alike: %(letters)s. Write it in one",
                field=field,
                where=field,
                word=word[:80],
                letters=", ".join(f"{letter} ({alphabet.title()})" for alphabet, letter in seen.items()),
            )
