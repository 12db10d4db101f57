"""Since when is the board wrong: the latest turn up to which all agrees, and the likeliest account of what followed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from inkeek.records.errors import RecordsError
from inkeek.records.language import Language, load_language
from inkeek.records.moves import Kind, Move, Turn
from inkeek.records.position import Position
from inkeek.records.rules.play import Rules

from .accounts import account_of, mend_steps
from .candidates import ONE_SLIP_WORK, SLOWNESS, CandidateSearch
from .drafts import Draft
from .engine import merged_drafts, something_else, weighed_drafts
from .evidence.evidence import Evidence
from .evidence.faults import verify_evidence, verify_moves
from .finding import Account, Finding
from .kinds import UNKNOWN
from .replays import SlipReplay, replayed
from .sentences import mend_sentence
from .weights import log_sum

MAX_MOVES = 2000  # since the last certain position
MAX_TRIED = 40  # of these, the last: each is taken as the one that went wrong
EARLIER_WORK = 4_000_000 // SLOWNESS  # laps and boards for all turns but the last
UNNOTICED = 0.8  # how likely it is that a turn is played on a wrong board and nobody sees it
UNDISPUTED = 0.25  # how likely a slip in a turn before the disputed one is, compared with one in that
MAX_ACCOUNTS = 20


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
    found: list[tuple[float, int, CandidateSearch, Evidence, Draft, SlipReplay | None]] = []
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
        for log, draft, replay in merged_drafts(weighed_drafts(rules, search, known, search.one_slip(work))):
            if later and draft.turn is not None and ply < len(turns) and draft.turn.move == turns[ply].move:
                continue  # all as written: that is an account of the last turn
            found.append((log + weight, ply, search, known, draft, replay))
        complete = complete and search.complete
        if ply == last:
            other = something_else(search)
    return _weigh(rules, found, other, turns, moves, wrong, complete, language)


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


def _weigh(
    rules: Rules,
    found: list[tuple[float, int, CandidateSearch, Evidence, Draft, SlipReplay | None]],
    other: float,
    turns: Sequence[Turn],
    moves: Sequence[Move],
    wrong: RecordsError | None,
    complete: bool,
    language: str,
) -> Finding:
    words = load_language(language)
    found.sort(key=lambda one: -one[0])
    whole = log_sum([*(one[0] for one in found), other])
    accounts = []
    for log, ply, search, evidence, draft, replay in found[:MAX_ACCOUNTS]:
        replay = replay or replayed(rules, search, draft)
        account = account_of(rules, search, evidence, replay, math.exp(log - whole), words)
        if len(turns) == len(moves) and ply < len(turns) - 1:
            account = _mended(account, evidence, turns[-1], words)
        accounts.append(replace(account, ply=ply))
    sentence = words.text("findings.unknown")
    accounts.append(Account((UNKNOWN,), math.exp(other - whole), None, None, (sentence,)))
    accounts.sort(key=lambda one: -one.probability)
    first = accounts[0]
    agreed = 0 if first.ply is None else first.ply
    if first.ply is not None and first.legal and first.move == moves[first.ply]:
        agreed = len(moves)
    return Finding(tuple(accounts), None, complete, 1, agreed, len(turns), wrong)


def _mended(account: Account, evidence: Evidence, last: Turn, language: Language) -> Account:
    """The account of an earlier turn, with how to mend the board as it is now, for the position after all turns."""
    wanted = (*last.position.pits, *last.position.stores)
    known = (evidence.known(place) for place in range(len(wanted)))
    now = tuple(want if count is None else count for want, count in zip(wanted, known, strict=True))
    steps = mend_steps(now, last.position)
    sentences = account.sentences[:-1] if account.mend else account.sentences
    sentences += tuple(mend_sentence(evidence.before, steps, last.position, last, language))
    return replace(account, mend=steps, target=last.position, sentences=sentences)
