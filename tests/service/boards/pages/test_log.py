"""A board's log is told in the language of the page; what boards and drivers wrote stays English, and is marked."""

import re
from typing import get_args

from inkeek.service.boards.bindings import LogKind
from inkeek.service.boards.status import CALIBRATION_REASONS
from inkeek.service.boards.view_models import LOG_TEXTS
from tests.service.boards_double import set_status
from tests.service.clients import signed_in
from tests.service.http.web.test_languages import Texts, english_left

ENTRIES = (
    ("connected", {"serial": "S-1", "firmware": "0.1", "boot": "0000beef"}),
    ("other-board", {"bound": "S-1", "found": "S-2", "port": "/dev/x"}),
    ("same-serial", {"serial": "S-1", "port": "/dev/x", "others": "/dev/y"}),
    ("claimed", {"serial": "S-1", "port": "/dev/x"}),
    ("gave-way", {"serial": "S-1", "port": "/dev/x"}),
    (
        "driver-fault",
        {"driver": "xyz", "distribution": "xyz-1", "reason": "it raised RuntimeError", "times": 2, "next": None},
    ),
    ("rebound", {"from": "S-1", "to": "S-2"}),
    ("refused-board", {"reason": "the firmware is too old"}),
    ("gap", {"reason": "the board started again"}),
    ("button", {"side": "South", "action": "commit"}),
    ("refused", {"side": "North", "number": "2.", "sentences": ["One seed too few."], "message": "No turn."}),
    ("mended", {"ply": 2}),
    ("unchanged", {}),
    ("after-end", {}),
    ("disputed", {}),
    ("unrecorded", {"message": "The port is gone."}),
    ("under-way", {"side": "South", "message": "Press when it is done."}),
    ("complaint", {"code": "E7", "text": "supply too low"}),
    ("turned", {"turned": True}),
    ("turned", {"turned": False}),
    ("unrecognised", {"kind": "wave"}),
    ("misfit", {"reason": "pit index 33", "count": 3}),
    ("unhandled", {"kind": "Fault", "reason": "ValueError: 21"}),
    ("overtaken", {"side": "South"}),
    ("touches", {}),
    ("not-recorded", {}),
    ("calibration-asked", {"pit": 1, "seeds": 4}),
    ("calibration-failed", {"pit": 1, "reason": "the board did not answer"}),
    ("calibrated", {"pit": 16, "ok": True}),
    ("calibrated", {"pit": 1, "ok": False, "reason": "moving"}),
    ("fault", {"pit": 1, "code": "open"}),
    ("fault", {"pit": 1, "code": "ok"}),
)


def test_every_kind_is_tried():
    kinds = set(get_args(LogKind))
    assert LOG_TEXTS.keys() - {"upright", "not-calibrated", "works-again"} == kinds
    assert {kind for kind, _ in ENTRIES} == kinds


def log_of(client, board, language):
    """The entries of the log on a board's page, the newest first, and the whole page."""
    page = client.get(f"/boards/{board}", headers={"Accept-Language": language}).text
    log = page[page.index('data-fresh="log"') :].split("</table>")[0]
    return re.findall(r"<tr.*?</tr>", log, re.DOTALL), page


def test_a_log_in_swahili_has_no_english_left(app, services, new_game, bind_board):
    board = bind_board(new_game())
    for entry in ENTRIES:
        set_status(services.boards, board, entry)
    client = signed_in(app, "admin")
    rows, page = log_of(client, board, "sw")
    assert english_left(page) == []
    english, _ = log_of(client, board, "en")
    for (kind, data), row, other in zip(ENTRIES[::-1], rows, english, strict=True):
        assert f"<code>{kind}</code>" not in row  # there is a sentence
        for value in data.values():
            if isinstance(value, str) and value not in ("South", "North", "ok", "moving", "No turn."):
                assert value in row
        assert Texts(other).texts != Texts(row).texts


def test_why_a_sensor_is_not_calibrated_or_used_is_told_in_swahili(app, services, new_game, bind_board):
    game = new_game()
    unused = {"2": "no-bowl", "3": "open"}
    board = bind_board(game, counts=[4.0] * 18, faulty=unused, unused=unused)
    for reason in (*CALIBRATION_REASONS, "strange"):
        set_status(services.boards, board, ("calibrated", {"pit": 1, "ok": False, "reason": reason}))
    client = signed_in(app, "admin")
    for path in (f"/boards/{board}", f"/games/{game}/live"):
        assert english_left(client.get(path, headers={"Accept-Language": "sw"}).text) == []
