"""The sowing, and all that must be as fast: plain Python, which Cython compiles where it can (setup.py)."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from types import ModuleType


class StaleKernelError(ImportError):
    """A compiled module was built from older sources."""


class _CompiledLoader(ExtensionFileLoader):
    """Loads a compiled module of this folder: stale is one that needs what the sources no longer have."""

    def exec_module(self, module: ModuleType) -> None:
        try:
            super().exec_module(module)
        except StaleKernelError:
            raise
        except (ImportError, AttributeError) as error:
            raise StaleKernelError(
                f"{error}. The compiled kernel {self.path} is older than its sources: "
                "build it again with `python setup.py build_ext --inplace`."
            ) from error


sys.path_importer_cache[__path__[0]] = FileFinder(
    __path__[0], (_CompiledLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES)
)
