"""How games end: the one list of results and terminations, with plain words, and with what players write on paper."""

from __future__ import annotations

from typing import NamedTuple

from inkeek.records.errors import ErrorText


class Ending(NamedTuple):
    """A value of the tag `Termination`.

    `results` are those that it allows in a game that is not over on the board. `says` is what it means. `written`: how
    the words begin with which sheets say so, in English and Swahili; `by_loser`: whose name stands beside them lost.
    """

    name: str
    results: tuple[str, ...]
    says: ErrorText
    written: tuple[str, ...] = ()
    by_loser: bool = False


RESULTS = {
    "1-0": ErrorText("South won"),
    "0-1": ErrorText("North won"),
    "1/2-1/2": ErrorText("a draw"),
    "*": ErrorText("no result"),
}
ENDINGS = (
    Ending("normal", ("*",), ErrorText("the rules ended the game, or it goes on")),
    Ending(
        "repetition",
        ("1-0", "0-1", "1/2-1/2"),
        ErrorText("the same position came again too often"),
        ("repetition", "repeated", "kurudia", "marudio"),
    ),
    Ending(
        "agreement",
        ("1-0", "0-1", "1/2-1/2"),
        ErrorText("both sides agreed"),
        ("agree", "makubaliano", "walikubaliana", "wamekubaliana"),
    ),
    Ending(
        "resignation",
        ("1-0", "0-1"),
        ErrorText("a side gave up"),
        ("resign", "gave up", "gives up", "amejiuzulu", "alijiuzulu", "kujiuzulu", "amekata tamaa", "alikata tamaa"),
        by_loser=True,
    ),
    Ending(
        "forfeit",
        ("1-0", "0-1"),
        ErrorText("a side did not come, or was ruled to have lost"),
        ("forfeit", "no show", "walkover", "did not come", "hakufika", "hakuja"),
        by_loser=True,
    ),
    Ending("time", ("1-0", "0-1"), ErrorText("a side ran out of time"), ("time", "flag", "muda", "saa"), by_loser=True),
    Ending(
        "abandoned",
        ("*",),
        ErrorText("the game was given up without a result"),
        ("abandon", "broken off", "imeachwa", "iliachwa"),
    ),
    Ending("bye", ("1-0", "1/2-1/2"), ErrorText("South had no opponent")),
    Ending("unplayed", ("*",), ErrorText("nobody gets a point: nobody came, or South had no opponent")),
    Ending("unrecorded", tuple(RESULTS), ErrorText("how it ended is not recorded")),
    Ending("adjudication", tuple(RESULTS), ErrorText("an arbiter decided"), ("adjudicat", "arbiter", "mwamuzi")),
)
