"""Slips before the findings: ``python -m benchmarks.slips --slips 1000 --seed 1000``.

Hands that know nothing of accounts (`slipping_hands.py`, `slip_scenes.py`) play a turn of a random game and slip once,
or twice; a
finding says what happened from the position before and what lies there now, alone, with the pit that the player
claims, or with the pits that were lifted, in order. All slips that the hands can make in a position are played, so
that it is known which leave the board of a legal turn (*no trace*), and which leave the same board as a slip of
another kind (*not to be told apart*). Two slips that leave the board of one slip of these hands are not to be told
apart either: the simpler account comes first.

Counted, for each kind of slip and each game: how often the true kind is first, is first or as likely as the first, is
among the first three; and how often the finding says that the turn was legal. Probabilities are compared with how
often they came true. Prior weights were chosen with seeds below 1000.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from records import Rules, ruleset
from records.findings import Evidence, Finding, Seen, find

from .corpus import random_plies
from .slip_scenes import Scene, every_slip, moves_of, play, two_slips
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
    "out-of-turn": "wrong-side",
    "previous-unfinished": "previous-unfinished",
    "bumped": "bumped",
}
KNOWN = ("board", "claimed", "lifts")  # what a finding is given besides the board
A_SCENE = 20  # slips drawn from all that are possible in a position
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)


@dataclass
class Count:
    """How findings about one kind of slip came out. `seconds`: of each finding."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


@dataclass
class Counts:
    """By what was known and the kind of slip; and the probabilities of first accounts with whether they were true."""

    kinds: dict[tuple[str, str], Count] = field(default_factory=lambda: defaultdict(Count))
    stated: dict[str, list[tuple[float, bool]]] = field(default_factory=lambda: defaultdict(list))
    missed: list[str] = field(default_factory=list)


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
    if known == "lifts":
        seen = tuple(Seen("lift", pit) for pit in played.lifts)
        return Evidence(before=position, counts=counts, seen=seen, seen_all=True, previous=previous)
    return Evidence(before=position, counts=counts, previous=previous)


def judge(finding: Finding, truth: set[str]) -> str:
    """``legal`` (wrongly), ``first``, ``equal``, ``third``, ``later`` or ``absent``."""
    accounts = finding.accounts
    if finding.legal is True:
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
    legal = set()
    for move in moves_of(scene):
        try:
            legal.add(play(scene, move)[0].board)
        except GaveUp:
            continue
    possible: dict[str, list[Played]] = defaultdict(list)
    kinds_of: dict[object, set[str]] = defaultdict(set)
    for played in every_slip(scene):
        name = NAMES[played.slips[0].kind]
        possible[played.slips[0].kind].append(played)
        kinds_of[played.board].add(name)
        kinds_of[played.board, played.start].add(name)
        kinds_of[played.board, played.lifts].add(name)
    unchanged = (scene.position.pits, scene.position.stores)
    for _ in range(A_SCENE if possible else 0):
        kind = rng.choice(sorted(possible))
        played = rng.choice(possible[kind])
        keys = {"board": played.board, "claimed": (played.board, played.start), "lifts": (played.board, played.lifts)}
        for known in knowns:
            count = counts.kinds[known, kind]
            if played.board in legal or played.board == unchanged:
                count.outcomes["no trace"] += 1
                if known != "lifts":
                    continue
            apart = kinds_of[keys[known]] == {NAMES[kind]}
            finding, seconds = timed(scene, played, known)
            count.seconds.append(seconds)
            outcome = judge(finding, {NAMES[kind]})
            traceless = "traceless " if played.board in legal or played.board == unchanged else ""
            count.outcomes[f"{traceless}{'apart' if apart else 'alike'} {outcome}"] += 1
            if not traceless:
                first = finding.accounts[0]
                counts.stated[known].append((first.probability, set(first.kinds) == {NAMES[kind]}))
            if apart and not traceless and outcome not in ("first", "equal") and len(counts.missed) < 2000:
                ranked = [(account.kind, round(account.probability, 3)) for account in finding.accounts[:3]]
                counts.missed.append(
                    f"{outcome} {known} {played.slips[0]} in {scene.rules!r} {scene.position} -> {played.pits} "
                    f"{played.stores} from {played.start}: {ranked}"
                )
    return A_SCENE if possible else 0


def examine_two(scene: Scene, rng: Random, counts: Counts) -> int:
    played = two_slips(scene, rng)
    if played is None:
        return 0
    kinds = {NAMES[slip.kind] for slip in played.slips}
    finding, seconds = timed(scene, played, "claimed")
    count = counts.kinds["two slips", "two slips"]
    count.seconds.append(seconds)
    boards = {play(scene, move)[0].board for move in moves_of(scene) if _ends(scene, move)}
    if played.board in boards:
        count.outcomes["no trace"] += 1
    else:
        alike = any(one.board == played.board for one in every_slip(scene))
        count.outcomes[f"{'alike' if alike else 'apart'} {judge(finding, kinds)}"] += 1
    return 1


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


def share(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} %" if of else "–"


def report(counts: Counts) -> None:
    for known in (*KNOWN, "two slips"):
        rows = {kind: count for (which, kind), count in counts.kinds.items() if which == known}
        if not rows:
            continue
        total: Counter[str] = Counter()
        print(f"\n### {known}\n")
        print("| slip | made | no trace | told apart: first | or equal | in three | legal | alike: in three |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for kind, count in sorted(rows.items()):
            total += count.outcomes
            print(row(kind, count.outcomes))
        print(row("**all**", total))
        seconds = sorted(second for count in rows.values() for second in count.seconds)
        if len(seconds) > 1:
            p99 = statistics.quantiles(seconds, n=100)[98]
            print(f"\ntime: p50 {1000 * statistics.median(seconds):.1f} ms, p99 {1000 * p99:.1f} ms, "
                  f"most {1000 * seconds[-1]:.1f} ms")  # fmt: skip
        if stated := counts.stated.get(known):
            print("\n| stated probability of the first account | findings | stated, mean | true |\n|---|--:|--:|--:|")
            for low, high in pairwise(BINS):
                part = [(chance, true) for chance, true in stated if low <= chance < high]
                if part:
                    mean = statistics.mean(chance for chance, _ in part)
                    print(f"| {low:.2f}–{min(high, 1):.2f} | {len(part)} | {100 * mean:.1f} % | "
                          f"{share(sum(true for _, true in part), len(part))} |")  # fmt: skip


def row(kind: str, outcomes: Counter[str]) -> str:
    apart = {name[6:]: many for name, many in outcomes.items() if name.startswith("apart ")}
    alike = {name[6:]: many for name, many in outcomes.items() if name.startswith("alike ")}
    of = sum(apart.values())
    first = apart.get("first", 0)
    equal = first + apart.get("equal", 0)
    three = equal + apart.get("third", 0)
    alike_three = sum(alike.get(name, 0) for name in ("first", "equal", "third"))
    made = of + sum(alike.values()) + outcomes["no trace"]
    legal = apart.get("legal", 0) + alike.get("legal", 0)
    return (
        f"| {kind} | {made} | {outcomes['no trace']} | {share(first, of)} | {share(equal, of)} | {share(three, of)} | "
        f"{legal} | {share(alike_three, sum(alike.values()))} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Slips before the findings.")
    parser.add_argument("--slips", type=int, default=1000, help="slips with each game, about")
    parser.add_argument("--two", type=int, default=0, help="turns with two slips with each game")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--game", action="append", help="only games whose rule set has this id")
    parser.add_argument("--known", action="append", choices=KNOWN, help="only with this known")
    parser.add_argument("--missed", type=int, default=0, help="print so many of those that were not first")
    options = parser.parse_args()
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
    report(counts)
    for line in counts.missed[: options.missed]:
        print(line)


if __name__ == "__main__":
    main()
