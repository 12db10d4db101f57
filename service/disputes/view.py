"""What the pages show of disputes, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inkeek.records import Position, Rules
from inkeek.records.drawing.svg import Highlights, changed_pits
from inkeek.records.findings import Finding
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.records.rules.trace import SownSeed, sown_seeds
from inkeek.service.errors import gettext_later as later
from inkeek.service.findings.view import FindingView, board_now, finding_view
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import GameSnapshot, position_of
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.drawing import BoardPicture
from inkeek.service.storage import DisputeRow

from . import disputes
from .consequences import BoardPlace, as_it_should_lie, differing_places
from .courses import WAITS, Course
from .effects import is_ended_by_rules
from .finding import DisputeFinding
from .steps import course_entries
from .words import EFFECTS, cite_in_words, offered_remedies, remedy_choices

MAX_EARLIER = 60  # turns that a ruling on the page can go back to
STATE_WORDS = {"open": later("open"), "ruled": later("ruled on"), "appealed": later("appealed")}


def _card(row: DisputeRow, snapshot: GameSnapshot) -> dict[str, Any]:
    """A dispute in a list: what it is about as it was cited then, where its game is played, whether and how it is ruled
    on."""
    then = snapshot.at(row.seq)
    tags = snapshot.row.tags
    event, round, table = (labels.tag_value(tags, name) for name in ("Event", "Round", "Board"))
    place = (
        event,
        gettext("Round %(round)s", round=round) if round else "",
        gettext("Table %(table)s", table=table) if table else "",
    )
    cite = cite_in_words(then)
    withdrawn = snapshot.state.course(row.seq).is_withdrawn
    state = gettext("withdrawn") if withdrawn else gettext(STATE_WORDS[row.state])
    if row.outcome and not withdrawn:
        state = f"{state}: {remedy_choices(row, cite)[row.outcome]}"
    return {
        "row": row,
        "names": labels.player_names(tags),
        "side": SIDES[row.side],
        "disputed": _title(row, cite(row.ply) if row.ply else ""),
        "place": [part for part in place if part],
        "state": state,
    }


def dispute_cards(rows: Iterable[DisputeRow]) -> list[dict[str, Any]]:
    """Disputes for the macro `listed`."""
    games = current_services().games
    return [_card(row, games.load(row.game)) for row in rows]


def waiting_disputes(most: int) -> list[dict[str, Any]]:
    """The disputes for whose ruling games wait, the newest first; at most so many of each state."""
    cards = [card for state in WAITS for card in listed_disputes(state, most)]
    return sorted(cards, key=lambda card: card["row"].time, reverse=True)


def listed_disputes(state: str, most: int) -> list[dict[str, Any]]:
    """The last disputes in a state; at most so many."""
    with current_services().store.reading() as transaction:
        rows, _ = transaction.disputes.page(most, None, state, current_limit())
    return dispute_cards(rows)


def dispute_view(
    snapshot: GameSnapshot, course: Course, found: DisputeFinding | None, language: Language
) -> dict[str, Any]:
    """What a page shows of a dispute beside its row and its course, in a language that gettext speaks too: its boards,
    its finding, and each event of the course with what the page says. `found`: what was found of it; `ruling`: the last
    one, if it is in force."""
    row, rules, state = course.row, snapshot.rules, snapshot.state
    then = snapshot.at(row.seq)
    positions, cite = then.state.positions, cite_in_words(then)
    evidence = disputes.dispute_evidence(state, row)
    finding = None if found is None else found.finding
    recorded = position_of(positions[-1])
    counted = disputes.is_counted(evidence)
    lying = as_it_should_lie(rules, evidence, recorded) if counted else recorded
    cited = cite(row.ply) if row.ply else ""
    differs = () if row.is_unrecorded else differing_places(evidence, lying)
    title = gettext("As recorded, at the start")
    if len(positions) > 1:
        title = gettext("As recorded, after %(turn)s", turn=then.cite(len(positions) - 1))
    if lying != recorded:
        title = labels.cleared_words(title)
    should, lies = BoardPicture(lying, title, _played(positions, row), _recorded_path(then, row)), None
    if counted:
        mend, path = {one.place: one.lacks for one in differs}, _account_path(finding, len(lying.pits))
        lies = _as_it_lay(board_now(replace(evidence, before=lying)), course, mend, path)
    offered = offered_remedies(row, cite, is_ended_by_rules=is_ended_by_rules(state, course))
    entries = course_entries(course.events, course, language, cite)
    rulings = [entry for entry in entries if entry.event.kind == "ruling"]
    return {
        "names": labels.player_names(snapshot.row.tags, language.sides),
        "title": _title(row, cited),
        "side": SIDES[row.side],
        "proposer": None if course.proposal is None else SIDES[course.proposal.data["side"]],
        "is_late": row.about == "turn" and row.ply < len(positions) - 1,
        "earlier": _earlier(then, row.ply),
        "seq": snapshot.seq,
        "before": BoardPicture(evidence.before, gettext("Before %(turn)s", turn=cited))
        if row.about == "turn"
        else None,
        "should": should,
        "lies": lies,
        "path_note": _path_note(should, lies),
        "differences": _differences(differs, lying, rules.info.terms, language),
        "lies_text": _lies_text(row, positions),
        "finding": None if found is None else _finding_view(rules, found, then, language),
        "entries": entries,
        "ruling": None if course.waits else rulings[-1],
        "special": rules.info.terms.get("special", ""),
        "outcomes": [(name, words, gettext(EFFECTS[row.about][name])) for name, words in offered.items()],
    }


def _path_note(should: BoardPicture, lies: BoardPicture | None) -> str:
    """Whose numbers of seeds the boards have; empty if none has any."""
    if lies is None or not lies.path:
        return gettext("The numbers are those of the turn as it is recorded.") if should.path else ""
    if not should.path:
        return gettext("The numbers are those of the likeliest account.")
    return gettext(
        "The first board has the numbers of the turn as it is recorded, the second those of the likeliest account."
    )


def _lies_text(row: DisputeRow, positions: Sequence[str]) -> str:
    """The position with which the form for another board after the disputed turn opens."""
    if row.ply < len(positions) - 1:
        return positions[row.ply]
    recorded = position_of(positions[-1])
    lies = Position.parse(row.seen).filled(recorded) if row.seen else recorded
    return str(lies.replaced(ply=row.ply, to_move=lies.to_move.other) if row.is_unrecorded else lies)


def _earlier(then: GameSnapshot, ply: int) -> tuple[tuple[int, str], ...]:
    """The last turns before turn `ply`, newest first: what can be gone back to."""
    cited = then.cited_from(1)[: ply - 1] if ply else []
    return tuple(reversed(list(enumerate(cited, 1))[-MAX_EARLIER:]))


def _recorded_path(then: GameSnapshot, row: DisputeRow) -> tuple[SownSeed, ...]:
    """Where the seeds of the disputed turn fell by the record; nothing if the board has later turns, or it has none."""
    turns = then.record.replay().turns
    if row.about != "turn" or row.ply != len(turns):
        return ()
    turn = turns[row.ply - 1]
    trace, _ = then.trace(turn)
    return () if trace is None else sown_seeds(trace.events, len(turn.before.pits))


def _account_path(finding: Finding | None, pits: int) -> tuple[SownSeed, ...]:
    """Where the seeds fell by the likeliest account of a turn; nothing if another one is as likely."""
    if finding is None or finding.agreed is not None or any(account.equal for account in finding.accounts[1:2]):
        return ()
    return sown_seeds(finding.accounts[0].steps, pits)


def _as_it_lay(lies: BoardPicture, course: Course, mend: Mapping[int, int], path: tuple[SownSeed, ...]) -> BoardPicture:
    """The board as it was counted, with what differs from the record; what nobody counted stays unknown."""
    title = gettext("On the board when it was disputed")
    if any(event.data["seen"] for event in course.of("claim")):
        title = gettext("On the board, as it was counted later")
    return replace(lies, title=title, highlights=replace(lies.highlights, mend=mend), path=path)


def _title(row: DisputeRow, cited: str) -> str:
    if row.about == "end" and not cited:
        return gettext("the end")
    if row.about == "end":
        return gettext("the end after %(turn)s", turn=cited)
    if row.is_unrecorded:
        return gettext("turn %(turn)s on the board, which is not recorded", turn=cited)
    return cited


def _played(positions: tuple[str, ...], row: DisputeRow) -> Highlights:
    """The pits that the disputed turn changed in the record."""
    if row.about != "turn" or row.is_unrecorded:
        return Highlights()
    before, after = position_of(positions[row.ply - 1]), position_of(positions[row.ply])
    return Highlights(changed=changed_pits(before, after))


def _differences(
    places: Sequence[BoardPlace], should: Position, terms: Mapping[str, str], language: Language
) -> list[str]:
    """Where the seeds and then the marks on the board differ, in words; `terms` are those of the game."""

    def words(mark: int) -> str:
        return labels.mark_or_none_words(mark, terms, language)

    counts = [(one.place, one.then, one.lies) for one in places if one.lacks]
    marks = [(one.place, words(one.mark_then), words(one.mark_lies)) for one in places if one.has_wrong_mark]
    return [
        gettext(
            "%(pit)s: %(recorded)s recorded, %(lies)s on the board",
            pit=place_text(should, place, language),
            recorded=recorded,
            lies=lies,
        )
        for place, recorded, lies in [*counts, *marks]
    ]


def _finding_view(rules: Rules, found: DisputeFinding, then: GameSnapshot, language: Language) -> FindingView:
    """The finding, with the turns that it takes as right; of several turns, the accounts say of which one they tell."""
    view = finding_view(rules, found.finding, found.evidence, language.id, then.cited_from(found.first))
    if found.examined <= 1:
        return view
    granted = gettext("The turns before %(turn)s are taken as right.", turn=cite_in_words(then)(found.examined))
    return replace(view, verdict=f"{granted} {view.verdict}")
