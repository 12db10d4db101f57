"""Builds the kernel's C twin when Cython and a C compiler are there; the project works without either."""

from setuptools import Extension, setup

try:
    from Cython.Build import cythonize
except ImportError:
    extensions: list[Extension] = []
else:
    extensions = cythonize([Extension("records.kernel.sowing", ["records/kernel/sowing.py"])], language_level=3)
    for extension in extensions:
        # Copies of a board are to stay moves of registers: gcc would make calls of memmove of them, for 64 bytes each.
        extension.extra_compile_args = ["-fno-tree-loop-distribute-patterns"]
        extension.optional = True  # cythonize() drops the flag: a machine without a compiler still installs

setup(ext_modules=extensions)
