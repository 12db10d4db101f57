"""``python -m tests.mirror URL TOKEN FILE``: keeps a copy of the feed in a file, and may be killed at any time.

Each event is a line of the file. After a start it goes on from the cursor of the last whole line.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO

AGAIN = 0.05  # seconds until it connects again
QUIET = 20.0  # seconds without a line after which it does


def follow(url: str, token: str, path: Path) -> None:
    """Copy the feed until the process is killed."""
    path.touch()
    stored = path.read_bytes()
    whole = stored[: stored.rfind(b"\n") + 1]  # what a kill cut off is read again
    cursor = json.loads(whole.splitlines()[-1])["cursor"] if whole else "0"
    with path.open("r+b") as file:
        file.truncate(len(whole))
        file.seek(len(whole))
        while True:
            try:
                cursor = copy(url, token, cursor, file)
            except (urllib.error.URLError, HTTPException, OSError):
                time.sleep(AGAIN)


def copy(url: str, token: str, cursor: str, file: BinaryIO) -> str:
    """Append the events of one stream; return the cursor of the last one."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream", "Last-Event-ID": cursor}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/feed", headers=headers), timeout=QUIET) as stream:
        data = b""
        try:
            for line in stream:
                if line.startswith(b"data: ") and line.endswith(b"\n"):
                    data = line.removeprefix(b"data: ")
                elif line == b"\n" and data:  # only now is the message whole
                    file.write(data)
                    file.flush()
                    cursor, data = json.loads(data)["cursor"], b""
        except (HTTPException, OSError):
            pass
    return cursor


if __name__ == "__main__":
    follow(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
