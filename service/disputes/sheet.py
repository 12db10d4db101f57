"""What the sheet of a dispute says, as plain values in one language: the page only lays it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inkeek.records import Kind, Position, Side
from inkeek.records.findings.sentences import percent, place_text
from inkeek.records.language import Language
from inkeek.records.notation.tags import SHOWN_TAGS
from inkeek.records.rules.ruleset import RuleText, format_value
from inkeek.service.boards.turn_recording import Touch, TurnRecording
from inkeek.service.findings.view import AccountView, FindingView, LapView, laps_of
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.language import date_text, gettext, local_time, ngettext, second_text
from inkeek.service.http.web import labels
from inkeek.service.storage import DisputeRow

from .courses import Course
from .finding import DisputeFinding
from .view import dispute_view

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

    `found` is what `find_disputed` found. `special` is the game's word for special pits. `facts` and `claim` are names
    and values, `sensors` entries (time, what was noticed), `choices` what an arbiter can tick before a ruling,
    `signers` those who sign. `hash` is that of the game's last event.
    """
    dispute = course.row
    then, shown = snapshot.at(dispute.seq), dispute_view(snapshot, course, found, language)
    finding: FindingView | None = shown["finding"]
    accounts = () if finding is None else _listed(finding.accounts)
    turn_title, laps, note = _turn_table(then, dispute, found, accounts, language)
    names = labels.player_names(snapshot.row.tags, ("", ""))
    before, should, lies = shown["before"], shown["should"], shown["lies"]
    last = lies if dispute.is_unrecorded else lies or should
    sensors = sensor_entries(recording, then.position, language)
    return {
        "special": shown["special"],
        "game_id": snapshot.id,
        "seq": dispute.seq,
        "title": gettext("Dispute about %(what)s", what=shown["title"]),
        "facts": tuple(_facts(snapshot, dispute, names)),
        "claim": tuple(_claim(then, course, language)),
        "boards": [board for board in ((should, lies) if before is None else (before, last)) if board is not None],
        "differences": shown["differences"],
        "turn_title": turn_title,
        "laps": laps,
        "turn_note": note,
        "verdict": "" if finding is None else finding.verdict,
        "accounts": accounts,
        "accounts_note": _accounts_note(finding, accounts) if dispute.about == "turn" or found else "",
        "rules": _rules(accounts),
        "sensors": sensors[:MAX_TOUCHES],
        "sensors_note": sensors_note(recording, len(sensors)),
        "choices": () if dispute.state == "ruled" else [words for _, words, _ in shown["outcomes"]],
        "rulings": shown["entries"][1:][-MAX_ENTRIES:],
        "signers": _signers(dispute, names, language),
        "proof": gettext(
            "Event %(number)s of game %(game)s has this hash. It covers that event and all before it.",
            number=snapshot.seq,
            game=snapshot.id,
        ),
        "hash": snapshot.row.hash,
        "printed": second_text(now),
    }


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
    """Who disputed, what they said then, and what is disputed: the course has what was said later."""
    dispute, opened = course.row, course.events[0].data
    by = language.sides[SIDES[dispute.side]]
    opener = person_name(dispute.by)
    if opener and opener != dispute.side:
        by = f"{by} ({opener})"
    found = [
        (gettext("Disputed by"), gettext("%(who)s, at %(time)s", who=by, time=second_text(dispute.time))),
        (gettext("Claim"), opened["claim"]),
    ]
    if dispute.about == "end":
        end = then.state.end
        if end is not None:
            how = labels.termination_words(end.data["termination"])
            found.append((gettext("The end as stored"), f"{end.data['result']}, {how}" if how else end.data["result"]))
    elif not dispute.is_unrecorded:
        found.append((gettext("The turn as written"), then.cite(dispute.ply)))
    return found


def _turn_table(
    then: GameSnapshot,
    dispute: DisputeRow,
    found: DisputeFinding | None,
    accounts: Sequence[AccountView],
    language: Language,
) -> tuple[str, tuple[LapView, ...], str]:
    """The turn seed by seed: by the likeliest of the listed accounts that has steps, else as it is written."""
    if dispute.about == "end":
        return "", (), ""
    shown = next((one for one in accounts if one.laps), None)
    if shown is not None and found is not None:
        number, ply = shown.number, found.first + (shown.account.ply or 0)
        title = gettext("The turn seed by seed, by account %(number)s", number=number)
        if ply != dispute.ply:
            title = gettext("Turn %(turn)s seed by seed, by account %(number)s", turn=then.cite(ply), number=number)
        return title, shown.laps, _cut_note(shown.cut)
    if dispute.is_unrecorded:
        return "", (), ""
    turn = then.turn(dispute.ply)
    if turn.move.kind is Kind.IRREGULAR:
        return gettext("The turn seed by seed"), (), gettext("The turn is irregular: no rule says how it was sown.")
    trace, _ = then.trace(turn)
    laps, cut = laps_of(None, () if trace is None else trace.events, turn.before, language)
    return gettext("The turn seed by seed, as it is written"), laps, _cut_note(cut)


def _cut_note(cut: int) -> str:
    return ngettext("%(num)d step is not shown", "%(num)d steps are not shown", cut) if cut else ""


def _listed(accounts: Sequence[AccountView]) -> Sequence[AccountView]:
    """The accounts that an arbiter needs: the first, those equal to it, and the next ones that are likely at all."""
    listed = accounts[:MAX_ACCOUNTS]
    unlikely = (at for at, one in enumerate(listed) if at and not one.account.equal and one.account.probability < LEAST)
    return listed[: next(unlikely, MAX_ACCOUNTS)]


def _accounts_note(finding: FindingView | None, listed: Sequence[AccountView]) -> str:
    if finding is None:
        return gettext("Nobody said what lay on the board: nothing can be found out from the record alone.")
    rest = finding.accounts[len(listed) :]
    notes = []
    if rest:
        share = percent(sum(one.account.probability for one in rest))
        notes.append(
            ngettext(
                "%(num)d other account is not listed: %(share)s.",
                "%(num)d other accounts are not listed: %(share)s together.",
                len(rest),
                share=share,
            )
        )
    if not finding.is_complete:
        notes.append(gettext("Not all accounts were examined: there are too many."))
    return " ".join(notes)


def _rules(accounts: Sequence[AccountView]) -> list[RuleText]:
    rules = {one.account.rule.id: one.account.rule for one in accounts if one.account.rule is not None}
    return [replace(rule, says=gettext(rule.says)) for rule in rules.values()]


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
