"""Slips before the findings: ``python -m benchmarks.findings.slips --slips 1000 --seed 1000``.

Hands that know nothing of accounts (`slipping_hands.py`, `slip_scenes.py`) play a turn of a random game and slip once,
or twice; a finding says what happened from the position before and what lies there now, alone, with the pit that the
player claims, or with the pits that were lifted, in order. All slips that the hands can make in a position are played,
so that it is known which leave the board of a legal turn (*no trace*), and which leave the same board as a slip of
another kind (*alike*, otherwise *told apart*).

Slips without a trace are judged with the lifts in order, and with lifts and drops; *nor in the order*: they are those
of a legal turn too.

Two slips are alike if one seed more, less or elsewhere makes their board that of a legal turn, if these hands can leave
their board by one slip, or from the same pit at least as often by two of other kinds. They are counted without the
first of these, too (*by these hands alone*), and pairs that no one slip of these hands explains with both.

Counted, for each kind of slip and each game: how often the true kind is first, is first or as likely as the first, is
among the first three; and how often the finding says that the turn was legal. Probabilities are compared with how
often they came true. Prior weights were chosen with seeds below 1000. Runs with ``--out`` are put together by
``--merge``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from records import Rules, ruleset
from records.findings import Evidence, Finding, Seen, find

from ..corpus import random_plies
from .slip_counts import NOT_FIRST, Counts, merged
from .slip_scenes import Scene, every_slip, moves_of, pairs_that_leave, play, two_slips
from .slipping_hands import GaveUp, Played

# The games, with the sizes and set-ups that change how a turn goes.
GAMES: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("enkeshui", {}),
    ("enkeshui", {"pits": 8, "setup": "fours-right"}),
    ("enkeshui", {"pits": 8, "setup": "fours-left"}),
    ("enkeshui-wikipedia", {}),
    ("enkeshui-wikipedia", {"pits": 8, "setup": "fours-right"}),
    ("anywoli", {}),
    ("anywoli", {"pits": 7}),
    ("layli-goobalay", {}),
    ("layli-goobalay", {"pits": 8}),
    ("layli-goobalay", {"pits": 6}),
    ("bof", {}),
    ("oware", {}),
    ("kalah", {}),
)
# What the findings call a slip of the hands.
NAMES = {
    "left-behind": "left-behind",
    "picked-elsewhere": "picked-up",
    "wrong-way": "wrong-way",
    "pit-skipped": "skipped",
    "pit-given-two": "doubled",
    "dropped-elsewhere": "dropped-elsewhere",
    "seed-lost": "seed-lost",
    "seed-added": "seed-added",
    "stopped-early": "unfinished",
    "relayed-too-far": "relayed-on",
    "special-emptied": "special-emptied",
    "other-lap": "wrong-pit",
    "capture-missed": "captured-left",
    "capture-partial": "captured-part",
    "capture-wrong-pit": "captured-elsewhere",
    "capture-wrong-store": "wrong-store",
    "capture-wrongly": "captured-wrongly",
    "special-missed": "unmarked",
    "special-wrongly": "wrong-mark",
    "other-row": "wrong-row",
    "special-started": "special-emptied",
    "moved-twice": "moved-twice",
    "next-turn": "two-turns",
    "out-of-turn": "wrong-side",
    "previous-unfinished": "previous-unfinished",
    "bumped": "bumped",
}
KNOWN = ("board", "claimed", "lifts")  # what a finding is given besides the board
ORDERS = {"traceless, lifts": "lifts", "traceless, lifts and drops": "drops"}
A_SCENE = 40  # slips drawn from all that are possible in a position
MAX_PAIRS = 2000  # pairs of slips that are tried for each pair of slips, in search of others that leave the same board
MAX_MISSED = 2000
Seeds = tuple[tuple[int, ...], tuple[int, int]]  # the pits and the stores


def scenes(rng: Random, rules: Rules) -> Iterator[Scene]:
    """Positions of random games, each with the turn before it."""
    while True:
        previous = None
        for position, move in random_plies(rng, rules):
            if rng.random() < 0.2:
                yield Scene(rules, position, previous)
            previous = (position, move)


def evidence_of(scene: Scene, played: Played, known: str) -> Evidence:
    rules, position = scene.rules, scene.position
    counts = (*played.pits, *played.stores)
    previous = rules.play(*scene.previous) if scene.previous else None
    if known == "claimed":
        claimed = [move for move in moves_of(scene) if move.pit_index(rules.row) == played.start]
        return Evidence(
            before=position, counts=counts, claimed=claimed[0].choice if claimed else None, previous=previous
        )
    if known in ("lifts", "drops"):
        order = played.lifts if known == "lifts" else played.seen
        seen = tuple(Seen(*one) for one in order)
        return Evidence(before=position, counts=counts, seen=seen, seen_all=True, previous=previous)
    return Evidence(before=position, counts=counts, previous=previous)


def judge(finding: Finding, truth: set[str]) -> str:
    """``legal`` (wrongly), ``first``, ``equal``, ``third``, ``later`` or ``absent``."""
    accounts = finding.accounts
    if finding.legal and truth != {"two-turns"}:
        return "legal"
    true = [at for at, account in enumerate(accounts) if truth == set(account.kinds)]
    if not true:
        return "absent"
    if true[0] == 0:
        return "first"
    if true[0] < len(finding.best):
        return "equal"
    return "third" if true[0] < 3 else "later"


def examine(scene: Scene, rng: Random, counts: Counts, knowns: tuple[str, ...]) -> int:
    """Draw slips from all that are possible here, and ask for findings; how many were drawn."""
    legal = {(scene.position.pits, scene.position.stores): set[object]()}
    for move in moves_of(scene):
        try:
            turn = play(scene, move)[0]
        except GaveUp:
            continue
        legal.setdefault(turn.board, set()).update((turn.lifts, turn.seen))
    possible: dict[str, list[Played]] = defaultdict(list)
    kinds_of: dict[object, set[str]] = defaultdict(set)
    for played in every_slip(scene):
        kind = played.slips[0].kind
        possible[kind].append(played)
        kinds_of[played.board].add(NAMES[kind])
        kinds_of[played.board, played.start].add(NAMES[kind])
        kinds_of[played.board, played.lifts].add(NAMES[kind])
        if played.board in legal:
            kinds_of[played.board, played.seen].add(NAMES[kind])
    if not possible:
        return 0
    game = game_name(scene.rules)
    kinds = sorted(possible)
    for number in range(A_SCENE):
        kind = kinds[number % len(kinds)] if number < len(kinds) else rng.choice(kinds)
        played = rng.choice(possible[kind])
        if played.board in legal:
            for known in knowns:
                counts.note(known, game, kind, "no trace")
            for title, order in ORDERS.items():
                seen = played.lifts if order == "lifts" else played.seen
                if seen in legal[played.board]:
                    counts.note(title, game, kind, "no trace")
                    continue
                apart = kinds_of[played.board, seen] == {NAMES[kind]}
                judged(scene, played, order, title, apart, counts)
            continue
        keys = {"board": played.board, "claimed": (played.board, played.start), "lifts": (played.board, played.lifts)}
        for known in knowns:
            finding = judged(scene, played, known, known, kinds_of[keys[known]] == {NAMES[kind]}, counts)
            first = finding.accounts[0]
            counts.note_stated(known, first.probability, set(first.kinds) == {NAMES[kind]})
    return A_SCENE


def judged(scene: Scene, played: Played, known: str, title: str, apart: bool, counts: Counts) -> Finding:
    """The finding on a turn with one slip, counted under a title."""
    kind = played.slips[0].kind
    finding, seconds = timed(scene, played, known)
    counts.note_time(title, seconds)
    outcome = judge(finding, {NAMES[kind]})
    counts.note(title, game_name(scene.rules), kind, f"{'apart' if apart else 'alike'} {outcome}")
    if apart and outcome in NOT_FIRST and len(counts.missed) < MAX_MISSED:
        counts.missed.append(f"{outcome} {title} {missed_text(scene, played, finding)}")
    return finding


def missed_text(scene: Scene, played: Played, finding: Finding) -> str:
    ranked = [(account.kinds, round(account.probability, 3)) for account in finding.accounts[:4]]
    return (
        f"{played.slips} in {game_name(scene.rules)} {scene.position} -> {played.pits} {played.stores} "
        f"from {played.start}: {ranked}"
    )


def examine_two(scene: Scene, rng: Random, counts: Counts) -> int:
    played = two_slips(scene, rng)
    if played is None:
        return 0
    kinds = {NAMES[slip.kind] for slip in played.slips}
    finding, seconds = timed(scene, played, "claimed")
    counts.note_time("two slips", seconds)
    boards = {play(scene, move)[0].board for move in moves_of(scene) if _ends(scene, move)}
    if played.board in boards:
        outcome = by_hands = "no trace"
    elif any(one.board == played.board for one in every_slip(scene)):
        outcome = by_hands = f"alike {judge(finding, kinds)}"
    else:
        by_hands = f"{'alike' if is_alike(scene, played, finding) else 'apart'} {judge(finding, kinds)}"
        boards.add((scene.position.pits, scene.position.stores))
        near = any(one_seed_off(played.board, board) for board in boards)
        outcome = f"alike {judge(finding, kinds)}" if near else by_hands
        outcome_of_any = f"apart {judge(finding, kinds)}"
        counts.note("two slips that no one slip explains", game_name(scene.rules), "two slips", outcome_of_any)
        for kind in kinds:
            counts.note("two slips that no one slip explains, by each", game_name(scene.rules), kind, outcome_of_any)
        if outcome in ("apart later", "apart absent") and len(counts.missed) < MAX_MISSED:
            counts.missed.append(f"{outcome} two {missed_text(scene, played, finding)}")
    counts.note("two slips, by these hands alone", game_name(scene.rules), "two slips", by_hands)
    counts.note("two slips", game_name(scene.rules), "two slips", outcome)
    return 1


def one_seed_off(one: Seeds, other: Seeds) -> bool:
    """Whether two boards differ by one seed: more, less or elsewhere."""
    by = [a - b for a, b in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True)]
    return sorted(number for number in by if number) in ([-1], [1], [-1, 1])


def is_alike(scene: Scene, played: Played, finding: Finding) -> bool:
    """Whether these hands leave the same board from the same pit at least as often by two slips of other kinds.

    Of other kinds, those in the finding are tried, wherever they rank.
    """
    hands = defaultdict(list)
    for kind, name in NAMES.items():
        hands[name].append(kind)
    first, second = (slip.kind for slip in played.slips)
    orders = [(first, second), (second, first)]
    for account in finding.accounts:
        if len(account.kinds) == 2:
            one, other = (hands[name] for name in account.kinds)
            orders += [pair for a in one for b in other for pair in ((a, b), (b, a))]
    found: Counter[frozenset[str]] = Counter()
    for kinds, share in pairs_that_leave(scene, played, dict.fromkeys(orders), MAX_PAIRS).items():
        found[frozenset(NAMES[kind] for kind in kinds)] += share  # type: ignore[assignment]
    true = found.pop(frozenset(NAMES[kind] for kind in (first, second)), 0.0)
    return any(share >= true > 0 for share in found.values())


def game_name(rules: Rules) -> str:
    """The rule set, and the size and set-up if they are not the usual ones."""
    return " ".join([rules.id, f"2×{rules.row}", *([str(rules.options["setup"])] if "setup" in rules.options else [])])


def _ends(scene: Scene, move: object) -> bool:
    try:
        play(scene, move)  # type: ignore[arg-type]
    except GaveUp:
        return False
    return True


def timed(scene: Scene, played: Played, known: str) -> tuple[Finding, float]:
    evidence = evidence_of(scene, played, known)
    began = time.process_time()
    finding = find(scene.rules, evidence)
    return finding, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description="Slips before the findings.")
    parser.add_argument("--slips", type=int, default=1000, help="slips with each game, about")
    parser.add_argument("--two", type=int, default=0, help="turns with two slips with each game")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--game", action="append", help="only games whose rule set has this id")
    parser.add_argument("--known", action="append", choices=KNOWN, help="only with this known")
    parser.add_argument("--missed", type=int, default=0, help="print so many of those that were not first")
    parser.add_argument("--out", type=Path, metavar="FILE", help="save the counts")
    parser.add_argument("--merge", type=Path, metavar="FILE", nargs="+", help="print saved counts instead of playing")
    options = parser.parse_args()
    counts = merged(options.merge) if options.merge else played_counts(options)
    if options.out:
        counts.write(options.out)
    for line in [*counts.report(), *counts.missed[: options.missed]]:
        print(line)


def played_counts(options: argparse.Namespace) -> Counts:
    counts = Counts()
    for id, given in GAMES:
        if options.game and id not in options.game:
            continue
        rng = Random(f"{options.seed} {json.dumps([id, given])}")
        made = 0
        around = scenes(rng, ruleset(id, **given))
        while made < options.slips:
            made += examine(next(around), rng, counts, tuple(options.known or KNOWN))
        made = 0
        while made < options.two:
            made += examine_two(next(around), rng, counts)
    return counts


if __name__ == "__main__":
    main()
