"""Builds the packages below the name `inkeek`, and the kernel's C twins when Cython and a C compiler are there.

In a clone, and in an editable installation of one, packages have their names without ``inkeek.``. A wheel holds them
in the package `inkeek`, and their absolute imports of each other with that name.
"""

import io
import os
import shutil
import sys
import tokenize
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

INKEEK = "inkeek"  # the package of installed packages
PACKAGES = ("records", "drivers", "service", "firmware_sim")
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


def with_installed_names(text: str) -> str:
    """Return the text of a ``.py`` or ``.pxd`` file, with ``inkeek.`` before our packages in absolute imports.

    :raises ValueError: one imports a package in a way that cannot be changed like that.
    """
    lines = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    shown = [token for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
    for before, word, name in reversed(list(zip([None, *shown], shown, shown[1:], strict=False))):
        starts = before is None or not before.string.strip() or before.string in (":", ";")
        if not starts or name.string not in PACKAGES:
            continue
        if word.string in ("import", "cimport"):
            raise ValueError(f"{name.line.strip()!r}: write `from … import …`")
        if word.string == "from":
            row, column = name.start
            lines[row - 1] = f"{lines[row - 1][:column]}{INKEEK}.{lines[row - 1][column:]}"
    return "".join(lines)


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


def translate(top: tuple[str, ...]) -> dict[str, Extension]:
    """Copy the kernel below the packages `top`, with its numbers as constants of C, and translate it to C."""
    from Cython.Build import cythonize

    kernel = SOURCES.joinpath(*top, KERNEL)
    for package in [kernel, *kernel.parents[: len(top) + 1]]:
        write(package / "__init__.py", "")
    for path in [*KERNEL.glob("*.pxd"), *(KERNEL / f"{name}.py" for name in MODULES)]:
        text = path.read_text("utf-8")
        write(kernel / path.name, with_installed_names(text) if top and path.suffix == ".py" else text)
    write(kernel / "codes.pxd", constants(KERNEL / "codes.py"))
    made = cythonize(
        extensions(top),
        include_path=[str(SOURCES)],
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=".".join([*top, *KERNEL.parts, SHARED]),
        nthreads=os.cpu_count() or 1,
    )
    return {extension.name: extension for extension in made}


def extensions(top: tuple[str, ...]) -> list[Extension]:
    """Return the compiled modules below the packages `top`: first what all of them need."""
    kernel = Path(*top, KERNEL)
    arguments = GCC if sys.platform != "win32" else []
    return [
        Extension(".".join([*kernel.parts, path.stem]), [str(path)], optional=True, extra_compile_args=arguments)
        for path in (SOURCES / kernel / name for name in (f"{SHARED}.c", *(f"{name}.py" for name in MODULES)))
    ]


class BuildKernel(build_ext):
    """Builds the kernel: in a clone under its name there, else under that of an installation."""

    def finalize_options(self) -> None:
        self.top = () if self.inplace or self.editable_mode else (INKEEK,)
        self.distribution.ext_modules = extensions(self.top)
        super().finalize_options()

    def run(self) -> None:
        translated = translate(self.top)
        for extension in self.extensions:
            made = translated[extension.name]
            extension.sources, extension.depends = made.sources, made.depends
        super().run()
        if not all(Path(self.get_ext_fullpath(extension.name)).exists() for extension in self.extensions):
            self.warn(NOT_COMPILED)  # pip shows it with -v; the service says it again


class InstalledDistribution(Distribution):
    """Says in the metadata which name the installed packages have."""

    def iter_distribution_names(self) -> Iterator[str]:
        yield INKEEK


class BuildPackages(build_py):
    """Builds the packages below `inkeek`, and copies the manual into `service`, which serves it."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if not self.editable_mode:
            self.build_lib = str(Path(self.build_lib, INKEEK))

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        self.packages = [package for package in self.packages if package != INKEEK]  # that one is for clones
        super().run()
        built = Path(self.build_lib)
        for path in built.rglob("*.py"):
            write(path, with_installed_names(path.read_text("utf-8")))
        write(built / "__init__.py", f'"""{self.distribution.get_description()}."""\n')
        write(built / "py.typed", "")
        for path in [*Path("docs").glob("*.md"), *Path("docs").glob("img/*")]:
            target = built / "service" / "manual" / path.relative_to("docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    has_cython = find_spec("Cython") is not None
    # The commit, if there is one, as the local part of the version. An sdist keeps it in its setup.cfg.
    _, plus, commit = run_path("records/version.py")["__version__"].partition("+")
    setup(
        distclass=InstalledDistribution,
        cmdclass={"build_py": BuildPackages, **({"build_ext": BuildKernel} if has_cython else {})},
        ext_modules=extensions(()) if has_cython else [],
        options={
            "build_ext": {"parallel": os.cpu_count() or 1},
            **({"egg_info": {"tag_build": plus + commit}} if commit else {}),
        },
    )
