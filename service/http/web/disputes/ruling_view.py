"""What a ruling would change, in sentences: turns, result, board, clocks, later games of the match, standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from inkeek.records import Kind, Move
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.records.notation.movetext import cite_turn
from inkeek.service.games.disputes.courses import Course
from inkeek.service.games.disputes.ruling_consequences import Consequences, RankChange, row_after
from inkeek.service.games.disputes.ruling_effects import Effects
from inkeek.service.games.disputes.ruling_terms import Terms, terms_from
from inkeek.service.games.matches.games import LaterGames
from inkeek.service.games.snapshot import GameSnapshot, position_of
from inkeek.service.http.language import gettext, ngettext
from inkeek.service.http.web import labels
from inkeek.service.storage import GameRow

from .remedies import Cite, remedy_text
from .sheet_course import dropped_penalties

MAX_CITED = 12  # turns that a sentence names


def ruling_sentences(effects: Effects, follows: Consequences, snapshot: GameSnapshot, language: Language) -> list[str]:
    """What a ruling would change beside penalties and clocks."""
    row = snapshot.row
    return [
        *_turns(effects, snapshot),
        *_result(effects, row, language),
        _board(follows, snapshot.rules.info.terms, language),
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
    for later in effects.later:
        cited = cite_turn(positions, later.move)
        if later.turn is None:
            sentences.append(gettext("%(turn)s could not be played: %(why)s.", turn=cited, why=later.why))
            break
        if not later.same:
            does = later.turn.move
            sentences.append(gettext("%(turn)s would do something else: %(does)s.", turn=cited, does=does))
        positions.append(later.turn.position)
    return sentences


def _count_same(effects: Effects, snapshot: GameSnapshot) -> int:
    """How many of the turns that would be played first are those that are recorded there."""
    positions = snapshot.state.positions[effects.keeps + 1 :]
    recorded = zip(snapshot.record.plies[effects.keeps :], positions, strict=True)
    pairs = zip(effects.turns, recorded, strict=False)
    same = takewhile(lambda pair: (pair[0][0].move, str(pair[0][0].position)) == (pair[1][0].move, pair[1][1]), pairs)
    return sum(1 for _ in same)


def _move_words(move: Move) -> str:
    """A move as it is written; an irregular one in words."""
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
    """How a game stands, in words."""
    if row.state == "live":
        return gettext("the game goes on")
    return labels.result_words(labels.player_names(row.tags, language.sides), row)


def _board(follows: Consequences, terms: Mapping[str, str], language: Language) -> str:
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
    """What becomes of later games of the match."""
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
