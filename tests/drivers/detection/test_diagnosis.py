from __future__ import annotations

import pytest

import drivers.detection.hypotheses
from drivers.detection.detector import NoFit, detect
from records import NORTH, SOUTH, Move, Position, Side, ruleset

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def refused(board: str, position: Position = START, pressed: Side = SOUTH) -> NoFit:
    """The verdict on the pits (and, when given, the stores) of ``<south>/<north> [<stores>]``."""
    rows, _, stores = board.partition(" ")
    lies = Position.parse(f"{rows} {stores or '0-0'} s 0")
    counts = [float(count) for count in (*lies.pits, *(lies.stores if stores else ()))]
    verdict = detect(ENKESHUI, position, counts, mover_pressed=pressed)
    assert isinstance(verdict, NoFit)
    return verdict


def test_a_skipped_pit() -> None:
    verdict = refused("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4")
    assert (verdict.cause, str(verdict.nearest and verdict.nearest.move)) == ("skipped", "e")
    assert verdict.sentences == (
        "One seed too few in g: the lap from e skipped it.",
        "To mend it for e: take one seed from B, lay one seed in g.",
    )
    assert verdict.mend == {6: 1, 9: -1}
    assert verdict.differences == {6: -1.0, 9: 1.0}
    assert verdict.confidence > 0.9


BROKEN_OFF = "The turn from c is not finished"
LEFT_LYING = "Captured seeds were left lying in a, H, G and F: they belong in South's store."
MOVED = "one seed too few in G and one too many in E"
TO_MOVE = "and South is to move."
JUMPED = "one seed jumped, as when the table is bumped: one from G to F"


@pytest.mark.parametrize(
    ("board", "cause", "sentence"),
    [
        ("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4", "doubled", "One seed too many in g: the lap from e dropped two there."),
        ("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4", "left-behind", "One seed was left behind in e when it was picked up."),
        ("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4", "unfinished", f"{BROKEN_OFF}: it goes on from g with five seeds."),
        ("0.0.0.5.5.5.0.5/1.1.4.4.4.4.4.4", "unfinished", f"{BROKEN_OFF}: two seeds still to be sown."),
        ("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5", "captured-left", LEFT_LYING),
        ("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16", "wrong-store", "The captured seeds went into the wrong store."),
        ("1.0.4.4.4.4.4.4/0.0.4.4.0.5.5.5", "wrong-pit", "The turn was begun from E, which is North's, " + TO_MOVE),
        ("0.0.4.4.0.5.5.5/1.0.4.4.4.5.3.4", "bumped", f"The board fits e, but {JUMPED}."),
        ("1.1.5.5.0.4.4.4/0.0.4.4.4.4.4.4", "wrong-way", "The lap from e was sown in the wrong direction."),
        ("0.0.4.4.3.4.4.4/0.0.4.4.4.4.4.4", "count-off", "Nothing was played, but there is one seed too few in e."),
        ("0.0.4.4.4.4.4.4/0.0.4.4.4.4.5.4", "count-off", "Nothing was played, but there is one seed too many in G."),
        ("0.0.4.4.0.5.5.5/1.0.4.4.5.4.3.4", "count-off", f"The board fits e, but there is {MOVED}."),
    ],
)  # fmt: skip
def test_causes(board: str, cause: str, sentence: str) -> None:
    verdict = refused(board)
    assert (verdict.cause, verdict.sentences[0]) == (cause, sentence)
    assert verdict.confidence > 0.3


def test_who_pressed_tells_whose_hand_it_was() -> None:
    board = "1.0.4.4.4.4.4.4/0.0.4.4.0.5.5.5"
    mine, theirs = refused(board), refused(board, pressed=NORTH)
    assert (mine.cause, mine.alike) == ("wrong-pit", ("wrong-side",))
    assert (theirs.cause, theirs.alike) == ("wrong-side", ("wrong-pit",))
    assert theirs.sentences[0] == "North has played E, but South is to move."


def test_the_way_back_when_nothing_was_played() -> None:
    verdict = refused("0.0.4.4.3.4.4.4/0.0.4.4.4.4.5.4")
    assert verdict.nearest is None
    assert verdict.mend == {4: 1, 14: -1}
    assert verdict.sentences[1] == "To mend it to have the board as before: take one seed from G, lay one seed in e."


def test_stores_are_mended_too() -> None:
    verdict = refused("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5 0-0")
    assert verdict.mend == {0: -1, 13: -5, 14: -5, 15: -5, 16: 16}
    assert verdict.sentences[1].endswith("lay 16 seeds in South's store.")


def test_a_board_that_no_mistake_explains() -> None:
    verdict = refused("3.0.3.3.0.3.3.0/3.3.3.3.3.3.3.3")
    assert (verdict.cause, verdict.confidence) == ("unknown", 0.0)
    assert verdict.sentences[0].startswith("No legal turn leads to this board, and no single mistake explains it;")
    assert "pits have to change" in verdict.sentences[1]


def test_a_game_that_is_over() -> None:
    over = Position.parse("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.4 22-22 s 40")
    assert ENKESHUI.outcome(over) is not None
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.2.2", over)
    assert verdict.cause == "game-over"
    assert verdict.sentences[0] == "The game is over: no turn is left to play."


def test_an_empty_board() -> None:
    verdict = refused("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.0")
    assert verdict.cause == "unknown"


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers.detection.hypotheses, "MAX_WORK", 10)
    verdict = refused("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4")
    assert verdict.cause in ("unknown", "unfinished", "count-off", "wrong-pit")


def test_sensors_that_are_a_little_off_do_not_hide_the_cause() -> None:
    skipped = Position.parse("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0 s 0")
    counts = [count + (0.15 if count % 2 else -0.1) for count in skipped.pits]
    verdict = detect(ENKESHUI, START, counts, mover_pressed=SOUTH)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest) == ("skipped", ENKESHUI.play(START, Move.parse("e")))
