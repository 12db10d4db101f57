"""What the forms of the pages send, as bodies of the API have it, and what they show again if that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import unquote, urlsplit

from flask import current_app, g, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest

from inkeek.records import RecordsError, Side
from inkeek.records.notation.dates import read_day
from inkeek.records.notation.tags import MAX_GAMES, SHOWN_TAGS, parse_match
from inkeek.records.setups import MATCH_KINDS
from inkeek.service.errors import Conflict, Invalid, InvalidFields
from inkeek.service.http.api.bodies import number_or_text
from inkeek.service.http.language import error_text, local_time
from inkeek.service.http.problems import field_parts, pointer

TAGS = tuple((tag.name, tag.field or tag.label) for tag in SHOWN_TAGS)  # fields for tags, with their labels
MAX_NUMBER = 10**9 - 1
NOBODY = "none"  # the choice that nobody wins
OPTION = "option."  # prefix of the fields for options
_NUMBER = re.compile("[0-9]{1,9}")

View = Callable[..., ResponseReturnValue]
Command = Callable[..., Any]


def shows_refusals(page: Callable[..., Any]) -> Callable[[View], View]:
    """Have a view answer a form that is refused with its page again: `page` gets what the view gets, and `refusal`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def run(**arguments: Any) -> ResponseReturnValue:
            try:
                return view(**arguments)
            except (Invalid, Conflict, RecordsError) as error:
                g.faults = faults_of(error)
                status = Conflict.status if isinstance(error, Conflict) else Invalid.status
                return page(**arguments, refusal=error_text(error)), status

        return run

    return decorate


class Commands:
    """The commands of a view to which several forms or buttons lead: their field `action` names one of them."""

    def __init__(self) -> None:
        self._by_action: dict[str, Command] = {}

    def __call__(self, *actions: str) -> Callable[[Command], Command]:
        """Have a function be the command of these actions. It gets what the view gets."""

        def register(command: Command) -> Command:
            self._by_action.update(dict.fromkeys(actions, command))
            return command

        return register

    def run(self, *arguments: Any) -> Any:
        """What the command returns that the form names.

        :raises BadRequest: there is none of that name.
        """
        action = request.form.get("action", "")
        if action not in self._by_action:
            raise BadRequest(f"action is {action[:40]!r}. Expected one of {', '.join(self._by_action)}.")
        return self._by_action[action](*arguments)


def faults_of(error: Exception) -> dict[str, str]:
    """What is wrong with the fields of a form, each by the JSON pointer to it in the body."""
    if isinstance(error, InvalidFields):
        return {pointer: error_text(text) for pointer, text in error.faults}
    return {pointer(field_parts(error.field)): error_text(error)} if isinstance(error, Invalid) and error.field else {}


def fault(pointer: str) -> str:
    """What is wrong with this field of the form that was sent; empty if nothing is."""
    faults: dict[str, str] = g.get("faults", {})
    return faults.get(pointer, "")


def sent_to(address: str, *actions: str) -> MultiDict[str, str]:
    """What a refused form says, for its fields, if it was sent to the view of this address, and if `actions` are given,
    with one of these in its field `action`; else nothing."""
    adapter = current_app.create_url_adapter(request) if "faults" in g else None
    if adapter is None or (actions and request.form.get("action") not in actions):
        return MultiDict()
    path = unquote(urlsplit(address).path).removeprefix(request.script_root)
    return request.form if adapter.match(path, method="POST")[0] == request.endpoint else MultiDict()


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
            "%(field)s is %(text)r. Expected a whole number from 0 to %(most)s.",
            field=name,
            text=text[:40],
            most=most,
        )
    return int(text)


def end_fields(form: Mapping[str, str]) -> dict[str, Any]:
    """How a game ended, as the body of an end, a correction or a ruling has it.

    :raises Invalid: nobody was chosen to win by adjudication.
    """
    termination, winner = form.get("termination", ""), form.get("winner", "")
    if termination == "adjudication" and not winner:
        raise Invalid(
            "Who wins by adjudication is missing. Choose South or North, or nobody for a draw.", field="winner"
        )
    seeds = [form.get(f"score_{side}", "") for side in Side]
    score = [number_or_text(text) for text in seeds] if any(map(str.strip, seeds)) else None
    return {"termination": termination, "winner": None if winner == NOBODY else winner, "score": score}


def new_game_fields(form: Mapping[str, str]) -> dict[str, Any]:
    """A new game, as its body has it; an empty field stands for the default of the rule set."""
    options = {name.removeprefix(OPTION): value.strip() for name, value in form.items() if name.startswith(OPTION)}
    return {
        "game": form.get("game", ""),
        "options": {name: value for name, value in options.items() if value},
        "tags": {name: _tag(name, form[name].strip()) for name, _ in TAGS if form.get(name, "").strip()},
        "setup": form.get("position", ""),
    }


def merged(mine: str, shown: str, now: str) -> str:
    """What a field comes to that showed this when it was opened: what its sender wrote, or else what is there now.

    :raises Conflict: somebody else has changed it too.
    """
    if now not in (shown, mine) and mine != shown:
        raise Conflict(
            "Somebody else has meanwhile changed to %(theirs)s what you changed too. Save again to store yours.",
            theirs=now or "–",
        )
    return now if mine == shown else mine


def merged_field(form: Mapping[str, str], name: str, now: str) -> str:
    """What a field of a form comes to, as `merged` has it. Its field ``was.…`` has what it showed; a form without one
    is a program's, which knows what is there now.

    :raises Conflict: somebody else has changed it too.
    """
    return merged(form.get(name, "").strip(), form.get(f"was.{name}", now), now)


@dataclass(frozen=True, slots=True)
class TagField:
    """A field for a tag that a game has: its value as the field shows it, and what is typed there."""

    name: str
    label: str
    value: str
    typed: str


def tag_fields(tags: Mapping[str, str], form: Mapping[str, str]) -> list[TagField]:
    """The fields that mend the tags of a game; `form`: what a refused one says."""
    shown = {name: "" if (value := tags.get(name, "")) in ("?", "????.??.??") else value for name, _ in TAGS}
    shown["Date"] = read_day(shown["Date"]) or shown["Date"]
    changed = {name: form[name] for name in shown if name in form and form[name] != form.get(f"was.{name}", "")}
    return [TagField(name, label, shown[name], changed.get(name, shown[name])) for name, label in TAGS]


def read_tag_changes(form: Mapping[str, str], tags: Mapping[str, str]) -> dict[str, str | None]:
    """The tags of a game that the sender of a form has changed; None for a field that was emptied.

    :raises Conflict: somebody else has changed one of them since the form was opened.
    """
    changes: dict[str, str | None] = {}
    for field in tag_fields(tags, {}):
        value, was = form.get(field.name, field.value).strip(), form.get(f"was.{field.name}", "")
        if field.name in form and value != was and merged(value, was, field.value) != field.value:
            changes[field.name] = _tag(field.name, value) or None
    return changes


def _tag(name: str, value: str) -> str:
    """The value of a tag. A field has a day with hyphens, a record with dots, and with question marks for what is not
    known."""
    day = read_day(value) if name == "Date" else None
    return value if day is None else ".".join([*day.split("-"), "??", "??"][:3])


def match_title(form: Mapping[str, str]) -> str:
    """The `Match` tag of a new match: its kind, the agreed number of games, a name.

    :raises Invalid: no kind was chosen, or the number is none.
    """
    kind, name = form.get("match_kind", ""), form.get("match_name", "").strip()
    if kind not in MATCH_KINDS:
        raise Invalid("The kind of match is %(text)r. Choose one of those that the form lists.", text=kind[:40])
    if kind == "games" and form.get("match_games", "").strip():
        kind = f"{kind} {read_number(form, 'match_games', MAX_GAMES)}"
    return f"{kind}, {name}" if name else kind


def match_name(title: str) -> str:
    """What a `Match` tag has besides the kind and the number."""
    return title if parse_match(title)[0] is None else title.partition(",")[2].strip()
