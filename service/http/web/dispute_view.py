"""What the pages show of disputes, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from records import Position, Rules
from records.findings import Evidence, Finding, SeveralTurns
from service.games import disputes
from service.games.courses import Course
from service.games.ruling_effects import Effects
from service.games.snapshot import GameSnapshot, position_of
from service.http.dispute_finding import DisputeFinding
from service.http.dispute_json import terms_of
from service.storage import DisputeRow, GameEvent, GameRow

from . import labels
from .finding_view import BoardPicture, FindingView, board_now, finding_view, since_view
from .svg import Highlights, changed_pits

OUTCOMES = {
    "stands": "stands as it is recorded",
    "retracted": "is retracted",
    "corrected": "is corrected",
    "ended": "ends the game",
    "reopened": "is undone: the game goes on",
}
STATE_WORDS = {"open": "open", "ruled": "ruled on", "appealed": "appealed"}


@dataclass(frozen=True)
class DisputeCard:
    """A dispute in a list, with its game."""

    row: DisputeRow
    game: GameRow

    @property
    def names(self) -> tuple[str, str]:
        return labels.player_names(self.game.tags)

    @property
    def state(self) -> str:
        return STATE_WORDS[self.row.state]

    @property
    def time(self) -> str:
        """When it was opened, to the minute."""
        return f"{self.row.time[:16].replace('T', ' ')} UTC"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was said in the course of a dispute."""

    kind: str
    seq: int
    time: str
    by: str
    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class DisputePage:
    """A dispute with its boards, its finding and its course."""

    row: DisputeRow
    state: str
    names: tuple[str, str]
    title: str
    cited: str
    last_ply: int
    seq: int
    before: BoardPicture | None
    should: BoardPicture
    lies: BoardPicture | None
    differences: tuple[str, ...]
    lies_text: str
    finding: FindingView | None
    entries: tuple[Entry, ...]
    proposal: GameEvent | None
    terms: Mapping[str, str]
    ended: bool

    @property
    def is_open(self) -> bool:
        return self.row.state != "ruled"

    @property
    def is_late(self) -> bool:
        """Whether turns followed the disputed one."""
        return self.row.about == "turn" and self.row.ply < self.last_ply

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        """The outcomes that a ruling can have, with words."""
        if self.row.about == "end":
            ends = ("The end stands", "The end is corrected", "The game goes on")
            return list(zip(("stands", "corrected", "reopened"), ends, strict=True))
        if self.row.is_unrecorded:
            return [
                ("stands", "The record stands without the turn"),
                ("retracted", "The turn is taken back and played again"),
                ("corrected", "The turn is recorded as ruled"),
                ("ended", "The game ends"),
            ]
        return [
            ("stands", "The turn stands"),
            ("retracted", "The turn is retracted"),
            ("corrected", "The turn or the board is corrected"),
            ("ended", "The game ends"),
        ]


def dispute_view(snapshot: GameSnapshot, course: Course, found: DisputeFinding | None) -> DisputePage:
    """What a page shows of a dispute. `found`: what was found of it."""
    row, rules, state = course.row, snapshot.rules, snapshot.state
    then = snapshot.at(row.seq)
    positions = then.state.positions
    evidence = finding = None
    if row.about == "turn":
        evidence = disputes.dispute_evidence(state, row)
        finding = None if found is None else found[1]
    should = position_of(positions[-1])
    cited = then.cite(row.ply) if row.ply else ""
    lies = (
        None
        if evidence is None or _is_unknown(evidence)
        else board_now(replace(evidence, before=should), "On the board")
    )
    differs = None if lies is None or row.is_unrecorded else lies.position
    differences = () if differs is None else _differences(should, differs, evidence)
    mend = Highlights() if differs is None else Highlights(mend=_mend(should, differs, evidence))
    after = f"after {then.cite(len(positions) - 1)}" if len(positions) > 1 else "at the start"
    return DisputePage(
        row=row,
        state=STATE_WORDS[row.state],
        names=labels.player_names(snapshot.row.tags),
        title=_title(row, cited),
        cited=cited,
        last_ply=len(positions) - 1,
        seq=snapshot.seq,
        before=None if evidence is None else BoardPicture(evidence.before, f"Before {cited}"),
        should=BoardPicture(should, f"As recorded, {after}", _played(positions, row)),
        lies=None if lies is None else BoardPicture(lies.position, "On the board when it was disputed", mend),
        differences=differences,
        lies_text=row.seen or str(should),
        finding=_finding_view(rules, evidence, finding, row, snapshot),
        entries=tuple(_entry(event) for event in course.events),
        proposal=course.proposal if row.state != "ruled" else None,
        terms=rules.info.terms,
        ended=snapshot.ended,
    )


def _title(row: DisputeRow, cited: str) -> str:
    """What is disputed."""
    if row.about == "end":
        return f"the end after {cited}"
    return f"turn {row.ply} on the board, which is not recorded" if row.is_unrecorded else cited


def _played(positions: tuple[str, ...], row: DisputeRow) -> Highlights:
    """The pits that the disputed turn changed in the record."""
    if row.about != "turn" or row.is_unrecorded:
        return Highlights()
    before, after = position_of(positions[row.ply - 1]), position_of(positions[row.ply])
    return Highlights(changed=changed_pits(before, after))


def _is_unknown(evidence: Evidence) -> bool:
    return all(count is None for count in evidence.counts)


def _mend(should: Position, lies: Position, evidence: Evidence | None) -> dict[int, int]:
    """By pit, the seeds that it lacks on the board; pits that nobody counted lack none."""
    known = evidence.counts if evidence is not None else ()
    pits = enumerate(zip(should.pits, lies.pits, known, strict=False))
    return {pit: want - have for pit, (want, have, count) in pits if count is not None and want != have}


def _differences(should: Position, lies: Position, evidence: Evidence | None) -> tuple[str, ...]:
    """Where the board differs, in words."""
    return tuple(
        f"{should.letter(pit)}: {should.pits[pit]} recorded, {lies.pits[pit]} on the board"
        for pit in _mend(should, lies, evidence)
    )


def _finding_view(
    rules: Rules,
    evidence: Evidence | None,
    finding: Finding | SeveralTurns | None,
    row: DisputeRow,
    snapshot: GameSnapshot,
) -> FindingView | None:
    """The finding; of several turns, the accounts say of which one they tell."""
    if evidence is None or finding is None:
        return None
    if isinstance(finding, Finding):
        return finding_view(rules, evidence.before, finding, evidence=evidence)
    moves = disputes.moves_since(snapshot.state, row)
    return since_view(rules, moves, finding, evidence, first=row.ply)


def _entry(event: GameEvent) -> Entry:
    data = event.data
    title, sentences = "", []
    if event.kind == "dispute":
        what = "turn on the board" if data["turn"] == event.seq else data.get("about", "turn")
        title = f"{data['side']} disputes the {what}"
        sentences = [data["claim"]]
    elif event.kind == "claim":
        title, sentences = "Claim", [data["claim"]] if data["claim"] else []
        sentences += ["The position on the board was given."] if data["seen"] else []
    elif event.kind == "proposal":
        title, sentences = f"{data['side']} proposes: {OUTCOMES[data['outcome']]}", terms_sentences(data)
    elif event.kind == "response":
        title = f"{data['side']} {'accepts' if data['accepts'] else 'refuses'}"
    elif event.kind == "ruling":
        title, sentences = f"Ruling: {OUTCOMES[data['outcome']]}", terms_sentences(data)
    else:
        title = f"{data['side'] or 'Appeal'}{' appeals' if data['side'] else ''}"
        sentences = [data["reason"]]
    time = f"{event.time[:19].replace('T', ' ')} UTC"
    return Entry(event.kind, event.seq, time, data["by"], title, tuple(filter(None, sentences)))


def terms_sentences(data: Mapping[str, Any]) -> list[str]:
    """What a ruling or a proposal says besides its outcome."""
    terms = terms_of(data)
    sentences = [terms["note"]] if terms["note"] else []
    if terms["to"] is not None:
        sentences.append(f"The last turn that stays is {terms['to']}.")
    if terms["move"]:
        sentences.append(f"{terms['move']} is played instead.")
    if terms["position"]:
        sentences.append(f"The board is {terms['position']}.")
    if terms["keeps"]:
        sentences.append("Later turns are kept as far as they are legal.")
    if terms["end"]:
        winner = terms["end"]["winner"]
        sentences.append(f"The game ends: {terms['end']['termination']}, {winner or 'nobody'} wins.")
    for penalty in terms["penalties"]:
        seeds = f" of {penalty['seeds']} seeds" if penalty["seeds"] is not None else ""
        sentences.append(f"Penalty for {penalty['side']}: {PENALTY_WORDS[penalty['kind']]}{seeds}. {penalty['note']}")
    for clock in terms["clocks"]:
        to, add = clock["to"], clock["add"]
        change = f"gets {clock_text(add)} more" if to is None else f"is set to {clock_text(to)}"
        sentences.append(f"{clock['side']}’s clock {change}.")
    return sentences


PENALTY_WORDS = {"warning": "a warning", "turn": "a lost turn", "seeds": "a loss", "game": "the game is lost"}


def clock_text(seconds: int) -> str:
    """Seconds as ``1:05:00``."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def effects_sentences(effects: Effects, row: GameRow) -> list[str]:
    """What a ruling would change, in sentences."""
    sentences = []
    if effects.keeps < row.ply:
        gone = row.ply - effects.keeps
        sentences.append(f"{gone} {'turn is' if gone == 1 else 'turns are'} taken back, to turn {effects.keeps}.")
    if effects.turns:
        played = " ".join(str(turn.move) for turn, _ in effects.turns)
        sentences.append(f"Played then: {played}.")
    for later in effects.later:
        if later.turn is None:
            sentences.append(f"Turn {later.ply}, {later.move}, could not be played: {later.why}.")
            break
        if not later.same:
            sentences.append(f"Turn {later.ply}, {later.move}, would do something else: {later.turn.move}.")
    if effects.result != row.result:
        sentences.append(f"The result changes from {row.result} to {effects.result}.")
    then, now = effects.position.stores, position_of(row.position).stores
    for side, more, less in zip(("South", "North"), then, now, strict=True):
        if more != less:
            sentences.append(f"{side} would have {more} seeds in store, now {less}.")
    return sentences or ["Nothing on the board changes."]
