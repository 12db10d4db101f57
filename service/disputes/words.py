"""Rulings and penalties in words of the laws: play on, restore the position, replay, award the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from inkeek.records import Kind, Move
from inkeek.records.explain import explain_board
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.records.notation.movetext import cite_turn
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.matches.games import LaterGames
from inkeek.service.games.snapshot import GameSnapshot, position_of
from inkeek.service.http.language import gettext, ngettext, side_names
from inkeek.service.http.web import labels
from inkeek.service.http.web.labels import termination_words
from inkeek.service.storage import DisputeRow, GameRow

from .consequences import Consequences, RankChange, row_after
from .courses import Course
from .effects import Effects
from .terms import PenaltyData, Terms, terms_from

Cite = Callable[[int], str]  # a turn by its ply, as the record cites it
RESTART = "restart"  # a choice of the pages: turns are retracted to the start
EFFECTS = {  # what each remedy does to the game, by what the dispute is about
    "turn": {
        "stands": later("Nothing changes: the turns stay as they are recorded, and play goes on."),
        "retracted": later("This turn and all after it are taken back, and the seeds return to where they lay before."),
        RESTART: later("All turns are taken back, and the seeds return to where they lay at the start."),
        "corrected": later("Another turn or another board replaces the recorded one. You give it below."),
        "ended": later("The game is over, with the result that you give below. The turns stay in the record."),
    },
    "end": {
        "stands": later("Nothing changes: the game stays over, with its result."),
        "corrected": later("The game stays over, with the result that you give below."),
        "reopened": later("The result is taken away, and the game goes on where it stopped."),
    },
}


def cite_in_words(then: GameSnapshot) -> Cite:
    """Cites turns for sentences: the next one, which has no move yet, without the point after its number."""

    def cite(ply: int) -> str:
        cited = then.cite(ply)
        return cited if ply <= then.row.ply else f"{cited.rstrip('.…')} ({side_names()[then.position.to_move]})"

    return cite


def remedy_choices(dispute: DisputeRow, cite: Cite) -> dict[str, str]:
    """What a ruling can order, by outcome; or `RESTART`."""
    turn = cite(dispute.ply) if dispute.ply else ""
    if dispute.about == "end":
        return {
            "stands": gettext("The end stands."),
            "corrected": gettext("Correct the end: award the game, or end it without a winner."),
            "reopened": gettext("Play on: the end does not count."),
        }
    stands = gettext("Play on from %(turn)s: the turn stands.", turn=turn)
    if dispute.is_unrecorded:
        stands = gettext("Play on without %(turn)s, which is not recorded.", turn=turn)
    return {
        "stands": stands,
        "retracted": gettext("Restore the position before %(turn)s; the turn is played again.", turn=turn),
        RESTART: gettext("Restart: the game begins again from its first position."),
        "corrected": gettext("Replay %(turn)s as it was meant, or correct the board.", turn=turn),
        "ended": gettext("Award the game, or end it without a winner."),
    }


def offered_remedies(dispute: DisputeRow, cite: Cite, *, is_ended_by_rules: bool) -> dict[str, str]:
    """The `remedy_choices` that are possible as the game ended."""
    refused: tuple[str, ...] = ()
    if is_ended_by_rules:
        refused = ("corrected", "reopened") if dispute.about == "end" else ("ended",)
    return {outcome: words for outcome, words in remedy_choices(dispute, cite).items() if outcome not in refused}


def remedy_text(terms: Terms, dispute: DisputeRow, language: Language, cite: Cite) -> str:
    """What a ruling with these terms orders."""
    outcome, end = terms.outcome, terms.end
    if end is not None:
        how = termination_words(end.termination)
        if end.winner is None:
            return gettext("End the game without a winner (%(how)s).", how=how)
        return gettext("Award the game to %(side)s (%(how)s).", side=language.sides[SIDES[end.winner]], how=how)
    if outcome == "retracted" and terms.to == 0:
        outcome = RESTART
    elif outcome == "retracted" and terms.to is not None:
        return gettext("Restore the position after %(turn)s; play goes on from there.", turn=cite(terms.to))
    elif outcome == "corrected" and terms.move:
        return gettext("Replay %(turn)s as %(move)s.", turn=cite(dispute.ply), move=terms.move)
    elif outcome == "corrected" and terms.position:
        return gettext("Correct the board after %(turn)s.", turn=cite(dispute.ply))
    return remedy_choices(dispute, cite)[outcome]


def claim_text(data: Mapping[str, Any]) -> str:
    """What was claimed, and what was counted."""
    parts = [ended(data["claim"])] if data["claim"] else []
    if data["seen"]:
        parts.append(gettext("Counted on the board: %(position)s.", position=data["seen"]))
    return " ".join(parts)


def terms_sentences(terms: Terms, language: Language) -> list[str]:
    """What a ruling or a proposal says besides its remedy."""
    found = [ended(terms.note)] if terms.note else []
    if terms.position:
        found.append(_board(terms.position, language))
    if terms.end is not None and terms.end.score is not None:
        found.append(gettext("The score is %(score)s.", score="–".join(map(str, terms.end.score))))
    if terms.keeps:
        found.append(gettext("Later turns are kept as far as they are legal."))
    return [*found, *penalty_sentences(terms, language)]


def _board(text: str, language: Language) -> str:
    position = position_of(text)
    board = explain_board(position, language)
    return gettext("The board: %(board)s. %(side)s is to move.", board=board, side=language.sides[position.to_move])


def penalty_sentences(terms: Terms, language: Language) -> list[str]:
    """The penalties and the changes of clocks in the terms of a ruling, a sentence each."""
    found = []
    for penalty in terms.penalties:
        what = _penalty(penalty) + (f" ({penalty.note})" if penalty.note else "")
        found.append(gettext("Penalty for %(side)s: %(what)s.", side=language.sides[SIDES[penalty.side]], what=what))
    for clock in terms.clocks:
        side, time = language.sides[SIDES[clock.side]], clock_text(clock.seconds)
        if clock.to is None:
            found.append(gettext("The clock of %(side)s gets %(time)s more.", side=side, time=time))
        else:
            found.append(gettext("The clock of %(side)s is set to %(time)s.", side=side, time=time))
    return found


def dropped_penalties(old: Terms, new: Terms, language: Language) -> list[str]:
    """The penalties and the changes of clocks in `old` terms that `new` ones do not order, a sentence each."""
    stays = penalty_sentences(new, language)
    return [one for one in penalty_sentences(old, language) if one not in stays]


def ended(text: str) -> str:
    """What somebody wrote, with a full stop if it has none."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _penalty(penalty: PenaltyData) -> str:
    if penalty.seeds is not None:
        return ngettext("%(num)d seed", "%(num)d seeds", penalty.seeds)
    return labels.penalty_word(penalty.kind)


def clock_text(seconds: int) -> str:
    """Seconds as ``1:05:00``."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


MAX_CITED = 12  # turns that a sentence names


def ruling_sentences(effects: Effects, follows: Consequences, snapshot: GameSnapshot, language: Language) -> list[str]:
    """What a ruling would change beside penalties and clocks."""
    row = snapshot.row
    return [
        *_turns(effects, snapshot),
        *_result(effects, row, language),
        _board_sentence(follows, snapshot.rules.info.terms, language),
        *_match(follows.later, row),
        *_standings(follows.standings, row),
    ]


def dropped_sentences(course: Course, terms: Terms, language: Language, cite: Cite) -> list[str]:
    """What the last ruling ordered and these terms do not order any more."""
    if course.ruling is None or course.is_withdrawn:
        return []
    old = terms_from(course.ruling.data)
    dropped = dropped_penalties(old, terms, language)
    if old.end is not None and terms.end is None:
        dropped.insert(0, remedy_text(old, course.row, language, cite))
    return dropped


def clocks_sentence(course: Course, terms: Terms) -> str:
    """What becomes of clocks that the terms do not change; empty if they change some, and drop no other change."""
    old = () if course.ruling is None else terms_from(course.ruling.data).clocks
    set_anew = {one.side for one in terms.clocks if one.to is not None}
    if any(one not in terms.clocks and one.side not in set_anew for one in old):
        return gettext(
            "Set the clock by hand to the time it would show without the last ruling, or order the time that it keeps."
        )
    return "" if terms.clocks else gettext("The clocks stay as they are.")


def _turns(effects: Effects, snapshot: GameSnapshot) -> list[str]:
    """The turns that are taken back and played, as the record cites them, and what becomes of those after them."""
    row, same = snapshot.row, _count_same(effects, snapshot)
    stays = effects.keeps + same
    sentences = []
    if stays < row.ply:
        taken_back = [snapshot.cite(ply) for ply in range(stays + 1, min(row.ply, stays + MAX_CITED) + 1)]
        sentences.append(gettext("Taken back: %(turns)s.", turns=_listed(taken_back, row.ply - stays)))
    positions = [position_of(text) for text in snapshot.state.positions[: effects.keeps + 1]]
    played = []
    for turn, _ in effects.turns:
        played.append(cite_turn(positions, _move_words(turn.move)))
        positions.append(turn.position)
    if same:
        again = _listed(played[:same][:MAX_CITED], same)
        sentences.insert(0, gettext("Played again just as it is recorded: %(turns)s.", turns=again))
        del played[:same]
    if played:
        sentences.append(gettext("Played then: %(moves)s.", moves=_listed(played[:MAX_CITED], len(played))))
    if effects.later:
        del positions[effects.later[0].ply :]
    for one in effects.later:
        cited = cite_turn(positions, one.move)
        if one.turn is None:
            sentences.append(gettext("%(turn)s could not be played: %(why)s.", turn=cited, why=one.why))
            break
        if not one.same:
            does = one.turn.move
            sentences.append(gettext("%(turn)s would do something else: %(does)s.", turn=cited, does=does))
        positions.append(one.turn.position)
    return sentences


def _count_same(effects: Effects, snapshot: GameSnapshot) -> int:
    """How many of the turns that would be played first are those that are recorded there."""
    positions = snapshot.state.positions[effects.keeps + 1 :]
    recorded = zip(snapshot.record.plies[effects.keeps :], positions, strict=True)
    pairs = zip(effects.turns, recorded, strict=False)
    same = takewhile(lambda pair: (pair[0][0].move, str(pair[0][0].position)) == (pair[1][0].move, pair[1][1]), pairs)
    return sum(1 for _ in same)


def _move_words(move: Move) -> str:
    if move.kind is not Kind.IRREGULAR:
        return str(move)
    if move.pit == "?":
        return gettext("an irregular turn")
    return gettext("an irregular turn from %(pit)s", pit=move.pit)


def _listed(cited: Sequence[str], count: int) -> str:
    """Cited turns, and how many more there are."""
    listed = ", ".join(cited)
    more = count - len(cited)
    return (
        listed
        if more <= 0
        else ngettext("%(listed)s and %(num)d more", "%(listed)s and %(num)d more", more, listed=listed)
    )


def _result(effects: Effects, row: GameRow, language: Language) -> list[str]:
    sentences = []
    then = row_after(row, effects)
    if (then.state, then.result, then.score) != (row.state, row.result, row.score):
        new, old = (_how(one, language) for one in (then, row))
        sentences.append(gettext("The result: %(new)s. Now: %(old)s.", new=new, old=old))
    stores = zip(language.sides, effects.position.stores, position_of(row.position).stores, strict=True)
    for side, more, less in stores:
        if more != less:
            sentences.append(
                gettext("The store of %(side)s: %(then)s instead of %(now)s.", side=side, then=more, now=less)
            )
    return sentences


def _how(row: GameRow, language: Language) -> str:
    if row.state == "live":
        return gettext("the game goes on")
    return labels.result_words(labels.player_names(row.tags, language.sides), row)


def _board_sentence(follows: Consequences, terms: Mapping[str, str], language: Language) -> str:
    """What hands must put right; `terms` are the words of the game."""
    if not follows.board:
        return gettext("Nothing is to be put right on the board.")

    def instead(place: int, then: object, lies: object) -> str:
        where = place_text(follows.position, place, language)
        return gettext("%(place)s: %(then)s instead of %(lies)s", place=where, then=then, lies=lies)

    def mark(mark: int) -> str:
        return labels.mark_or_none_words(mark, terms, language)

    seeds = (instead(one.place, one.then, one.lies) for one in follows.board if one.lacks)
    marks = (
        instead(one.place, mark(one.mark_then), mark(one.mark_lies)) for one in follows.board if one.has_wrong_mark
    )
    places = ", ".join([*seeds, *marks])
    if follows.is_counted:
        return gettext("To put right on the board, as it was counted: %(places)s.", places=places)
    return gettext("To put right on the board, if it lies as recorded: %(places)s.", places=places)


def _match(later: LaterGames, row: GameRow) -> list[str]:
    sentences = []
    if later.follow:
        sentences.append(gettext("Game %(games)s of the match still follows.", games=_numbers(later.follow)))
    if later.still:
        sentences.append(
            gettext(
                "Game %(games)s of the match stands still until this game has ended again.", games=_numbers(later.still)
            )
        )
    if later.lost:
        sentences.append(
            gettext(
                "Game %(games)s of the match no longer follows and does not count: %(fault)s.",
                games=_numbers(later.lost),
                fault=later.fault,
            )
        )
    if row.match_id is not None and not later.all:
        sentences.append(gettext("No later game of the match changes."))
    return sentences


def _numbers(games: Sequence[GameRow]) -> str:
    return ", ".join(str(game.match_game) for game in games)


def _standings(changes: Sequence[RankChange] | None, row: GameRow) -> list[str]:
    if changes is None:
        return []
    event = labels.tag_value(row.tags, "Event")
    if not changes:
        return [gettext("Ranks and points in %(event)s do not change.", event=event)]
    return [
        gettext(
            "In the standings of %(event)s, %(name)s goes from rank %(old_rank)s to %(rank)s; points: %(old_points)s "
            "now, %(points)s then.",
            event=event,
            name=change.then.name,
            points=f"{change.then.points:g}",
            rank=change.then.rank,
            old_points=f"{change.now.points:g}",
            old_rank=change.now.rank,
        )
        for change in changes
    ]
