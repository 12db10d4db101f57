"""Findings in a child process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from records import Move, Position, Rules
from records.findings import Evidence, Finding, find, find_since
from records.findings.evidence.faults import verify_evidence
from service.processes.places import Sender

from .calculator import Calculator, Report


class FindingProcess:
    """Answers questions one by one in a child process. An answer may take `seconds`, with waiting."""

    def __init__(self, places: int, seconds: float) -> None:
        self._seconds = seconds
        self._calculator = Calculator("Findings", places)
        self.close = self._calculator.close

    def find(
        self, rules: Rules, evidence: Evidence, slips: int | None = None, language: str = "en", *, sender: Sender
    ) -> Finding:
        """What happened in a turn (`records.findings.find`).

        :raises RecordsError: the evidence does not fit the rules. :raises TooBusy: all places are taken.
        :raises TookTooLong: there was no answer in time.
        """
        verify_evidence(rules, evidence)
        found: Finding = self._ask(_find, (rules, evidence, slips, language), sender)
        return found

    def find_since(
        self, rules: Rules, position: Position, moves: Sequence[Move], evidence: Evidence, language: str = "en",
        disputed: int = 0, *, sender: Sender,
    ) -> Finding:  # fmt: skip
        """What happened since a certain position (`records.findings.find_since`); raises what `find` raises."""
        found: Finding = self._ask(_find_since, (rules, position, tuple(moves), evidence, language, disputed), sender)
        return found

    def _ask(self, function: Any, arguments: tuple[Any, ...], sender: Sender) -> Any:
        return self._calculator.call(function, *arguments, seconds=self._seconds, sender=sender)


def _find(_report: Report, _stop: threading.Event, *arguments: Any) -> Finding:
    return find(*arguments)


def _find_since(_report: Report, _stop: threading.Event, *arguments: Any) -> Finding:
    return find_since(*arguments)
