"""The board's own software: bytes, sensor readings and button contacts in; bytes and lights out.

The same files run under CPython and under MicroPython: no imports but each other, no dataclasses, enums or
regular expressions, and annotations that name builtins only. Times are milliseconds from the caller's clock.
"""
