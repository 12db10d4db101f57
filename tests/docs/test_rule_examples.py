"""The rule sets of `docs/examples/rules`: turns that were worked out by hand from the sentences of their sources."""

import re
from pathlib import Path

import pytest

from inkeek.records import Position, ruleset
from inkeek.records.rules.ruleset import read_ruleset, read_rulesets
from tests.records.prove_tables import compare
from tests.records.table_model import TableModel

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "rules"
FILES = {file.path.stem: file for file in read_rulesets(FOLDER)}

# Position, turn, and the position after it. Where none is given, the turn is the first of the game.
TURNS = [
    # Lamlameta: the penultimate pit on the right, a usual opening; k, A, D, G, J, a, d, g and j are sown on.
    ("lamlameta", "", "k", "0.3.3.0.3.3.0.3.3.0.1.4/1.3.3.0.3.3.0.3.3.0.3.3 0-0 n 1"),
    # All twos of the opponent's row are taken, as one of them lies opposite.
    (
        "lamlameta",
        "1.0.0.0.0.0.0.0.0.0.0.0/0.0.2.1.0.0.0.0.0.0.2.0 20-22 s 9",
        "ax4",
        "0.1.0.0.0.0.0.0.0.0.0.0/0.0.0.1.0.0.0.0.0.0.0.0 24-22 n 10",
    ),
    # A has two, and is jumped.
    (
        "lamlameta",
        "0.0.0.0.0.0.0.0.0.0.0.2/2.0.0.0.0.0.0.0.0.0.0.0 22-22 s 9",
        "l",
        "0.0.0.0.0.0.0.0.0.0.0.0/2.1.1.0.0.0.0.0.0.0.0.0 22-22 n 10",
    ),
    # Um el-Bagara: to the right from the right of the middle, to the left from the left, either way from it.
    ("um-el-bagara", "", "d", "5.5.5.0.6/6.6.6.6.5 0-0 n 1"),
    ("um-el-bagara", "", "b", "6.0.5.5.5/5.6.6.6.6 0-0 n 1"),
    ("um-el-bagara", "", "c", "5.5.0.6.6/6.6.6.5.5 0-0 n 1"),
    ("um-el-bagara", "", "c<", "6.6.0.5.5/5.5.6.6.6 0-0 n 1"),
    # The last seed makes two, those before it two and four: a cow and two calves.
    ("um-el-bagara", "0.0.0.0.3/3.1.1.0.1 20-21 s 9", "ex8", "0.0.0.0.0/0.0.0.0.1 28-21 n 10"),
    # Toguz Korgool: nine from the seventh pit make ten; with five pits the first lesson of mankala.cz, and its last.
    ("toguz-korgool", "", "gx10", "9.9.9.9.9.9.1.10.10/10.10.10.10.10.0.9.9.9 10-0 n 1"),
    ("toguz-korgool pits=5 seeds=5", "", "cx6", "5.5.1.6.6/6.0.5.5.5 6-0 n 1"),
    ("toguz-korgool pits=5 seeds=5", "0.1.0.0.1/1.1.1.1.0 22-22 s 30", "ex2", "0.1.0.0.0/0.1.1.1.0 24-22 n 31"),
    # Three make a tuz, but not in the last pit.
    ("toguz-korgool pits=5 seeds=5", "1.0.0.0.2/2.1.0.0.1 22-21 s 30", "ex3=A", "1.0.0.0.1/0s.1.0.0.1 25-21 n 31"),
    ("toguz-korgool pits=5 seeds=5", "1.0.0.0.6/0.0.0.0.2 20-21 s 30", "e", "1.0.0.0.1/1.1.1.1.3 20-21 n 31"),
    # What falls into a tuz is its owner's.
    ("toguz-korgool pits=5 seeds=5", "1.0.0.0.2/0s.1.0.0.1 22-23 s 30", "ex1", "1.0.0.0.1/0s.1.0.0.1 23-23 n 31"),
    # Endodoi and Ayoayo: e, D, c and C are sown on, and one seed lies opposite c.
    ("endodoi", "", "ax2", "2.7.0.6.1.6/6.6.0.0.6.6 2-0 n 1"),
    ("ayoayo", "", "ax1", "2.7.1.6.1.6/6.6.0.0.6.6 1-0 n 1"),
    ("ayoayo takes_last=true", "", "ax2", "2.7.0.6.1.6/6.6.0.0.6.6 2-0 n 1"),
    # Obridjie: the same laps meet no four. Then b makes one on the way, and the last seed another; a four of the other.
    ("obridjie", "", "a", "2.7.1.6.1.6/6.6.0.1.6.6 0-0 n 1"),
    ("obridjie", "2.3.3.0.0.0/0.0.0.0.0.1 20-19 s 9", "ax8", "0.0.0.0.0.0/0.0.0.0.0.1 28-19 n 10"),
    ("obridjie", "1.0.0.0.0.2/3.0.0.0.0.0 20-22 s 9", "fx0,4", "1.0.0.0.0.0/0.1.0.0.0.0 20-26 n 10"),
    # Krur: from the right end A, D, ... are sown on. Four in a house of the other capture it; they pass over it.
    ("krur", "", "d", "1.8.0.4/0.9.9.1 0-0 n 1"),
    ("krur", "0.0.0.1/3.0.0.0 12-16 s 9", "d=A", "0.0.0.0/4s.0.0.0 12-16 n 10"),
    ("krur", "0.0.0.0/4s.0.0.6 11-11 n 9", "D", "1.1.1.1/4s.1.1.0 11-11 s 10"),
    # Songo: clockwise; two, three and four are taken in a row of pits.
    ("songo", "", "a", "0.8.8.8.8.8.9/9.9.9.9.9.9.9 0-0 n 1"),
    ("songo", "3.0.0.0.0.0.0/0.0.0.5.1.2.3 49-49 s 40", "ax9", "0.0.0.0.0.0.0/0.0.0.5.0.0.0 58-49 n 41"),
    # Ovalhu: the eighth seed falls in the store, and the same player goes on.
    ("ovalhu", "", "a", "0.9.9.9.9.9.9.9/8.8.8.8.8.8.8.8 1-0 s 1"),
    # J'odu: e, D, c and C are sown on, as in Endodoi; the last seed stays. A capture may take all that the other has.
    ("jodu", "", "ax1", "2.7.1.6.1.6/6.6.0.0.6.6 1-0 n 1"),
    ("jodu", "0.0.1.0.0.2/0.0.4.0.0.0 20-21 s 9", "cx4", "0.0.0.1.0.2/0.0.0.0.0.0 24-21 n 10"),
    # Ba-awa: no four on the way from the start. A four on the way is its owner's, one at the end the mover's.
    ("ba-awa", "", "a", "2.7.1.6.1.6/6.6.0.1.6.6 0-0 n 1"),
    ("ba-awa", "3.3.0.0.0.0/0.0.0.3.0.0 18-21 s 9", "ax4", "0.0.1.1.0.0/0.0.0.3.0.0 22-21 n 10"),
    ("ba-awa", "0.0.0.0.0.5/3.0.0.2.0.0 18-20 s 9", "fx0,4", "0.0.0.0.0.0/0.1.1.3.1.0 18-24 n 10"),
    ("ba-awa", "0.0.0.0.0.2/0.3.0.0.0.1 22-20 s 9", "fx4", "0.0.0.0.0.0/1.0.0.0.0.1 26-20 n 10"),
    ("ba-awa last_seeds=4", "0.0.0.0.0.1/3.0.0.1.0.3 20-20 s 9", "fx8", "0.0.0.0.0.0/0.0.0.0.0.0 28-20 n 10"),
    # Pallanguzhi: e, behind the last seed, is sown on; A and B are two empty cups.
    ("pallanguzhi", "3.0.0.1.2.0.0/0.0.0.5.0.0.0 36-37 s 9", "a", "0.1.1.2.0.1.1/0.0.0.5.0.0.0 36-37 n 10"),
    # e is captured beyond the empty d, and the turn goes on from g.
    ("pallanguzhi", "2.0.0.0.3.0.1/0.0.0.2.0.0.0 38-38 s 9", "ax3", "0.1.1.0.0.0.0/1.0.0.2.0.0.0 41-38 n 10"),
    # b makes four on the way, d at the end; f is captured, and the turn goes on from A.
    ("pallanguzhi", "3.3.0.3.0.2.0/1.0.0.0.0.0.0 36-36 s 9", "ax10", "0.0.1.0.0.0.0/0.1.0.0.0.0.0 46-36 n 10"),
    # Congkak: the first turn of the source's page, to the diagram and on from G to f, which captures B.
    ("congkak", "", "fx9", "8.8.8.8.8.0.8/8.0.8.8.8.8.0 10-0 n 1"),
    ("congkak", "1.0.0.0.3.0.0/0.0.0.0.0.0.2 46-46 s 9", "a", "0.0.0.0.3.0.0/0.0.0.0.0.0.2 47-46 s 10"),
    # Oromo Gabata: twelve seeds go round and end in the empty d; b makes four on the way, but F has thirteen.
    ("oromo-gabata", "", "b", "0.0.1.13.1.0/0.13.1.1.2.12 0-0 n 1"),
    ("oromo-gabata", "", "dx4", "1.0.1.1.1.1/1.14.2.2.3.13 4-0 n 1"),
    # Four at the end are sown on.
    ("oromo-gabata", "0.0.1.3.0.0/0.0.0.0.0.2 19-19 s 9", "c", "0.0.0.0.1.1/1.1.0.0.0.2 19-19 n 10"),
]


def rules_of(name: str):
    file, *given = name.split()
    assert FILES[file].info, FILES[file].error
    return ruleset(FILES[file].info, **dict(word.split("=") for word in given))


@pytest.mark.parametrize(("name", "before", "turn", "after"), TURNS)
def test_turns_that_were_worked_out_by_hand(name, before, turn, after):
    rules = rules_of(name)
    position = Position.parse(before) if before else rules.start()
    played = rules.starting_from(position).play(position, turn)
    assert (str(played.position), str(played.move)) == (after, turn)


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_model_plays_the_same_and_every_game_has_turns_by_hand(name):
    rules = rules_of(name)
    model, position = TableModel(rules.info.data, rules.options), rules.start()
    for _ in range(30):
        compare([rules], model, position)
        turns = rules.turns(position)
        if not turns:
            break
        position = turns[position.ply % len(turns)].position
    assert name in {turn[0].split()[0] for turn in TURNS}
    assert {clause.mark for clause in rules.info.clauses} >= {"attested", "decided"}


def test_the_file_of_the_page_plays():
    (text,) = re.findall(r"```toml\n(.+?)```", (FOLDER.parents[1] / "local-rules.md").read_text("utf-8"), re.DOTALL)
    rules = ruleset(read_ruleset(text))
    assert str(rules.play(rules.start(), "a").move) == "ax1"
