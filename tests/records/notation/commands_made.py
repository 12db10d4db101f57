"""Random commands of every kind."""

from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import strategies as st

from inkeek.records import NORTH, PASS, SOUTH, Move, Position
from inkeek.records.notation.commands import (
    ANSWERS,
    OUTCOMES,
    PENALTIES,
    SIDES_REASONS,
    WON,
    After,
    Appeal,
    BoardEvent,
    By,
    ChangedClaim,
    Clock,
    ClockChange,
    Correction,
    Dispute,
    Elapsed,
    End,
    Entering,
    Evaluation,
    Join,
    Leave,
    Moment,
    Penalty,
    Proposal,
    Reopening,
    Response,
    Retraction,
    Ruling,
    Trial,
)
from inkeek.records.notation.tags import RESULTS, TERMINATIONS
from tests.records.notation.records_made import words

texts = st.lists(words | st.sampled_from(['"', "\\", "]", "[%by", '\\"', "=", "[%"]), min_size=1, max_size=4).map(
    " ".join
)
notes = st.just("") | texts
results, terminations = st.sampled_from(RESULTS), st.sampled_from(TERMINATIONS)
scores = st.just("") | st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map("{0[0]}-{0[1]}".format)
sides = st.sampled_from((SOUTH, NORTH))
seconds = st.integers(0, 35_999_999) | st.decimals(0, 35_999_999, places=3)
offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moves = st.sampled_from(
    [
        PASS,
        *map(
            Move.parse, ("d", "D<>", "dx7", "ix16,8", "d=f", "A=DE", "g><x2=ab", "gh@a4b4", "gh@", "~d", "~?", "~cx3=d")
        ),
    ]
)
positions = st.integers(0, 40).map(lambda seeds: str(Position((seeds, 4, 4, 4), (0,) * 4)))
outcomes, plies = st.sampled_from(OUTCOMES), st.none() | st.integers(0, 999)
ends = (st.just("") | results, st.just("") | terminations)
commands = st.one_of(
    st.builds(Clock, seconds),
    st.builds(Elapsed, seconds),
    st.builds(Moment, st.datetimes(timezones=offsets)),
    st.builds(Entering, st.datetimes(timezones=offsets), notes),
    st.builds(Evaluation, st.integers(-9999, 9999), st.none(), st.none() | st.integers(0, 9999)),
    st.builds(Evaluation, st.decimals(-9999, 9999, places=2), st.none(), st.none() | st.integers(0, 9999)),
    st.builds(Evaluation, st.none(), st.sampled_from(WON), st.none() | st.integers(0, 9999)),
    st.builds(By, texts),
    st.builds(Join, sides, texts),
    st.builds(Leave, sides, texts),
    st.builds(Trial, moves, notes),
    st.builds(Retraction, moves, sides, st.sampled_from(SIDES_REASONS), notes),
    st.builds(Retraction, moves, note=notes),
    st.builds(Dispute, sides, texts, st.sampled_from(("", "end"))),
    st.builds(Dispute, sides, texts, st.just(""), st.integers(1, 999), st.just("") | positions),
    st.builds(ChangedClaim, texts, notes, st.just("") | positions),
    st.builds(ChangedClaim, st.just(""), notes, positions),
    st.builds(
        Proposal, sides, outcomes, st.just("") | moves.map(str), st.just("") | positions, plies, *ends, notes, notes
    ),
    st.builds(Response, sides, st.sampled_from(ANSWERS), notes),
    st.builds(Penalty, sides, st.sampled_from([kind for kind in PENALTIES if kind != "seeds"]), st.none(), notes),
    st.builds(Penalty, sides, st.just("seeds"), st.integers(0, 999), notes),
    st.builds(ClockChange, sides, seconds, st.none()),
    st.builds(ClockChange, sides, st.none(), seconds),
    st.builds(Appeal, texts, st.none() | sides, notes, st.sampled_from(("", "yes"))),
    st.builds(Ruling, outcomes, notes, notes, st.sampled_from(("", "yes"))),
    st.builds(End, results, terminations, scores, notes),
    st.builds(Correction, results, terminations, scores, notes, notes),
    st.builds(Reopening, notes, notes),
    st.builds(BoardEvent, texts, st.integers(0, 10**20 - 1)),
    st.builds(After, positions),
)


def claims(move: Move) -> tuple[tuple[int, int] | None, str | None]:
    """What a move claims: no part of whether two are the same."""
    return move.captured, move.special
