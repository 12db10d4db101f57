"""The memory of a search, which the system makes as it is used."""

from __future__ import annotations

import mmap
from array import array

from .codes import SEARCHER_BYTES


def mapped(size: int) -> mmap.mmap:
    """So many bytes, all 0, which the system makes as they are used."""
    if hasattr(mmap, "MAP_PRIVATE"):  # shared memory never has huge pages, and takes long to make and to free
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


class Memory:
    """The memory of a searcher in one piece, all 0. The system makes it as it is used: a short search uses little."""

    def __init__(self) -> None:
        self._bytes = memoryview(mapped(SEARCHER_BYTES))
        self._used = 0

    def numbers(self, code: str, count: int) -> memoryview:
        """So many numbers of this type of `array`."""
        begin = self._used
        end = begin + array(code).itemsize * count
        if end > SEARCHER_BYTES:
            raise MemoryError(f"a searcher needs more than {SEARCHER_BYTES} bytes")
        self._used = -(-end // 64) * 64
        return self._bytes[begin:end].cast(code)  # type: ignore[call-overload, no-any-return]
