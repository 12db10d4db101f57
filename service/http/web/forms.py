"""What the forms of the pages send."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from flask.typing import ResponseReturnValue

from inkeek.records import RecordsError, Side
from inkeek.records.notation.dates import read_day
from inkeek.records.notation.tags import MAX_GAMES, SHOWN, parse_match
from inkeek.records.setups import MATCH_KINDS
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.http.language import error_text, local_time

TAGS = tuple((tag.name, tag.field or tag.label) for tag in SHOWN)  # fields for tags, with their labels
MAX_DIGITS = 4  # of a number of seeds
MAX_NUMBER = 10**9 - 1
NOBODY = "none"  # the choice that nobody wins
OPTION = "option."  # prefix of the fields for options
_NUMBER = re.compile("[0-9]{1,9}")

View = Callable[..., ResponseReturnValue]


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """What was filled in. `Games.create` checks it."""

    game: str
    options: dict[str, str]
    tags: dict[str, str]
    setup: str | None


def shows_refusals(page: Callable[..., Any]) -> Callable[[View], View]:
    """Have a view answer a form that is refused with its page again: `page` gets what the view gets, and `refusal`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def run(**arguments: Any) -> ResponseReturnValue:
            try:
                return view(**arguments)
            except (Invalid, Conflict, RecordsError) as error:
                status = Conflict.status if isinstance(error, Conflict) else Invalid.status
                return page(**arguments, refusal=error_text(error)), status

        return run

    return decorate


def today() -> str:
    """The day where the service runs, as a tag has it."""
    return f"{local_time():%Y.%m.%d}"


def whole_or_none(text: str) -> int | None:
    """A number that may be missing; None for any other text."""
    return int(text) if _NUMBER.fullmatch(text) else None


def read_number(form: Mapping[str, str], name: str, most: int = MAX_NUMBER) -> int:
    """A number of the form, from 0 to `most`.

    :raises Invalid: the field has none.
    """
    text = form.get(name, "").strip()
    if not _NUMBER.fullmatch(text) or int(text) > most:
        raise Invalid(
            "%(field)s is %(text)r. Expected a whole number from 0 to %(most)s.", field=name, text=text[:40], most=most
        )
    return int(text)


def read_end(form: Mapping[str, str]) -> CorrectedEnd:
    """Read how a game ended.

    :raises Invalid: the seeds are not two numbers, or an end by adjudication does not say who wins.
    """
    termination, winner = form.get("termination", ""), form.get("winner", "")
    if termination == "adjudication" and not winner:
        raise Invalid("Who wins by adjudication is missing. Choose South or North, or nobody for a draw.")
    seeds = [form.get(f"score_{side}", "").strip() for side in Side]
    if any(seeds) and not all(text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS for text in seeds):
        raise Invalid(
            "The seeds are %(south)r and %(north)r. Expected two numbers, or none.",
            south=seeds[0][:40],
            north=seeds[1][:40],
        )
    score = (int(seeds[0]), int(seeds[1])) if any(seeds) else None
    return CorrectedEnd(termination, None if winner in ("", NOBODY) else winner, score)


def read_new_game(form: Mapping[str, str]) -> NewGameForm:
    """Read the form; an empty field stands for the default of the rule set."""
    return NewGameForm(
        game=form.get("game", ""),
        options={
            name.removeprefix(OPTION): value.strip()
            for name, value in form.items()
            if name.startswith(OPTION) and value.strip()
        },
        tags={name: _tag(name, form[name].strip()) for name, _ in TAGS if form.get(name, "").strip()},
        setup=form.get("position", "").strip() or None,
    )


@dataclass(frozen=True, slots=True)
class TagField:
    """A field for a tag that a game has, and its value as the field shows it."""

    name: str
    label: str
    value: str


def tag_fields(tags: Mapping[str, str]) -> list[TagField]:
    """The fields that mend the tags of a game."""
    shown = {name: "" if (value := tags.get(name, "")) in ("?", "????.??.??") else value for name, _ in TAGS}
    shown["Date"] = read_day(shown["Date"]) or shown["Date"]
    return [TagField(name, label, shown[name]) for name, label in TAGS]


def read_tag_changes(form: Mapping[str, str]) -> dict[str, str | None]:
    """The tags that differ from what the form showed; None for a field that was emptied."""
    given = {name: (form[name].strip(), form.get(f"was.{name}", "")) for name, _ in TAGS if name in form}
    return {name: _tag(name, value) or None for name, (value, was) in given.items() if value != was}


def _tag(name: str, value: str) -> str:
    """The value of a tag. A field has a day with hyphens, a record with dots, and with question marks for what is not
    known."""
    day = read_day(value) if name == "Date" else None
    return value if day is None else ".".join([*day.split("-"), "??", "??"][:3])


def read_match_title(form: Mapping[str, str]) -> str:
    """The `Match` tag of a new match: its kind, the agreed number of games, a name.

    :raises Invalid: no kind was chosen, or the number is none.
    """
    kind, games, name = (form.get(field, "").strip() for field in ("match_kind", "match_games", "match_name"))
    if kind not in MATCH_KINDS:
        raise Invalid("The kind of match is %(text)r. Choose one of those that the form lists.", text=kind[:40])
    if games and kind == "games":
        if not (games.isascii() and games.isdigit() and 1 <= int(games[: MAX_DIGITS + 1]) <= MAX_GAMES):
            raise Invalid(
                "The number of games is %(text)r. Expected a number from 1 to %(most)s, or none.",
                text=games[:40],
                most=MAX_GAMES,
            )
        kind = f"{kind} {int(games)}"
    return f"{kind}, {name}" if name else kind


def match_name(title: str) -> str:
    """What a `Match` tag has besides the kind and the number."""
    return title if parse_match(title)[0] is None else title.partition(",")[2].strip()
