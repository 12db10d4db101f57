"""Options of programs other than `inkeek`, and what one of them makes go wrong."""

from __future__ import annotations

import click

from inkeek.firmware_sim import cli, flash
from inkeek.service.reference.commands import options_table
from inkeek.service.reference.tables import table
from tests.faults.__main__ import main as faults
from tests.faults.sessions import KINDS

PROGRAMS = {"firmware_sim": cli.main, "firmware_sim.flash": flash.main, "tests.faults": faults}


def program_options(module: str) -> str:
    """The options of a program that runs as `python -m MODULE`."""
    command = PROGRAMS[module]
    return options_table(command, click.Context(command))


def fault_kinds(_: str) -> str:
    """The kinds of fault sessions."""
    return table(("kind", "what goes wrong"), [(f"`{kind}`", what) for kind, what in KINDS.items()])


PARTS = {"fault-kinds": fault_kinds, "program": program_options}
