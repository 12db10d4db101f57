"""Pages set by typst. Long documents are set in a child process: typst does not stop before it is done, and remembers
what it laid out, which can be hundreds of megabytes.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from service.processes.scheduling.fair_queue import Sender

from .calculator import Calculator, Report

if TYPE_CHECKING:
    import typst

PLACES = 4  # long documents that are set, one after the other, or wait
PATIENCE = 60.0  # seconds until one is there, with waiting


class Typesetter:
    """Sets long documents, each in a process of its own."""

    def __init__(self) -> None:
        self._calculator = Calculator("Booklets", PLACES)
        self.close = self._calculator.close

    def pdf(self, source: bytes, make: Callable[[], str], sender: Sender) -> bytes:
        """The PDF of a template and its values as JSON, which `make` returns once it is the sender's turn.

        :raises TooBusy: all places are taken. :raises TookTooLong: it was not there in time.
        """
        deadline = time.monotonic() + PATIENCE
        with self._calculator.child(sender, patience=PATIENCE) as child:
            try:
                pdf: bytes = child.call(_set_apart, source, make(), deadline=deadline)
            finally:
                child.stop()
        return pdf


def set_pages(source: bytes, values: str) -> bytes:
    """The PDF of a template and its values as JSON."""
    import typst

    return typst.compile(source, font_paths=_fonts(), sys_inputs={"sheet": values})


def _set_apart(_report: Report, _stop: threading.Event, source: bytes, values: str) -> bytes:
    return set_pages(source, values)


@functools.cache
def _fonts() -> typst.Fonts:
    """The fonts of typst, and those of the machine for names in other scripts."""
    import typst

    return typst.Fonts()
