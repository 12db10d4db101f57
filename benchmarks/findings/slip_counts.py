"""How findings about slips came out: counts that can be saved, merged and printed (`slips.py`)."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)
FINE = 100  # classes of times, for each power of ten: quantiles are right within 3 %
NOT_FIRST = ("third", "later", "absent", "legal")


@dataclass
class Counts:
    """`outcomes`: by ``known/game/kind/outcome``; an outcome is ``no trace``, or whether the kind can be told ``apart``
    or is ``alike``, and what `slips.judge` said. `times`: of findings, by ``known/class``. `stated`: by ``known/bin``
    the number of findings, the sum of the probabilities of their first accounts, and how many of these were true."""

    outcomes: Counter[str] = field(default_factory=Counter)
    times: Counter[str] = field(default_factory=Counter)
    stated: dict[str, list[float]] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def note(self, known: str, game: str, kind: str, outcome: str) -> None:
        self.outcomes[f"{known}/{game}/{kind}/{outcome}"] += 1

    def note_time(self, known: str, seconds: float) -> None:
        self.times[f"{known}/{round(FINE * math.log10(max(seconds, 1e-6)))}"] += 1

    def note_stated(self, known: str, chance: float, true: bool) -> None:
        bin = max(number for number, least in enumerate(BINS) if chance >= least)
        entry = self.stated.setdefault(f"{known}/{bin}", [0, 0.0, 0])
        for at, by in enumerate((1, chance, int(true))):
            entry[at] += by

    def add(self, other: Counts) -> None:
        self.outcomes += other.outcomes
        self.times += other.times
        for key, entry in other.stated.items():
            own = self.stated.setdefault(key, [0, 0.0, 0])
            for at, by in enumerate(entry):
                own[at] += by
        self.missed += other.missed

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(vars(self)), "utf-8")

    @classmethod
    def read(cls, path: Path) -> Counts:
        data = json.loads(path.read_text("utf-8"))
        return cls(Counter(data["outcomes"]), Counter(data["times"]), data["stated"], data["missed"])

    def parts(self, known: str, by: int) -> dict[str, Counter[str]]:
        """The outcomes of one known, by game (1) or kind (2)."""
        found: dict[str, Counter[str]] = {}
        for key, many in self.outcomes.items():
            words = key.split("/")
            if words[0] == known:
                found.setdefault(words[by], Counter())[words[3]] += many
        return dict(sorted(found.items()))

    def report(self) -> Iterator[str]:
        """All tables, in lines of Markdown."""
        for known in dict.fromkeys(key.split("/")[0] for key in self.outcomes):
            if known.startswith("traceless"):
                yield from self._traceless(known)
            else:
                yield from self._traced(known)

    def _traced(self, known: str) -> Iterator[str]:
        for title, by in (("slip", 2), ("game", 1)):
            yield f"\n### {known}, by {title}\n"
            yield f"| {title} | made | no trace | told apart | first | or equal | in three | legal | alike: in three |"
            yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
            rows = self.parts(known, by)
            yield from (_row(name, outcomes) for name, outcomes in rows.items())
            yield _row("**all**", sum(rows.values(), Counter()))
        yield from self._seconds(known)
        if any(key.startswith(f"{known}/") for key in self.stated):
            yield from self._calibration(known)

    def _traceless(self, known: str) -> Iterator[str]:
        for title, by in (("slip", 2), ("game", 1)):
            yield f"\n### {known}, by {title}\n"
            yield f"| {title} | made | nor in the order | told apart | first or equal | alike: first or equal |"
            yield "|---|--:|--:|--:|--:|--:|"
            rows = self.parts(known, by)
            for name, outcomes in [*rows.items(), ("**all**", sum(rows.values(), Counter()))]:
                apart, alike = (_of(outcomes, word) for word in ("apart", "alike"))
                best = [one["first"] + one["equal"] for one in (apart, alike)]
                yield (
                    f"| {name} | {outcomes.total()} | {outcomes['no trace']} | {apart.total()} | "
                    f"{share(best[0], apart.total())} | {share(best[1], alike.total())} |"
                )

    def _seconds(self, known: str) -> Iterator[str]:
        classes = sorted(
            (int(key.split("/")[1]), many) for key, many in self.times.items() if key.split("/")[0] == known
        )
        whole = sum(many for _, many in classes)
        found = []
        for part in (0.5, 0.99, 1.0):
            seen = 0
            for number, many in classes:
                seen += many
                if seen >= part * whole:
                    found.append(f"{1000 * 10 ** (number / FINE):.1f} ms")
                    break
        if found:
            yield f"\ntime: p50 {found[0]}, p99 {found[1]}, most {found[2]}"

    def _calibration(self, known: str) -> Iterator[str]:
        yield "\n| stated probability of the first account | findings | stated, mean | true |\n|---|--:|--:|--:|"
        for number, (low, high) in enumerate(pairwise(BINS)):
            if f"{known}/{number}" in self.stated:
                many, stated, true = self.stated[f"{known}/{number}"]
                yield f"| {low:.2f}–{min(high, 1):.2f} | {many:.0f} | {share(stated, many)} | {share(true, many)} |"


def merged(paths: Iterable[Path]) -> Counts:
    """The counts of several runs."""
    counts = Counts()
    for path in paths:
        counts.add(Counts.read(path))
    return counts


def share(part: float, of: float) -> str:
    return f"{100 * part / of:.1f} %" if of else "–"


def _of(outcomes: Counter[str], word: str) -> Counter[str]:
    return Counter({name.split()[1]: many for name, many in outcomes.items() if name.startswith(word)})


def _row(name: str, outcomes: Counter[str]) -> str:
    apart, alike = (_of(outcomes, word) for word in ("apart", "alike"))
    of = apart.total()
    equal = apart["first"] + apart["equal"]
    three, alike_three = (one["first"] + one["equal"] + one["third"] for one in (apart, alike))
    return (
        f"| {name} | {outcomes.total()} | {outcomes['no trace']} | {of} | {share(apart['first'], of)} | "
        f"{share(equal, of)} | {share(three, of)} | {apart['legal'] + alike['legal']} | "
        f"{share(alike_three, alike.total())} |"
    )
