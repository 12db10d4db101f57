"""What the sheet of a dispute says, as plain values in one language: the page only lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inkeek.records import Kind, Position, Side, TraceEvent
from inkeek.records.drawing.svg import Highlights
from inkeek.records.findings import Account, Evidence
from inkeek.records.findings.kinds import UNKNOWN
from inkeek.records.findings.sentences import percent, place_text, share_words, verdict_sentence
from inkeek.records.language import Language
from inkeek.records.notation.tags import SHOWN_TAGS
from inkeek.records.rules.ruleset import RuleText, format_value
from inkeek.service.boards.turn_recording import Touch, TurnRecording
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.language import date_text, gettext, local_time, ngettext, second_text
from inkeek.service.http.web import labels
from inkeek.service.http.web.findings.view import BoardPicture, board_now
from inkeek.service.storage import DisputeRow

from .consequences import as_it_should_lie, differing_places
from .courses import Course
from .disputes import dispute_evidence, is_counted
from .effects import is_ended_by_rules
from .finding import DisputeFinding
from .steps import course_entries
from .view import with_granted, wrong_marks
from .words import cite_in_words, offered_remedies

MAX_ACCOUNTS = 4  # on a sheet; the page of the finding has all
LEAST = 0.01  # the probability from which an account is on it


def sheet_view(
    snapshot: GameSnapshot,
    course: Course,
    found: DisputeFinding | None,
    recording: TurnRecording,
    language: Language,
    now: str,
) -> dict[str, Any]:
    """Everything on the sheet, by its name in the template, in a language; gettext must speak it too.

    `found` is what `find_disputed` found. `sign` is the game's word for special pits. `facts` and `claim` are names and
    values, `sensors` entries (time, what was noticed), `choices` what an arbiter can tick before a ruling,
    `signers` those who sign. `hash` is that of the game's last event.
    """
    dispute = course.row
    then = snapshot.at(dispute.seq)
    cite = cite_in_words(then)
    accounts = _numbered(found)
    turn_title, rows, note = _turn_table(then, dispute, accounts, language)
    names = labels.player_names(snapshot.row.tags, ("", ""))
    offered = offered_remedies(dispute, cite, is_ended_by_rules=is_ended_by_rules(snapshot.state, course))
    sensors = sensor_entries(recording, then.position, language)
    return {
        "sign": snapshot.rules.info.terms.get("special", ""),
        "game_id": snapshot.id,
        "seq": dispute.seq,
        "title": _title(then, dispute),
        "facts": tuple(_facts(snapshot, dispute, names)),
        "claim": tuple(_claim(then, course, language)),
        "boards": tuple(_boards(snapshot, dispute, found, language)),
        "turn_title": turn_title,
        "turn": rows,
        "turn_note": note,
        "verdict": "" if found is None else _verdict(found, then, language),
        "accounts": _accounts(accounts, then, language),
        "accounts_note": _accounts_note(found, accounts) if dispute.about == "turn" or found else "",
        "rules": _rules(accounts),
        "sensors": sensors[:MAX_TOUCHES],
        "sensors_note": sensors_note(recording, len(sensors)),
        "choices": () if dispute.state == "ruled" else tuple(offered.values()),
        "rulings": course_entries(course.events[1:][-MAX_ENTRIES:], course, language, cite),
        "signers": _signers(dispute, names, language),
        "proof": gettext(
            "Event %(number)s of game %(game)s has this hash. It covers that event and all before it.",
            number=snapshot.seq,
            game=snapshot.id,
        ),
        "hash": snapshot.row.hash,
        "printed": second_text(now),
    }


def _numbered(found: DisputeFinding | None) -> list[tuple[int, Account]]:
    """The accounts, each with the number of the turn that it is about."""
    return [] if found is None else [(found.first + (one.ply or 0), one) for one in found.finding.accounts]


def _verdict(found: DisputeFinding, then: GameSnapshot, language: Language) -> str:
    cited = then.cited_from(found.first)
    return with_granted(verdict_sentence(found.finding, found.evidence, language, cited), found, then)


def _title(then: GameSnapshot, dispute: DisputeRow) -> str:
    if dispute.about == "end":
        return gettext("Dispute about the end of the game")
    turn = cite_in_words(then)(dispute.ply)
    if dispute.is_unrecorded:
        return gettext("Dispute about turn %(turn)s on the board, which is not recorded", turn=turn)
    return gettext("Dispute about turn %(turn)s", turn=turn)


def _facts(snapshot: GameSnapshot, dispute: DisputeRow, names: tuple[str, str]) -> list[tuple[str, str]]:
    tags, rules = snapshot.row.tags, snapshot.rules
    options = ", ".join(f"{name}={format_value(value)}" for name, value in rules.changed.items())
    values = {tag.name: labels.tag_value(tags, tag.name) for tag in SHOWN_TAGS}
    values |= {str(side): names[side] for side in Side}
    values["Date"] = date_text(values["Date"])
    found = [
        *((gettext(tag.label), values[tag.name]) for tag in SHOWN_TAGS),
        (gettext("Rules"), f"{labels.rules_name(rules.info)} ({rules.id})"),
        (gettext("Options"), options or gettext("all as usual")),
        (gettext("Game"), snapshot.id),
        (gettext("Dispute"), dispute.id),
    ]
    return [(name, value) for name, value in found if value]


def _claim(then: GameSnapshot, course: Course, language: Language) -> list[tuple[str, str]]:
    """Who disputed, each claim with who said it, and what is disputed."""
    dispute, opened = course.row, course.events[0].data
    by = language.sides[SIDES[dispute.side]]
    opener = person_name(dispute.by)
    if opener and opener != dispute.side:
        by = f"{by} ({opener})"
    found = [
        (gettext("Disputed by"), gettext("%(who)s, at %(time)s", who=by, time=second_text(dispute.time))),
        (gettext("Claim"), opened["claim"]),
    ]
    for said in course.of("claim"):
        if said.data["claim"]:
            who = person_name(said.data["by"])
            found.append((gettext("Further claim"), said.data["claim"] + (f" ({who})" if who else "")))
    if dispute.about == "end":
        end = then.state.end
        if end is not None:
            how = labels.termination_words(end.data["termination"])
            found.append((gettext("The end as stored"), f"{end.data['result']}, {how}" if how else end.data["result"]))
    elif not dispute.is_unrecorded:
        found.append((gettext("The turn as written"), then.cite(dispute.ply)))
    return found


def _boards(
    snapshot: GameSnapshot, dispute: DisputeRow, found: DisputeFinding | None, language: Language
) -> list[BoardPicture]:
    then = snapshot.at(dispute.seq)
    should, terms = then.position, then.rules.info.terms
    if dispute.about == "end":
        title, evidence = gettext("The position at the end"), dispute_evidence(snapshot.state, dispute)
        if not is_counted(evidence):
            return [BoardPicture(should, title)]
        lay = as_it_should_lie(then.rules, evidence, should)
        title = title if lay == should else labels.cleared_words(title)
        return [BoardPicture(lay, title), _as_it_lay(evidence, lay, terms, language)]
    turn = None if dispute.is_unrecorded else then.turn(dispute.ply)
    before = should if turn is None else turn.before
    start = turn.move.pit_index(before.row) if turn is not None and turn.move.kind is Kind.SOW else None
    title = gettext("Position before the turn, %(side)s to move", side=language.sides[before.to_move])
    boards = [BoardPicture(before, title, Highlights(start=start))]
    if turn is None:
        if found is None:
            return boards
        return [*boards, board_now(found.evidence, gettext("What lay on the board"))]
    if found is None:
        return [*boards, BoardPicture(should, gettext("Position after the turn as written"))]
    return [*boards, _as_it_lay(found.evidence, as_it_should_lie(then.rules, found.evidence, should), terms, language)]


def _as_it_lay(evidence: Evidence, should: Position, terms: Mapping[str, str], language: Language) -> BoardPicture:
    """The board as it was counted, with what differs from the record; wrong marks in words too."""
    lies, differs = board_now(replace(evidence, before=should)), differing_places(evidence, should)
    title = gettext("What lay on the board. In a ring: seeds to add or to take away for the game as written")
    if not differs:
        title = gettext("What lay on the board: the same as in the game as written")
    title = ". ".join([title, *wrong_marks(differs, should, terms, language)])
    mend = {one.place: one.lacks for one in differs}
    return replace(lies, title=title, highlights=replace(lies.highlights, mend=mend))


def _turn_table(
    then: GameSnapshot, dispute: DisputeRow, accounts: Sequence[tuple[int, Account]], language: Language
) -> tuple[str, tuple[SowingRow, ...], str]:
    """The turn seed by seed: by the likeliest of the listed accounts that has steps, else as it is written."""
    if dispute.about == "end":
        return "", (), ""
    shown = next(((number, one) for number, one in enumerate(_listed(accounts), 1) if one[1].steps), None)
    turn = None if dispute.is_unrecorded else then.turn(dispute.ply)
    before = then.position if turn is None else turn.before
    if shown is not None:
        number, (ply, account) = shown
        title = gettext("The turn seed by seed, by account %(number)s", number=number)
        if ply != dispute.ply:
            title = gettext("Turn %(turn)s seed by seed, by account %(number)s", turn=then.cite(ply), number=number)
        return title, sowing_table(before, account.steps, account.first_wrong_step, language), ""
    if turn is None:
        return "", (), ""
    if turn.move.kind is Kind.IRREGULAR:
        return gettext("The turn seed by seed"), (), gettext("The turn is irregular: no rule says how it was sown.")
    trace, _ = then.trace(turn)
    rows = sowing_table(turn.before, () if trace is None else trace.events, None, language)
    return gettext("The turn seed by seed, as it is written"), rows, ""


def _accounts(accounts: Sequence[tuple[int, Account]], then: GameSnapshot, language: Language) -> list[dict[str, Any]]:
    """The accounts in sentences; if they are about several turns, each says of which. `share` is the probability in
    words, `percent` as a number."""
    several = len({ply for ply, _ in accounts}) > 1
    following = [*(account for _, account in accounts[1:]), None]
    return [
        {
            "share": share_words(account.probability, language),
            "percent": percent(account.probability),
            "is_equal": account.equal,
            "sentences": [*([f"{then.cite(ply)}:"] if several and account.steps else []), *account.sentences],
            "distinction": account.distinction if after is not None and after.kind != UNKNOWN else "",
        }
        for (ply, account), after in zip(_listed(accounts), following, strict=False)
    ]


def _listed(accounts: Sequence[tuple[int, Account]]) -> Sequence[tuple[int, Account]]:
    """The accounts that an arbiter needs: the first, those equal to it, and the next ones that are likely at all."""
    count = 0
    for count, (_, account) in enumerate(accounts[:MAX_ACCOUNTS]):
        if count and not account.equal and account.probability < LEAST:
            return accounts[:count]
    return accounts[: count + 1]


def _accounts_note(found: DisputeFinding | None, accounts: Sequence[tuple[int, Account]]) -> str:
    if found is None:
        return gettext("Nobody said what lay on the board: nothing can be found out from the record alone.")
    rest = accounts[len(_listed(accounts)) :]
    notes = []
    if rest:
        share = percent(sum(account.probability for _, account in rest))
        notes.append(
            ngettext(
                "%(num)d other account is not listed: %(share)s.",
                "%(num)d other accounts are not listed: %(share)s together.",
                len(rest),
                share=share,
            )
        )
    if not found.finding.complete:
        notes.append(gettext("Not all accounts were examined: there are too many."))
    return " ".join(notes)


def _rules(accounts: Sequence[tuple[int, Account]]) -> tuple[RuleText, ...]:
    """The rules of the listed accounts, each once."""
    rules: dict[str, RuleText] = {}
    for _, account in _listed(accounts):
        if account.rule is not None:
            rules.setdefault(account.rule.id, account.rule)
    return tuple(replace(rule, says=gettext(rule.says)) for rule in rules.values())


def _signers(dispute: DisputeRow, names: tuple[str, str], language: Language) -> tuple[str, ...]:
    def signer(role: str, name: str) -> str:
        return f"{role} ({name})" if name else role

    sides = [signer(language.sides[side], names[side]) for side in Side]
    return (*sides, signer(gettext("Arbiter"), person_name(dispute.arbiter) if dispute.state == "ruled" else ""))


MAX_ENTRIES = 100  # of a course; the last ones count
MAX_TOUCHES = 60  # of a recording


def sensor_entries(recording: TurnRecording, position: Position, language: Language) -> tuple[tuple[str, str], ...]:
    """What the sensors noticed, each with its time of day."""
    return tuple((_time_of_day(touch), _noticed(touch, position, language)) for touch in recording.touches)


def _time_of_day(touch: Touch) -> str:
    time = local_time(touch.time)
    return f"{time:%H:%M:%S}.{time.microsecond // 100_000}"


def _noticed(touch: Touch, position: Position, language: Language) -> str:
    if touch.kind == "button":
        side = language.sides[Side(touch.pit)]
        return gettext("%(side)s pressed %(button)s", side=side, button=_button(touch.action))
    place = place_text(position, touch.pit, language) if touch.pit < len(position.pits) + 2 else "?"
    if touch.kind == "lift":
        return gettext("%(pit)s lifted", pit=place)
    return f"{place} {touch.seeds:.1f}".removesuffix(".0")


def _button(action: str) -> str:
    words = {
        "commit": gettext("commit"),
        "undo": gettext("undo"),
        "dispute": gettext("dispute"),
        "trial": gettext("trial"),
        "accept": gettext("accept"),
    }
    return words.get(action, action)


def sensors_note(recording: TurnRecording, count: int) -> str:
    """What is missing from the list of `count` entries."""
    notes = []
    if count > MAX_TOUCHES:
        notes.append(gettext("%(count)s later entries are not listed.", count=count - MAX_TOUCHES))
    if not recording.complete:
        notes.append(gettext("A recording could not be read whole."))
    return " ".join(notes)


MAX_LAPS = 16  # rows of a table; a turn can have thousands
FIRST_LAPS, NEAR_LAPS, LAST_LAPS = 5, 2, 3  # rows that remain of a longer turn: first, around the slip, last
MAX_CELLS = 48  # events in a row; a lap can go round the board many times
FIRST_CELLS, NEAR_CELLS, LAST_CELLS = 24, 4, 8


@dataclass(frozen=True, slots=True)
class SowingCell:
    """One thing that happened in a lap: a seed in `place`, which then held `count`; or, without a place, a `note`.
    `slip`: here the turn leaves the rules. `left_out` says how many before it are not shown."""

    place: str = ""
    count: int = 0
    note: str = ""
    slip: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class SowingRow:
    """A lap: its number (0 for what belongs to none), the pit that was lifted and how many seeds it held, and what
    followed. `slip`: the lift itself is wrong. `left_out` says how many laps before it are not shown."""

    lap: int
    pit: str
    seeds: int
    cells: tuple[SowingCell, ...]
    slip: bool = False
    left_out: str = ""

    @property
    def has_slip(self) -> bool:
        return self.slip or any(cell.slip for cell in self.cells)


def sowing_table(
    position: Position, events: Sequence[TraceEvent], wrong: int | None, language: Language
) -> tuple[SowingRow, ...]:
    """The events of a turn in `position` as rows; `wrong` is the index of the first that no legal turn has."""
    rows: list[SowingRow] = []
    cells: list[SowingCell] = []
    head = SowingRow(0, "", 0, ())

    def close() -> None:
        if head.lap or cells:
            rows.append(replace(head, cells=tuple(_shortened_cells(cells))))
        cells.clear()

    laps = 0
    for index, event in enumerate(events):
        if event.kind == "lift":
            close()
            laps += 1
            head = SowingRow(laps, position.letter(event.pit), event.count, (), index == wrong)
        else:
            cells.append(replace(_cell(position, event, language), slip=index == wrong))
    close()
    return tuple(_shortened_rows(rows))


def _cell(position: Position, event: TraceEvent, language: Language) -> SowingCell:
    pit = place_text(position, event.pit, language) if event.pit >= 0 else ""
    match event.kind:
        case "drop":
            return SowingCell(pit, event.count)
        case "store":
            return SowingCell(language.text("findings.store", owner=Side(event.other)), event.count)
        case "take":
            side = language.sides[event.other]
            if pit:
                note = gettext("%(side)s takes %(count)s from %(pit)s", side=side, count=event.count, pit=pit)
            else:
                note = gettext("%(side)s takes %(count)s from the hand", side=side, count=event.count)
        case "shift":
            place = place_text(position, event.other, language)
            note = gettext("a seed goes from %(pit)s to %(place)s", pit=pit, place=place)
        case "special":
            note = gettext("%(pit)s is marked", pit=pit)
        case "choose":
            note = gettext("goes on counter-clockwise") if event.other > 0 else gettext("goes on clockwise")
        case "lose":
            note = gettext("a seed is lost")
        case "add":
            note = gettext("a seed is added")
        case "pick":
            note = gettext("a seed of %(pit)s is picked up", pit=pit)
        case _:
            note = gettext("the turn ends")
    return SowingCell(note=note)


def _shortened_rows(rows: list[SowingRow]) -> list[SowingRow]:
    if len(rows) <= MAX_LAPS:
        return rows
    wrong = next((number for number, row in enumerate(rows) if row.has_slip), None)
    kept = _kept(len(rows), wrong, FIRST_LAPS, NEAR_LAPS, LAST_LAPS)
    return [
        replace(
            rows[index], left_out=ngettext("%(num)d lap is not shown", "%(num)d laps are not shown", gap) if gap else ""
        )
        for index, gap in kept
    ]


def _shortened_cells(cells: list[SowingCell]) -> list[SowingCell]:
    if len(cells) <= MAX_CELLS:
        return list(cells)
    wrong = next((number for number, cell in enumerate(cells) if cell.slip), None)
    kept = _kept(len(cells), wrong, FIRST_CELLS, NEAR_CELLS, LAST_CELLS)
    return [
        replace(
            cells[index],
            left_out=ngettext("%(num)d step is not shown", "%(num)d steps are not shown", gap) if gap else "",
        )
        for index, gap in kept
    ]


def _kept(size: int, wrong: int | None, first: int, near: int, last: int) -> list[tuple[int, int]]:
    """The indices that remain of `size`, each with how many before it are left out."""
    indices = {*range(first), *range(size - last, size)}
    if wrong is not None:
        indices.update(range(max(0, wrong - near), min(size, wrong + near + 1)))
    chosen = sorted(indices)
    return [(index, index - before - 1) for before, index in zip([-1, *chosen], chosen, strict=False)]
