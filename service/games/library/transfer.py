"""Import and export of many games, as records. Memory does not grow with the number of games."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import accumulate
from time import sleep
from typing import Any, TypeVar

from msgspec import UNSET

from inkeek.records import BadRecord, Game, Kind, Move, Ply, Position, RecordsError, read_games
from inkeek.records.errors import ErrorKind, ErrorText, Severity, message_of
from inkeek.records.json_codec import to_json
from inkeek.records.notation.commands import After, Appeal, ChangedClaim, Command, Dispute, Entering, commands_in
from inkeek.records.notation.movetext import escape_lines
from inkeek.records.notation.tags import TAGS
from inkeek.records.record import with_plain_comments
from inkeek.records.replay import Replay
from inkeek.records.text import read_instant
from inkeek.service.disputes.event_data import ClaimData, DisputeData
from inkeek.service.errors import Conflict, Invalid, ServiceError, StorageBusy
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.event_data import AnnotationsData, ChangeData, EndedData, TurnData
from inkeek.service.games.event_kinds import content_of
from inkeek.service.games.events.plan import counts_in, plan_of
from inkeek.service.games.new_game import NewGame, update_contents
from inkeek.service.games.plies import BY_RULES, COMMENT
from inkeek.service.games.record_check import CASUAL_TAG, DERIVED_TAGS, ID_TAG, check_record
from inkeek.service.games.repository import Games
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.games.state import WINNERS, GameState, created_data, ending
from inkeek.service.games.write import Write
from inkeek.service.storage import Content, GameFilter, GameRow, canonical_json, event_of
from inkeek.service.storage.ids import ALPHABET, ID_LENGTH
from inkeek.service.storage.store import Store

PROVENANCE = tuple(tag.name for tag in TAGS if tag.provenance)
MOST_GAMES, MOST_CHARACTERS = 32, 200_000  # of events' data that are stored together: in SQLite others wait meanwhile
PAUSE = 0.002  # seconds between transactions in which they can write, who try every millisecond


# Stored events after which the database's log is copied. Each changes a page, for its position can be anywhere in the
# index. With many more of them the log would get so long that commits of others copy it.
CHECKPOINT = 1_500
READ = 100  # games that an export looks up at once
READ_EVENTS = 250  # events that it holds at once, unless one game has more: hundreds of exports may wait for readers
MANY = 1000  # imported games after which the database's statistics are updated
C = TypeVar("C", bound=Command)


@dataclass(frozen=True, slots=True)
class ImportFault:
    """Why a game is refused, and where, as in `RecordError`. None: it is not about a place, or the record is right."""

    message: str
    line: int | None = None
    column: int | None = None
    ply: int | None = None
    legal: tuple[str, ...] = ()
    code: str | None = None
    kind: ErrorKind | None = None
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What became of the game number `index`, from 1, of an import.

    It is stored as `id`; or was `present` with that id, since its content is the same; or `error` says why it is
    refused. A dry run has no `id` for a game that it would store. `warnings` are those of `Game.warnings`, `left_out`
    the lines of the record that are not stored. `players` are South and North as the record names them.
    """

    index: int
    id: str | None = None
    present: bool = False
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    error: ImportFault | None = None
    players: tuple[str, str] = ("", "")

    @property
    def ok(self) -> bool:
        return self.error is None


Prepared = NewGame | ImportResult
log = logging.getLogger(__name__)

Prepare = Callable[[Sequence[Content], Write, str | None], NewGame]


def import_games(games: Games, lines: Iterable[bytes], most: int, write: Write) -> Iterator[ImportResult]:
    """Store every good game of a text in the notation, as `import_records` does."""
    return import_records(games, ((game, 0) for game in read_games(lines)), most, write)


def import_records(
    games: Games,
    records: Iterable[tuple[Game, int]],
    most: int,
    write: Write,
    *,
    dry_run: bool = False,
) -> Iterator[ImportResult]:
    """Store every good record that is not stored already; with `dry_run` only say what would be done.

    Each record comes with the number of its line, or 0 if its errors say the line. At most `most` are read. A result
    comes when the game is durable. Games that are the same (`content_key`) are stored once.
    """
    prepared = prepare_records(records, 1, write, partial(games.prepare, imported=True))
    return store_prepared(games, prepared, most, dry_run=dry_run)


def prepare_records(
    records: Iterable[tuple[Game, int]], first: int, write: Write, prepare: Prepare
) -> Iterator[Prepared]:
    """Make of each record, of which the first has the number `first`, a game to be stored, or say why it is refused."""
    return (_prepare(prepare, index, game, line, write) for index, (game, line) in enumerate(records, first))


def store_prepared(
    games: Games, prepared: Iterable[Prepared], most: int, *, dry_run: bool = False
) -> Iterator[ImportResult]:
    """As `import_records`, of what `prepare_records` made."""
    update_contents(games.store)
    seen: set[str] | None = set() if dry_run else None
    pause = PAUSE if games.store.has_one_writer and not dry_run else 0.0
    batch: list[Prepared] = []
    first, stored, events, characters, logged = 1, 0, 0, 0, 0
    for index, new in enumerate(prepared, 1):
        if index > most:
            fault = ImportFault(ErrorText("more than %(most)s games: the rest was not read", most=most))
            batch.append(ImportResult(index, error=fault))
            break
        if isinstance(new, NewGame):
            events += new.row.seq
            characters += new.rows.characters
            stored += 1
        batch.append(new)
        if len(batch) >= MOST_GAMES or characters >= MOST_CHARACTERS:
            sleep(pause)
            yield from _store(games, batch, first, seen)
            logged += events
            batch, first, events, characters = [], index + 1, 0, 0
            if seen is None and logged >= CHECKPOINT:
                _attempt(games.store.checkpoint, "the database's log was not copied")  # a later commit does it
                logged = 0
    yield from _store(games, batch, first, seen)
    if stored >= MANY and not dry_run:
        _attempt(games.store.update_statistics, "the database's statistics were not updated")  # lists are slower


def _attempt(step: Callable[[], None], failed: str) -> None:
    """Do what an import can do without."""
    try:
        step()
    except ServiceError as error:
        log.warning("%s: %s", failed, error)


def fill_in(games: Games, game_id: str, record: Game, write: Write) -> None:
    """Play the turns of a record in a game that has none yet, with their comments, and end it as the record says: all
    or nothing. Its names and its other tags stay; where the record is from is added where the game does not say it.

    :raises NotFound: no such game. :raises Conflict: it has turns, has ended, or waits for a ruling. :raises Invalid:
        it is played by other rules or from another start.
    """
    with games.together():
        found = games.load(game_id)
        if found.row.ply:
            raise Conflict("The game has turns already: correct it on its page.", current=found.row)
        if found.ended:
            raise Conflict(
                "The game has ended, without a turn. Have it go on, on its page, before you keep its turns.",
                current=found.row,
            )
        replay = record.replay()
        if str(replay.positions[0]) != found.row.start or record.rules().changed != found.rules.changed:
            raise Invalid("The sheet has other rules or another start than the game.")
        said = {name: record.tags[name] for name in PROVENANCE if record.tags.get(name, "?") != "?"}
        missing = {name: value for name, value in said.items() if found.row.tags.get(name, "?") in ("", "?")}
        if missing:
            games.retag(game_id, missing, write)
        if record.comments:
            edits = [Edit("comments", COMMENT, text) for text in record.comments]
            annotate(games, game_id, edits, write, is_arbiter=False)
        for ply, position in zip(record.plies, replay.positions[1:], strict=True):
            _fill_in_turn(games, game_id, ply, position, write)
        end = replay.outcome
        if end is not None and not games.load(game_id).ended:
            winner, score = WINNERS.get(end.result), _parse_score(record.tags.get("Score"))
            seeds = None if score is None else (score[0], score[1])
            games.end(game_id, end.termination, winner, write, score=seeds, result=end.result)


def _fill_in_turn(games: Games, game_id: str, ply: Ply, position: Position, write: Write) -> None:
    comments = [text for text in ply.comments if not any(commands_in([text], After))]
    after = str(position) if len(comments) < len(ply.comments) else None
    if ply.move.kind is Kind.GAP:
        games.add_gap(game_id, ply.move.unseen, after, write, comments)
    elif ply.move.kind is Kind.IRREGULAR:
        games.play_irregular(game_id, ply.move, str(position), write, comments)
    else:
        games.play(game_id, ply.move, write, comments)


def _prepare(prepare: Prepare, index: int, game: Game, line: int, write: Write) -> Prepared:
    if game.errors:
        first = game.errors[0]
        place = (line or first.line, first.column, first.ply)
        fault = ImportFault(first.message, *place, first.legal, first.code, first.kind, first.severity)
        return ImportResult(index, error=fault, players=_players(game.tags))
    try:
        new = prepare(event_contents(game, write.source), write, _own_id(game))
        return replace(new, events=(), warnings=game.warnings(), left_out=tuple(_left_out(game)))  # the rows are enough
    except (RecordsError, ServiceError) as error:
        return ImportResult(
            index,
            error=ImportFault(error.message if isinstance(error, ServiceError) else message_of(error), line or None),
            players=_players(game.tags),
        )


def _own_id(game: Game) -> str | None:
    id = game.tags.get(ID_TAG, "")
    return id if len(id) == ID_LENGTH and set(id) <= set(ALPHABET) else None


def _left_out(game: Game) -> Iterator[ErrorText]:
    for line, text in escape_lines(game.source) if game.source else ():
        yield ErrorText("line %(line)s is left out: %(text)s", line=line, text=text)


def _players(tags: Mapping[str, str]) -> tuple[str, str]:
    return tags.get("South", ""), tags.get("North", "")


def _store(
    games: Games,
    batch: Sequence[Prepared],
    first: int,
    seen: set[str] | None,
) -> Iterator[ImportResult]:
    """Store new games together. If that fails, store each alone, so that every game gets its own result.

    With `seen`, the contents that a dry run has seen, nothing is stored.
    """
    new = [game for game in batch if isinstance(game, NewGame)]
    ids: dict[str, str] | None = {}
    added: dict[str, str] = {}
    reported: set[str] = set()  # new games that have their result
    try:
        if seen is not None:
            ids = games.present(new)
        elif new:
            ids, added = games.add_unless_present(new)
    except StorageBusy:  # the next game would wait as long
        raise
    except ServiceError:
        ids = None
    casual = casual_games(games.store)
    for index, game in enumerate(batch, first):
        if not isinstance(game, NewGame):
            yield game
            continue
        players = _players(game.row.tags)
        try:
            if ids is None:
                known, added = games.add_unless_present([game])
            else:
                known = ids
        except StorageBusy:
            raise
        except ServiceError as error:
            yield ImportResult(index, error=ImportFault(error.message), players=players)
            continue
        game_id = known.get(game.content)
        if seen is None:
            is_present = game_id not in added or game_id in reported
            reported.add(str(game_id))
        else:
            is_present = game_id is not None or game.content in seen
            seen.add(game.content)
        warnings = game.warnings
        other = added.get(game_id or "", "")
        if other and not is_present:
            text = ErrorText(
                "This game came again with other turns or tags. Both versions are kept: %(other)s.", other=other
            )
            warnings = (*warnings, text)
        if not is_present and casual(game.row):
            name = game.row.tags["Event"]
            warnings = (
                *warnings,
                ErrorText(
                    "Event %(name)r has rounds: this game is in none, and counts for nothing there. To change a paired "
                    "game, correct it on its page.",
                    name=name,
                ),
            )
        yield ImportResult(index, game_id, is_present, warnings, game.left_out, players=players)


def casual_games(store: Store) -> Callable[[GameRow], bool]:
    """Tells of a game whether it counts for nothing in the event whose name it has. Each plan is read once."""

    @cache
    def counts(event: str) -> Callable[[GameRow], bool]:
        with store.reading() as transaction:
            planned = transaction.event_plans.get(event)
        return counts_in(planned and plan_of(planned))

    def is_casual(row: GameRow) -> bool:
        event = event_of(row.tags)
        return event is not None and not counts(event)(row)

    return is_casual


def event_contents(game: Game, source: str) -> list[Content]:
    """The contents of the events of a record.

    :raises BadRecord: the record has errors. :raises Invalid: it holds what is not stored.
    """
    if game.source is None:  # not from text, where white space in comments is one space
        game = with_plain_comments(game)
    if game.errors:
        raise BadRecord(game.errors)
    check_record(game)
    rules, replay, tags = game.rules(), game.replay(), game.tags
    start, *texts = replay.texts
    kept = ("Version", "Score") if replay.outcome is None else ("Version",)  # the score of a game that goes on
    others = {name: value for name, value in tags.items() if name in kept or name not in DERIVED_TAGS}
    game, dispute, said = _with_open_dispute(game, replay)
    contents = [content_of(created_data(rules, tags.get("Setup"), others, start, game.comments), source)]
    for number, (ply, text) in enumerate(zip(game.plies, texts, strict=True), 1):
        move, nags, comments, variations = ply
        turn, turn_text = _turn(ply) if nags or comments or variations else _plain_turn(str(move))
        data = {"ply": number, "turn": turn, "position": text}
        json = b'{"ply":%d,"turn":%b,"position":"%b"}' % (number, turn_text, text.encode())
        contents.append((source, TurnData.kind, data, json))
    outcome = replay.outcome
    if outcome is not None and outcome.termination == "normal" and "?" not in [start, *texts][-1]:  # by the rules
        contents.append(content_of(EndedData(**ending(outcome)), BY_RULES))
    elif outcome is not None:
        score = _parse_score(tags.get("Score"))
        end = EndedData(outcome.termination, WINNERS.get(outcome.result), outcome.result, score, by="")
        contents.append(content_of(end, source))
    if dispute is not None:
        contents += _dispute_contents(dispute, said, len(game.plies), len(contents) + 1, source)
    return contents


def _with_open_dispute(game: Game, replay: Replay) -> tuple[Game, Dispute | None, Sequence[str]]:
    """The record without the dispute that waits for a ruling after its last turn; the dispute, and the comments after
    it. None: none waits, or it does not fit the game, and stays a comment."""
    last = len(game.plies)
    comments = game.plies[-1].comments if game.plies else game.comments
    at = max((at for at, text in enumerate(comments) if _only(text, Dispute)), default=None)
    if at is None:
        return game, None, ()
    case, is_ended = game.people().cases[-1], replay.outcome is not None
    if case.dispute is None or case.ruling is not None or case.dispute.ply != last:
        return game, None, ()
    dispute = case.dispute.command
    ply = last if dispute.ply is None else dispute.ply
    is_about = is_ended if dispute.about else 1 <= ply <= last + (not is_ended)
    if any(isinstance(one.command, Appeal) for one in case.course) or not is_about or not _fits(dispute.seen, replay):
        return game, None, ()
    before, said = comments[:at], comments[at + 1 :]
    if not game.plies:
        return replace(game, comments=before), dispute, said
    return replace(game, plies=(*game.plies[:-1], game.plies[-1]._replace(comments=before))), dispute, said


def _only(comment: str, kind: type[C]) -> C | None:
    """The command of this kind that a comment is, and nothing else."""
    found = [one for one in commands_in([comment]) if isinstance(one, kind)]
    return found[0] if len(found) == 1 and " ".join(comment.split()) == str(found[0]) else None


def _fits(seen: str, replay: Replay) -> bool:
    return not seen or Position.parse(seen).row == replay.positions[-1].row


def _dispute_contents(dispute: Dispute, said: Sequence[str], last: int, seq: int, source: str) -> Iterator[Content]:
    """The contents of the events of a dispute that is event number `seq`, and of what was said of it, after the turn
    `last`."""
    ply = last if dispute.ply is None else dispute.ply
    turn = ply + 1 if ply <= last and not dispute.about else seq - bool(dispute.about)
    about, other = dispute.about or UNSET, last if ply != last else UNSET
    opened = DisputeData(ply, turn, str(dispute.side), dispute.claim, dispute.seen or None, "", about, other)
    yield content_of(opened, source)
    claims = [_only(text, ChangedClaim) for text in said]
    claims = claims[: claims.index(None)] if None in claims else claims
    for claim in filter(None, claims):
        yield content_of(ClaimData(seq, claim.claim, claim.seen or None, claim.by), source)
    rest = [ChangeData(add="comment", ply=last, turn=last + 1, value=text) for text in said[len(claims) :]]
    if rest:
        yield content_of(AnnotationsData(rest), source)


@lru_cache(8192)  # the moves of all games are much the same
def _plain_turn(move: str) -> tuple[dict[str, Any], bytes]:
    return _turn(Ply(Move.parse(move)))


def _turn(ply: Ply) -> tuple[dict[str, Any], bytes]:
    turn = to_json(ply)
    return turn, canonical_json(turn)


def _parse_score(text: str | None) -> list[int] | None:
    south, _, north = (text or "").partition("-")
    return [int(south), int(north)] if south.isdigit() and north.isdigit() else None


def with_entries(state: GameState) -> dict[str, Any]:
    """The JSON of a game's record that says at each turn when it was entered, and by whom. What an imported record says
    stays."""
    record = state.record_json
    plies = []
    for noted, ply in zip(state.plies[1:], record["plies"], strict=True):
        if not any(commands_in(ply["comments"], Entering)):
            entered = Entering(read_instant(noted.event.time), noted.event.actor)
            ply = {**ply, "comments": [*ply["comments"], str(entered)]}
        plies.append(ply)
    return {**record, "plies": plies}


def with_id(record: Mapping[str, Any], game_id: str) -> dict[str, Any]:
    """The JSON of a record that says the id of its game."""
    return {**record, "tags": {**record["tags"], ID_TAG: game_id}}


def with_place(record: dict[str, Any], *, is_casual: bool) -> dict[str, Any]:
    """The JSON of a record that says whether its game counts in its event, where nobody has the plan of that."""
    if is_casual == (CASUAL_TAG in record["tags"]):
        return record
    others = {name: value for name, value in record["tags"].items() if name != CASUAL_TAG}
    return {**record, "tags": {**others, CASUAL_TAG: "yes"} if is_casual else others}


def export_games(games: Games, where: GameFilter, cursor: str | None = None) -> Iterator[tuple[str, GameSnapshot]]:
    """The games that match, each with a cursor after which another export goes on. A game that is changed meanwhile is
    whole up to some event.

    All games come in the order they were stored in, which no change affects; others in the order of lists.

    :raises Invalid: the cursor is not from such an export.
    """
    return _exported(games, where, *games.listed(where, READ, cursor))


def _exported(
    games: Games, where: GameFilter, found: list[tuple[str, str, int]], following: str | None
) -> Iterator[tuple[str, GameSnapshot]]:
    most = 1  # events: the first game comes soon, and an export that nobody reads holds little
    while True:
        while found:
            events = accumulate(events for _, _, events in found)
            count = max(1, sum(1 for together in events if together <= most))
            most = min(max(2 * most, found[0][2]), READ_EVENTS)
            snapshots = deque(games.snapshots([game_id for _, game_id, _ in found[:count]]))
            while snapshots:
                place = found.pop(0)[0]
                yield place, snapshots.popleft()
        if following is None:
            return
        found, following = games.listed(where, READ, following)
