"""What all commands in comments share: how a command is written, checked and found by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, dataclass_transform, get_args, get_type_hints

from .arguments import Argument, ArgumentType, certain_arguments
from .comments import RawCommand

KEYED = "keyed"  # an argument that is written ``name=value``
REQUIRED = "required"  # an argument that may not be missing, although its field has a default
Kind = TypeVar("Kind", bound="Command")


@dataclass(frozen=True, slots=True)
class Command:
    """What all commands share: they are checked, and written as their form says.

    The fields of a command are its arguments, in order, each annotated with its `ArgumentType` and, if it is,
    `KEYED`. An argument whose field has a default may be missing.
    """

    def __post_init__(self) -> None:
        """:raises RecordsError: a value that cannot be written."""
        for argument, value in _written_arguments(self):
            argument.type.check(value)
        self.check()

    def check(self) -> None:
        """Compare arguments that depend on each other.

        :raises RecordsError: they do not fit.
        """

    def __str__(self) -> str:
        """The command as it is written."""
        words = (
            f"{argument.name}=" * argument.keyed + argument.type.write(value)
            for argument, value in _written_arguments(self)
        )
        return str(RawCommand(_FORMS[type(self)].name, " ".join(words)))


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command is written: its name, the class of its value, what it looks like, and its arguments in order.
    `certain` is a pattern of arguments that are right for certain, empty if there is none. `stays`: in the record when
    its turn is taken back."""

    name: str
    kind: type[Command]
    usage: str
    arguments: tuple[Argument, ...]
    certain: str
    stays: bool


_FORMS: dict[type[Command], CommandForm] = {}  # filled when the classes are made, and not changed


@dataclass_transform(frozen_default=True)
def command(
    name: str, *, usage: str = "", whole: ArgumentType | None = None, stays: bool = False
) -> Callable[[type[Kind]], type[Kind]]:
    """Make a class a frozen dataclass and a command of this name. `usage` is what it looks like, if that does not
    follow from its arguments. `whole` reads and writes all fields as one argument. `stays`: as in `CommandForm`."""

    def register(declared: type[Kind]) -> type[Kind]:
        kind = dataclass(frozen=True, slots=True)(declared)
        arguments = tuple(_arguments(kind)) if whole is None else (Argument("", whole, False, False),)
        looks = usage or f"[%{name} {' '.join(argument.usage for argument in arguments)}]"
        certain = certain_arguments(arguments) if kind.check is Command.check else ""
        _FORMS[kind] = CommandForm(name, kind, looks, arguments, certain, stays)
        return kind

    return register


def forms_of(module: str) -> tuple[CommandForm, ...]:
    """The forms of the commands of a module, in order."""
    return tuple(form for form in _FORMS.values() if form.kind.__module__ == module)


def _arguments(kind: type[Command]) -> Iterator[Argument]:
    """The arguments that the fields of a class declare."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        _, *marks, type = get_args(hints[field.name])
        optional = field.default is not MISSING and REQUIRED not in marks
        yield Argument(field.name, type, KEYED in marks, optional)


def _written_arguments(command: Command) -> Iterator[tuple[Argument, Any]]:
    """The arguments of a command that are written, with their values."""
    for argument in _FORMS[type(command)].arguments:
        value = getattr(command, argument.name) if argument.name else command
        if value not in ("", None) or not argument.optional:
            yield argument, value
