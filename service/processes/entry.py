"""Starts a process of the service: ``python -m inkeek.service.processes.entry <module> …`` runs `main` of a module.

The processes that calculate load this module again, as that which the service runs, and nothing but it.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    """Import the module that the first argument names, and call its `main` with the other arguments."""
    import_module(sys.argv[1]).main(sys.argv[2:])


if __name__ == "__main__":
    main()
