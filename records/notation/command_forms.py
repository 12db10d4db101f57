"""What all commands in comments share: how a command is written, checked and found by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .arguments import Argument, ArgumentType, certain_arguments
from .comments import RawCommand


@dataclass(frozen=True, slots=True)
class Command:
    """What all commands share: they are checked, and written as their form says."""

    def __post_init__(self) -> None:
        """:raises RecordsError: a value that cannot be written."""
        form = _BY_KIND[type(self)]
        for argument in form.arguments:
            argument.type.check(getattr(self, argument.name) if argument.name else self)
        form.check(self)

    def __str__(self) -> str:
        """The command as it is written."""
        form = _BY_KIND[type(self)]
        words = []
        for argument in form.arguments:
            value = getattr(self, argument.name) if argument.name else self
            if value not in ("", None) or not argument.type.optional:
                words.append(f"{argument.name}=" * argument.keyed + argument.type.write(value))
        return str(RawCommand(form.name, " ".join(words)))


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command is written: its name, the class of its value, what it looks like, and its arguments in order.
    `certain` is a pattern of arguments that are right for certain, empty if there is none. `check` compares its
    arguments."""

    name: str
    kind: type[Command]
    usage: str
    arguments: tuple[Argument, ...]
    certain: str
    check: Callable[[Any], None]


_BY_KIND: dict[type[Command], CommandForm] = {}  # filled when the forms are made, and not changed


def _accept_any(command: Command) -> None:
    """What commands are checked by whose arguments do not depend on each other."""


def form(
    name: str,
    kind: type[Command],
    usage: str,
    /,
    *keyed: str,
    **types: ArgumentType,
) -> CommandForm:
    """The form of a command with arguments of these names and types, some of them `keyed`. One without a name (``_``)
    is read and written as the whole command."""
    arguments = tuple(Argument(key.strip("_"), type, key in keyed) for key, type in types.items())
    made = CommandForm(name, kind, usage, arguments, certain_arguments(arguments), _accept_any)
    _BY_KIND[kind] = made
    return made


def with_check(form: CommandForm, check: Callable[[Any], None]) -> CommandForm:
    """The form, with a check that raises if arguments do not fit each other."""
    made = replace(form, certain="", check=check)
    _BY_KIND[form.kind] = made
    return made
