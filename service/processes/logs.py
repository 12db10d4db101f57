"""The format of log lines. Keys, and passwords within addresses, are never logged."""

from __future__ import annotations

import functools
import json
import logging
import re
import sys
import threading
import time
from typing import Any, TextIO

from inkeek.service.settings import Settings
from inkeek.service.terminal import visible

EXTRA = ("request", "client", "method", "path", "status", "ms", "key")  # further fields of a line about a request
SECRET = re.compile("ink_[tls]_[0-9A-Za-z_-]{43}")  # of a key: a prefix and 256 bits in URL-safe base64
_PASSWORD = re.compile(r"(://[^\s:/@]*):[^\s/@]+@")


_CODE = re.compile("(/join/)[^/\\s?]+")  # of an invitation


def redacted(text: str) -> str:
    """`text` without secrets: the rest of a key and of an address with a password stays."""
    if "ink_" in text:
        text = SECRET.sub(lambda found: f"{found[0][:6]}***", text)
    if "/join/" in text:
        text = _CODE.sub(r"\1***", text)
    return _PASSWORD.sub(lambda found: f"{found[1]}:***@", text) if "://" in text else text


class LogFormatter(logging.Formatter):
    """Formats records as text (with an error's traceback) or JSON. `part` names the process."""

    def __init__(self, part: str, *, as_json: bool) -> None:
        super().__init__()
        self._part = part
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        moment = f"{_second(int(record.created))}.{int(record.msecs):03}Z"
        extra = {name: value for name in EXTRA if (value := getattr(record, name, None)) is not None}
        if self._as_json:
            fields = {"time": moment, "level": record.levelname.lower(), "part": self._part, "logger": record.name}
            fields |= {"message": message, **extra, **({"trace": trace} if trace else {})}
            clean = {name: redacted(value) if isinstance(value, str) else value for name, value in fields.items()}
            return json.dumps(clean, default=str)
        request = f" [{extra['request']}]" if "request" in extra else ""
        text = f"{moment} {self._part} {record.levelname} {message}{request}" + (f"\n{trace}" if trace else "")
        return visible(redacted(text))


@functools.lru_cache(maxsize=4)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))


class LogHandler(logging.StreamHandler[TextIO]):
    """Writes the log. Nothing is said of a line that cannot be written: what says it would go to the log too."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def set_up(settings: Settings, part: str, *filters: logging.Filter) -> None:
    """Log to standard error as the settings say. `filters` may add fields to each record."""
    # Finding out the place in the code and the thread is slow, and no line contains them.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = LogHandler()
    handler.setFormatter(LogFormatter(part, as_json=settings.log_format == "json"))
    for given in filters:
        handler.addFilter(given)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # What Python itself would write to standard error is logged too: each line of it has the same format.
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_end
    threading.excepthook = lambda failed: _log_end(failed.exc_type, failed.exc_value, failed.exc_traceback)


def _log_end(*error: Any) -> None:
    logging.getLogger(__name__).critical("it ended with an error: %r", error[1], exc_info=error)


class Trouble:
    """Logs what goes wrong again and again once, until it has gone well. `what`: what does not happen meanwhile."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log = log
        self._what = what
        self._lasts = False

    def note(self, error: Exception | str) -> None:
        """It went wrong."""
        if not self._lasts:
            self._log.error("%s: %s", self._what, error)
        self._lasts = True

    def over(self) -> None:
        """It went well."""
        if self._lasts:
            self._log.info("%s: that is over", self._what)
        self._lasts = False
