"""Builds the kernel's C twins when Cython and a C compiler are there; the project works without either."""

import os
import re
import sys
from pathlib import Path

from setuptools import Extension, setup

SOURCES = tuple(Path("records", "kernel", f"{name}.py") for name in ("sowing", "slips", "endgame", "searcher", "board"))


def declare(source: Path) -> None:
    """Write the kernel's ``.pxd``: its template with the constants and the typed options of the source filled in."""
    text = source.read_text("utf-8")
    constants = re.findall(r"^    ([A-Z_]+) = (-?\w+)", text, re.MULTILINE)
    options = re.findall(r"^        self\.(\w+): cython\.(\w+) =", text, re.MULTILINE)
    template = source.with_suffix(".pxd.in").read_text("utf-8")
    made = template.replace("    # constants\n", "".join(f"    {name} = {value}\n" for name, value in constants))
    made = made.replace("    # options\n", "".join(f"    cdef {kind} {name}\n" for name, kind in options))
    target = source.with_suffix(".pxd")
    if not target.exists() or target.read_text("utf-8") != made:
        target.write_text(made, "utf-8")


try:
    from Cython.Build import cythonize
except ImportError:
    extensions: list[Extension] = []
else:
    for source in SOURCES:
        declare(source)
    extensions = cythonize(
        [Extension(".".join(source.with_suffix("").parts), [str(source)]) for source in SOURCES], language_level=3
    )
    for extension in extensions:
        if sys.platform != "win32":
            # Copies of a board are to stay moves of registers: gcc would make calls of memmove of them, 64 bytes each.
            # What is declared inline must be: each family's turn is `Kernel._turn` with that family as a constant.
            extension.extra_compile_args = [
                "-fno-tree-loop-distribute-patterns",
                "-DCYTHON_INLINE=inline __attribute__((always_inline))",
            ]
        extension.optional = True  # cythonize() drops the flag: a machine without a compiler still installs

setup(ext_modules=extensions, options={"build_ext": {"parallel": os.cpu_count() or 1}})
