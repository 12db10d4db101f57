"""The posterior of what hands did: every course that may have led to a board, weighed by all that is known of it.

`find` tells its hypotheses as accounts, and the detector of boards names the likeliest. The priors are in `kinds`; what
lies there is a table of likelihoods for each place (`Evidence`), from people who count or from sensors that read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from inkeek.records.kernel.codes import COUNT_LIMIT
from inkeek.records.moves import Kind, Move
from inkeek.records.position import ORDINARY, OWNED
from inkeek.records.rules.play import Rules
from inkeek.records.rules.rearrangement import why_not_now
from inkeek.records.rules.trace import TraceEvent

from .candidates import BRIEF_WORK, TWO_SLIPS_WORK, CandidateSearch
from .drafts import Draft, Slip, log_sum
from .evidence import Evidence, log_likelihoods, order_log, other_order_log
from .kinds import CAPTURE_CLAIM, CLAIM, EXPLAINED, SOMETHING_ELSE, UNEXPLAINED
from .replays import SlipReplay, replayed
from .sweeps import SWEPT, swept_position

MAX_REPLAYED = 600  # candidates that are compared with the order of events, or with claimed captures
MAX_COMPARED = 60  # hypotheses of which it is found out whether they are the same course
LIKELY = 0.01  # the probability from which what happened counts
NEGLIGIBLE = 20.0  # what is less likely than the best by this much, as a logarithm, changes no probability
REARRANGED = 0.01  # how often a turn is one, where it may be
NO_COUNT = -30.0  # the log-likelihood below which a place does not hold so many seeds
Way = tuple[float, float, Move, tuple[int, ...]]  # log weight, log-likelihood of the likeliest, that move, its board


@dataclass(frozen=True)
class Hypothesis:
    """A course of what hands did, with those that nobody would call another: `draft` is the likeliest of them, `log`
    the logarithm of the weight of all. `ply`: of several turns, the index of the one that went so."""

    log: float
    draft: Draft
    search: CandidateSearch
    ply: int | None = None

    @cached_property
    def replay(self) -> SlipReplay:
        """It, seed by seed."""
        return replayed(self.search, self.draft)

    @property
    def course(self) -> object:
        """What must be equal for two hypotheses to be one account: the slips, what was lifted, and what that left."""
        lifted = tuple([(event.pit, event.count) for event in self.replay.events if event.kind == "lift"])
        draft, replay = self.draft, self.replay
        return id(draft.turn), draft.opening, tuple(sorted(draft.kinds)), lifted, replay.board, replay.held, draft.swept


@dataclass(frozen=True)
class Posterior:
    """What may have happened in a turn.

    `hypotheses`: the likeliest first; `laid`: rearrangements, which are none. `other`: the logarithm of the weight of
    something else. `slips`: how many in one turn were considered. `complete_turns`: all legal turns were.
    """

    hypotheses: tuple[Hypothesis, ...]
    other: float
    complete: bool
    laid: Sequence[Way] = ()
    slips: int = 1
    complete_turns: bool = True

    @cached_property
    def whole(self) -> float:
        """The logarithm of all weights together."""
        return log_sum([*(one.log for one in self.hypotheses), *(way[0] for way in self.laid), self.other])

    def share(self, *logs: float) -> float:
        """The probability of what has these weights together."""
        return math.exp(log_sum(logs) - self.whole)


def weigh(rules: Rules, evidence: Evidence, slips: int | None = None) -> Posterior:
    """Weigh all that may have happened in a turn.

    `slips`: turns with up to one or two slips; None: two only if one does not explain the board.
    """
    search = CandidateSearch(rules, evidence)
    drafts = weighed_drafts(search, search.one_slip())
    other = something_else(search)
    work = TWO_SLIPS_WORK if slips == 2 else 0
    if slips is None:
        best = max((one.log for one in drafts), default=-math.inf)
        work = _work_for_two(best, search.likeliest_two(), other)
    if work:
        drafts += weighed_drafts(search, search.two_slips(work))
    found = tuple(hypotheses(search, drafts))
    return Posterior(
        found, other, search.complete, rearrangements(rules, evidence), 2 if work else 1, search.turns.complete
    )


def _work_for_two(best: float, likeliest: float, other: float) -> int:
    """How long to look for two slips: less if the best candidate with one at most is as likely as any two can be."""
    if best < other or best - likeliest < math.log(UNEXPLAINED):
        return TWO_SLIPS_WORK
    return BRIEF_WORK if best - likeliest < math.log(EXPLAINED) else 0


def weighed_drafts(search: CandidateSearch, drafts: Iterable[Draft]) -> list[Draft]:
    """The drafts weighed by all that is known, not by the counts alone."""
    evidence = search.evidence
    if not evidence.seen and evidence.captured is None:
        return [*drafts]
    found, weighed = sorted(drafts, key=lambda one: -one.log), list[Draft]()
    for draft in found[:MAX_REPLAYED]:
        events = replayed(search, draft).events
        log = order_log(evidence, events)
        if evidence.captured is not None:
            log += math.log(CAPTURE_CLAIM if _captured(events) == evidence.captured else 1 - CAPTURE_CLAIM)
        weighed.append(replace(draft, log=draft.log + log, fit=draft.fit + log))
    left = log_sum([one.log for one in found[MAX_REPLAYED:]])
    if left > math.log(LIKELY) + log_sum([one.log for one in weighed]):
        search.complete = False
    return weighed


def _captured(events: Iterable[TraceEvent]) -> tuple[int, int]:
    """The seeds that (South, North) captured."""
    taken = [0, 0]
    for event in events:
        if event.kind == "take" and event.reason != SWEPT:
            taken[event.other] += event.count
    return taken[0], taken[1]


def hypotheses(search: CandidateSearch, drafts: Sequence[Draft], ply: int | None = None) -> list[Hypothesis]:
    """The drafts, with those that differ only in what nobody would call another account as one."""
    groups: dict[object, list[Draft]] = {}
    least = max((one.log for one in drafts), default=0.0) - NEGLIGIBLE
    for draft in drafts:
        if draft.log > least or draft.turn is not None:
            groups.setdefault(_account_key(draft), []).append(draft)
    found = [
        Hypothesis(log_sum([one.log for one in group]), max(group, key=lambda one: one.log), search, ply)
        for group in groups.values()
    ]
    found.sort(key=lambda one: -one.log)
    courses: dict[object, list[Hypothesis]] = {}
    for number, one in enumerate(found):
        courses.setdefault(one.course if number < MAX_COMPARED else number, []).append(one)
    found = [
        replace(one, log=log_sum([one.log, *(other.log for other in others)])) if others else one
        for one, *others in courses.values()
    ]
    return sorted(found, key=lambda one: -one.log)


def _account_key(draft: Draft) -> object:
    """What must be equal for two drafts to be one account."""
    kinds = draft.kinds[len(draft.kinds) - len(draft.slips) :]
    slips = frozenset(_key(kind, slip) for kind, slip in zip(kinds, draft.slips, strict=True))
    return id(draft.turn), draft.opening, slips, draft.bits if slips else 0, draft.swept


def _key(kind: str, slip: Slip) -> tuple[object, ...]:
    """What must be equal for two slips to be one account."""
    if slip.code in ("also", "pick-up", "pick-beside", "lose", "add"):
        return kind, slip.lap, slip.place  # at whichever seed of the lap
    if kind == "bumped" or slip.code == "lay":
        return kind, slip.place  # at whichever moment
    if slip.code in ("reverse", "reverse-lap"):
        return kind, slip.lap
    return kind, *slip[1:]


def something_else(search: CandidateSearch) -> float:
    """The logarithm of the weight of all that is no hypothesis: boards near that of a turn, the likelier the nearer."""
    boards = {(*turn.position.pits, *turn.position.stores) for turn in search.turns}
    for turn in search.turns if search.may_be_swept else ():
        if search.rules.outcome(turn.position) is not None:
            swept = swept_position(search.rules, turn.position)
            boards.add((*swept.pits, *swept.stores))
    boards.add((*search.position.pits, *search.position.stores))
    likelihoods = [[math.exp(log) for log in table] for table in search.tables]
    near: dict[tuple[int, int], float] = {}
    logs = []
    for board in boards:
        log, same = 0.0, 0.0
        for place, count in enumerate(board):
            count = min(count, COUNT_LIMIT - 1)
            if (place, count) not in near:
                near[place, count] = _near(likelihoods[place], count)
            log += math.log(near[place, count])
            same += math.log(0.9) + search.tables[place][count]
        # The board itself is no such board.
        logs.append(log + math.log(max(1e-12, -math.expm1(min(0.0, same - log)))))
    return math.log(SOMETHING_ELSE / len(boards)) + log_sum(logs) + other_order_log(search.evidence)


def _near(likelihoods: Sequence[float], count: int) -> float:
    """The likelihood of a place that mostly holds `count`, and each further seed more or less half as often."""
    return 1e-300 + sum(
        likelihood * (0.9 if number == count else 0.1 * 0.5 ** abs(number - count) / 2)
        for number, likelihood in enumerate(likelihoods)
        if likelihood > 1e-30
    )


# Boards after a rearrangement, which lists of legal turns leave out: there are too many.


def rearrangements(rules: Rules, evidence: Evidence) -> list[Way]:
    """The legal rearrangements that fit: of each two pits that can be emptied, the likeliest."""
    before, marks = evidence.before, evidence.comparable_marks() or ()
    previous = None if evidence.previous is None else evidence.previous.move
    if why_not_now(rules.options.get("rearrangement", "none"), before, previous) is not None:
        return []
    if any(mark not in (-1, was) for mark, was in zip(marks, before.marks, strict=False)):
        return []
    row = before.pits_of(before.to_move)
    emptied = [log_likelihoods(count) for count in evidence.counts]
    kept = emptied if evidence.kept is None else [log_likelihoods(count) for count in evidence.kept]
    board = (*before.pits, *before.stores)
    rest = sum(kept[place][min(n, COUNT_LIMIT - 1)] for place, n in enumerate(board) if place not in row)
    rest += log_likelihoods(evidence.hand)[0]
    if evidence.captured is not None:
        rest += math.log(CAPTURE_CLAIM if evidence.captured == (0, 0) else 1 - CAPTURE_CLAIM)
    into = (ORDINARY, OWNED[before.to_move]) if rules.options.get("rearrange_into_bulls") else (ORDINARY,)
    pairs = list(combinations([pit for pit in row if before.marks[pit] == ORDINARY], 2))
    found: list[Way] = []
    for pair in pairs if rest > NO_COUNT else ():
        seeds = board[pair[0]] + board[pair[1]]
        places: list[Sequence[float] | None] = []
        for pit in row:
            held = 0 if pit in pair else board[pit]
            table = (emptied if pit in pair else kept)[pit]
            most = min(held + (seeds if before.marks[pit] in into else 0), COUNT_LIMIT - 1)
            is_free = evidence.counts[pit] is None and before.marks[pit] in into
            places.append(None if is_free else table[held : most + 1])
        ways = _laid_out(places, seeds) if seeds else None
        if ways is None:
            continue
        whole, fit, laid = ways
        letters = [(before.letter(pit), count) for pit, count in zip(row, laid, strict=True) if count]
        move = Move(kind=Kind.REARRANGE, emptied="".join(map(before.letter, pair)), laid=tuple(letters))
        after = [*board]
        for pit, count in zip(row, laid, strict=True):
            after[pit] = count + (0 if pit in pair else board[pit])
        if rules.options["rearrangement"] == "initial" and tuple(after) == board and evidence.claimed != move:
            continue  # which is no turn, and shows nothing
        seen = rest + _rearranged_log(evidence, pair, row, laid)
        chance = _rearranged_prior(evidence, len(pairs), math.comb(seeds + len(row) - 1, seeds))
        if evidence.claimed == move:
            whole, chance = fit, CLAIM
        found.append((math.log(chance) + whole + seen, fit + seen, move, tuple(after)))
    return found


def _laid_out(places: Sequence[Sequence[float] | None], seeds: int) -> tuple[float, float, list[int]] | None:
    """All ways to lay out the seeds, where each place has the log-likelihoods of 0, 1, 2 … of them (None: all are as
    likely): the log-likelihood of all together, that of the likeliest, and that one; None: there is none."""
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {0: (0.0, 0.0, ())}
    free = [number for number, logs in enumerate(places) if logs is None]
    for logs in places:
        allowed = [(0, 0.0)] if logs is None else [(n, log) for n, log in enumerate(logs) if log > NO_COUNT]
        following: dict[int, list[tuple[float, float, tuple[int, ...]]]] = {}
        for laid, (whole, best, path) in ways.items():
            for count, log in allowed:
                if laid + count > seeds:
                    break
                following.setdefault(laid + count, []).append((whole + log, best + log, (*path, count)))
        ways = {
            laid: (log_sum([one[0] for one in some]), *max(some, key=lambda one: one[1])[1:])
            for laid, some in following.items()
        }
    found = None
    for laid, (whole, best, path) in ways.items():
        if (laid == seeds or free) and (found is None or best > found[1]):
            found = whole, best, [*path]
            for number in free[:1]:
                found[2][number] = seeds - laid
    if found is not None and free:
        many = [math.log(math.comb(seeds - laid + len(free) - 1, len(free) - 1)) + ways[laid][0] for laid in ways]
        found = log_sum(many), *found[1:]
    return found


def _rearranged_log(evidence: Evidence, pair: Sequence[int], row: Sequence[int], laid: Sequence[int]) -> float:
    """The log-likelihood of the lifts and drops that were seen, whichever pit was emptied first."""
    if not evidence.seen:
        return 0.0
    held = evidence.before.pits
    lifts = [TraceEvent("lift", pit, held[pit], 0) for pit in pair if held[pit]]
    drops = [TraceEvent("drop", pit, count, 0) for pit, count in zip(row, laid, strict=True) for _ in range(count)]
    return max(order_log(evidence, [*order, *drops]) for order in (lifts, lifts[::-1]))


def _rearranged_prior(evidence: Evidence, pairs: int, layouts: int) -> float:
    """How likely a rearrangement is: one of all ways to lay out the seeds of any two pits."""
    claimed = evidence.claimed
    if claimed is None:
        return REARRANGED / pairs / layouts
    return (1 - CLAIM) * (1.0 if claimed.kind is Kind.REARRANGE else REARRANGED) / pairs / layouts
