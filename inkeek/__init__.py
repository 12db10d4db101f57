"""The name of the installed packages, in a clone: `inkeek.records` is the same module as `records`, and so on.

`setup.py` leaves this file out of an installation, which has the packages in this folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType


class CloneFinder(MetaPathFinder, InspectLoader):
    """Finds ``inkeek.NAME``: the module that is called ``NAME`` in a clone."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.removeprefix("inkeek.")
        own = None if name == fullname else find_spec(name)
        if own is None:
            return None
        is_package = own.submodule_search_locations is not None
        return ModuleSpec(fullname, self, origin=own.origin, loader_state=own, is_package=is_package)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(spec.loader_state.name)
        spec.loader_state = module.__spec__  # the import system is about to replace it
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state

    def get_code(self, fullname: str) -> CodeType | None:  # for ``python -m``
        own = find_spec(fullname.removeprefix("inkeek."))
        return own.loader.get_code(own.name) if own and isinstance(own.loader, InspectLoader) else None

    def get_source(self, fullname: str) -> None:
        """It is found through the module itself."""


sys.meta_path.insert(0, CloneFinder())
