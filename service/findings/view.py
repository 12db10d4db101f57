"""What pages show of a finding, as plain values for `templates/findings/_accounts.html`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from inkeek.records import Position, Rules, TraceEvent
from inkeek.records.drawing.svg import Highlights
from inkeek.records.findings import KINDS, Account, Evidence, Finding
from inkeek.records.findings.account_steps import AccountSteps
from inkeek.records.findings.evidence import Count, Reading
from inkeek.records.findings.kinds import LEGAL, TAKEN_BACK, UNKNOWN, UNPLAYED
from inkeek.records.findings.sentences import percent, place_text, share_words, step_text, verdict_sentence
from inkeek.records.findings.sweeps import SWEPT
from inkeek.records.language import Language, load_language
from inkeek.records.rules.trace import sown_seeds
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.language import gettext
from inkeek.service.http.web.drawing import BoardPicture
from inkeek.service.http.web.labels import special_word

OPEN_ACCOUNTS = 3  # accounts that stand open, those after them are folded
DRAWN_ACCOUNTS = 3  # accounts with drawings: each drawing is some kilobytes
MAX_STEPS = 400  # steps listed of an account: more than anyone reads
TITLES = {
    LEGAL: later("a legal turn"),
    UNPLAYED: later("nothing was played"),
    TAKEN_BACK: later("turns were taken back"),
    UNKNOWN: later("something else"),
}


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of an account: `place` and the seeds it then holds (`now`), or a sentence alone (`place` is empty).
    `says` is the step in words; `is_wrong`: the first that no legal turn has there; `due`: where its seed was due."""

    kind: str
    place: str
    now: str
    says: str
    is_wrong: bool
    due: str = ""


@dataclass(frozen=True, slots=True)
class LapView:
    """A lap of an account: its number, the pit and how many seeds were lifted. Number 0: what came before the first."""

    number: int
    pit: str
    seeds: int
    steps: tuple[StepView, ...]
    is_second_turn: bool = False


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account with what a page shows of it. `is_likeliest`: as likely as the first.

    `cited`: the turn that it is about as it is written, where several turns are examined.
    `cut`: how many steps are not listed.
    """

    account: Account
    number: int
    percent: str
    share: str
    is_likeliest: bool
    title: str
    sentences: tuple[str, ...]
    mend_sentence: str
    distinction: str
    laps: tuple[LapView, ...]
    cut: int
    pictures: tuple[BoardPicture, ...]
    differences: tuple[str, ...]
    cited: str = ""


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding. `state` is ``legal``, ``wrong`` or ``open`` (nobody can say)."""

    state: str
    verdict: str
    accounts: tuple[AccountView, ...]
    is_complete: bool
    before: BoardPicture
    now: BoardPicture
    terms: Mapping[str, str]
    game: str

    @property
    def first(self) -> tuple[AccountView, ...]:
        """The accounts that stand open."""
        return self.accounts[:OPEN_ACCOUNTS]

    @property
    def has_path(self) -> bool:
        """Whether a board has the numbers of seeds."""
        return any(picture.path for account in self.accounts for picture in account.pictures)

    @property
    def rest(self) -> tuple[AccountView, ...]:
        """The accounts that are folded."""
        return self.accounts[OPEN_ACCOUNTS:]


def finding_view(
    rules: Rules, finding: Finding, evidence: Evidence, language: str | None = None, cited: Sequence[str] = ()
) -> FindingView:
    """What a page shows of a finding, with the board as it lies and where each account leaves another one.

    `cited`: several turns as they are written since `evidence.before`, if it is about these.

    :raises OptionError: there is no such language.
    """
    words = load_language(language or "en")
    before, now = BoardPicture(evidence.before, gettext("The board before")), board_now(evidence)
    views = account_views(finding.accounts, evidence.before, evidence.counts, words, rules.info.terms)
    accounts = tuple(
        view if account.ply is None else _of_turn(view, cited[account.ply], account.mend, now)
        for view, account in zip(views, finding.accounts, strict=True)
    )
    verdict = verdict_sentence(finding, evidence, words, cited)
    state = _state(finding, len(cited))
    return FindingView(state, verdict, accounts, finding.complete, before, now, rules.info.terms, rules.id)


def _state(finding: Finding, turns: int) -> str:
    """The state of a view; `turns`: how many are examined, if they are several."""
    if finding.agreed is None:
        return {True: "legal", False: "wrong", None: "open"}[finding.legal]
    if finding.agreed == turns:
        return "legal"
    return "open" if finding.accounts[0].ply is None else "wrong"


def _of_turn(account: AccountView, cited: str, mend: Mapping[int, int] | None, now: BoardPicture) -> AccountView:
    """An account of one of several turns: what is to be mended is the board as it lies now."""
    pictures = account.pictures
    if pictures and mend:
        highlights = Highlights(mend=mend, unknown=now.highlights.unknown)
        pictures = (*pictures[:-1], replace(pictures[-1], position=now.position, highlights=highlights))
    return replace(account, cited=cited, differences=(), pictures=pictures)


def account_views(
    accounts: Sequence[Account],
    before: Position,
    counts: Sequence[Count],
    language: Language,
    terms: Mapping[str, str],
) -> tuple[AccountView, ...]:
    """The accounts of a turn from `before`. Only an account that another one follows says what tells them apart.

    `terms` are the words of the game.
    """
    special = special_word(terms, language)
    following = [*accounts[1:], None]
    equal = len(list(takewhile(lambda account: account.equal, accounts[1:])))
    return tuple(
        _account_view(
            index,
            account,
            before,
            counts,
            language,
            special,
            index <= equal,
            after is not None and after.kind != UNKNOWN,
        )
        for index, (account, after) in enumerate(zip(accounts, following, strict=True))
    )


def board_now(evidence: Evidence, title: str = "") -> BoardPicture:
    """The board as it lies, ``?`` where nobody counted; a noisy count as the nearest number."""
    before = evidence.before
    pits = len(before.pits)
    known = [_nearest(count) for count in evidence.counts]
    marks = before.marks if evidence.marks is None else evidence.marks
    shown = tuple(was if mark is None else mark for mark, was in zip(marks, before.marks, strict=True))
    seeds = [count or 0 for count in known]
    position = before.replaced(pits=tuple(seeds[:pits]), marks=shown, stores=(seeds[pits], seeds[pits + 1]))
    unknown = frozenset(place for place, count in enumerate(known) if count is None)
    return BoardPicture(position, title or gettext("The board now"), Highlights(unknown=unknown))


def _nearest(count: Count) -> int | None:
    if count is None or isinstance(count, int):
        return count
    if isinstance(count, Reading):
        return max(0, round(count.mean))
    return max(count, key=lambda number: count[number])


def _account_view(
    index: int,
    account: Account,
    before: Position,
    counts: Sequence[Count],
    language: Language,
    special: str,
    is_likeliest: bool,
    compares: bool,
) -> AccountView:
    laps, cut = laps_of(account, account.steps, before, language)
    mends = bool(account.mend)
    return AccountView(
        account,
        number=index + 1,
        percent=percent(account.probability),
        share=share_words(account.probability, language),
        is_likeliest=is_likeliest,
        title=_title(account, special),
        sentences=account.sentences[:-1] if mends else account.sentences,
        mend_sentence=account.sentences[-1] if mends else "",
        distinction=account.distinction if compares else "",
        laps=laps,
        cut=cut,
        pictures=_pictures(account, before) if index < DRAWN_ACCOUNTS else (),
        differences=_differences(account, before, counts, language),
    )


def _title(account: Account, special: str) -> str:
    titles = (TITLES[kind] if kind in TITLES else KINDS[kind].title for kind in account.kinds)
    text = "; ".join(gettext(title, special=special) for title in titles)
    return text[0].upper() + text[1:]


def _differences(account: Account, before: Position, counts: Sequence[Count], language: Language) -> tuple[str, ...]:
    if not account.board:
        return ()
    return tuple(
        f"{place_text(before, place, language)}: {left} → {lies}"
        for place, (left, count) in enumerate(zip(account.board, counts, strict=True))
        if (lies := _nearest(count)) is not None and lies != left
    )


def _pictures(account: Account, before: Position) -> tuple[BoardPicture, ...]:
    """The board at the first wrong step, and as the account leaves it with what to mend."""
    if account.legal is not False or not account.board:
        return ()
    pictures = []
    steps, wrong = AccountSteps(account, before), account.first_wrong_step
    if wrong is not None and wrong < len(account.steps):
        event = account.steps[wrong]
        lifted = next((step.pit for step in reversed(account.steps[: wrong + 1]) if step.kind == "lift"), None)
        touched = (event.pit,) if 0 <= event.pit < len(before.pits) else ()
        after = steps.board_after(wrong + 1)
        title = gettext("At the slip")
        if after.hand > 0:
            title = gettext("At the slip, with %(seeds)s in the hand", seeds=after.hand)
        highlights = Highlights(start=lifted, changed=touched)
        path = sown_seeds(account.steps[: wrong + 1], len(before.pits))
        pictures.append(BoardPicture(after.position(before), title, highlights, path))
    after = steps.board_after(len(account.steps))
    position = before.replaced(
        pits=account.board[: len(before.pits)], stores=account.board[len(before.pits) :], marks=after.marks
    )
    title = gettext("How to mend it") if account.mend else gettext("The board it leaves")
    path = sown_seeds(account.steps, len(before.pits))
    pictures.append(BoardPicture(position, title, Highlights(mend=account.mend or {}), path))
    return tuple(pictures)


def laps_of(
    account: Account | None, events: Sequence[TraceEvent], before: Position, language: Language
) -> tuple[tuple[LapView, ...], int]:
    """The steps of an account, or of a turn as it is written, by lap: at most `MAX_STEPS` of them around the first
    wrong one, and how many are not listed."""
    known = None if account is None else AccountSteps(account, before)
    wrong = None if account is None else account.first_wrong_step
    numbers = list(accumulate(int(event.kind == "lift") for event in events)) if known is None else known.laps()
    second_turn = None if known is None else known.second_turn
    due_place = None if account is None else account.due_place
    first = 0
    if wrong is not None and wrong > MAX_STEPS // 2:
        first = max(at for at in range(wrong - MAX_STEPS // 2 + 1) if at == 0 or numbers[at] != numbers[at - 1])
    last = min(len(events), first + MAX_STEPS)
    laps: list[LapView] = []
    start = first
    for at in range(first + 1, last + 1):
        if at < last and numbers[at] == numbers[start]:
            continue
        lift = events[start] if events[start].kind == "lift" else None
        shown = tuple(
            _step_view(event, before, number == wrong, due_place, language)
            for number, event in enumerate(events[start:at], start)
            if event is not lift or number == wrong
        )
        pit = place_text(before, lift.pit, language) if lift else ""
        laps.append(LapView(numbers[start], pit, lift.count if lift else 0, shown, start == second_turn))
        start = at
    return tuple(laps), len(events) - (last - first)


def _step_view(
    event: TraceEvent, before: Position, is_wrong: bool, due_place: int | None, language: Language
) -> StepView:
    pits = len(before.pits)
    place = place_text(before, event.pit, language) if event.pit >= 0 else ""
    says = step_text(before, event, language)
    due = place_text(before, due_place, language) if is_wrong and due_place is not None else ""
    if event.kind == "drop":
        return StepView("drop", place, str(event.count), says, is_wrong, due)
    if event.kind == "store":
        return StepView(
            "store", place_text(before, pits + event.other, language), str(event.count), says, is_wrong, due
        )
    if event.kind == "take" and event.reason != SWEPT:
        side = language.sides[event.other]
        if place:
            says = gettext("%(side)s takes %(count)s from %(pit)s", side=side, count=event.count, pit=place)
        else:
            says = gettext("%(side)s takes %(count)s from the hand", side=side, count=event.count)
    return StepView(event.kind, "", "", says, is_wrong)
