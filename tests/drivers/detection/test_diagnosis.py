from __future__ import annotations

import re
import sys

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import NoFit
from inkeek.records import NORTH, SOUTH, Move, Position, Side, ruleset
from inkeek.records.findings.sentences import MAX_PLACES_LISTED

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right", rearrangement="none")
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
    assert [names(sentence) for sentence in verdict.sentences] == [{"South", "e", "g"}, {"e", "B", "g"}]
    assert verdict.mend == {6: 1, 9: -1}
    assert verdict.confidence > 0.7  # a seed may also have been put there in other ways
    assert set(verdict.alike) == {"dropped-elsewhere", "picked-up"}


@pytest.mark.parametrize(
    ("board", "cause", "named"),
    [
        ("0.0.0.5.5.0.5.5/1.1.5.0.5.0.0.0 16-0", "doubled", "South c f"),
        ("1.1.2.6.0.1.6.6/2.2.1.5.5.5.5.0", "left-behind", "South c"),
        # Whoever gives g two seeds, or leaves one in e, comes to an end in h, and must sow on from there.
        ("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4", "dropped-elsewhere", "South A g e"),
        ("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4", "left-behind", "South e h"),
        ("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4", "unfinished", "South c g"),
        ("0.0.0.5.5.5.0.5/1.1.4.4.4.4.4.4", "unfinished", "South c g B"),
        ("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5", "captured-left", "c a H G F South"),
        ("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16", "wrong-store", "c a H G F South North"),
        ("1.1.5.0.5.5.5.5/1.0.0.5.5.5.0.5", "wrong-row", "C North South"),
        ("1.0.4.4.4.4.4.4/0.0.4.4.0.5.5.5", "wrong-side", "E North South"),  # South would have captured
        ("0.0.4.4.0.5.5.5/1.0.4.4.4.5.3.4", "bumped", "South e G F"),
        ("1.1.5.5.0.4.4.4/0.0.4.4.4.4.4.4", "wrong-way", "South e H"),  # and a capture was left
        ("0.0.4.4.3.4.4.4/0.0.4.4.4.4.4.4", "seed-lost", "e"),
        ("0.0.4.4.4.4.4.4/0.0.4.4.4.4.5.4", "seed-added", "G"),
        ("0.0.4.4.0.5.5.5/1.0.4.4.5.4.3.4", "dropped-elsewhere", "South e G E"),
    ],
)
def test_causes(board: str, cause: str, named: str) -> None:
    verdict = refused(board)
    assert verdict.cause == cause
    assert names(verdict.sentences[0]) - {"a"} == set(named.split()) - {"a"}
    assert verdict.confidence > 0.3


def test_who_pressed_decides_between_equal_boards() -> None:
    position = Position.parse("0.2.0.8.4.2.3.0/0.7.1.0.3.4.0.5 2-7 s 2")
    board = "2.4.1.9.0.3.4.1/1.0.2.1.4.5.1.1 2-7"
    mine, theirs = refused(board, position), refused(board, position, NORTH)
    assert (mine.cause, mine.alike) == ("wrong-row", ("wrong-side",))
    assert (theirs.cause, theirs.alike) == ("wrong-side", ("wrong-row",))
    assert names(theirs.sentences[0]) == {"North", "South", "H"}


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


@pytest.mark.parametrize(("game", "moves"), [("oware", "ac"), ("bof", "ae"), ("anywoli", "ac"), ("enkeshui", "bf")])
@pytest.mark.parametrize("stores", [True, False])
def test_two_turns_of_one_side_are_named(game: str, moves: str, stores: bool) -> None:
    rules = ruleset(game)
    start = rules.start()
    first = rules.play(start, Move.parse(moves[0])).position
    second = rules.play(first.replaced(to_move=start.to_move, ply=start.ply), Move.parse(moves[1])).position
    counts = [float(count) for count in (*second.pits, *(second.stores if stores else ()))]
    verdict = detect(rules, start, counts, pressed_by=SOUTH)
    assert isinstance(verdict, NoFit)
    assert verdict.cause == "moved-twice"
    assert set(moves) <= set(re.findall(r"\b[a-l]\b", verdict.sentences[0]))
    target = verdict.nearest.position if verdict.nearest else start
    sensed = (*target.pits, *target.stores)[: len(counts)]
    assert {
        at: int(there - count) for at, (there, count) in enumerate(zip(sensed, counts, strict=True)) if there != count
    } == verdict.mend


def test_a_board_without_an_explanation_is_unknown() -> None:
    verdict = refused("3.0.3.3.0.3.3.0/3.3.3.3.3.3.3.3")
    assert (verdict.cause, verdict.confidence) == ("unknown", 0.0)
    assert len(verdict.mend) > MAX_PLACES_LISTED
    rows = {"South", "North", *"ahAH"}  # too many pits to list: the rows are told from end to end
    assert names(verdict.sentences[1]) == {str(verdict.nearest and verdict.nearest.move), *rows}


def test_after_the_game_no_turn_is_left() -> None:
    over = Position.parse("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.4 22-22 s 40")
    assert ENKESHUI.outcome(over) is not None
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.2.2", over)
    assert verdict.cause == "game-over"


def test_an_empty_board_is_unknown() -> None:
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.0")
    assert verdict.cause == "unknown"


def test_the_search_for_two_slips_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    board = "1.1.5.5.0.4.4.4/0.0.4.4.4.4.4.4"
    assert refused(board).cause == "wrong-way"
    monkeypatch.setattr(sys.modules["inkeek.records.findings.posterior"], "TWO_SLIPS_WORK", 10)
    monkeypatch.setattr(sys.modules["inkeek.records.findings.candidates"], "MIN_WORK", 10)
    assert refused(board).cause == "unknown"


def test_noise_does_not_hide_the_cause() -> None:
    skipped = Position.parse("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0 s 0")
    counts = [count + (0.15 if count % 2 else -0.1) for count in skipped.pits]
    verdict = detect(ENKESHUI, START, counts, pressed_by=SOUTH)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest) == ("skipped", ENKESHUI.play(START, Move.parse("e")))
