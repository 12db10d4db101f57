"""Finds what happened in a turn, or in one of several: the likeliest hypotheses told as accounts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from inkeek.records.errors import RecordsError
from inkeek.records.language import Language, load_language
from inkeek.records.moves import Kind, Move, Turn
from inkeek.records.position import Position
from inkeek.records.rules.play import Rules

from .accounts import account_of, mend_steps, rearranged
from .candidates import ONE_SLIP_WORK, SLOWNESS, CandidateSearch
from .drafts import log_sum
from .evidence import Evidence, verify_evidence, verify_moves
from .finding import Account, Finding
from .kinds import UNKNOWN
from .posterior import LIKELY, Hypothesis, Posterior, hypotheses, something_else, weigh, weighed_drafts
from .sentences import mend_sentence, with_distinctions

MAX_ACCOUNTS = 20
NEARLY = 0.5  # the part of the first one's probability from which an account is equal to it
MAX_MOVES = 2000  # since the last certain position
MAX_TRIED = 40  # of these, the last: each is taken as the one that went wrong
EARLIER_WORK = 4_000_000 // SLOWNESS  # laps and boards for all turns but the last
UNNOTICED = 0.8  # how likely it is that a turn is played on a wrong board and nobody sees it
UNDISPUTED = 0.25  # how likely a slip in a turn before the disputed one is, compared with one in that


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


def find_since(
    rules: Rules,
    position: Position,
    moves: Sequence[Move],
    evidence: Evidence,
    language: str = "en",
    disputed: int = 0,
) -> Finding:
    """What happened since a certain position: one of the moves that are written went wrong, and was not noticed.

    `disputed`: the index of the move from which on players say that one went wrong; those before it are less likely.
    `evidence` is about the board now; its `before`, `claimed` and `previous` mean nothing here. The turns after the
    wrong one are those that are written, played by the rules on the board as it then was.

    :raises PositionError: the position is not of this game.
    :raises EvidenceError: the evidence or the moves do not fit it.
    :raises ValueError: no moves, or too many.
    """
    if not 0 < len(moves) <= MAX_MOVES:
        raise ValueError(f"{len(moves)} moves: expected 1 to {MAX_MOVES}")
    verify_evidence(rules, replace(evidence, before=position, claimed=None, captured=None))
    verify_moves(rules, position, moves)
    turns, wrong = _played(rules, position, moves)
    last = min(len(turns), len(moves) - 1)
    found: list[Hypothesis] = []
    complete, other = True, -math.inf
    for ply in range(last, max(-1, last - MAX_TRIED), -1):
        later = moves[ply + 1 :]
        if any(move.kind is not Kind.SOW for move in later):
            break  # a pass or a rearrangement says nothing of the board before it
        before = turns[ply].before if ply < len(turns) else turns[-1].position if turns else position
        known = replace(
            evidence, before=before, claimed=moves[ply], captured=None, previous=turns[ply - 1] if ply else None
        )
        if later:
            known = replace(known, previous=None, earlier=(), seen=())
        search = CandidateSearch(rules, known, later)
        work = ONE_SLIP_WORK if ply == last else EARLIER_WORK // min(last, MAX_TRIED)
        weight = math.log(UNNOTICED) * len(later) + (math.log(UNDISPUTED) if ply < disputed else 0.0)
        for one in hypotheses(search, weighed_drafts(search, search.one_slip(work)), ply):
            turn = one.draft.turn
            if later and turn is not None and ply < len(turns) and turn.move == turns[ply].move:
                continue  # all as written: that is an account of the last turn
            found.append(replace(one, log=one.log + weight))
        complete = complete and search.complete
        if ply == last:
            other = something_else(search)
    found.sort(key=lambda one: -one.log)
    words = load_language(language)
    posterior = Posterior(tuple(found), other, complete)
    accounts = []
    for account in accounts_of(posterior, evidence, words):
        if account.ply is not None and account.ply < len(turns) - 1 == len(moves) - 1:
            account = _mended(account, replace(evidence, before=turns[account.ply].before), turns[-1], words)
        accounts.append(account)
    first = accounts[0]
    agreed = 0 if first.ply is None else first.ply
    if first.ply is not None and first.legal and first.move == moves[first.ply]:
        agreed = len(moves)
    return Finding(tuple(accounts), None, complete, 1, agreed, len(turns), wrong)


def _played(rules: Rules, position: Position, moves: Sequence[Move]) -> tuple[list[Turn], RecordsError | None]:
    """The turns as far as the rules let them be played, and why not the next one."""
    turns: list[Turn] = []
    for move in moves:
        try:
            turn = rules.play(position, move.choice, turns[-1].move if turns else None)
        except RecordsError as error:
            return turns, error
        turns.append(turn)
        position = turn.position
    return turns, None


def _mended(account: Account, evidence: Evidence, last: Turn, language: Language) -> Account:
    """The account of an earlier turn, with how to mend the board as it is now, for the position after all turns."""
    wanted = (*last.position.pits, *last.position.stores)
    known = (evidence.known(place) for place in range(len(wanted)))
    now = tuple(want if count is None else count for want, count in zip(wanted, known, strict=True))
    steps = mend_steps(now, last.position)
    sentences = account.sentences[:-1] if account.mend else account.sentences
    sentences += tuple(mend_sentence(evidence.before, steps, last.position, last, language))
    return replace(account, mend=steps, target=last.position, sentences=sentences)
