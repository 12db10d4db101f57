"""One way from a form to a command.

1. The view of an operation of the API is the command: it gets the `body` that the operation's schema reads, and the ids
   in its path, does the write, and returns what was written. `answer` of the operation makes the API's response of it.
2. `read_form` makes the same body of a form, by the same schema, with the same errors. An empty field is missing, None
   is null; the schema says what is a number or a tick. Where a form has other fields than the body, a function makes
   fields of it.
3. The page's view calls the command with that body, and leads to the page again.
4. `shows_refusals` of `web/forms.py` shows the form again. The macros of `templates/_forms.html` show what was typed in
   each field, and what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, fields

from .bodies import load_body

MAX_DIGITS = 9  # of a number in a form


def read_form(schema: type[Schema], given: Mapping[str, Any]) -> dict[str, Any]:
    """The body that the fields of a form make.

    :raises InvalidFields: as for a body of the API.
    """
    known = schema()
    sent = {name: _value(field, given[name]) for name, field in known.load_fields.items() if name in given}
    body: dict[str, Any] = load_body(known, {name: value for name, value in sent.items() if value != ""})
    return body


def number_or_text(text: str) -> int | str:
    """A number, or the text that is none, of which a schema says so."""
    given = text.strip()
    return int(given) if given.isascii() and given.isdigit() and len(given) <= MAX_DIGITS else given


def _value(field: fields.Field[Any], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if isinstance(field, fields.Boolean):
        return value == "yes"
    return number_or_text(value) if isinstance(field, fields.Integer) else value.strip()
