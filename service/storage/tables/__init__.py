"""The tables, and a class for each that reads and writes its rows."""

from importlib import import_module
from pkgutil import walk_packages

from sqlalchemy import MetaData

from .declared import metadata


def all_tables() -> MetaData:
    """The tables of all modules. It imports them: a transaction imports only those of the tables that it uses."""
    for module in walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
    return metadata
