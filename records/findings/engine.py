"""Finds what happened in a turn: the likeliest hypotheses told as accounts."""

from __future__ import annotations

import math
from dataclasses import replace

from inkeek.records.language import Language, load_language
from inkeek.records.moves import Kind
from inkeek.records.rules.play import Rules

from .accounts import account_of
from .distinctions import with_distinctions
from .evidence.evidence import Evidence
from .evidence.faults import verify_evidence
from .finding import Account, Finding
from .kinds import UNKNOWN
from .posterior import LIKELY, Posterior, weigh
from .rearranged import rearranged
from .weights import log_sum

MAX_ACCOUNTS = 20
NEARLY = 0.5  # the part of the first one's probability from which an account is equal to it


def find(rules: Rules, evidence: Evidence, slips: int | None = None, language: str | Language = "en") -> Finding:
    """What happened in a turn.

    `slips`: look for turns with up to one or two slips; None: for two only if one does not explain the board.

    :raises PositionError: the position is not of this game. :raises EvidenceError: the evidence does not fit it.
    :raises OptionError: there is no such language.
    """
    rules.verify_known()
    verify_evidence(rules, evidence)
    words = language if isinstance(language, Language) else load_language(language)
    posterior = weigh(rules, evidence, slips)
    accounts = accounts_of(posterior, evidence, words)
    first = accounts[0]
    found: list[Account] = []
    for account in accounts:
        alike = account.kind != UNKNOWN and account.probability >= NEARLY * first.probability
        if not alike:
            first = account
        found.append(replace(account, equal=alike and bool(found)))
    found = with_distinctions(found, evidence, words)
    return Finding(tuple(found), _is_legal(posterior, evidence), posterior.complete, posterior.slips)


def accounts_of(posterior: Posterior, evidence: Evidence, language: Language) -> list[Account]:
    """The accounts of the likeliest hypotheses, of all legal turns and of something else, the likeliest first."""
    sentence = language.text("findings.unknown")
    accounts = [
        account_of(one, posterior.share(one.log), language)
        for rank, one in enumerate(posterior.hypotheses)
        if rank < MAX_ACCOUNTS or one.draft.turn is not None
    ]
    accounts.append(Account((UNKNOWN,), posterior.share(posterior.other), None, None, (sentence,)))
    if posterior.laid:
        share = posterior.share(*(way[0] for way in posterior.laid))
        accounts.append(rearranged(evidence, posterior.laid, share, language))
    return sorted(accounts, key=lambda account: -account.probability)


def _is_legal(posterior: Posterior, evidence: Evidence) -> bool | None:
    """Whether the turn was legal, from the logarithms of weight and likelihood of legal turns that were sown or laid
    out, and of slips.

    How rare what nobody claims is among turns says too little: a rearrangement and a slip that fit alike leave it open.
    """
    sown, slips = (
        [(one.log, one.draft.fit) for one in posterior.hypotheses if one.draft.is_legal is legal]
        for legal in (True, False)
    )
    laid = [max(posterior.laid, key=lambda way: way[:2])[:2]] if posterior.laid else []
    if evidence.claimed is not None and evidence.claimed.kind is Kind.REARRANGE:
        sown, laid = [*sown, *laid], []
    sown_share, laid_share, slips_share = (
        log_sum([log for log, _ in some]) - posterior.whole for some in (sown, laid, slips)
    )
    fit, slip_fit = (max([one[1] for one in some], default=-math.inf) for some in ((*sown, *laid), slips))
    likely = math.log(LIKELY)
    if log_sum((sown_share, laid_share)) <= likely:
        return False if posterior.complete_turns and (fit == -math.inf or fit <= slip_fit + likely) else None
    return None if slips_share > likely or (laid_share > likely and slip_fit > fit + likely) else True
