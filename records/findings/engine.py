"""Finds what happened in a turn: every candidate weighed, and the likeliest told as accounts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inkeek.records.kernel.codes import COUNT_LIMIT
from inkeek.records.language import Language, load_language
from inkeek.records.moves import Kind
from inkeek.records.rules.play import Rules

from .accounts import account_of
from .candidates import BRIEF_WORK, TWO_SLIPS_WORK, CandidateSearch
from .distinctions import with_distinctions
from .drafts import Draft
from .evidence.evidence import Evidence
from .evidence.faults import verify_evidence
from .finding import Account, Finding
from .kinds import CAPTURE_CLAIM, EXPLAINED, SOMETHING_ELSE, UNEXPLAINED, UNKNOWN
from .order import order_log, other_order_log
from .rearranged import rearranged
from .replays import SlipReplay, replayed
from .sweeps import SWEPT, swept_position
from .weights import Slip, log_sum

MAX_ACCOUNTS = 20
MAX_REPLAYED = 600  # candidates that are compared with the order of events, or with claimed captures
LIKELY = 0.01  # the probability from which legal or other accounts count (`Finding.legal`)
NEGLIGIBLE = 20.0  # drafts less likely than the best by this much, as a logarithm, are left out
NEARLY = 0.5  # the part of the first one's probability from which an account is equal to it


def find(rules: Rules, evidence: Evidence, slips: int | None = None, language: str | Language = "en") -> Finding:
    """What happened in a turn.

    `slips`: look for turns with up to one or two slips; None: for two only if one does not explain the board.

    :raises PositionError: the position is not of this game. :raises EvidenceError: the evidence does not fit it.
    :raises OptionError: there is no such language.
    """
    rules.verify_known()
    verify_evidence(rules, evidence)
    search = CandidateSearch(rules, evidence)
    weighed = weighed_drafts(rules, search, evidence, search.one_slip())
    other = something_else(search)
    work = TWO_SLIPS_WORK if slips == 2 else 0
    if slips is None:
        work = _work_for_two(search, weighed, other)
    if work:
        weighed += weighed_drafts(rules, search, evidence, search.two_slips(work))
    accounts, legal = _accounts(rules, search, evidence, weighed, other, language)
    return Finding(tuple(accounts), legal, search.complete, 2 if work else 1)


def _work_for_two(
    search: CandidateSearch, weighed: Sequence[tuple[float, Draft, SlipReplay | None]], other: float
) -> int:
    """How long to look for two slips: less if the best candidate with one at most is as likely as any two can be."""
    best = max((log for log, _, _ in weighed), default=-math.inf)
    ratio = best - search.likeliest_two()
    if best < other or ratio < math.log(UNEXPLAINED):
        return TWO_SLIPS_WORK
    return BRIEF_WORK if ratio < math.log(EXPLAINED) else 0


def weighed_drafts(
    rules: Rules, search: CandidateSearch, evidence: Evidence, candidates: Iterable[Draft]
) -> list[tuple[float, Draft, SlipReplay | None]]:
    """The candidates with all that is known besides the counts."""
    found: list[tuple[float, Draft, SlipReplay | None]] = [(one.log, one, None) for one in candidates]
    if not evidence.seen and evidence.captured is None:
        return found
    found.sort(key=lambda one: -one[0])
    weighed: list[tuple[float, Draft, SlipReplay | None]] = []
    for log, candidate, _ in found[:MAX_REPLAYED]:
        replay = replayed(rules, search, candidate)
        log += order_log(evidence, replay.events)
        if evidence.captured is not None:
            log += math.log(CAPTURE_CLAIM if _captured(evidence, replay) == evidence.captured else 1 - CAPTURE_CLAIM)
        weighed.append((log, candidate, replay))
    left = log_sum([log for log, *_ in found[MAX_REPLAYED:]])
    if left > math.log(LIKELY) + log_sum([log for log, *_ in weighed]):
        search.complete = False
    return weighed


def _captured(evidence: Evidence, replay: SlipReplay) -> tuple[int, int]:
    """The seeds that (South, North) captured."""
    taken = [0, 0]
    for event in replay.events:
        if event.kind == "take" and event.reason != SWEPT:
            taken[event.other] += event.count
    return taken[0], taken[1]


def merged_drafts(
    weighed: Sequence[tuple[float, Draft, SlipReplay | None]],
) -> list[tuple[float, Draft, SlipReplay | None]]:
    """The candidates, with those that differ only in what nobody would call another account as one."""
    groups: dict[object, list[tuple[float, Draft, SlipReplay | None]]] = {}
    least = max((log for log, *_ in weighed), default=0.0) - NEGLIGIBLE
    for one in weighed:
        if one[0] > least or one[1].turn is not None:
            groups.setdefault(account_key(one[1]), []).append(one)
    merged = []
    for group in groups.values():
        _, candidate, replay = max(group, key=lambda one: one[0])
        merged.append((log_sum([log for log, _, _ in group]), candidate, replay))
    merged.sort(key=lambda one: -one[0])
    return merged


def account_key(draft: Draft) -> object:
    """What must be equal for two drafts to be one account."""
    slips = frozenset(_key(kind, slip) for kind, slip in zip(_slip_kinds(draft), draft.slips, strict=True))
    return id(draft.turn), draft.opening, slips, draft.bits if slips else 0, draft.swept


def _slip_kinds(candidate: Draft) -> tuple[str, ...]:
    return candidate.kinds[len(candidate.kinds) - len(candidate.slips) :]


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


def _accounts(
    rules: Rules,
    search: CandidateSearch,
    evidence: Evidence,
    weighed: Sequence[tuple[float, Draft, SlipReplay | None]],
    other: float,
    language: str | Language,
) -> tuple[list[Account], bool | None]:
    """The accounts, the likeliest first, and whether the turn was legal (`Finding.legal`)."""
    words = language if isinstance(language, Language) else load_language(language)
    merged = merged_drafts(weighed)
    # Each with the logarithms of its weight and of its likelihood.
    sown = [(log, draft.fit + log - draft.log) for log, draft, _ in weighed if draft.is_legal]
    slips = [(log, draft.fit + log - draft.log) for log, draft, _ in weighed if draft.is_legal is False]
    extra, laid = [], [(-math.inf, -math.inf)]
    if (one := rearranged(rules, evidence, words)) is not None:
        extra, laid = [(one[0], one[2])], [one[:2]]
    whole = log_sum([log for log, _, _ in merged] + [log for log, _ in extra] + [other])
    is_claimed = evidence.claimed is not None and evidence.claimed.kind is Kind.REARRANGE
    sown, laid = ([*sown, *laid], []) if is_claimed else (sown, laid)
    accounts = [
        account_of(rules, search, evidence, replay or replayed(rules, search, candidate), math.exp(log - whole), words)
        for rank, (log, candidate, replay) in enumerate(merged)
        if rank < MAX_ACCOUNTS or candidate.turn is not None
    ]
    accounts += [replace(account, probability=math.exp(log - whole)) for log, account in extra]
    sentence = words.text("findings.unknown")
    accounts.append(Account((UNKNOWN,), math.exp(other - whole), None, None, (sentence,)))
    accounts.sort(key=lambda account: -account.probability)
    first = accounts[0]
    found: list[Account] = []
    for account in accounts:
        alike = account.kind != UNKNOWN and account.probability >= NEARLY * first.probability
        if not alike:
            first = account
        found.append(replace(account, equal=alike and bool(found)))
    return with_distinctions(found, evidence, words), _is_legal(sown, laid, slips, whole, search.turns.complete)


def _is_legal(
    sown: Sequence[tuple[float, float]],
    laid: Sequence[tuple[float, float]],
    slips: Sequence[tuple[float, float]],
    whole: float,
    complete: bool,
) -> bool | None:
    """Whether the turn was legal, from the logarithms of weight and likelihood of legal turns that were sown or laid
    out, and of slips.

    How rare what nobody claims is among turns says too little: a rearrangement and a slip that fit alike leave it open.
    """
    sown_share, laid_share, slips_share = (log_sum([log for log, _ in some]) - whole for some in (sown, laid, slips))
    fit, slip_fit = (max([one[1] for one in some], default=-math.inf) for some in ((*sown, *laid), slips))
    likely = math.log(LIKELY)
    if log_sum((sown_share, laid_share)) <= likely:
        return False if complete and (fit == -math.inf or fit <= slip_fit + likely) else None
    return None if slips_share > likely or (laid_share > likely and slip_fit > fit + likely) else True
