"""Reading what a request sends, by the schema of its route: a JSON body, a query, or a form of a page.

One way from a form to a command:

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

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

from flask import Request, abort, request
from marshmallow import RAISE, Schema, ValidationError, fields

from inkeek.records.errors import joined_texts
from inkeek.service.errors import ErrorText, InvalidFields
from inkeek.service.http.problems import MAX_ERRORS, MAX_QUOTED, input_errors, pointer

from .operation import Operation
from .responses import JSON

MAX_DIGITS = 20  # of a number in a body
# What marshmallow says of a form: pages translate it, with its numbers and words in it.
OF_FORMS = (
    ErrorText("Missing data for required field."),
    ErrorText("Field may not be null."),
    ErrorText("Not a valid integer."),
    ErrorText("Not a valid string."),
    ErrorText("Must be one of: %(choices)s."),
    ErrorText("Must be greater than or equal to %(least)s and less than or equal to %(most)s."),
    ErrorText("Length must be between %(least)s and %(most)s."),
)
_PATTERNS = [re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+)", re.escape(text))) for text in OF_FORMS]
MAX_NAMES = 128  # in one object of a body: each name that is wrong has an error of its own
_HALF = re.compile("[\ud800-\udfff]")
Read = Callable[[], Any]


def body_reader(schema: Schema) -> Read:
    """What reads the JSON body of the current request, checked by `schema`.

    The function raises `InvalidFields` if the body does not fit.
    """

    def read() -> Any:
        sent = read_json(request._get_current_object())  # type: ignore[attr-defined]
        body = load_body(schema, sent)
        if b"\\u" in request.get_data():
            _check_halves(sent, ())
        return body

    return read


def load_body(schema: Schema, sent: Any) -> Any:
    """What the schema makes of what was sent.

    :raises InvalidFields: it does not fit.
    """
    try:
        return schema.load(sent)
    except ValidationError as error:
        raise _invalid_fields(pointer, error.normalized_messages(), sent) from error  # type: ignore[no-untyped-call]


def query_reader(schema: Schema) -> Read:
    """What reads the query of the current request, as `body_reader` reads a body."""
    several = {name for name, field in schema.load_fields.items() if isinstance(field, fields.List)}

    def read() -> Any:
        sent: dict[str, Any] = {name: values if name in several else values[0] for name, values in request.args.lists()}
        again = {
            name: [f"It is given {len(values)} times, last as {values[-1][:80]!r}. Give it once."]
            for name, values in request.args.lists()
            if len(values) > 1 and name not in several
        }
        if again:
            raise _invalid_fields(_parameter, again, sent)
        try:
            return schema.load(sent, unknown=RAISE)
        except ValidationError as error:
            raise _invalid_fields(_parameter, error.normalized_messages(), sent) from error  # type: ignore[no-untyped-call]

    return read


def check_media_type(request: Request, operation: Operation | None) -> None:
    """:raises UnsupportedMediaType: the request has a body that its operation, or none of the API, can read."""
    environ = request.environ
    if environ.get("CONTENT_LENGTH") in (None, "", "0") and "HTTP_TRANSFER_ENCODING" not in environ:
        return
    encoding = environ.get("HTTP_CONTENT_ENCODING", "")
    if encoding.strip().lower() not in ("", "identity"):
        abort(415, f"Content-Encoding is {encoding[:80]!r}. Send the body as it is, without compression.")
    if operation is None or not operation.takes:
        if not request.is_json:
            abort(415, f"Content-Type is {request.content_type!r}. Expected {JSON}.")
    elif request.content_type and request.mimetype not in operation.takes:
        abort(415, f"Content-Type is {request.content_type!r}. Expected one of {', '.join(operation.takes)}.")


def check_accept(request: Request, operation: Operation | None) -> None:
    """:raises NotAcceptable: the request accepts nothing that its operation gives; lists what that is."""
    accept = request.environ.get("HTTP_ACCEPT", "*/*")
    if accept == "*/*" or operation is None or not operation.gives or "format" in request.args:
        return
    if request.accept_mimetypes.best_match(operation.gives) is None:
        abort(406, f"Accept is {accept[:80]!r}. This can be given: {', '.join(operation.gives)}.")


def read_json(request: Request) -> Any:
    """The body, which must be unambiguous JSON: no name twice, no NaN, no deeper than Python reads."""
    body = request.get_data()
    if not body:
        return {}
    if request.content_length is None and len(body) >= (request.max_content_length or 0):
        abort(413)  # sent in chunks, and cut off silently by the library
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except RecursionError:
        abort(400, "The body is not JSON: nested too deeply.")
    except ValueError as error:
        abort(400, f"The body is not JSON: {error}.")


def _check_halves(value: Any, path: tuple[object, ...]) -> None:
    """:raises InvalidFields: a text has half of a surrogate pair, which no database or file can hold."""
    if isinstance(value, str) and not value.isascii() and _HALF.search(value):
        named = {"code": ".".join(map(str, path)), "value": _quote(value)}
        fault = (pointer(path), ErrorText("%(code)s is %(value)s: half of a surrogate pair is no text", **named))
        raise InvalidFields(fault[1], [fault], errors=input_errors([fault]))
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check_halves(key, (*path, key))
            _check_halves(item, (*path, key))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(pairs) > MAX_NAMES:
        raise ValueError(f"an object has {len(pairs)} names; at most {MAX_NAMES} are allowed")
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {name[:80]!r} appears twice in one object")
            seen.add(name)
    return found


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"the number {text[:20]}… has {len(text)} digits; at most {MAX_DIGITS} are allowed")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_int, parse_constant=_no_number)


def _parameter(parts: Sequence[object]) -> str:
    return str(parts[0]) if parts else ""


def _invalid_fields(place: Callable[[Sequence[object]], str], messages: Mapping[str, Any], sent: Any) -> InvalidFields:
    """The error for marshmallow's `messages` about what was `sent`: each after its field and the value there."""
    faults = []
    for path, message in islice(_flat(messages, ()), MAX_ERRORS):
        if path[-1] == "_schema" or (len(path) > 1 and path[-1] in ("key", "value")):
            path = path[:-1]  # the whole object; an entry of a mapping
        named = {"code": ".".join(map(str, path)) or "The body", "error": _translatable(message)}
        detail = ErrorText("%(code)s: %(error)s", **named)
        try:
            value = sent
            for key in path:
                value = value[key]
            if not isinstance(value, dict | list):
                detail = ErrorText("%(code)s is %(value)s: %(error)s", **named, value=_quote(value))
        except (LookupError, TypeError):  # the field is missing
            pass
        faults.append((place(path), detail))
    return InvalidFields(joined_texts([text for _, text in faults]), faults, errors=input_errors(faults))


def _translatable(message: str) -> str:
    """What marshmallow says, as a text that pages translate if it is one of `OF_FORMS`."""
    for template, pattern in zip(OF_FORMS, _PATTERNS, strict=True):
        if match := pattern.fullmatch(message):
            return ErrorText(template, **match.groupdict())
    return message


def _flat(messages: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(messages, Mapping):
        for key, value in messages.items():
            yield from _flat(value, (*path, key))
    else:
        for message in messages if isinstance(messages, list) else [messages]:
            yield path, message


def _quote(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"


FORM_DIGITS = 9  # of a number in a form


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
    return int(given) if given.isascii() and given.isdigit() and len(given) <= FORM_DIGITS else given


def _value(field: fields.Field[Any], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if isinstance(field, fields.Boolean):
        return value == "yes"
    return number_or_text(value) if isinstance(field, fields.Integer) else value.strip()
