"""The board's own software: bytes, sensor readings and button contacts in; bytes and lights out.

The same files run under CPython and under MicroPython. They import only each other; use no dataclasses, enums or
regular expressions; and annotate with builtins only. Times are milliseconds from the caller's clock.
"""
