from __future__ import annotations

import math
from collections.abc import Callable

import click
import pytest

from inkeek.firmware_sim.options import (
    MAX_SECONDS,
    UNPLUGGED_S,
    number,
    read_address,
    read_mistake,
    read_option,
    read_restart,
    read_speed,
    read_unplug,
)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (read_speed, "1", 1.0),
        (read_speed, "0.5", 0.5),
        (read_speed, "max", math.inf),
        (read_address, "127.0.0.1:0", ("127.0.0.1", 0)),
        (read_address, "[::1]:65535", ("::1", 65535)),
        (read_mistake, "7:skip", (7, "skip")),
        (read_mistake, "12:forget-capture", (12, "forget-capture")),
        (read_unplug, "9", ((9, "middle"), UNPLUGGED_S)),
        (read_unplug, "9:0.5", ((9, "middle"), 0.5)),
        (read_unplug, "9@button:0.5", ((9, "button"), 0.5)),
        (read_restart, "9@start", (9, "start")),
        (read_restart, "9", (9, "middle")),
        (read_option, "setup=4.4/4.4", ("setup", "4.4/4.4")),
    ],
)
def test_valid_texts_are_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (number(0, 0.3), ["", "-1", "nan", "inf", "0.31", "x"]),
        (read_speed, ["", "0", "-1", "nan", "inf", "1001", "fast"]),
        (read_address, ["", "localhost", ":80", "h:", "h:65536", "h:-1", "h:²"]),
        (read_mistake, ["", "7", "7:", "0:skip", "x:skip", "7:oops", "9999999:skip"]),
        (read_unplug, ["", "0", "x", "3:", "3:x", "3:-1", f"3:{MAX_SECONDS + 1}", "3:nan", "3@", "3@noon:1"]),
        (read_restart, ["", "0", "3:1", "3@noon", "@start"]),
        (read_option, ["", "pits", "=8"]),
    ],
)
def test_invalid_texts_are_quoted(read: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(click.BadParameter) as caught:
            read(text)
        assert repr(text) in caught.value.message
