"""Famous kinds of quarrel, for arbiters who want to know how a finding reads before they need one.

Each is a story with a position and a board; what the finding says is worked out, on the page and in `docs/quarrels.md`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from inkeek.records import Move, Position, Rules, RuleSet
from inkeek.records.drawing.svg import Highlights
from inkeek.records.findings import Evidence, find, find_since
from inkeek.records.language import Language
from inkeek.records.notation.movetext import cite_moves
from inkeek.records.rules.ruleset import Value, format_value, load_ruleset
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.language import gettext

from .view import BoardPicture, FindingView, board_now, finding_view


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarrel:
    """A quarrel. `before` is the position before the turn ("": the set-up), after which the moves `played` were played
    and agreed on; `lies` is what lies there now, as ``SOUTH/NORTH S-N``. With `since`, the moves that were written,
    nobody knows which of them went wrong. The texts are translated where they are shown."""

    id: str
    game: str
    title: str
    story: str
    advice: str
    lies: str
    before: str = ""
    played: str = ""
    claimed: str = ""
    since: str = ""
    options: Mapping[str, Value] = field(default_factory=dict)

    @property
    def rules(self) -> Rules:
        info = load_ruleset(self.game)
        rules = Rules(info, info.resolve(self.options))
        return rules.starting_from(Position.parse(self.before)) if self.before else rules

    @property
    def evidence(self) -> Evidence:
        """What is known."""
        rules = self.rules
        position, previous = rules.start(), None
        for word in self.played.split():
            previous = rules.play(position, Move.parse(word))
            position = previous.position
        board = Position.parse(f"{self.lies} s 0")
        return Evidence(
            before=position,
            counts=(*board.pits, *board.stores),
            marks=board.marks if any(board.marks) else None,
            claimed=Move.parse(self.claimed) if self.claimed else None,
            previous=previous,
        )

    @property
    def moves(self) -> list[Move]:
        """The moves that were written since `before`, if nobody knows which of them went wrong."""
        return [Move.parse(word) for word in self.since.split()]


SMALL: Mapping[str, Value] = {"pits": 8, "setup": "fours-right"}

QUARRELS = (
    Quarrel(
        id="one-too-few",
        game="oware",
        title=later("One seed too few"),
        story=later("South sows from c. North says: “You left one in the pit, the last one is missing.”"),
        lies="4.4.1.5.5.5/4.4.4.4.4.4 0-0",
        claimed="c",
        advice=later(
            "Have the seed put into its pit, and let the turn stand. It was a slip of the hand: nobody gained by "
            "it, and the next turn has not begun."
        ),
    ),
    Quarrel(
        id="pit-skipped",
        game="oware",
        title=later("A pit was skipped"),
        story=later("South sows from c, fast. North says: “You jumped over e, that is why you reached B.”"),
        lies="4.4.0.5.4.5/5.5.4.4.4.4 0-0",
        claimed="c",
        advice=later(
            "The board and its correction are the same whether e was skipped or its seed fell in B. The "
            "difference matters only if it was on purpose: ask who saw the hand at e."
        ),
    ),
    Quarrel(
        id="wrong-pit",
        game="enkeshui",
        options=SMALL,
        title=later("The lap from the wrong pit"),
        story=later("South's first lap ended in g. The hand went back to d, lifted that pit and sowed on."),
        lies="0.0.0.0.6.6.6.5/1.0.4.4.4.4.4.4 0-0",
        claimed="c",
        advice=later(
            "Set the board up as it was before lap 2, and let South finish the turn from g. The legal turn "
            "captures, so South lost by the slip: do not count it against them."
        ),
    ),
    Quarrel(
        id="relayed-too-far",
        game="bof",
        title=later("Sowed on too far"),
        story=later("South's turn was over when the next pit was empty. The hand lifted the last pit and sowed on."),
        before="8.8.2.8.3/0.0.0.1.3 5-2 s 2",
        lies="10.10.2.0.0/2.2.2.3.1 6-2",
        claimed="c",
        advice=later(
            "Set the board up as after lap 1. South captured a seed by it: the rules of your event say whether "
            "that costs more than the seed."
        ),
    ),
    Quarrel(
        id="capture-forgotten",
        game="kalah",
        title=later("A capture was not taken"),
        story=later(
            "South's last seed fell in the empty pit f, and South took nothing. Then North reached for the board."
        ),
        before="5.4.4.4.0.0/6.6.5.0.6.5 2-1 s 4",
        lies="0.5.5.5.1.1/6.6.5.0.6.5 2-1",
        claimed="a",
        advice=later(
            "The capture is part of the turn: have it taken as long as North has not played. After that, the "
            "rules of your event decide whether it is lost."
        ),
    ),
    Quarrel(
        id="not-theirs",
        game="oware",
        title=later("A capture that was not theirs"),
        story=later("North's last seed fell in b and made five. North took all five; South says: “Only two or three!”"),
        before="4.4.4.0.5.5/5.5.4.4.4.4 0-0 n 1",
        lies="5.0.4.0.5.5/5.5.4.0.5.5 0-5",
        claimed="D",
        advice=later("Put the seeds back; the turn stands without the capture. No second account is likely here."),
    ),
    Quarrel(
        id="bull-emptied",
        game="enkeshui",
        options=SMALL,
        title=later("The bull was emptied"),
        story=later(
            "South's lap ended in South's own bull at B. South took its seeds and sowed on, and captured four."
        ),
        before="0.2.0.0.1.0.3.0/1.4s.0.0.2.0.1.2 16-16 s 10",
        lies="0.2.0.0.1.0.0.1/2.0.1.1.3.1.0.0 20-16",
        claimed="g",
        advice=later(
            "Set the board up as after lap 1, with the bull and its five seeds. Players forget which pits are "
            "bulls: have them marked."
        ),
    ),
    Quarrel(
        id="uur-forgotten",
        game="layli-goobalay",
        title=later("The uur was not made"),
        story=later(
            "South's last seed fell in f, which was empty, and three lay opposite. South stopped there and said "
            "nothing."
        ),
        before="0.2.0.1.0.0.1.0.2.0.0.5/0.1.0.0.2.0.3.2.0.4.0.1 38-34 s 40",
        lies="0.2.0.1.0.1.0.0.2.0.0.5/0.1.0.0.2.0.3.2.0.4.0.1 38-34",
        claimed="g",
        advice=later(
            "One of the three seeds moves over, and both pits are marked as South's. This follows from the turn: "
            "South did not have to say it."
        ),
    ),
    Quarrel(
        id="wrong-way",
        game="bof",
        title=later("The wrong way round"),
        story=later("South plays clockwise by habit. Nobody says a word until the capture."),
        before="8.8.2.8.3/0.0.0.1.3 5-2 s 2",
        lies="9.9.0.8.0/0.1.1.2.0 8-2",
        claimed="c",
        advice=later(
            "Restore the position and have the same pit played the right way. First ask both whether they agreed "
            "on a direction: it is an option of the game."
        ),
    ),
    Quarrel(
        id="moved-twice",
        game="oware",
        title=later("Moved twice"),
        story=later("South played c, looked away, and played e as well. North had not moved."),
        lies="4.4.0.5.0.6/6.5.5.5.4.4 0-0",
        claimed="c",
        advice=later("The first turn stands, the second is taken back, and North is to move."),
    ),
    Quarrel(
        id="whose-hand",
        game="oware",
        title=later("Whose hand was it?"),
        story=later(
            "North was to move. The seeds of e were sown while both leaned over the board. South says: “That was "
            "you.” North says the same."
        ),
        before="4.4.0.5.5.5/5.4.4.4.4.4 0-0 n 1",
        lies="4.4.0.5.0.6/6.5.5.5.4.4 0-0",
        advice=later(
            "Two accounts are equal: South played out of turn, or North began in South's row. Both leave this "
            "board by the same steps, so the board cannot tell them apart. Restore the position; blame nobody "
            "without a witness."
        ),
    ),
    Quarrel(
        id="turn-before",
        game="enkeshui",
        options=SMALL,
        title=later("The turn before was not finished"),
        story=later(
            "North stopped too early, and South played at once. Only then did North see that the turn went on."
        ),
        played="c B",
        lies="0.0.0.5.0.6.1.6/2.1.6.0.5.0.0.0 16-0",
        advice=later(
            "Go back to where North stopped, have that turn finished, and then have South play again. South could"
            " not have seen the right position, and is not bound by the turn that was played."
        ),
    ),
    Quarrel(
        id="since-when",
        game="oware",
        title=later("Wrong, and nobody knows since when"),
        story=later("After three turns the counts do not fit the record. Each turn looked right to both."),
        since="c D a",
        lies="0.6.1.6.5.6/5.5.4.0.5.5 0-0",
        advice=later(
            "The likeliest account is a pit that was skipped in the first turn; the later turns were played as "
            "written on that board. If both accept it, let the board be corrected; if not, go back to the last "
            "position that is certain."
        ),
    ),
    Quarrel(
        id="knocked-over",
        game="oware",
        title=later("Someone knocked the board"),
        story=later("A child ran into the table after South's turn. Seeds were put back in haste."),
        lies="4.4.1.6.5.3/5.4.4.4.3.5 0-0",
        claimed="c",
        advice=later(
            "No turn with one or two slips explains this board, and the finding says so. Do not base a ruling on "
            "it. Restore the last certain position from the record, and have the turn played again."
        ),
    ),
)


MAX_ACCOUNTS = 3
LEAST = 0.01  # the probability from which an account is shown
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class QuarrelView:
    """A quarrel on the page."""

    id: str
    title: str
    story: str
    game: str
    written: str
    before: BoardPicture
    now: BoardPicture
    finding: FindingView
    advice: str


@functools.cache
def _finding(quarrel_id: str, language_id: str) -> FindingView:
    quarrel = next(quarrel for quarrel in QUARRELS if quarrel.id == quarrel_id)
    rules, evidence = quarrel.rules, quarrel.evidence
    if quarrel.since:
        found = find_since(rules, evidence.before, quarrel.moves, evidence, language_id)
        cited = cite_moves(evidence.before, quarrel.moves)
    else:
        found, cited = find(rules, evidence, language=language_id), []
    view = finding_view(rules, found, evidence, language_id, cited)
    first, *others = view.accounts[:MAX_ACCOUNTS]
    return replace(view, accounts=(first, *(one for one in others if one.account.probability >= LEAST)))


def quarrel_finding(quarrel: Quarrel, language: Language) -> FindingView:
    """What is found of a quarrel, with the accounts that count; worked out once in each language."""
    with _lock:  # many who ask at once wait for one
        return _finding(quarrel.id, language.id)


def quarrel_views(language: Language) -> list[QuarrelView]:
    """All quarrels, in a language that gettext speaks too."""
    return [_view(quarrel, language) for quarrel in QUARRELS]


def _view(quarrel: Quarrel, language: Language) -> QuarrelView:
    evidence = quarrel.evidence
    move = evidence.claimed
    start = None if move is None else move.pit_index(evidence.before.row)
    before = BoardPicture(evidence.before, gettext("The board before"), Highlights(start=start))
    return QuarrelView(
        id=quarrel.id,
        title=gettext(quarrel.title),
        story=gettext(quarrel.story),
        game=game_text(quarrel.rules.info, quarrel),
        written=quarrel.since or quarrel.claimed,
        before=before,
        now=board_now(evidence, gettext("The board now")),
        finding=quarrel_finding(quarrel, language),
        advice=gettext(quarrel.advice),
    )


def game_text(info: RuleSet, quarrel: Quarrel) -> str:
    """The game with the options that are not as usual."""
    options = " ".join(f"{name}={format_value(value)}" for name, value in quarrel.options.items())
    return f"{info.name} ({options})" if options else info.name
