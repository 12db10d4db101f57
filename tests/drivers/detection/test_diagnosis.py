from __future__ import annotations

import re
import sys

import pytest

from drivers.detection.detector import detect
from drivers.detection.diagnosis import MAX_PITS_LISTED
from drivers.detection.verdicts import NoFit
from records import NORTH, SOUTH, Move, Position, Side, ruleset

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def refused(board: str, position: Position = START, pressed: Side = SOUTH) -> NoFit:
    """The verdict on the pits (and, when given, the stores) of ``<south>/<north> [<stores>]``."""
    rows, _, stores = board.partition(" ")
    found = Position.parse(f"{rows} {stores or '0-0'} s 0")
    counts = [float(count) for count in (*found.pits, *(found.stores if stores else ()))]
    verdict = detect(ENKESHUI, position, counts, pressed_by=pressed)
    assert isinstance(verdict, NoFit)
    return verdict


def names(text: str) -> set[str]:
    """The pits and sides that a sentence names."""
    return set(re.findall(r"\b([a-hA-H]|South|North)\b", text))


def test_a_skipped_pit() -> None:
    verdict = refused("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4")
    assert (verdict.cause, str(verdict.nearest and verdict.nearest.move)) == ("skipped", "e")
    assert [names(sentence) for sentence in verdict.sentences] == [{"e", "g"}, {"e", "B", "g"}]
    assert verdict.mend == {6: 1, 9: -1}
    assert verdict.differences == {6: -1.0, 9: 1.0}
    assert verdict.confidence > 0.9


@pytest.mark.parametrize(
    ("board", "cause", "named"),
    [
        ("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4", "doubled", "g e"),
        ("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4", "left-behind", "e"),
        ("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4", "unfinished", "c g"),
        ("0.0.0.5.5.5.0.5/1.1.4.4.4.4.4.4", "unfinished", "c"),
        ("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5", "captured-left", "a H G F South"),
        ("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16", "wrong-store", ""),
        ("1.0.4.4.4.4.4.4/0.0.4.4.0.5.5.5", "wrong-pit", "E North South"),
        ("0.0.4.4.0.5.5.5/1.0.4.4.4.5.3.4", "bumped", "e G F"),
        ("1.1.5.5.0.4.4.4/0.0.4.4.4.4.4.4", "wrong-way", "e"),
        ("0.0.4.4.3.4.4.4/0.0.4.4.4.4.4.4", "count-off", "e"),
        ("0.0.4.4.4.4.4.4/0.0.4.4.4.4.5.4", "count-off", "G"),
        ("0.0.4.4.0.5.5.5/1.0.4.4.5.4.3.4", "count-off", "e G E"),
    ],
)
def test_causes(board: str, cause: str, named: str) -> None:
    verdict = refused(board)
    assert verdict.cause == cause
    assert names(verdict.sentences[0]) - {"a"} == set(named.split()) - {"a"}
    assert verdict.confidence > 0.3


def test_who_pressed_decides_between_equal_boards() -> None:
    board = "1.0.4.4.4.4.4.4/0.0.4.4.0.5.5.5"
    mine, theirs = refused(board), refused(board, pressed=NORTH)
    assert (mine.cause, mine.alike) == ("wrong-pit", ("wrong-side",))
    assert (theirs.cause, theirs.alike) == ("wrong-side", ("wrong-pit",))
    assert names(theirs.sentences[0]) == {"North", "South", "E"}


def test_the_way_back_when_nothing_was_played() -> None:
    verdict = refused("0.0.4.4.3.4.4.4/0.0.4.4.4.4.5.4")
    assert verdict.nearest is None
    assert verdict.mend == {4: 1, 14: -1}
    assert names(verdict.sentences[1]) == {"G", "e"}


def test_stores_are_corrected_too() -> None:
    verdict = refused("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5 0-0")
    assert verdict.mend == {0: -1, 13: -5, 14: -5, 15: -5, 16: 16}
    assert "16 seeds" in verdict.sentences[1]
    assert "South" in names(verdict.sentences[1])


def test_a_board_without_an_explanation_is_unknown() -> None:
    verdict = refused("3.0.3.3.0.3.3.0/3.3.3.3.3.3.3.3")
    assert (verdict.cause, verdict.confidence) == ("unknown", 0.0)
    assert len(verdict.mend) > MAX_PITS_LISTED
    assert names(verdict.sentences[1]) <= {str(verdict.nearest and verdict.nearest.move)}  # too many pits to list


def test_after_the_game_no_turn_is_left() -> None:
    over = Position.parse("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.4 22-22 s 40")
    assert ENKESHUI.outcome(over) is not None
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.2.2", over)
    assert verdict.cause == "game-over"


def test_an_empty_board_is_unknown() -> None:
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.0")
    assert verdict.cause == "unknown"


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["records.findings.hypotheses"], "MAX_WORK", 10)
    verdict = refused("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4")
    assert verdict.cause in ("unknown", "unfinished", "count-off", "wrong-pit")


def test_noise_does_not_hide_the_cause() -> None:
    skipped = Position.parse("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0 s 0")
    counts = [count + (0.15 if count % 2 else -0.1) for count in skipped.pits]
    verdict = detect(ENKESHUI, START, counts, pressed_by=SOUTH)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest) == ("skipped", ENKESHUI.play(START, Move.parse("e")))
