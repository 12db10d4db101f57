from __future__ import annotations

import bz2
import random
from importlib import resources
from itertools import islice
from random import Random

import pytest

from benchmarks.analysis.playing import MEMORY, Player, play_game, random_opening
from benchmarks.analysis.self_play import make_games, write_collection
from benchmarks.analysis.self_play_figures import Mean, figures_of, quantile
from inkeek.records import Position, ruleset, ruleset_ids
from inkeek.records.analysis import Limits, analyse
from inkeek.records.analysis.search import load_weights
from inkeek.records.analysis.self_play import collection as playing
from inkeek.records.analysis.self_play.collection import (
    MIN_GAMES,
    VALUED_TURNS,
    Book,
    CollectionError,
    Making,
    game_end,
    load_book,
    load_collection,
    position_key,
    read_collection,
)
from inkeek.records.position import NORTH, OWNED, SOUTH

MOST_BYTES = 600_000  # of all collections
SHIPPED = [id for id in ruleset_ids() if load_collection(id)]
BOF = Making("bof", 3, 100, load_weights("bof"))


def made(making=BOF, games=12):
    return tuple(islice(make_games(ruleset(making.game), making), games))


def test_what_is_written_is_read():
    games = made()
    found = read_collection(write_collection(BOF, games))
    assert (found.making, found.games) == (BOF, games)


def test_the_same_seed_makes_the_same_games_and_another_seed_others():
    assert made() == made()
    assert made() != made(Making("bof", 4, 100, BOF.weights))


def test_games_differ():
    assert len({game.moves for game in made(games=60)}) == 60


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no collection",
        bz2.compress(b"{}\n"),
        bz2.compress(b"no json\n"),
        write_collection(BOF, made(games=2))[:-30],
        bz2.compress(bz2.decompress(write_collection(BOF, ())) + b"a b c\n"),
    ],
)
def test_a_damaged_collection_is_an_error(data):
    with pytest.raises(CollectionError):
        read_collection(data)


def test_collections_that_ship_are_small():
    folder = resources.files("inkeek.records").joinpath("analysis", "self_play", "games")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < MOST_BYTES
    for id in SHIPPED:
        collection = load_collection(id)
        assert collection.making.game == id
        assert len(collection.games) == 2000
    assert load_collection("chess") is None


@pytest.mark.parametrize("id", SHIPPED)
def test_games_that_ship_are_by_the_rules(id):
    rules, games = ruleset(id), load_collection(id).games
    for game in random.Random(id).sample(games, 40):
        position = rules.start()
        for move in game.moves:
            position = rules.play(position, move).position
        if game.outcome.termination == "normal":
            assert rules.outcome(position) == game.outcome


def test_the_book_counts_as_a_plain_count_does():
    collection = read_collection(write_collection(BOF, made(games=60)))
    book, rules = Book(collection), ruleset("bof")
    seen: dict[object, list[tuple[object, float, int]]] = {}
    for game in collection.games:
        position = rules.start()
        for number, move in enumerate(game.moves[:VALUED_TURNS]):
            before, position = position, rules.play(position, move).position
            found = game.values[number], game.outcome.score[0] - game.outcome.score[1]
            seen.setdefault(before.replaced(stores=(0, 0), ply=0), []).append((position_key(position), *found))
    assert len(seen) > 50
    for before, plays in seen.items():
        turns = book.turns(before)
        assert sum(turn.times for turn in turns.values()) == (len(plays) if len(plays) >= MIN_GAMES else 0)
        for key, turn in turns.items():
            mine = [(value, difference) for after, value, difference in plays if after == key]
            assert turn.times == len(mine)
            assert turn.value == pytest.approx(sum(value for value, _ in mine) / len(mine), abs=0.01)
            assert turn.difference == pytest.approx(sum(one for _, one in mine) / len(mine), abs=0.01)
            assert (turn.south, turn.north) == (sum(d > 0 for _, d in mine), sum(d < 0 for _, d in mine))
            assert turn.drawn == turn.times - turn.south - turn.north


def test_the_book_of_a_rule_set_has_all_games_at_the_start():
    book = load_book("oware")
    turns = book.turns(ruleset("oware").start())
    assert sum(turn.times for turn in turns.values()) == book.games == 2000
    assert len(turns) == 6
    assert load_book("chess") is None


def test_figures_are_those_of_a_plain_count():
    making = Making("enkeshui", 1, 100, load_weights("enkeshui"))
    rules, games = ruleset("enkeshui"), made(making, 15)
    found = figures_of(rules, games)
    turns = [turn for game in games for turn in iter_turns(rules, game)]
    ends = [list(iter_turns(rules, game))[-1].position for game in games]
    captured = [turn.captured[turn.before.to_move] for turn in turns if turn.captured[turn.before.to_move]]
    assert found.games == found.south + found.drawn + found.north == 15
    assert found.south == sum(game.outcome.winner is SOUTH for game in games)
    assert found.north == sum(game.outcome.winner is NORTH for game in games)
    assert sorted(found.lengths.elements()) == sorted(len(game.moves) for game in games)
    assert found.capturing == pytest.approx(len(captured) / len(turns))
    assert found.captured == pytest.approx(sum(captured) / len(captured))
    assert found.largest == max(captured)
    assert found.by_turn[7] == pytest.approx(
        sum(turn.captured[turn.before.to_move] for turn in turns if turn.before.ply == 7)
        / sum(len(game.moves) >= 8 for game in games)
    )
    specials = [sum(mark in OWNED for mark in end.marks) for end in ends]
    assert found.specials.value == pytest.approx(sum(specials) / 15)
    assert found.with_specials == pytest.approx(sum(map(bool, specials)) / 15)
    assert quantile(found.lengths, 0.5) == sorted(found.lengths.elements())[7]


def iter_turns(rules, game):
    position = rules.start()
    for move in game.moves:
        turn = rules.play(position, move)
        position = turn.position
        yield turn


def test_a_mean_has_the_interval_of_its_scatter():
    mean = Mean.of([0.0, 1.0, 1.0, 0.0])
    assert (mean.value, mean.error) == (0.5, pytest.approx(1.96 * (1 / 3 / 4) ** 0.5))
    assert Mean.of([2.0, 2.0, 2.0]) == Mean(2.0, 0.0)


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_game_is_played_by_the_rules_to_its_end(id):
    rules = ruleset(id)
    opening, after = random_opening(rules, Random(5), 4)
    game = play_game(rules, opening, (Player(rules, 100), Player(rules, 100)))
    assert game.moves[:4] == tuple(opening)
    positions = [rules.start()]
    for move in game.moves:
        positions.append(rules.play(positions[-1], move).position)
    assert positions[4] == after
    assert all(rules.outcome(position) is None for position in positions[:-1])
    assert len(game.values) == len(game.moves)
    assert game.values[-1] == game.outcome.score[0] - game.outcome.score[1]
    if game.outcome.termination == "normal":
        assert rules.outcome(positions[-1]) == game.outcome


def test_the_same_players_play_the_same_game_again():
    rules = ruleset("enkeshui")
    opening, _ = random_opening(rules, Random(1), 6)
    first, second = (play_game(rules, opening, (Player(rules, 300), Player(rules, 300))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("id", ["bof", "layli-goobalay", "oware"])
def test_a_player_finds_what_the_search_finds(id):
    rules = ruleset(id)
    position = random_opening(rules, Random(2), 6)[1]
    move, value = Player(rules, 3000).choose(position)
    line = analyse(rules, position, Limits(nodes=3000), memory=MEMORY).lines[0]
    assert (move, value) == (line.moves[0], line.value)


def test_a_player_finds_nothing_where_the_game_is_over():
    rules = ruleset("kalah")
    over = Position.parse("0.0.0.0.0.0/4.0.0.0.0.0 24-20 s 60")
    assert Player(rules, 100).choose(over) == (None, 0.0)


def test_how_a_game_ends(monkeypatch):
    oware = ruleset("oware", repetition=3)
    start = oware.start()
    assert game_end(oware, start, 2) is None
    assert game_end(oware, start, 3).termination == "repetition"
    freely = ruleset("oware", repetition=0)
    assert game_end(freely, start, 2) is None
    assert game_end(freely, start, 3).termination == "adjudication"
    monkeypatch.setattr(playing, "MAX_PLIES", 10)
    assert game_end(freely, start.replaced(ply=9), 1) is None
    late = game_end(freely, start.replaced(ply=10), 1)
    assert (late.termination, late.score) == ("adjudication", (0, 0))
