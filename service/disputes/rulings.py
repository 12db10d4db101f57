"""Rulings on disputes: by an arbiter, or by both sides who agree; proposals, and appeals against rulings.

A ruling gives the game another line of turns, and another end. `ruling_effects` works that out, which previews show.
Here the game follows it, by events that take back, play, end or reopen. No event is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from inkeek.records import Side
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games.corrections import append_correction, append_reopening, changing_end, check_reason
from inkeek.service.games.editor import GameEditor
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.event_data import SIDES, EndedData
from inkeek.service.games.events.rules import appeal_until
from inkeek.service.games.plies import BY_RULES
from inkeek.service.games.record_check import check_note
from inkeek.service.games.repository import Games
from inkeek.service.games.state import GameState, score_of
from inkeek.service.games.validation import check_write
from inkeek.service.games.write import Write, key_of, who
from inkeek.service.storage import DisputeRow
from inkeek.service.storage.search import NAMELESS

from .courses import RULED, Course
from .disputes import (
    check_not_withdrawn,
    check_speaker,
    course_of,
    editing,
    looks_of,
    names_of,
    parse_dispute_id,
    save_dispute,
)
from .effects import Effects, effects_of, same_end
from .event_data import AppealData, ProposalData, ResponseData, RulingData
from .terms import AGREED, Terms, terms_from

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction

MAX_PROPOSALS = 20  # in one dispute


def rule(
    games: Games,
    dispute_id: str,
    terms: Terms,
    write: Write,
    *,
    confirm: bool = False,
    finding: Mapping[str, Any] | None = None,
    corrects: str = "",
) -> DisputeRow:
    """Rule on a dispute as its arbiter, `write.actor`.

    `finding` is what the arbiter saw of it, as JSON. `confirm` is that of `corrections.correct_end`. After an appeal
    the ruling replaces the one before, and must be another arbiter's, with another name and another key. With
    `corrects`, the reason, it replaces the last ruling, which must be their own.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on, its turn or end was taken back, or the same
        arbiter or key rules again; or the last ruling is not theirs to correct. :raises Invalid: the outcome is not
        possible, or the terms do not fit it.
    :raises Illegal: the rules forbid the move. :raises RecordsError: a position that does not fit the game.
    """
    terms, corrects = terms.checked(), check_note("corrects", corrects)
    with _open_ruling(games, dispute_id, terms.note, write, confirm, waits=not corrects) as (game, course):
        check_arbiter(game.transaction, game.state(), course, game.write, corrects=bool(corrects))
        if corrects:
            course = _open_own_ruling(game, course, corrects)
        return _rule(game, course, terms, game.write.actor, finding)


def may_correct(course: Course, source: str) -> bool:
    """Whether the last that happened in a dispute is a ruling which came with the key of this source."""
    last = course.last_step
    if last.kind != "ruling" or last.data["by"] == AGREED or course.is_withdrawn:
        return False
    return key_of(last.source) == key_of(source) != ""


def _open_own_ruling(game: GameEditor, course: Course, reason: str) -> Course:
    """Append that the arbiter opens their own last ruling again; return the course then.

    :raises Disputed: the game waits for another ruling.
    """
    game.check_undisputed()
    game.append(AppealData(course.row.seq, None, reason, game.write.actor, corrects=True))
    return game.state().course(course.row.seq)


def check_arbiter(transaction: Transaction, state: GameState, course: Course, write: Write, *, corrects: bool) -> None:
    """Check that who writes may rule on a dispute: somebody who does not play in the game and has not ruled on it
    before, by the name given and by the key, or whose it was before it was lent; or with `corrects` who gave the last
    ruling.

    :raises Conflict: they may not.
    """
    write, keys, row = check_write(write), transaction.keys, state.row
    actor, key = write.actor, key_of(write.source)
    who_rules = repr(actor) if actor else ErrorText("somebody without a name")
    if corrects:
        check_not_withdrawn(course, row)
        if not may_correct(course, write.source) or course.last_step.data["by"] != actor:
            raise Conflict(
                "%(who)s cannot correct the ruling on dispute %(dispute)s: only who gave the last ruling can, with the "
                "same name and key, and before an appeal. Appeal instead",
                who=who_rules,
                dispute=course.row.id,
                current=row,
            )
        return
    player = _player(transaction, state, write)
    if player:
        raise Conflict(
            "%(who)s plays in this game, and %(arbiter)s writes in that name or with a key that is theirs: somebody "
            "else must rule, with their own name and key",
            who=repr(player),
            arbiter=who_rules,
            current=row,
        )
    agreed = {event.seq + 1 for event in course.of("response") if event.data["accepts"]}
    arbiters = [event for event in course.of("ruling") if event.seq not in agreed]
    looks, holder = looks_of(transaction, *names_of(transaction, actor, write.source)), keys.holder(key)
    if any(looks & looks_of(transaction, who(event.data["by"], event.source)) for event in arbiters):
        raise Conflict(
            "%(who)s has ruled on dispute %(dispute)s before: another arbiter must rule, with their own name",
            who=who_rules,
            dispute=course.row.id,
            current=row,
        )
    same = next((event for event in arbiters if key and keys.holder(key_of(event.source)) == holder), None)
    if same is not None:
        raise Conflict(
            "%(who)s ruled on dispute %(dispute)s with this key: after an appeal another arbiter must rule, signed in "
            "with a key of their own",
            dispute=course.row.id,
            who=repr(same.data["by"]),
            current=row,
        )


def _player(transaction: Transaction, state: GameState, write: Write) -> str:
    """The player of the game who writes: by the name given or that of the key; a key that was lent is that of who lent
    it. Empty: it is no player. What the key wrote before says nothing: one may write for a whole table."""
    tags = [event.data["tags"] for event in state.events if event.kind in ("created", "tags")]  # also what was mended
    players = {of.get(str(side)) or "" for of in tags for side in Side}
    players |= {name for team in state.record.people().teams for name in (*team.south, *team.north)}
    players |= {event.data["name"] for event in state.events if event.kind == "join"}
    looks = looks_of(transaction, *players - {*NAMELESS})
    names = names_of(transaction, write.actor, write.source)
    return next((name for name in names if looks & looks_of(transaction, name)), "")


def withdraw(games: Games, dispute_id: str, write: Write, note: str) -> DisputeRow:
    """Let what is disputed stand, because the side that disputed it withdraws, or it was opened by mistake: `note` says
    why. It may be disputed again.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on before. :raises Invalid: no note.
    """
    terms = Terms("stands", note).checked()
    if not terms.note:
        raise Invalid("note is empty: say why the dispute is withdrawn", field="note")
    with _open_ruling(games, dispute_id, terms.note, write, False) as (game, course):
        check_speaker(game, course.row.side)
        if course.ruling is not None:
            raise Conflict(
                "dispute %(dispute)s was ruled on and appealed: an arbiter must rule",
                dispute=dispute_id,
                current=game.row,
            )
        return _rule(game, course, terms, game.write.actor, None, withdrawn=True)


def propose(games: Games, dispute_id: str, side: str, terms: Terms, write: Write) -> DisputeRow:
    """Propose to the other side how to settle an open dispute. It replaces a proposal that waits for an answer.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on, or the person is in the other team.
    :raises Invalid: the terms are not possible. :raises Illegal: the rules forbid the move.
    """
    terms, write = terms.checked(), check_write(write)
    with editing(games, dispute_id, write, waits=True) as (game, course):
        check_speaker(game, side)
        if len(course.of("proposal")) >= MAX_PROPOSALS:
            raise Conflict("%(count)s proposals were made: an arbiter must rule", count=MAX_PROPOSALS, current=game.row)
        fields = _stored(terms, effects_of(game.state(), course, terms))
        game.append(ProposalData(dispute=course.row.seq, side=side, by=write.actor, **fields))
        return save_dispute(game, course)


def respond(
    games: Games,
    dispute_id: str,
    proposal: int,
    side: str,
    write: Write,
    *,
    accepts: bool,
    confirm: bool = False,
    finding: Mapping[str, Any] | None = None,
) -> DisputeRow:
    """Accept or refuse the other side's proposal, which is the event of that number. Accepted, it is the ruling.

    :raises NotFound: no such dispute. :raises Conflict: that proposal does not wait for an answer of this side, or the
        person is in the other team or has made it; else as `rule`.
    """
    with _open_ruling(games, dispute_id, "agreed", write, confirm) as (game, course):
        waits, actor = course.proposal, game.write.actor
        if waits is None or waits.seq != proposal or waits.data["side"] == side:
            found = ErrorText("none waits")
            if waits is not None:
                found = ErrorText("%(side)s's proposal %(seq)s waits", side=SIDES[waits.data["side"]], seq=waits.seq)
            raise Conflict(
                "proposal %(seq)s does not wait for %(side)s's answer: %(found)s",
                seq=proposal,
                side=SIDES[side],
                found=found,
                current=game.row,
            )
        check_speaker(game, side)
        names, by = names_of(game.transaction, actor, game.write.source), waits.data["by"]
        if by and looks_of(game.transaction, *names) & looks_of(game.transaction, by):
            raise Conflict(
                "%(who)s made the proposal: somebody else must answer for %(side)s",
                who=by,
                side=SIDES[side],
                current=game.row,
            )
        game.append(ResponseData(course.row.seq, proposal, side, accepts, actor))
        if not accepts:
            return save_dispute(game, course)
        return _rule(game, course, terms_from(waits.data), AGREED, finding)


def appeal(
    games: Games, dispute_id: str, reason: str, write: Write, side: str | None = None, *, is_arbiter: bool = False
) -> DisputeRow:
    """Appeal against the last ruling on a dispute: another arbiter must rule, and the game waits.

    Where an appeal was ruled on already, only an arbiter has the dispute heard again.

    :raises NotFound: no such dispute. :raises Conflict: it is not ruled on, or was withdrawn; or the caller is no
        arbiter, and an appeal was ruled on or the time for one is over. :raises Disputed: the game waits for a ruling
        already.
    :raises Invalid: no reason.
    """
    reason, write = check_note("reason", reason), check_write(write)
    if not reason:
        raise Invalid("reason is empty: say why the ruling is wrong", field="reason")
    game_id, seq = parse_dispute_id(dispute_id)
    with games.edit(game_id, write) as game:
        game.check_undisputed()
        course = course_of(game, seq, waits=False)
        assert course.row.state == RULED
        check_not_withdrawn(course, game.row)
        is_arbiter = is_arbiter and not _player(game.transaction, game.state(), game.write)
        if not is_arbiter and course.was_appealed:
            raise Conflict(
                "the appeal on dispute %(dispute)s was ruled on: only an arbiter can have it heard again",
                dispute=dispute_id,
                current=game.row,
            )
        until = None if is_arbiter else appeal_until(game.event_rules(), course.row)
        if until is not None and until < game.now():
            raise Conflict(
                "the appeal on dispute %(dispute)s was possible until %(until)s: only an arbiter can have it heard "
                "again",
                dispute=dispute_id,
                until=until,
                current=game.row,
            )
        if side is not None:
            check_speaker(game, side)
        game.append(AppealData(seq, side, reason, write.actor))
        return save_dispute(game, course)


@contextmanager
def _open_ruling(
    games: Games, dispute_id: str, reason: str, write: Write, confirm: bool, *, waits: bool = True
) -> Iterator[tuple[GameEditor, Course]]:
    """Open the game of a dispute, with `waits` of one that is not ruled on, together with its match."""
    game_id, seq = parse_dispute_id(dispute_id)
    with changing_end(games, game_id, check_write(write), confirm) as game:
        yield game, course_of(game, seq, waits=waits)


def _rule(
    game: GameEditor,
    course: Course,
    terms: Terms,
    by: str,
    finding: Mapping[str, Any] | None,
    *,
    withdrawn: bool = False,
) -> DisputeRow:
    seq = course.row.seq
    effects = effects_of(game.state(), course, terms)
    seen = None if finding is None else dict(finding)
    game.append(RulingData(dispute=seq, by=by, withdrawn=withdrawn, finding=seen, **_stored(terms, effects)))
    _apply(game, effects, terms.note, seq, "agreement" if by == AGREED else "ruling")
    return save_dispute(game, course)


def _stored(terms: Terms, effects: Effects) -> dict[str, Any]:
    """The terms as fields of the data of an event, with the result of an end."""
    if terms.end is not None and effects.end is not None:
        terms = replace(terms, end=replace(terms.end, result=effects.end["result"]))
    return asdict(terms)


def _apply(game: GameEditor, effects: Effects, note: str, seq: int, reason: str) -> None:
    """Have the game follow what was ruled on the dispute `seq`.

    :raises Invalid: the end of the game changes, and the note gives no reason.
    """
    end, state = effects.end, game.state()
    changes = effects.keeps < game.row.ply or effects.turns
    by_hand = state.end is not None and state.end.source != BY_RULES
    if by_hand and (changes or end is None):
        append_reopening(game, check_reason("note", note), seq)
    if effects.keeps < game.row.ply:
        game.take_back(game.row.ply - effects.keeps, None, reason, "")
    game.new_line = bool(effects.turns)
    for turn, comments in effects.turns:
        game.add_turn(turn, comments)
    if end is None:
        return
    if game.row.state == "live":
        check_reason("note", note)
        game.add_end(EndedData(**{**end, "by": end["by"] or game.write.actor}, dispute=seq))
    elif state.end is not None and not same_end(end, state.end.data):
        corrected = CorrectedEnd(end["termination"], end["winner"], score_of(end))
        append_correction(game, corrected, check_reason("note", note), seq)
