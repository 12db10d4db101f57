"""Builds the packages, and the kernel's C twins when Cython and a C compiler are there.

The folders `records`, `drivers`, `service` and `firmware_sim` of a clone are packages in the package `inkeek`.
"""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from setuptools import Extension, find_namespace_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

INKEEK = Path("inkeek")
PACKAGES = ("records", "drivers", "service", "firmware_sim")  # folders of packages in that one
KERNEL = Path("records", "kernel")
SOURCES = Path("build", "kernel")  # what Cython compiles is copied there, by full name
MODULES = ("sowing", "slips", "endgame", "searcher", "board")
SHARED = "_shared"  # what all of them need of Cython
OFF = ("binding", "auto_pickle", "boundscheck", "wraparound", "initializedcheck")
DIRECTIVES = {"language_level": 3, "cdivision": True, "infer_types": True, **dict.fromkeys(OFF, False)}
# Copies of a board are to stay moves of registers: gcc would make calls of memmove of them, 64 bytes each. What is
# declared inline must be: each family's turn is `Kernel._turn` with that family as a constant. Debug symbols take a
# third of the compiler's time.
GCC = ["-fno-tree-loop-distribute-patterns", "-DCYTHON_INLINE=inline __attribute__((always_inline))", "-g0"]
NOT_COMPILED = (
    "the kernel is not compiled, so Inkeek works, but many times slower: install a C compiler and Python's headers "
    "(Debian, Ubuntu: apt install gcc python3-dev), then install Inkeek again with --no-cache-dir"
)


def write(path: Path, text: str) -> None:
    """Write a file, unless it is the same already: what did not change is not compiled again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def constants(path: Path) -> str:
    """Return the ``.pxd`` of a module of numbers: constants of C, as macros where an `enum` cannot hold them."""
    enum = macros = types = ""
    for name, value in run_path(str(path)).items():
        if isinstance(value, int) and value < 1 << 31:
            enum += f"    {name} = {value}\n"
        elif isinstance(value, int | float):
            suffix, kind = ("ULL", "unsigned long long") if isinstance(value, int) else ("", "double")
            macros += f"    #define {name} ({value}{suffix})\n"
            types += f"    {kind} {name}\n"
    return f'cdef enum:\n{enum}\ncdef extern from *:\n    """\n{macros}    """\n{types}'


def translate() -> dict[str, Extension]:
    """Copy the kernel below its full name, with its numbers as constants of C, and translate it to C."""
    from Cython.Build import cythonize

    kernel = SOURCES / INKEEK / KERNEL
    for package in (kernel, kernel.parent, kernel.parent.parent):
        write(package / "__init__.py", "")
    for path in [*KERNEL.glob("*.pxd"), *(KERNEL / f"{name}.py" for name in MODULES)]:
        write(kernel / path.name, path.read_text("utf-8"))
    write(kernel / "codes.pxd", constants(KERNEL / "codes.py"))
    made = cythonize(
        extensions(),
        include_path=[str(SOURCES)],
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=".".join((INKEEK / KERNEL / SHARED).parts),
        nthreads=os.cpu_count() or 1,
    )
    return {extension.name: extension for extension in made}


def extensions() -> list[Extension]:
    """Return the compiled modules: first what all of them need."""
    kernel = INKEEK / KERNEL
    arguments = GCC if sys.platform != "win32" else []
    return [
        Extension(".".join([*kernel.parts, path.stem]), [str(path)], optional=True, extra_compile_args=arguments)
        for path in (SOURCES / kernel / name for name in (f"{SHARED}.c", *(f"{name}.py" for name in MODULES)))
    ]


class BuildKernel(build_ext):
    """Builds the kernel."""

    def run(self) -> None:
        translated = translate()
        for extension in self.extensions:
            made = translated[extension.name]
            extension.sources, extension.depends = made.sources, made.depends
        super().run()
        if not all(Path(self.get_ext_fullpath(extension.name)).exists() for extension in self.extensions):
            self.warn(NOT_COMPILED)  # pip shows it with -v; the service says it again


def compile_catalogues() -> None:
    """Compile the texts of other languages, beside them: a clone has the texts alone."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for path in (*Path("records").glob("messages/*.po"), *Path("service").glob("translations/*/*/*.po")):
        with path.open("rb") as texts, path.with_suffix(".mo").open("wb") as compiled:
            write_mo(compiled, read_po(texts))


class BuildPackages(build_py):
    """Builds the packages, and copies the manual into `service`, which serves it."""

    def run(self) -> None:
        compile_catalogues()
        super().run()
        if self.editable_mode:
            return
        for path in [*Path("docs").glob("*.md"), *Path("docs").glob("img/*")]:
            target = Path(self.build_lib, INKEEK, "service", "manual", path.relative_to("docs"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    has_cython = find_spec("Cython") is not None
    # The commit, if there is one, as the local part of the version. An sdist keeps it in its setup.cfg.
    _, plus, commit = run_path("records/version.py")["__version__"].partition("+")
    setup(
        packages=[
            "inkeek",
            *(f"inkeek.{name}" for name in find_namespace_packages(include=[f"{one}*" for one in PACKAGES])),
        ],
        package_dir={"inkeek": "inkeek", **{f"inkeek.{name}": name for name in PACKAGES}},
        cmdclass={"build_py": BuildPackages, **({"build_ext": BuildKernel} if has_cython else {})},
        ext_modules=extensions() if has_cython else [],
        options={
            "build_ext": {"parallel": os.cpu_count() or 1},
            **({"egg_info": {"tag_build": plus + commit}} if commit else {}),
        },
    )
