"""Tables whose columns are the fields of the class of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from sqlalchemy import Boolean, Column, Integer, MetaData, Table, Text
from sqlalchemy.schema import SchemaItem

TYPES: Mapping[Any, Any] = {int: Integer, bool: Boolean}  # by that of the field; all else is text


def declare_table(
    name: str,
    metadata: MetaData,
    kind: type,
    *more: SchemaItem,
    instead: Mapping[str, Sequence[Column[Any]]] | None = None,
) -> Table:
    """The table of this name for the rows of a class, with `more` columns and constraints.

    A field that may be None is a column that may be null; an annotation gives its type. `instead` are the columns of
    fields that are stored otherwise.
    """
    others = instead or {}
    columns: list[Column[Any]] = []
    for field, hint in get_type_hints(kind, include_extras=True).items():
        columns += others[field] if field in others else [_column(field, hint)]
    return Table(name, metadata, *columns, *more)


def _column(name: str, hint: Any) -> Column[Any]:
    may_be_null = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if may_be_null:
        hint = next(inner for inner in get_args(hint) if inner is not NoneType)
    type = get_args(hint)[1] if get_origin(hint) is Annotated else TYPES.get(hint, Text)
    return Column(name, type, nullable=may_be_null)
