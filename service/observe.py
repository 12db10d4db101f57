"""What is noted of every request: an id that stands in the answer and in the log, a line of log, figures."""

from __future__ import annotations

import logging
import re
import time
import uuid
from urllib.parse import quote

from flask import Flask, Response, g, has_request_context, request

from . import current
from .metrics import Metrics

log = logging.getLogger(__name__)

HEADER = "X-Request-Id"
_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")
MAX_PATH = 300  # characters of a path in the log


def observe(app: Flask, metrics: Metrics) -> None:
    """Note every request of `app`."""

    def begin() -> None:
        given = request.headers.get(HEADER, "")
        g.inkeek_request = given if _ID.fullmatch(given) else uuid.uuid4().hex
        g.inkeek_began = time.perf_counter()

    def end(response: Response) -> Response:
        seconds = time.perf_counter() - g.inkeek_began
        rule = request.url_rule
        metrics.note(request.method, None if rule is None else rule.rule, response.status_code, seconds)
        response.headers[HEADER] = g.inkeek_request
        path = quote(request.path[:MAX_PATH])  # without what follows the question mark: keys may stand there
        log.info(
            "%s %s %d",
            request.method[:20],
            path,
            response.status_code,
            extra={
                "method": request.method[:20],
                "path": path,
                "status": response.status_code,
                "ms": round(1000 * seconds, 2),
                "key": current.caller().id or None,
            },
        )
        return response

    app.before_request(begin)
    app.after_request(end)


class WithRequest(logging.Filter):
    """Puts the id of the request that is being answered on a line of log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if has_request_context():
            record.request = g.get("inkeek_request")
        return True
