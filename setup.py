"""Builds the kernel's C twins when Cython and a C compiler are there; the project works without either."""

import os
import re
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

KERNEL = Path("records", "kernel")
JOINED = Path("build", "kernel")  # what Cython compiles is written there
# The parts of each compiled module, each built on the one before.
MODULES = {
    "sowing": "turn: state captures laps endings cycles turns choices",
    "slips": "slipping: hand actions comparison sweeps leaves captures tree",
    "endgame": "tables: table_set layer outcomes",
    "searcher": "search: table positions children bounds tree",
    "board": "",
}
SHARED = "records.kernel._shared"  # what all of them need of Cython
DIRECTIVES = {
    "language_level": 3,
    "binding": False,
    "auto_pickle": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
FUTURE = "from __future__ import annotations\n"
STAND_IN = re.compile(r"^from \S*_cython import cython$", re.MULTILINE)
PART = re.compile(
    r'(?P<head>.*?)^class (?P<name>\w+)(\((?P<base>\w+)\))?:\n(?P<doc>    """.*?"""\n)(?P<body>.*)',
    re.DOTALL | re.MULTILINE,
)


def write(path: Path, text: str) -> None:
    """Write a file, unless it is the same already: what did not change is not compiled again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def join(parts: list[Path]) -> str:
    """Return the parts as one module, in which a class and the one that it is built on are one class.

    So the C compiler sees the whole loop, and calls in it need no table of methods. What a part imports under
    ``if not cython.compiled`` does not count then; what it imports else must have its full name.
    """
    heads: list[str] = []
    docs: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for path in parts:
        part = PART.fullmatch(path.read_text("utf-8"))
        assert part, f"{path} is not one class with what it needs before"
        heads.append(STAND_IN.sub("import cython", part["head"]))
        docs[part["name"]] = part["doc"]
        bodies[part["name"]] = f"    # {path.as_posix()}\n{part['body']}\n{bodies.pop(part['base'], '')}"
    text = heads.pop() + "".join(head.replace(FUTURE, "") for head in heads)
    return text + "".join(f"class {name}:\n{docs[name]}{body}" for name, body in bodies.items())


def declare(name: str, text: str) -> str:
    """Return the ``.pxd`` of a module: its template with the typed options and the endings of the source filled in."""
    options = re.findall(r"^        self\.(\w+): cython\.(\w+) =", text, re.MULTILINE)
    template = (KERNEL / f"{name}.pxd.in").read_text("utf-8")
    endings = re.findall(r"^    def (_end_\w+)\(self, i: cython.int\) -> cython.int:", text, re.MULTILINE)
    lines = "".join(f"    cdef inline int {ending}(self, int i) noexcept nogil\n" for ending in endings)
    template = template.replace("    # endings\n", lines)
    return template.replace("    # options\n", "".join(f"    cdef {kind} {name}\n" for name, kind in options))


def constants(text: str) -> str:
    """Return the ``.pxd`` of a module of numbers, which makes real constants of them in C."""
    enum, macros, types = "", "", ""
    for name, value in re.findall(r"^([A-Z_]+) = (-?\d[\w.]*)(?:  #.*)?$", text, re.MULTILINE):
        if "." in value:
            macros += f"    #define {name} ({value})\n"
            types += f"    double {name}\n"
        elif int(value, 0) > 0x7FFFFFFF:  # more than an `enum` holds
            macros += f"    #define {name} {value}ULL\n"
            types += f"    unsigned long long {name}\n"
        else:
            enum += f"    {name} = {value}\n"
    extern = f'cdef extern from *:\n    """\n{macros}    """\n{types}' if macros else ""
    return f"cdef enum:\n{enum}\n{extern}"


def extensions() -> list[Extension]:
    """Return the compiled modules, as C; none without Cython."""
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    for path in KERNEL.rglob("codes.py"):
        write(JOINED / path.with_suffix(".pxd"), constants(path.read_text("utf-8")))
        write(JOINED / path.with_name("__init__.py"), "")
    write(JOINED / "records" / "__init__.py", "")
    write(JOINED / KERNEL / "__init__.py", "")
    found = [Extension(SHARED, [str(JOINED / KERNEL / "_shared.c")])]
    for name, parts in MODULES.items():
        folder, _, names = parts.partition(": ")
        text = join([*(KERNEL / folder / f"{part}.py" for part in names.split()), KERNEL / f"{name}.py"])
        source = JOINED / KERNEL / f"{name}.py"
        write(source, text)
        write(source.with_suffix(".pxd"), declare(name, text))
        found.append(Extension(f"records.kernel.{name}", [str(source)]))
    made: list[Extension] = cythonize(
        found,
        include_path=[str(JOINED)],
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
        nthreads=os.cpu_count() or 1,
    )
    for extension in made:
        if sys.platform != "win32":
            # Copies of a board are to stay moves of registers: gcc would make calls of memmove of them, 64 bytes each.
            # What is declared inline must be: each family's turn is `Kernel._turn` with that family as a constant.
            extension.extra_compile_args = [
                "-fno-tree-loop-distribute-patterns",
                "-DCYTHON_INLINE=inline __attribute__((always_inline))",
                "-g0",  # a third of the compiler's time
            ]
        extension.optional = True  # cythonize() drops the flag: a machine without a compiler still installs
    return made


class BuildWithManual(build_py):
    """Builds the packages, and copies the manual into `service`, which serves it."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for path in [*Path("docs").glob("*.md"), *Path("docs").glob("img/*")]:
            target = Path(self.build_lib, "service", "manual", path.relative_to("docs"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    setup(
        cmdclass={"build_py": BuildWithManual},
        ext_modules=extensions(),
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )
