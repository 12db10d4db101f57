"""``inkeek finding``: what happened in a turn."""

from __future__ import annotations

from collections.abc import Sequence

import click

from inkeek.records import Move, Position, RecordsError, Rules
from inkeek.records.findings import Account, Evidence, Finding, Seen, find, find_since
from inkeek.records.findings.engine import MAX_MOVES
from inkeek.records.findings.evidence import claimed_captures, read_board, read_lifts
from inkeek.records.findings.sentences import percent, verdict_sentence
from inkeek.records.language import Language, language_ids, load_language
from inkeek.records.notation.movetext import cite_moves
from inkeek.service.findings.answers import finding_json
from inkeek.service.translations import translated

from .options import as_json, emit_or_echo, with_position

MAX_SHOWN = 5  # accounts in text besides legal ones; `--json` has all


@click.command()
@with_position
@click.option(
    "--board",
    required=True,
    metavar="'SOUTH/NORTH S-N'",
    help="What lies there now: both rows, each from its owner's left, and both stores; ? for what is not known.",
)
@click.option(
    "--claimed", metavar="MOVE", help="The move that the player says was played, with captures if they were claimed."
)
@click.option("--moves", metavar="'MOVE…'", help="The turns written since --position: finds which of them went wrong.")
@click.option("--lifted", metavar="A,C,F", help="The pits that were seen lifted, in order.")
@click.option("--all-lifted", is_flag=True, help="No lift was missed.")
@click.option("--hand", type=click.IntRange(0, 1000), help="Seeds that are still in the hand.")
@click.option("--slips", type=click.IntRange(1, 2), help="Look for this many slips at most. [two, if one does not do]")
@click.option(
    "--language", type=click.Choice(language_ids()), default="en", show_default=True, help="Language of the text."
)
@as_json(
    "one object: `legal` (true, false or null), `complete` (false: not all accounts were examined), "
    "`slips` (how many were looked for), `accounts`, the likeliest first, each with `kind`, `kinds`, "
    "`probability`, `equal`, `legal`, `move`, `sentence`, `sentences`, `steps` (as in traces), "
    "`first_wrong_step` (index in `steps`), `rule` (`id`, `says`, `quote`, `source`), `board`, `mend` "
    "(seeds to add by pit; `south` and `north` are the stores), `target`, `distinction`. With `--moves`: "
    "`agreed` (so many turns agree with the board), `played`, `complete`, and `accounts` with the number "
    "of the turn, `ply`"
)
def finding(
    rules: Rules,
    position: Position,
    board: str,
    claimed: str | None,
    moves: str | None,
    lifted: str | None,
    all_lifted: bool,
    hand: int | None,
    slips: int | None,
    language: str,
    as_json: bool,
) -> None:
    """Find what happened in a turn, from the position before it and what lies on the board now."""
    counts, marks = read_board(board, position)
    move = None if claimed is None else Move.parse(claimed)
    evidence = Evidence(
        before=position,
        counts=counts,
        marks=marks,
        hand=hand,
        claimed=move,
        captured=None if move is None else claimed_captures(move, position),
        seen=() if lifted is None else _read_lifts(lifted, position),
        seen_all=all_lifted,
    )
    if moves is not None:
        for option, value in (("--claimed", claimed), ("--slips", slips)):
            if value is not None:
                raise click.UsageError(f"{option} {value} is about one turn, --moves about several: give one of them")
    written = [] if moves is None else [Move.parse(word) for word in moves.split()]
    if moves is not None and not 0 < len(written) <= MAX_MOVES:
        raise click.UsageError(f"--moves has {len(written)} moves: expected 1 to {MAX_MOVES}")
    if written:
        found = find_since(rules, position, written, evidence, language)
    else:
        found = find(rules, evidence, slips, language)
    lines = finding_text(found, evidence, language, cite_moves(position, written))
    emit_or_echo(as_json, finding_json(found, position), "\n".join(lines))


def _read_lifts(text: str, before: Position) -> tuple[Seen, ...]:
    try:
        return read_lifts(text, before)
    except RecordsError as error:
        raise click.UsageError(f"--lifted {text!r}: {error}") from error


def finding_text(found: Finding, evidence: Evidence, language: str, cited: Sequence[str] = ()) -> list[str]:
    """The finding in sentences that can be read aloud; of several turns, as they are `cited`."""
    texts = load_language(language)
    lines = [verdict_sentence(found, evidence, texts, cited)]
    for number, account in enumerate(found.accounts, 1):
        if number <= MAX_SHOWN or account.legal:
            lines += _account_lines(number, account, texts, cited)
    if not found.complete:
        lines.append(texts.text("findings.text.incomplete"))
    return lines


def _account_lines(number: int, account: Account, texts: Language, cited: Sequence[str]) -> list[str]:
    equal = f", {texts.text('findings.text.equal')}" if account.equal else ""
    lines = ["", f"{number}. {percent(account.probability)}{equal}: {', '.join(account.kinds)}"]
    if account.ply is not None:
        lines.append(texts.text("findings.text.turn", turn=cited[account.ply]))
    lines += account.sentences
    if account.rule is not None:
        lines.append(texts.text("findings.text.rule", says=translated(account.rule.says, texts.id)))
        if account.rule.quote:
            quote, source = account.rule.quote, account.rule.source
            lines.append(texts.text("findings.text.quote", quote=quote, source=source))
    if account.distinction:
        lines.append(texts.text("findings.text.tell", distinction=account.distinction))
    return lines
