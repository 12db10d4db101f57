"""Commands and their options, as `--help` shows them: those of docs/cli.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import click

from inkeek.records.errors import MAX_SECONDS, MAX_WHOLE
from inkeek.service.cli import main

from .tables import sentence, table

VALUES = {"integer": "N", "integer range": "N", "float range": "X", "directory": "FOLDER", "filename": "FILE"}
DEFAULT = re.compile(r"\s*\[([^]]+)\]$")  # at the end of a help text, where click cannot show it
QUOTED = re.compile(r"(?<![`\w])(--[a-z][a-z-]*)")


def commands(group: click.Group = main, path: str = "inkeek") -> Iterator[tuple[str, click.Command]]:
    """Yield every command of the program that does something by itself, with its whole name."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


@functools.cache
def all_commands() -> dict[str, click.Command]:
    """All commands by name. This imports every one of them."""
    return dict(commands())


def index(_: str) -> str:
    """A table of all commands."""
    rows = [
        (f"[`{name}`](#{name.replace(' ', '-')})", sentence(command.get_short_help_str(limit=200)))
        for name, command in sorted(all_commands().items())
    ]
    return table(("command", "what it does"), rows)


def command_text(name: str) -> str:
    """A command's usage, its help, and a table of its options."""
    command = all_commands().get(f"inkeek {name}")
    if command is None:
        return "This installation leaves it out (`without_rooms`)."
    context = click.Context(command, info_name=f"inkeek {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    paragraphs = [f"    inkeek {name} {usage}", *help_paragraphs(command)]
    return "\n\n".join([*paragraphs, options_table(command, context)])


def options_table(command: click.Command, context: click.Context) -> str:
    """The options of a command, "" if it has none."""
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    rows = [(option_names(option, context), option_text(option)) for option in options]
    return table(("option", "what it does"), rows) if rows else ""


def help_paragraphs(command: click.Command) -> Iterator[str]:
    """The paragraphs of the help, each on one line."""
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        yield code_quoted(" ".join(paragraph.split()))


def option_names(option: click.Option, context: click.Context) -> str:
    """The names of an option, the last one with its value."""
    *others, last = sorted(option.opts, key=len)
    value = "" if option.is_flag else f" {value_name(option, context)}"
    return ", ".join(f"`{name}`" for name in (*others, last + value, *option.secondary_opts))


def value_name(option: click.Option, context: click.Context) -> str:
    """What stands for the value of an option."""
    if option.metavar is not None or option.nargs > 1:
        return option.make_metavar(context)
    if isinstance(option.type, click.Choice):
        return option.opts[-1].lstrip("-").upper()
    return VALUES.get(option.type.name, option.type.name.upper())


def option_text(option: click.Option) -> str:
    """What an option does, which values it takes, and its default; or that it must be given."""
    says, default = (option.help or "").strip(), None
    if found := DEFAULT.search(says):
        says, default = says[: found.start()], found[1]
    elif option.show_default and not option.is_flag:
        default = f"`{option.default}`"
    sentences = [code_quoted(sentence(says)), values_text(option.type)]
    if option.required:
        sentences.append("Must be given.")
    if option.multiple and "repeated" not in says:
        sentences.append("May be repeated.")
    if default is not None:
        sentences.append(f"Default: {default}.")
    return " ".join(filter(None, sentences))


def values_text(kind: click.ParamType[Any]) -> str:
    """The values that a type allows, "" if it has no list or range of them."""
    if isinstance(kind, click.Choice):
        return f"One of {', '.join(f'`{choice}`' for choice in kind.choices)}."
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if high in (MAX_WHOLE, MAX_SECONDS):  # of any number
        low = high = None
    return f"{low} to {high}." if low is not None and high is not None else ""


def code_quoted(text: str) -> str:
    """A text in which names of options are code."""
    pieces = text.replace("|", "\\|").split("`")
    return "`".join(QUOTED.sub(r"`\1`", piece) if number % 2 == 0 else piece for number, piece in enumerate(pieces))


PARTS = {"commands": index, "command": command_text}
