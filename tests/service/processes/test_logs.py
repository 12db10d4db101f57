import json
import logging
import subprocess
import sys

import pytest

from inkeek.service.processes.logs import LogFormatter, redacted

SECRET = "ink_s_" + "aB3-_" * 8 + "xyz"


def record(message, *args, **more):
    made = logging.LogRecord("inkeek.service.x", logging.WARNING, "x.py", 1, message, args, more.pop("exc_info", None))
    made.__dict__.update(more)
    return made


def test_a_line_of_text_has_the_time_the_part_and_the_request():
    line = LogFormatter("web", as_json=False).format(record("it %s", "failed", request="abc"))
    time, part, level, rest = line.split(" ", 3)
    assert (time[10], time[-1], part, level, rest) == ("T", "Z", "web", "WARNING", "it failed [abc]")


def test_a_line_stays_json_whatever_is_taken_out():
    line = LogFormatter("web", as_json=True).format(record("é \udc80 http://a:", path="/join/CODE", request="b@c"))
    assert (json.loads(line)["path"], json.loads(line)["request"]) == ("/join/***", "b@c")


def test_a_line_of_json_has_what_a_request_has():
    fields = json.loads(
        LogFormatter("web", as_json=True).format(record("GET / 200", request="abc", status=200, ms=1.5))
    )
    assert fields.pop("time").endswith("Z")
    assert fields == {
        "level": "warning",
        "part": "web",
        "logger": "inkeek.service.x",
        "message": "GET / 200",
        "request": "abc",
        "status": 200,
        "ms": 1.5,
    }


@pytest.mark.parametrize("as_json", [False, True])
def test_no_secret_stands_in_a_line_or_in_a_traceback(as_json):
    try:
        raise ValueError(f"cannot use {SECRET}")
    except ValueError:
        error = sys.exc_info()
    line = LogFormatter("web", as_json=as_json).format(record("key %s", SECRET, exc_info=error, path=f"/x/{SECRET}"))
    assert "cannot use ink_s_***" in line
    assert "key ink_s_***" in line
    assert SECRET not in line
    assert "\n" not in line or not as_json


def test_passwords_within_addresses_are_left_out():
    assert redacted("postgresql+psycopg://me:s3:cret@host/db fails") == "postgresql+psycopg://me:***@host/db fails"
    assert redacted("http://127.0.0.1:8000/a@b") == "http://127.0.0.1:8000/a@b"


def test_a_log_that_nobody_reads_stops_nothing():
    """Each line that cannot be written would bring others that cannot be written either."""
    code = (
        "import logging; from inkeek.service.processes import logs; from inkeek.service.settings import read_settings; "
        "logs.set_up(read_settings({}, {'log_format': 'json'}), 'tests'); "
        "[logging.error('nobody reads this') for _ in range(1000)]"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    child.stderr.close()
    try:
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
