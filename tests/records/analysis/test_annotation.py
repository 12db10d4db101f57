"""Annotations: values, losses, glyphs and accuracy of turns, and the record that carries them."""

from __future__ import annotations

import random
import threading
from math import exp

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import (
    SOUTH,
    BadRecord,
    Game,
    Move,
    Ply,
    Position,
    Rules,
    Side,
    Turn,
    evaluations,
    read_games,
    ruleset,
    ruleset_ids,
    write_game,
)
from inkeek.records.analysis import Limits, solve
from inkeek.records.analysis.annotation import (
    FEWEST_JUDGED,
    LEAD,
    LEADS,
    MARKS,
    AnnotationStopped,
    _glyph,
    annotate,
    annotated,
    judge,
    searches,
)

FEW = Limits(nodes=300)
ENOUGH = Limits(nodes=2_000_000)


def random_game(game: str, seed: int, turns: int = 12) -> Game:
    """The beginning of a game whose turns are chosen at random."""
    rules, chance, plies = ruleset(game), random.Random(seed), []
    position = rules.start()
    for _ in range(turns):
        legal = rules.turns(position, 200)
        if not legal:
            break
        turn = chance.choice(legal)
        if rules.outcome(turn.position):
            break
        plies.append(Ply(turn.move))
        position = turn.position
    return Game({"Game": game}, tuple(plies))


@settings(max_examples=15)
@given(game=st.sampled_from(ruleset_ids()), seed=st.integers(0, 1000))
def test_what_holds_for_every_annotation(game: str, seed: int) -> None:
    record = random_game(game, seed)
    found = annotate(record, FEW)
    rules, turns = record.rules(), record.replay().turns
    assert [turn.move for turn in found.turns] == [str(turn.move) for turn in turns]
    for turn, played in zip(found.turns, turns, strict=True):
        if turn.loss is None:
            assert not turn.glyph
            assert len(rules.turns(played.before)) == 1 or played.move.kind.value != "sow"
        else:
            assert turn.loss >= 0
            assert bool(turn.loss) >= bool(turn.glyph)
            if turn.best.moves[0] == played.move:
                assert turn.loss == 0
    for turn, after in zip(found.turns, found.turns[1:], strict=False):
        assert turn.after == (after.before if turn.side is after.side else -after.before)

    def chance(value: float) -> float:
        return 1 / (1 + exp(-value / (LEADS.get(game, LEAD) * rules.seeds)))

    for turn in found.turns:
        if turn.loss is not None and not turn.exact:
            lost = chance(turn.before) - chance(turn.before - turn.loss)
            assert turn.glyph == next((glyph for share, glyph in MARKS if lost >= share), "")
    for side in Side:
        judged = [turn for turn in found.turns if turn.side is side and turn.loss is not None]
        accuracy = found.accuracy[side]
        assert (accuracy is None) == (len(judged) < FEWEST_JUDGED)
        if accuracy is not None:
            kept = [1 - chance(turn.before) + chance(turn.before - turn.loss) for turn in judged]
            assert accuracy == pytest.approx(100 * sum(kept) / len(kept), abs=0.06)


def late_game(seed: int) -> tuple[Rules, list[Position], list[Turn]]:
    """A game of Bò·f played at random from where few seeds are left."""
    rules, chance = ruleset("bof"), random.Random(seed)
    position = rules.start()
    while sum(position.pits) > 12 and (legal := rules.turns(position)):
        position = chance.choice(legal).position
    positions, turns = [position], []
    while legal := rules.turns(positions[-1]):
        turns.append(chance.choice(legal))
        positions.append(turns[-1].position)
    return rules, positions, turns


@pytest.mark.parametrize("seed", range(3))
def test_exact_values_are_those_of_proofs(seed: int) -> None:
    rules, positions, turns = late_game(seed)
    found = judge(rules, positions, turns, [search.run(ENOUGH) for search in searches(rules, positions)])
    for turn, played in zip(found.turns, turns, strict=True):
        if turn.exact:
            proven = solve(rules, played.before).value
            assert proven is None or turn.before == proven


@given(lost=st.sampled_from((0, 0.05, 0.15, 0.25, 0.5)), before=st.integers(-2, 2), after=st.integers(-2, 2))
def test_a_proven_result_that_is_given_away_is_a_mistake_however_little_was_lost(lost: float, before: int, after: int):
    order = ["", "?!", "?", "??"]
    estimated, proven = (order.index(_glyph(lost, before, after, exact)) for exact in (False, True))
    least = 3 if before > 0 > after else 2 if before > 0 >= after or before == 0 > after else 0
    assert proven == max(estimated, least)


@pytest.mark.parametrize("game", ruleset_ids())
def test_an_annotated_record_is_a_record_with_the_values(game: str) -> None:
    record = random_game(game, 1)
    found = annotate(record, FEW)
    written = annotated(record, found)
    text = write_game(written)
    (again,) = read_games(text.encode().splitlines(keepends=True))
    assert not again.errors
    assert [ply.move for ply in again.replay().plies] == [ply.move for ply in record.replay().plies]
    values = evaluations(again)
    for turn, value in zip(found.turns, values[1:], strict=True):
        assert value is not None
        assert float(value.seeds or 0) == pytest.approx(turn.after if turn.side is SOUTH else -turn.after, abs=0.01)
    glyphs = [ply.nags for ply in again.plies]
    assert [bool(nags) for nags in glyphs] == [bool(turn.glyph) for turn in found.turns]
    assert write_game(annotated(again, found)) == text


def test_what_people_wrote_stays() -> None:
    record = random_game("oware", 3)
    first = record.plies[0]._replace(nags=(1,), comments=('well played [%eval 3] [%by "Abdi"]',))
    record = Game(record.tags, (first, *record.plies[1:]))
    ply = annotated(record, annotate(record, FEW)).plies[0]
    assert ply.nags == (1,)
    assert 'well played [%by "Abdi"]' in ply.comments
    assert sum("[%value" in comment for comment in ply.comments) == 1


def test_progress_counts_positions_and_it_stops() -> None:
    record, stop, seen = random_game("kalah", 2), threading.Event(), []

    def note(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            stop.set()

    with pytest.raises(AnnotationStopped):
        annotate(record, FEW, on_progress=note, stop=stop)
    assert seen == [(done, len(record.plies) + 1) for done in (1, 2, 3)]


def test_a_wrong_record_is_refused() -> None:
    with pytest.raises(BadRecord):
        annotate(Game({"Game": "oware"}, (Ply(Move.parse("z")),)), FEW)


def test_a_game_without_turns_has_a_value() -> None:
    found = annotate(Game({"Game": "oware"}), FEW)
    assert (found.turns, found.turning_point, found.accuracy) == ((), None, (None, None))
