"""What the OpenAPI document promises to clients: that of the last release is kept, and compared with the present one.

``python -m docs.generate.contract`` keeps the present one, when a version is released.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from inkeek.service.boards.identity import FAR
from inkeek.service.http.api.blueprint import PREFIX

from .api import Node, document

RELEASED = Path(__file__).with_name("released_api.json")
CHANGES = Path(__file__).parents[1] / "api-changes.md"
JSON = "application/json"
Kinds = list[str]  # what a value may be: types, names of shapes, and in quotation marks single values
OR = " | "  # between them in the file
ANY_OBJECT = "object of any"
Contract = dict[str, dict[str, Kinds]]
"""The parts of each operation and shape: what is sent in, and what comes out. An optional one ends with ``?``."""


def contract(whole: Node) -> Contract:
    """The contract of a document. A field of a shape that is sent in and comes out stands in it twice."""
    schemas = whole["components"]["schemas"]
    found: Contract = {}
    sent: set[str] = set()
    answered: set[str] = set()
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            parts = {f"in {name}": kinds for name, kinds in _sent(operation, whole, sent)}
            answer = next(held for status, held in operation["responses"].items() if status.startswith("2"))
            parts["out"] = _contents(answer.get("content", {}), answered) or ["nothing"]
            at = f"{method.upper()} {path.removeprefix(PREFIX)}"
            found[operation["operationId"]] = {"in at": [repr(at)], **parts}
    for direction, names in (("in", sent), ("out", answered)):
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            inner: set[str] = set()
            fields = _fields(schemas[name], inner)
            found[name] = {**found.get(name, {}), **{f"{direction} {field}": kinds for field, kinds in fields.items()}}
            waiting += inner - names
            names |= inner
    return dict(sorted(found.items()))


def _sent(operation: Node, whole: Node, shapes: set[str]) -> Iterator[tuple[str, Kinds]]:
    """What a client sends: a token, parameters and a body."""
    yield "scope", [repr(scope) for scope in operation["x-scopes"]]
    for parameter in operation.get("parameters", ()):
        if "$ref" in parameter:
            parameter = whole["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
        yield parameter["name"] + ("" if parameter.get("required") else "?"), _kinds(parameter["schema"], shapes)
    if "requestBody" in operation:
        body = operation["requestBody"]
        yield "body" + ("" if body["required"] else "?"), _contents(body["content"], shapes)


def _contents(content: Node, shapes: set[str]) -> Kinds:
    found = []
    for media_type, held in content.items():
        lines = held["schema"].get("contentSchema", {}).get("items")
        kinds = _kinds(held["schema"] if lines is None else lines, shapes)
        found += kinds if media_type == JSON else [f"{media_type} of {kind}" for kind in kinds]
    return found


def _fields(schema: Node, shapes: set[str]) -> dict[str, Kinds]:
    required = schema.get("required", ())
    return {
        name + ("" if name in required else "?"): _kinds(held, shapes)
        for name, held in schema.get("properties", {}).items()
    }


def _kinds(schema: Node, shapes: set[str]) -> Kinds:
    """What a value may be. Shapes in it are added to `shapes`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        shapes.add(name)
        return [name]
    for key in ("anyOf", "oneOf"):
        if key in schema and ("type" not in schema or any("enum" in one for one in schema[key])):
            return sorted({kind for one in schema[key] for kind in _kinds(one, shapes)})
    if "enum" in schema and FAR not in schema["enum"]:  # the installed drivers differ from machine to machine
        return sorted(map(repr, schema["enum"]))
    types = schema.get("type", "any")
    found = []
    for kind in [types] if isinstance(types, str) else types:
        inner = schema.get({"array": "items", "object": "additionalProperties"}.get(kind, ""))
        found += [f"{kind} of {one}" for one in _kinds(inner, shapes)] if isinstance(inner, dict) else [kind]
    return sorted(found)


def breaks(old: Mapping[str, Mapping[str, Kinds]], new: Mapping[str, Mapping[str, Kinds]]) -> dict[str, str]:
    """What breaks clients of `old`: by the operation or the field, in words."""
    found = {}
    for name, parts in old.items():
        if name not in new:
            found[name] = "is gone"
            continue
        now = {part.rstrip("?"): part for part in new[name]}
        was = {part.rstrip("?"): part for part in parts}
        for part in {**was, **now}:
            is_sent = part.startswith("in ")
            place = f"{name}.{part.partition(' ')[2]}".removesuffix(".")
            if part not in now:
                found[place] = "is gone"
            elif part not in was:
                if is_sent and not now[part].endswith("?"):
                    found[place] = "is new, and required"
            elif was[part] != now[part] and now[part].endswith("?") != is_sent:
                found[place] = "is required now" if is_sent else "may be missing now"
            elif changed := _changed(parts[was[part]], new[name][now[part]], is_sent=is_sent):
                found[place] = changed
    return found


def _changed(old: Kinds, new: Kinds, *, is_sent: bool) -> str:
    """How another type breaks clients; empty if it does not.

    Answers may get more values of an enumeration, and a shape in place of an object of which nothing was said.
    """
    if not is_sent and ANY_OBJECT not in new:
        shapes = [kind for kind in new if kind[0].isupper()]
        old = [kind for one in old for kind in (shapes if shapes and one == ANY_OBJECT else [one])]
    gone = sorted(set(old) - set(new))
    more = [] if is_sent else sorted(kind for kind in set(new) - set(old) if "'" not in kind)
    return " and ".join(
        [*([f"is no longer {', '.join(gone)}"] if gone else []), *([f"may be {', '.join(more)}"] if more else [])]
    )


def announced(page: str) -> set[str]:
    """The operations and fields that the section "Next" of the page names."""
    section = re.search(r"^### Next\n(.*?)(?=^### |\Z)", page, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([\w.-]+)`", section[1])) if section else set()


def released() -> Contract:
    """The contract of the last release."""
    kept: dict[str, dict[str, str]] = json.loads(RELEASED.read_text("utf-8"))
    return {name: {part: kinds.split(OR) for part, kinds in parts.items()} for name, parts in kept.items()}


def main() -> None:
    lines = []
    for name, parts in contract(document()).items():
        kept = {part: OR.join(kinds) for part, kinds in parts.items()}
        lines.append(f"{json.dumps(name)}: {json.dumps(kept)}")
    RELEASED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
