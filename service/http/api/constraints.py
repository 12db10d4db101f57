"""Fields that several schemas share, and constraints that mean the same in Python and in the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from marshmallow import ValidationError, fields, missing, validate

from inkeek.records import moves, position
from inkeek.records.findings import evidence as evidence_text
from inkeek.records.notation.tags import MAX_VALUE, NAME as TAG_NAME, ROSTER
from inkeek.records.rules.ruleset import OTHER_ID, ROWS, Value, format_value, load_ruleset, ruleset_ids
from inkeek.records.text import LINE, NAME, NOTE
from inkeek.service.games.record_check import FIXED_TAGS, MAX_ACTOR, MAX_COMMENT, MAX_COMMENTS, MAX_TAGS, MAX_TEXT
from inkeek.service.storage.ids import ALPHABET, ID_LENGTH
from inkeek.service.storage.search import MAX_KEY

MAX_ANY = 20  # values of one parameter
NULL = {"type": "null"}
NOT_NULL = {"not": NULL}
OPTIONAL: dict[str, Any] = {"load_default": None, "allow_none": True}  # a field that may be missing or null


def describe(text: str) -> dict[str, str]:
    """The metadata of a field with this description in the OpenAPI document."""
    return {"description": text}


def bounded_by(setting: str, text: str = "") -> dict[str, Any]:
    """The metadata of a field whose greatest value, or number of items, is a setting; the document has both."""
    return {"x-setting": setting, **(describe(text) if text else {})}


def exactly_one(*names: str) -> dict[str, Any]:
    """JSON Schema: of these fields one is given, and is not null. As `FORM` of a schema it stands in the document."""
    kinds = [{**dict.fromkeys(names, NULL), name: NOT_NULL} for name in names]
    return _one_of_these(*({"required": [name], "properties": kind} for name, kind in zip(names, kinds, strict=True)))


def only_with(field: str, value: str, *names: str) -> dict[str, Any]:
    """JSON Schema: these fields are given, and not null, with that value of a field, and only with it."""
    given = {"required": [*names], "properties": {field: {"const": value}, **dict.fromkeys(names, NOT_NULL)}}
    return _one_of_these(given, {"properties": {field: {"not": {"const": value}}, **dict.fromkeys(names, NULL)}})


def given_with(field: str, given: Mapping[str, Iterable[Collection[str]]], names: Iterable[str]) -> dict[str, Any]:
    """JSON Schema: of the fields `names` just these are given, and not null, with each value of a field."""
    alternatives = [(value, others) for value, forms in given.items() for others in forms]
    return _one_of_these(
        *(
            {
                "required": [*others],
                "properties": {
                    field: {"const": value},
                    **{name: NOT_NULL if name in others else NULL for name in names},
                },
            }
            for value, others in alternatives
        )
    )


def _one_of_these(*alternatives: dict[str, Any]) -> dict[str, Any]:
    return {"allOf": [{"anyOf": list(alternatives)}]}  # within `allOf`: generators of clients take no union from it


def optional_integer(least: int, most: int, description: str) -> fields.Integer:
    """A whole number within bounds, which may be missing or null."""
    return JsonInteger(**OPTIONAL, validate=validate.Range(least, most), metadata=describe(description))


def optional_text(most: int, description: str) -> fields.String:
    """A text of 1 to `most` characters, which may be missing or null."""
    return fields.String(**OPTIONAL, validate=validate.Length(1, most), metadata=describe(description))


class Pattern(validate.Regexp):
    """A pattern for the whole text, also where Python's ``$`` matches before a line feed at its end."""

    def __init__(self, pattern: str) -> None:
        super().__init__(f"^(?:{pattern})$")
        self._whole = re.compile(pattern)

    def __call__(self, value: Any) -> Any:
        if self._whole.fullmatch(value) is None:
            raise ValidationError(self.default_message)
        return value


class BoundedDict(fields.Dict):
    """At most `most` entries, which are counted before any is read."""

    def __init__(self, most: int, **options: Any) -> None:
        super().__init__(**options)
        self._most = most

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, Mapping) and len(value) > self._most:
            raise ValidationError(f"{len(value)} entries: expected at most {self._most}.")
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


class AnyOf(fields.List[Any]):
    """A parameter of a query that may be given several times, at most `MAX_ANY`: each value matches."""

    def __init__(self, one: fields.String) -> None:
        shown = describe(f"{one.metadata['description']}; given more than once: any of them")
        one.metadata = {name: value for name, value in one.metadata.items() if name != "description"}
        one.allow_none, one.load_default = False, missing
        super().__init__(one, load_default=None, validate=validate.Length(1, MAX_ANY), metadata=shown)

    def _deserialize(self, *given: Any, **more: Any) -> Any:
        return tuple(super()._deserialize(*given, **more))


class JsonBoolean(fields.Boolean):
    """True or false of a JSON body, and neither 1 nor ``"yes"``."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class JsonInteger(fields.Integer):
    """A whole number of a JSON body, also written as 4.0, and no text."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class QueryInteger(fields.Integer):
    """A whole number of a query, in ASCII digits alone: Python reads those of all scripts, and `1_0`."""

    def _validated(self, value: Any) -> int:
        if not re.fullmatch("-?[0-9]+", str(value)):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class JsonNumber(fields.Float):
    """A finite number of a JSON body, and no text."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


NAME_ID = "[A-Za-z0-9_-]+"  # of a player or an event, in URL-safe Base64
MAX_NAME_ID = 6 * MAX_KEY  # characters: Base64 of at most four bytes a character
MAX_GAME = 80  # characters of the id of a rule set, with that of a game that carries it
ID = f"[{ALPHABET}]{{{ID_LENGTH}}}"  # as `random_id` makes them
ALL = "all"  # instead of a board's id
_GROUP = re.compile(r"(?<!\\)\((?:\?P<\w+>|(?!\?))")


def whole(pattern: str) -> str:
    """The pattern of a whole text, as JSON Schema writes it: it knows no names of groups."""
    return f"^(?:{_GROUP.sub('(?:', pattern)})$"


def form(pattern: str, description: str = "") -> dict[str, Any]:
    """The metadata of a field whose text has this pattern."""
    return {"pattern": whole(pattern), **(describe(description) if description else {})}


def text_field(pattern: str, least: int, most: int, description: str = "", **more: Any) -> fields.String:
    """A text of `least` to `most` characters that has this pattern."""
    return fields.String(validate=validate.Length(least, most), metadata=form(pattern, description), **more)


def position_field(description: str = "", **more: Any) -> fields.String:
    return text_field(position.PATTERN, 1, position.MAX_TEXT, description, **more)


def move_field(description: str = "", **more: Any) -> fields.String:
    return text_field(moves.PATTERN, 1, moves.MAX_TEXT, description, **more)


def course_field(description: str = "", **more: Any) -> fields.String:
    """A move, or the moves of a few turns with blanks between them."""
    return text_field(rf"(?:{moves.PATTERN})(?: (?:{moves.PATTERN}))*", 1, 4 * moves.MAX_TEXT, description, **more)


def board_field(description: str, **more: Any) -> fields.String:
    """What lies on a board."""
    return text_field(evidence_text.PATTERN, 1, evidence_text.MAX_TEXT, description, **more)


def id_field(description: str = "", **more: Any) -> fields.String:
    """The id of a game, a match, a board, a key or a job."""
    return text_field(ID, 1, 32, description, **more)


def by_field(description: str = "who reports it") -> fields.String:
    """The actor of an event."""
    return note_field(description, MAX_ACTOR)


def note_field(description: str = "", most: int = MAX_TEXT) -> fields.String:
    """A text that becomes one line; it may be empty or missing."""
    return text_field(NOTE, 0, most, description, load_default="")


def said_field(description: str = "", most: int = MAX_TEXT) -> fields.String:
    """A text that becomes one line, which is not empty."""
    return text_field(NAME, 1, most, description, required=True)


def comments_field() -> fields.List[Any]:
    """Comments of a turn."""
    comment = fields.String(metadata={**form(NOTE), "maxLength": MAX_COMMENT})
    return fields.List(comment, load_default=list, validate=validate.Length(max=MAX_COMMENTS))


def tags_field(description: str = "", *, removes: bool = False) -> fields.Dict:
    """Tags of a record. `removes`: null removes one, and the field is required."""
    name = fields.String(metadata={**form(TAG_NAME.pattern), "not": {"enum": list(FIXED_TAGS)}})
    value = fields.String(allow_none=removes, metadata={**form(LINE), "maxLength": MAX_VALUE})
    metadata = {"maxProperties": MAX_TAGS, **(describe(description) if description else {})}
    more: dict[str, Any] = {"required": True} if removes else {"load_default": dict}
    return BoundedDict(MAX_TAGS + len(ROSTER), keys=name, values=value, metadata=metadata, **more)


def ruleset_schema(description: str = "rule set id") -> dict[str, Any]:
    """The id of a rule set, or of a game whose rules are not known."""
    ids = [{"type": "string", "enum": list(ruleset_ids())}, {"type": "string", "pattern": whole(OTHER_ID.pattern)}]
    return {"anyOf": ids, **describe(description)}


def ruleset_field() -> fields.String:
    return fields.String(required=True, validate=validate.Length(1, MAX_GAME), metadata=ruleset_schema())


def known_rules_field() -> fields.String:
    """The id of a rule set, or of the one that a stored game carries (`Rulesets.find`)."""
    schema = ruleset_schema("rule set id; with `@` and the id of a stored game, the rules that this game carries")
    schema["anyOf"].append({"type": "string", "pattern": whole(f"{OTHER_ID.pattern}@[0-9a-z]{{1,16}}")})
    return fields.String(required=True, validate=validate.Length(1, MAX_GAME), metadata=schema)


def options_field() -> fields.Dict:
    """Options of any rule set; each knows its own."""
    metadata = {"properties": _options_schema(), "additionalProperties": False}
    return fields.Dict(keys=fields.String(), load_default=dict, metadata=metadata)


def options_text() -> str:
    """The pattern of options in a query, such as ``pits=8 setup=fours-right``."""
    values = {name: "|".join(map(re.escape, values)) for name, values in _options().items()}
    values["setup"] += f"|{ROWS.pattern}"
    word = "|".join(f"{name}=(?:{value})" for name, value in values.items())
    return f"(?:(?:{word})(?: (?:{word}))*)?"


@cache
def _options() -> Mapping[str, Mapping[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    for id in ruleset_ids():
        for option in load_ruleset(id).options:
            found.setdefault(option.name, {}).update((format_value(value), value) for value in option.allowed)
    return found


def _options_schema() -> dict[str, Any]:
    """Each option in JSON Schema: a value as it is, or its text."""
    schemas: dict[str, Any] = {}
    for name, values in _options().items():
        kinds: list[dict[str, Any]] = [{"type": "string", "enum": list(values)}]
        if all(isinstance(value, bool) for value in values.values()):
            kinds.append({"type": "boolean"})
        elif all(isinstance(value, int) for value in values.values()):
            kinds.append({"type": "integer", "enum": list(values.values())})
        if name == "setup":
            kinds.append({"type": "string", "pattern": whole(ROWS.pattern)})
        schemas[name] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return schemas
