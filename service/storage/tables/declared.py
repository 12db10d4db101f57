"""What tables are declared with. The columns of most are the fields of the class of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from sqlalchemy import Boolean, Column, Connection, Integer, MetaData, Table, Text, event, text
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

KEY = Text().with_variant(Text(collation="C"), "postgresql")  # compared by code points, as SQLite does
WHERE = "where"  # key in the `info` of an index: the condition of rows in it
TYPES: Mapping[Any, Any] = {int: Integer, bool: Boolean}  # by that of the field; all else is text


@event.listens_for(metadata, "before_create")
def _set_conditions(target: MetaData, connection: Connection, **_: Any) -> None:
    """With arguments as `sqlite_where`, each process would load all that SQLAlchemy knows of all kinds of databases."""
    for index in (index for table in target.tables.values() for index in table.indexes if WHERE in index.info):
        index.dialect_options[connection.dialect.name]["where"] = text(index.info[WHERE])


def declare_table(
    name: str,
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
