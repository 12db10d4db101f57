"""What the pages show of disputes, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inkeek.records import Position, Rules, Side
from inkeek.records.counted import CountedPosition
from inkeek.records.drawing.svg import Highlights, changed_pits
from inkeek.records.findings import Finding
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.records.rules.trace import SownSeed, sown_seeds
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import GameSnapshot, position_of
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.findings.view import BoardPicture, FindingView, board_now, finding_view
from inkeek.service.storage import DisputeRow, GameEvent, GameRow

from . import disputes
from .board_differences import BoardPlace, as_it_should_lie, differing_places
from .courses import WAITS, Course
from .effects import is_ended_by_rules
from .finding import DisputeFinding
from .words import EFFECTS, CourseEntry, cite_in_words, course_entry, offered_remedies, remedy_choices

MAX_EARLIER = 60  # turns that a ruling on the page can go back to
STATE_WORDS = {"open": later("open"), "ruled": later("ruled on"), "appealed": later("appealed")}


@dataclass(frozen=True)
class DisputeCard:
    """A dispute in a list, with its game."""

    row: DisputeRow
    game: GameRow
    disputed: str
    place: tuple[str, ...]
    state: str

    @classmethod
    def of(cls, row: DisputeRow, snapshot: GameSnapshot) -> DisputeCard:
        """The card of a dispute: what it is about as it was cited then, where the game is played, whether and how it is
        ruled on."""
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
        state = _state(row, withdrawn=withdrawn)
        if row.outcome and not withdrawn:
            state = f"{state}: {remedy_choices(row, cite)[row.outcome]}"
        title = _title(row, cite(row.ply) if row.ply else "")
        return cls(row, snapshot.row, title, tuple(filter(None, place)), state)

    @property
    def names(self) -> tuple[str, str]:
        return labels.player_names(self.game.tags)

    @property
    def side(self) -> Side:
        """Who disputes."""
        return SIDES[self.row.side]


def dispute_cards(rows: Iterable[DisputeRow]) -> list[DisputeCard]:
    games = current_services().games
    return [DisputeCard.of(row, games.load(row.game)) for row in rows]


def waiting_disputes(most: int) -> list[DisputeCard]:
    """The disputes for whose ruling games wait, the newest first; at most so many of each state."""
    cards = [card for state in WAITS for card in listed_disputes(state, most)]
    return sorted(cards, key=lambda card: card.row.time, reverse=True)


def listed_disputes(state: str, most: int) -> list[DisputeCard]:
    """The last disputes in a state; at most so many."""
    return dispute_cards(disputes.page(current_services().store, most, None, state, current_limit())[0])


@dataclass(frozen=True)
class DisputePage:
    """A dispute with its boards, its finding and its course; `entries`: each event of it with what the page says;
    `ruling`: the last ruling, if it is in force."""

    course: Course
    names: tuple[str, str]
    title: str
    last_ply: int
    earlier: tuple[tuple[int, str], ...]
    seq: int
    before: BoardPicture | None
    should: BoardPicture
    lies: BoardPicture | None
    differences: tuple[str, ...]
    lies_text: str
    finding: FindingView | None
    entries: tuple[tuple[GameEvent, CourseEntry], ...]
    ruling: CourseEntry | None
    terms: Mapping[str, str]
    outcomes: tuple[tuple[str, str, str], ...]

    @property
    def row(self) -> DisputeRow:
        return self.course.row

    @property
    def side(self) -> Side:
        """Who disputes."""
        return SIDES[self.row.side]

    @property
    def proposer(self) -> Side | None:
        """Whose proposal waits for an answer."""
        return None if self.course.proposal is None else SIDES[self.course.proposal.data["side"]]

    @property
    def has_path(self) -> bool:
        """Whether a board has the numbers of seeds."""
        return bool(self.should.path or (self.lies and self.lies.path))

    @property
    def path_note(self) -> str:
        """Whose numbers the boards have."""
        if self.lies is None or not self.lies.path:
            return gettext("The numbers are those of the turn as it is recorded.")
        if not self.should.path:
            return gettext("The numbers are those of the likeliest account.")
        return gettext(
            "The first board has the numbers of the turn as it is recorded, the second those of the likeliest account."
        )

    @property
    def is_open(self) -> bool:
        return self.row.state != "ruled"

    @property
    def may_withdraw(self) -> bool:
        return self.is_open and self.course.ruling is None

    @property
    def is_late(self) -> bool:
        """Whether turns followed the disputed one."""
        return self.row.about == "turn" and self.row.ply < self.last_ply


def dispute_view(
    snapshot: GameSnapshot, course: Course, found: DisputeFinding | None, language: Language
) -> DisputePage:
    """What a page shows of a dispute, in a language that gettext speaks too. `found`: what was found of it."""
    row, rules, state = course.row, snapshot.rules, snapshot.state
    then = snapshot.at(row.seq)
    positions, cite = then.state.positions, cite_in_words(then)
    evidence = disputes.dispute_evidence(state, row)
    finding = None if found is None else found[1]
    recorded = position_of(positions[-1])
    should = as_it_should_lie(rules, evidence, recorded) if disputes.is_counted(evidence) else recorded
    cited = cite(row.ply) if row.ply else ""
    lies = board_now(replace(evidence, before=should)) if disputes.is_counted(evidence) else None
    differs = () if row.is_unrecorded else differing_places(evidence, should)
    mend = {one.place: one.lacks for one in differs}
    offered = offered_remedies(row, cite, is_ended_by_rules=is_ended_by_rules(state, course))
    title = gettext("As recorded, at the start")
    if len(positions) > 1:
        title = gettext("As recorded, after %(turn)s", turn=then.cite(len(positions) - 1))
    if should != recorded:
        title = labels.cleared_words(title)
    entries = tuple((event, course_entry(event, course, language, cite)) for event in course.events)
    rulings = [entry for event, entry in entries if event.kind == "ruling"]
    return DisputePage(
        course=course,
        names=labels.player_names(snapshot.row.tags, language.sides),
        title=_title(row, cited),
        last_ply=len(positions) - 1,
        earlier=_earlier(then, row.ply),
        seq=snapshot.seq,
        before=BoardPicture(evidence.before, gettext("Before %(turn)s", turn=cited)) if row.about == "turn" else None,
        should=BoardPicture(should, title, _played(positions, row), _recorded_path(then, row)),
        lies=None if lies is None else _as_it_lay(lies, course, mend, _account_path(finding, len(should.pits))),
        differences=(
            *_wrong_counts(differs, should, language),
            *wrong_marks(differs, should, rules.info.terms, language),
        ),
        lies_text=_lies_text(row, positions),
        finding=None if found is None else _finding_view(rules, found, then, language),
        entries=entries,
        ruling=None if course.waits else rulings[-1],
        terms=rules.info.terms,
        outcomes=tuple((name, words, gettext(EFFECTS[row.about][name])) for name, words in offered.items()),
    )


def _lies_text(row: DisputeRow, positions: Sequence[str]) -> str:
    """The position with which the form for another board after the disputed turn opens."""
    if row.ply < len(positions) - 1:
        return positions[row.ply]
    recorded = position_of(positions[-1])
    lies = CountedPosition.parse(row.seen).filled(recorded) if row.seen else recorded
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


def _state(row: DisputeRow, *, withdrawn: bool) -> str:
    return gettext("withdrawn") if withdrawn else gettext(STATE_WORDS[row.state])


def _title(row: DisputeRow, cited: str) -> str:
    """What is disputed."""
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


def wrong_marks(
    places: Sequence[BoardPlace], should: Position, terms: Mapping[str, str], language: Language
) -> tuple[str, ...]:
    """Where the marks on the board differ, in words; `terms` are those of the game."""

    def words(mark: int) -> str:
        return labels.mark_or_none_words(mark, terms, language)

    return tuple(
        gettext(
            "%(pit)s: %(recorded)s in the record, %(lies)s on the board",
            pit=place_text(should, one.place, language),
            recorded=words(one.mark_then),
            lies=words(one.mark_lies),
        )
        for one in places
        if one.has_wrong_mark
    )


def _wrong_counts(places: Sequence[BoardPlace], should: Position, language: Language) -> tuple[str, ...]:
    """Where the seeds on the board differ, in words."""
    return tuple(
        gettext(
            "%(pit)s: %(recorded)s recorded, %(lies)s on the board",
            pit=place_text(should, one.place, language),
            recorded=one.then,
            lies=one.lies,
        )
        for one in places
        if one.lacks
    )


def _finding_view(rules: Rules, found: DisputeFinding, then: GameSnapshot, language: Language) -> FindingView:
    """The finding, with the turns that it takes as right; of several turns, the accounts say of which one they tell."""
    view = finding_view(rules, found.finding, found.evidence, language.id, then.cited_from(found.first))
    return replace(view, verdict=with_granted(view.verdict, found, then))


def with_granted(verdict: str, found: DisputeFinding, then: GameSnapshot) -> str:
    """A verdict after a sentence on the turns that it takes as right, if there are any."""
    if found.examined <= 1:
        return verdict
    granted = gettext("The turns before %(turn)s are taken as right.", turn=cite_in_words(then)(found.examined))
    return f"{granted} {verdict}"
