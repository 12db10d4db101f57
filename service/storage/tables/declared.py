"""What tables are declared with. The columns of most are the fields of the class of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Dialect,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    event,
    text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from inkeek.service.errors import Damaged
from inkeek.service.storage.rows import TEXTS
from inkeek.service.storage.text_json import dump_texts, load_texts

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}
metadata = MetaData(naming_convention=NAMES)

KEY = Text().with_variant(Text(collation="C"), "postgresql")  # compared by code points, as SQLite does
WHERE = "where"  # key in the `info` of an index: the condition of rows in it
TYPES: Mapping[Any, Any] = {int: Integer, bool: Boolean}  # by that of the field; all else is text


@event.listens_for(metadata, "before_create")
def _set_conditions(target: MetaData, connection: Connection, **_: Any) -> None:
    """With arguments as `sqlite_where`, each process would load all that SQLAlchemy knows of all kinds of databases."""
    for index in (index for table in target.tables.values() for index in table.indexes if WHERE in index.info):
        index.dialect_options[connection.dialect.name]["where"] = text(index.info[WHERE])


class Flag(TypeDecorator[bool]):
    """Whether something holds; in SQLite, whose strict tables have no truth values, 0 or 1."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Boolean())

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:
        return None if value is None else bool(value)


class Hash(TypeDecorator[str]):
    """A SHA-256 in hexadecimal digits, stored as its 32 bytes."""

    impl = LargeBinary(32)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else value.hex()


class Json(TypeDecorator[Any]):
    """Plain data of a `kind`, a dictionary or a tuple, stored as JSON.

    A value that is read and is none raises `Damaged`.
    """

    impl = Text
    cache_ok = True

    def __init__(self, kind: type = dict) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if value is None:
            return None
        try:
            found = msgspec.json.decode(value)
        except (ValueError, RecursionError) as error:
            raise Damaged(f"stored JSON cannot be read: {value[:60]!r}: {error}") from error
        if not isinstance(found, dict if self.kind is dict else list):
            raise Damaged(f"stored JSON cannot be read: {value[:60]!r} is no {self.kind.__name__}")
        return found if self.kind is dict else tuple(found)


class TextsJson(Json):
    """A dictionary with texts that pages show in their language, as `text_json` stores them."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else dump_texts(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else load_texts(value, f"stored JSON {value[:60]!r}")


class ShownTextJson(TextsJson):
    """One such text alone."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return super().process_bind_param({"text": value}, dialect)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return super().process_result_value(value, dialect)["text"]


def room_metadata() -> MetaData:
    """The `MetaData` for the tables of a room: nothing of the service's own is in it."""
    return MetaData(naming_convention=NAMES)


def define_table(name: str, *parts: SchemaItem, within: MetaData = metadata, **options: Any) -> Table:
    """A table of these columns, constraints and indexes. In SQLite it is STRICT: each value has its column's type."""
    for part in parts:
        if isinstance(part, Column):
            part.type = _stored_type(part.type)
    return Table(name, within, *parts, sqlite_strict=True, **options)


def _stored_type(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    """The type of a column, as far as SQLite's strict tables have it."""
    if isinstance(kind, Boolean):
        return Flag()
    if isinstance(kind, BigInteger):
        return kind.with_variant(Integer(), "sqlite")
    return kind.with_variant(Text(), "sqlite") if isinstance(kind, String) and kind.length is not None else kind


# How a column is checked. SQLite before 3.45 takes null for no JSON; PostgreSQL before 16 has no IS JSON.
IS_JSON = {
    "sqlite": "{0} IS NULL OR json_valid({0})",
    "postgresql": "{0} IS NULL OR CAST({0} AS json) IS NOT NULL",
}


def one_of(column: str, *words: str) -> CheckConstraint:
    """A column has one of these words."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def is_json(*columns: str) -> list[CheckConstraint]:
    """These columns hold JSON, or nothing."""
    return [
        CheckConstraint(condition.format(one), name=f"{one}_json").ddl_if(dialect=dialect)
        for one in columns
        for dialect, condition in IS_JSON.items()
    ]


def declare_table(
    name: str,
    kind: type,
    *more: SchemaItem,
    instead: Mapping[str, Sequence[Column[Any]]] | None = None,
) -> Table:
    """The table of this name for the rows of a class, with `more` columns and constraints.

    A field that may be None is a column that may be null; an annotation gives its size; dictionaries and tuples are
    JSON. `instead` are the columns of fields that are stored otherwise.
    """
    others = instead or {}
    columns: list[Column[Any]] = []
    for field, hint in get_type_hints(kind, include_extras=True).items():
        columns += others[field] if field in others else [_column(field, hint)]
    return define_table(name, *columns, *more)


def _column(name: str, hint: Any) -> Column[Any]:
    may_be_null = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if may_be_null:
        hint = next(inner for inner in get_args(hint) if inner is not NoneType)
    type, origin = TYPES.get(hint, Text), get_origin(hint)
    if origin in (dict, tuple):
        type = Json(origin)
    elif origin is Annotated:
        base, note = get_args(hint)
        if note is TEXTS:
            type = ShownTextJson() if base is str else TextsJson()
        else:
            type = String(note) if base is str else BigInteger
    return Column(name, type, nullable=may_be_null)
