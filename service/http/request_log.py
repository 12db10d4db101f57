"""What is noted of every request: an id that stands in the answer and in the log, a line of log, figures."""

from __future__ import annotations

import logging
import os
import re
import time
from urllib.parse import quote

from flask import Flask, Request, Response, g, request

from service.processes.metrics import Metrics

from .context import current_caller

log = logging.getLogger(__name__)

HEADER = "X-Request-Id"
_HEADER_IN = "HTTP_X_REQUEST_ID"  # as WSGI has it
_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")
MAX_PATH = 300  # characters of a path in the log


def observe(app: Flask, metrics: Metrics) -> None:
    """Note every request of `app`."""

    def begin() -> None:
        given = request.environ.get(_HEADER_IN, "")
        here = g._get_current_object()
        here.inkeek_request = given if _ID.fullmatch(given) else os.urandom(16).hex()
        here.inkeek_began = time.perf_counter()

    def end(response: Response) -> Response:
        asked: Request = request._get_current_object()  # type: ignore[attr-defined]  # the stand-in is slow
        here = g._get_current_object()
        seconds = time.perf_counter() - here.inkeek_began
        rule = asked.url_rule
        metrics.note(asked.method, None if rule is None else rule.rule, response.status_code, seconds)
        response.headers[HEADER] = here.inkeek_request
        if log.isEnabledFor(logging.INFO):
            method = asked.method[:20]
            path = quote(asked.path[:MAX_PATH])  # without what follows the question mark: keys may stand there
            log.info(
                "%s %s %d",
                method,
                path,
                response.status_code,
                extra={
                    "method": method,
                    "path": path,
                    "status": response.status_code,
                    "ms": round(1000 * seconds, 2),
                    "key": current_caller().id or None,
                },
            )
        return response

    app.before_request(begin)
    app.after_request(end)


class WithRequest(logging.Filter):
    """Puts the id of the request that is being answered on a line of log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if g:  # a request is being answered
            record.request = g.get("inkeek_request")
        return True
