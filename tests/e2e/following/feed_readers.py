"""Readers of the feed of all events that reconnect with their last cursor, as long as they are not closed."""

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

RETRY_AFTER = 0.05  # seconds
QUIET = 15.0  # seconds without a line after which a connection is given up


class FeedReader:
    """Reads the feed as ``sse`` or ``ndjson`` in a thread. `events` are the (game, number) of what it got."""

    def __init__(self, port: int, token: str, form: str) -> None:
        self.events: list[tuple[str, int]] = []
        self.cursor = "0"
        self.resumed = 0
        self._port = port
        self._token = token
        self._form = form
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"feed as {form}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=QUIET)
            try:
                self._read(connection)
            except (OSError, http.client.HTTPException):
                self.resumed += 1
            finally:
                connection.close()
            self._closed.wait(RETRY_AFTER)

    def _read(self, connection: http.client.HTTPConnection) -> None:
        accepted = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}[self._form]
        headers = {"Authorization": f"Bearer {self._token}", "Accept": accepted, "Last-Event-ID": self.cursor}
        connection.request("GET", "/api/v1/feed", headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise http.client.HTTPException(f"{answer.status}: {answer.read()!r}")
        for item in self._items(answer):
            if "seq" in item:
                self.events.append((item["game_id"], item["seq"]))
            self.cursor = item["cursor"]

    def _items(self, answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
        """The whole events that arrive; what a kill cut off is not one."""
        data = b""
        while not self._closed.is_set():
            line = answer.readline()
            if not line.endswith(b"\n"):
                return
            if self._form == "ndjson":
                yield json.loads(line)
            elif line.startswith(b"data:"):
                data = line.removeprefix(b"data:")
            elif line == b"\n" and data:
                item = json.loads(data)
                if "cursor" in item:
                    yield item
                data = b""
