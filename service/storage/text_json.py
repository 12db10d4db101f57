"""JSON of data with texts that pages show in their language: what such a text was made from is stored, not its English.

In memory the text is a ``str``, so that what answers the API says it in English.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inkeek.records import Side
from inkeek.records.errors import ErrorText
from inkeek.records.language import Message, MessageText, Term, load_language
from inkeek.service.errors import Damaged


def dump_texts(data: Any) -> str:
    """The data as JSON."""
    return json.dumps(_stored(data), ensure_ascii=False)


def load_texts(text: str, what: str) -> Any:
    """Read the object that `dump_texts` made. A text whose template is gone by now is its key.

    :raises Damaged: it is no such object; `what` says whose.
    """
    return load_stored(text, what, _read)


def load_stored(text: str, what: str, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Read stored JSON.

    :raises Damaged: it is no object; `what` says whose.
    """
    try:
        found = json.loads(text, object_hook=hook)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise Damaged(f"{what} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise Damaged(f"{what} cannot be read: it is other JSON than expected")
    return found


def _stored(value: Any) -> Any:
    match value:
        case ErrorText():
            return {"$text": value.template, "values": _stored(value.values)}
        case MessageText():
            return _stored(value.message)
        case Message():
            return {"$message": value.key, "fields": _stored(value.fields)}
        case Side():
            return {"$side": int(value)}
        case Term():
            return {"$term": str(value)}
        case dict():  # what a board sends is never taken for a text
            return {f"${key}" if str(key).startswith("$") else key: _stored(item) for key, item in value.items()}
        case list() | tuple():
            return [_stored(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _read(data: dict[str, Any]) -> Any:
    if "$text" in data:
        return ErrorText(data["$text"], **data["values"])
    if "$message" in data:
        known = data["$message"] in load_language("en").templates
        return MessageText(Message(data["$message"], data["fields"])) if known else data["$message"]
    if "$side" in data:
        return Side(data["$side"])
    if "$term" in data:
        return Term(data["$term"])
    return {key.removeprefix("$"): item for key, item in data.items()}
