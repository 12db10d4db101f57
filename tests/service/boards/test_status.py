import json
from dataclasses import replace

from inkeek.drivers.events import Status
from inkeek.service.boards.status import (
    BoardStatus,
    Device,
    LastTurn,
    PendingUndo,
    Question,
    Refusal,
    RunningTrial,
    read_status,
    status_json,
)
from tests.unknown_fields import with_unknown_fields

FULL = BoardStatus(
    state="connected",
    message="Recorded.",
    counts=(4.0, 0.03),
    verdict="clear",
    sentences=("One seed too few in b.",),
    mend={"1": 1, "6": -1},
    refusal=Refusal(3, "2.", "South", "skipped", "c", "Not recorded.", ("One seed too few in b.",), {"1": 1}),
    note="A note.",
    undo=PendingUndo(2, "North", "0000000a", 7),
    trial=RunningTrial(3, "South", "0000000a", 8, "c", "cd", True),
    dispute="abc-4",
    ask=Question("taken-back", 2, None, "Was it taken back?", 1, name="taken-back:1"),
    before=(4.0, 0.0),
    health=Status(4.98, 21.5, ("supply",), 3),
    device=Device("1.0", ("buttons", "leds"), 8, True),
    buttons=False,
    last=LastTurn(2, "C", "0/0 0-0 s 1", (0, 2), "", 3),
    refusals=2,
    questions=1,
)


def test_a_status_survives_its_json():
    for status in (BoardStatus(), FULL):
        assert read_status(json.loads(json.dumps(status_json(status)))) == status


def test_the_json_has_these_keys():
    waiting = set(status_json(BoardStatus()))
    assert waiting == {
        "state", "message", "counts", "verdict", "sentences", "mend", "refusal", "note", "undo", "trial", "dispute",
        "ask", "before", "health", "turned", "seen",
    }  # fmt: skip
    assert set(status_json(FULL)) == waiting | {"device", "buttons", "last", "refusals", "questions"}
    assert set(status_json(FULL)["trial"]) == {"ply", "side", "boot", "seq", "from", "move", "touched", "at"}


def test_each_question_has_a_name_that_none_had_before():
    question = Question("turned", 0, None, "Does the board lie the wrong way round?")
    first = BoardStatus().asking(question)
    assert first.asking(question) == first  # it is open already
    again = replace(first, ask=None).asking(question)
    assert (first.ask.name, again.ask.name) == ("turned:1", "turned:2")
    assert replace(again.ask, name="") == question


def test_fields_that_are_missing_or_unknown_do_not_matter():
    """Another version may have stored it."""
    assert read_status({"state": "gone"}) == BoardStatus("gone")
    assert read_status(with_unknown_fields(status_json(FULL))) == FULL


def test_a_cleared_status_has_nothing_to_mend_finish_or_answer():
    cleared = FULL.cleared()
    assert (cleared.refusal, cleared.mend, cleared.sentences) == (None, {}, ())
    assert (cleared.verdict, cleared.undo, cleared.trial, cleared.ask) == (None, None, None, None)
    assert (cleared.note, cleared.before, cleared.refusals) == (FULL.note, FULL.before, FULL.refusals)
