"""``/games``: create, list, read, tag, end, import; a record as JSON or in the notation. ``/rulesets``."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from itertools import chain, islice
from typing import Annotated, Any

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema
from msgspec import UNSET

from inkeek.records import Game, Position, write_game
from inkeek.records.notation.dates import read_day
from inkeek.records.rules.ruleset import MAX_FILE
from inkeek.service.errors import Invalid, InvalidFields, about
from inkeek.service.http.addresses import page_url
from inkeek.service.http.api import idempotency
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import text_field
from inkeek.service.http.api.responses import ETAG, JSON, location, respond, respond_bytes, to_json, while_allowed
from inkeek.service.http.context import (
    all_rulesets,
    current_limit,
    current_sender,
    current_services,
    current_write,
    known_ruleset,
)
from inkeek.service.http.language import date_text
from inkeek.service.http.names import shown_tags
from inkeek.service.http.services import Services
from inkeek.service.http.shape import Page, Shape, Url, encode
from inkeek.service.processes.workers.importer import Importer, ImportText
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.search import NAMELESS, covers, reading

from . import corrections
from .answers import GameJson, GamesJson, ImportedJson, IntegrityJson
from .endings import CorrectedEnd
from .event_data import SIDES
from .library import transfer
from .new_game import NewGame
from .rules_answers import RulesetJson, RulesetsJson, ruleset_json
from .schemas import (
    EndCorrectionSchema,
    EndSchema,
    FilterSchema,
    GameListSchema,
    ImportSchema,
    NewGameSchema,
    RecordSchema,
    ReopeningSchema,
    TagsSchema,
)
from .snapshot import GameSnapshot, ruleset_of
from .write import Write

PMN = "application/x-mancala-pmn"
NDJSON = "application/x-ndjson"
CSV = "text/csv"
PART = 1 << 16  # bytes of an import that are read at once
NOTATION = "records in the notation"
_ETAG = re.compile(ETAG)

blueprint = ApiBlueprint("games", "Games and their records.")


class CitationJson(Shape):
    """How to cite a game as it is now: a change gives another `seq` and `hash`."""

    text: str
    url: Url
    seq: Annotated[int, "number of the game's last event"]
    hash: Annotated[str, "of that event, and so of all before it"]


def citation_json(row: GameRow) -> CitationJson:
    """Who played what, where and when; and where the game is kept, in which version."""
    tags, url = shown_tags(row.tags), page_url("games", row.id)
    date = tags.get("Date", "")
    facts = [tags.get("Event", ""), tags.get("Site", ""), read_day(date) or date_text(date), tags.get("Round", "")]
    names = " – ".join(tags.get(side, "?") for side in SIDES)
    said = ", ".join([names, ruleset_of(row).name, *(fact for fact in facts if fact not in NAMELESS)])
    version = f"Inkeek game {row.id}, event {row.seq}, {row.hash[:16]}"
    return CitationJson(f"{said}. {version}. {url}", url, row.seq, row.hash)


def game_json(game: GameSnapshot, **given: Any) -> GameJson:
    """A game with its legal moves and its board."""
    legal = game.legal(current_services().settings.max_legal)
    return GameJson.of(game, legal=legal, **given)


def etag(game: GameSnapshot) -> str:
    """The ETag. It begins with the last event's number, so ``If-Match`` ignores what the board reports."""
    return str(game.seq) if game.board is None else f"{game.seq}.{game.board.version}"


def expected_seq() -> int | None:
    """The event number in ``If-Match``.

    :raises Invalid: the header is not the ETag of a game.
    """
    text = request.headers.get("If-Match")
    if text is None or text.strip() == "*":
        return None
    match = _ETAG.fullmatch(text.strip())
    if match is None:
        raise Invalid(f"`If-Match` is {text!r}. Expected the ETag of a game, such as '\"12\"'.", field="If-Match")
    return int(match[1])


def write(body: Mapping[str, Any]) -> Write:
    """Actor, source and expected version of a write.

    :raises Invalid: ``If-Match`` is not the ETag of a game.
    """
    return current_write(body["by"], expected_seq=expected_seq(), expected_ply=body.get("ply"))


def corrected_end(body: Mapping[str, Any]) -> CorrectedEnd:
    """The end in a body."""
    score = None if body["score"] is None else (body["score"][0], body["score"][1])
    return CorrectedEnd(body["termination"], body["winner"], score)


def seq_tag(seq: int) -> dict[str, str]:
    """The ETag of a game after a change, whatever its board reports."""
    return {"ETag": f'"{seq}"'}


def check_limit(limit: int, what: str) -> None:
    """:raises InvalidFields: the limit is above `max_page`."""
    most = current_services().settings.max_page
    if limit > most:
        raise InvalidFields(f"limit is {limit}. A page has at most {most} {what}.", field="limit")


def game_filter(query: Mapping[str, Any]) -> GameFilter:
    """The filter in a query that has all or some of the filters of games.

    :raises Invalid: an invalid filter. :raises RecordsError: an invalid position.
    """
    given = {name: query[name] for name in FilterSchema().fields if name in query}
    if given.get("position") is not None:
        with about("position"):
            given["position"] = str(Position.parse(given["position"]))
    return GameFilter(**given, sort=query.get("sort"), within=current_limit())


def respond_page(page: Page) -> Response:
    """A page of a list; `next`, and the header ``Link``, name the next one."""
    if page.next is None:
        return respond(page)
    values: dict[str, Any] = {**(request.view_args or {}), **request.args.to_dict(flat=False), "cursor": page.next}
    return respond(page, Link=f'<{url_for(request.endpoint or "", **values)}>; rel="next"')


def respond_game(game_id: str) -> Response:
    """A stored game as JSON."""
    return respond_snapshot(current_services().games.load(game_id))


def respond_snapshot(snapshot: GameSnapshot, status: int = 200, **headers: str) -> Response:
    """A game as JSON."""
    body = snapshot.cached("json", lambda game: to_json(game_json(game, url=UNSET)))
    url = encode(page_url("games", snapshot.id))  # as this reader reaches the service: it is not cached
    body = b'{"url":' + url + b"," + body[1:]
    return respond_bytes(body, status, JSON, {"ETag": f'"{etag(snapshot)}"', "Vary": "Accept", **headers})


def respond_record(game_id: str, *, entered: bool = False) -> Response:
    """The record of a game in the notation, with its id; with `entered` also when each turn was, and by whom."""
    snapshot = current_services().games.load(game_id)
    is_casual = transfer.casual_games(current_services().store)(snapshot.row)  # as its event says, not the game
    name = f"{'casual.' if is_casual else ''}{'entered.' if entered else ''}pmn"
    body = snapshot.cached(name, lambda game: _record_text(game, entered=entered, is_casual=is_casual).encode())
    headers = {
        "ETag": f'"{snapshot.seq}.{name}"',
        "Vary": "Accept",
        "Content-Disposition": f'inline; filename="{snapshot.id}.pmn"',
    }
    return respond_bytes(body, 200, f"{PMN}; charset=utf-8", headers)


def _record_text(game: GameSnapshot, *, entered: bool, is_casual: bool) -> str:
    record = transfer.with_entries(game.state) if entered else game.state.record_json
    return write_game(Game.from_json(transfer.with_id(transfer.with_place(record, is_casual=is_casual), game.id)))


CHANGES: dict[str, Any] = {"returns": GameJson, "answer": respond_game, "changes_game": True, "status": 200}


@blueprint.operation(
    "POST",
    "/games",
    scope="record",
    limited=True,
    body=NewGameSchema,
    example={
        "game": "enkeshui",
        "options": {"pits": 8},
        "tags": {"Event": "Evening game", "South": "West bench", "North": "East bench"},
        "by": "Nasieku",
    },
    returns=GameJson,
    answer=lambda new: respond_snapshot(new.snapshot, 201, Location=location("games", new.row.id)),
    headers=("Location",),
    creates={"game_id": "id"},
)
def create_game(body: dict[str, Any]) -> NewGame:
    """Create a game from the start of the rule set or from a position."""
    games = current_services().games
    new = games.draft(body["game"], body["options"], body["tags"], current_write(body["by"]), body["setup"])
    games.add_all([new])
    return new


@blueprint.operation(
    "GET",
    "/games",
    scope="read",
    limited=True,
    query=GameListSchema,
    returns=GamesJson,
    headers=("Link",),
    problems=(409, 507),
)
def list_games(query: dict[str, Any]) -> ResponseReturnValue:
    """List games, newest first. `next` and ``Link`` name the next page."""
    check_limit(query["limit"], "games")
    ids, within = query["id"], current_limit()
    if ids is None:
        rows, cursor = current_services().games.page(query["limit"], query["cursor"], game_filter(query))
        return _respond_games(rows, next=cursor, missing=UNSET)
    most = current_services().settings.max_page
    if len(ids) > most:
        raise Invalid(f"{len(ids)} ids are given. A page has at most {most} games.")
    if beside := sorted(request.args.keys() - {"id"}):
        raise Invalid(f"id is given with {beside[0]!r}. Give ids alone.", field="id")
    with current_services().store.reading() as transaction:
        found = transaction.games.rows(ids)
    known = {id for id, row in found.items() if within is None or covers(reading(within), row)}
    rows = [found[id] for id in dict.fromkeys(ids) if id in known]
    return _respond_games(rows, next=None, missing=sorted({*ids} - known))


def _respond_games(rows: list[GameRow], **more: Any) -> Response:
    return respond_page(GamesJson.of(items=[row._replace(tags=shown_tags(row.tags)) for row in rows], **more))


@blueprint.operation("GET", "/games/<game_id>", scope="read", returns=GameJson, sends={PMN: ()})
def get_game(game_id: str) -> ResponseReturnValue:
    """Get a game, or its record in the notation if ``Accept`` prefers that."""
    if "HTTP_ACCEPT" in request.environ and request.accept_mimetypes.best_match(["application/json", PMN]) == PMN:
        return respond_record(game_id)
    return respond_game(game_id)


@blueprint.operation(
    "GET",
    "/games/<game_id>.pmn",
    scope="read",
    query=RecordSchema,
    sends={PMN: ()},
    headers=("Content-Disposition",),
    conditional=True,
)
def get_record(query: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Get the record in the notation, with the id of the game as its tag `GameId`."""
    return respond_record(game_id, entered=query["entered"])


@blueprint.operation(
    "PATCH",
    "/games/<game_id>",
    scope="record",
    body=TagsSchema,
    example={"tags": {"Site": "Narok", "Round": None}, "by": "Nasieku"},
    **CHANGES,
)
def patch_game(body: dict[str, Any], game_id: str) -> str:
    """Change tags; null removes a tag."""
    current_services().games.retag(game_id, body["tags"], write(body))
    return game_id


@blueprint.operation(
    "POST",
    "/games/<game_id>/end",
    scope="record",
    body=EndSchema,
    example={"termination": "resignation", "winner": "South", "score": [26, 22], "by": "Nasieku"},
    **CHANGES,
)
def end_game(body: dict[str, Any], game_id: str) -> str:
    """End a game by resignation, agreement and so on."""
    end = corrected_end(body)
    current_services().games.end(game_id, end.termination, end.winner, write(body), score=end.score)
    return game_id


@blueprint.operation(
    "POST",
    "/games/<game_id>/end/correction",
    scope="arbiter",
    body=EndCorrectionSchema,
    example={
        "termination": "resignation",
        "winner": "North",
        "score": [20, 28],
        "reason": "South resigned",
        "by": "Judge",
    },
    **CHANGES,
)
def correct_end(body: dict[str, Any], game_id: str) -> str:
    """Correct how a game ended. Its match follows."""
    corrections.correct_end(
        current_services().games, game_id, corrected_end(body), body["reason"], write(body), confirm=body["confirm"]
    )
    return game_id


@blueprint.operation(
    "POST",
    "/games/<game_id>/end/reopening",
    scope="arbiter",
    body=ReopeningSchema,
    example={"reason": "North had not resigned", "by": "Judge"},
    **CHANGES,
)
def reopen_game(body: dict[str, Any], game_id: str) -> str:
    """Have a game go on that was ended by hand."""
    corrections.reopen(current_services().games, game_id, body["reason"], write(body), confirm=body["confirm"])
    return game_id


@blueprint.operation("GET", "/games/<game_id>/citation", scope="read")
def cite_game(game_id: str) -> CitationJson:
    """Get the words that cite a game as it is now."""
    return citation_json(current_services().games.row(game_id))


@blueprint.operation("GET", "/games/<game_id>/integrity", scope="read")
def check_game(game_id: str) -> IntegrityJson:
    """Check the hash chain of the events and the data derived from them."""
    row = current_services().games.row(game_id)
    faults = current_services().games.integrity(game_id)
    return IntegrityJson(ok=not faults, events=row.seq, head=row.hash, faults=faults)


def _importer(services: Services) -> Importer:
    return Importer(services.games, services.settings)


def import_file(name: str, *, is_json: bool, dry_run: bool) -> AbstractContextManager[Iterator[transfer.ImportResult]]:
    """As `Importer.results`, of the file with this name, for the current caller."""
    services, write = current_services(), current_write(channel="import")
    text = ImportText(name, is_json, services.settings.max_import_games, write, dry_run)
    return services.once(_importer).results(text, current_sender())


@blueprint.operation(
    "POST",
    "/games/import",
    scope="record",
    limited=True,
    takes={PMN: NOTATION, "text/plain": NOTATION, NDJSON: "lines of an export"},
    query=ImportSchema,
    sends={NDJSON: (ImportedJson,)},
    binds_key=True,
    status=200,
)
def import_records(query: dict[str, Any]) -> ResponseReturnValue:
    """Store the games of a ``.pmn`` body, or of NDJSON from an export. The response has a line for each game.

    A game whose content is stored already is `present`. With an idempotency key only the same body is taken again.
    """
    dry_run = query["dry_run"]
    hashed = idempotency.request_hash()
    with ExitStack() as stack:
        # Read the body before responding: a client that sends everything before it reads would wait forever.
        file = stack.enter_context(tempfile.NamedTemporaryFile())
        while part := request.stream.read(PART):
            hashed.update(part)
            file.write(part)
        file.flush()
        repeated = not dry_run and idempotency.bind_key(hashed.hexdigest())
        results = stack.enter_context(import_file(file.name, is_json=request.mimetype == NDJSON, dry_run=dry_run))
        begun = list(islice(results, 1))  # while a failure can be answered with its status
        import_end = stack.pop_all()

    def lines() -> Iterator[bytes]:
        with import_end:
            for result in chain(begun, results):
                yield to_json(ImportedJson.of(result))

    response = Response(while_allowed(lines()), content_type=NDJSON)
    if repeated:
        response.headers[idempotency.REPLAYED] = "true"
    response.call_on_close(import_end.close)
    return response


rulesets_blueprint = ApiBlueprint("rulesets", "Rule sets with their options, defaults, terms and sources.")

EXAMPLE = """id = "yoruba:ayoayo"
name = "Ayoayo"
sources = ["who told you the rules, and when"]
pits = 6
each = 4

[[last]]
last = "2+"
then = "relay"

[[last]]
take = ["opposite"]
"""


class NewRulesetSchema(Schema):
    file = text_field(r"[^\u0000]*", 1, MAX_FILE, "the rule set as a TOML file", required=True)


@rulesets_blueprint.operation("GET", "/rulesets", scope="read", limited=True)
def list_rulesets() -> RulesetsJson:
    """List the rule sets, local ones last."""
    return RulesetsJson(items=[ruleset_json(info) for info in all_rulesets()])


@rulesets_blueprint.operation("GET", "/rulesets/<ruleset_id>", scope="read", limited=True)
def get_ruleset(ruleset_id: str) -> RulesetJson:
    """Get a rule set."""
    return ruleset_json(known_ruleset(ruleset_id), current_services().games.rulesets.text(ruleset_id) or "")


@rulesets_blueprint.operation(
    "POST",
    "/rulesets",
    scope="record",
    body=NewRulesetSchema,
    example={"file": EXAMPLE},
    returns=RulesetJson,
    problems=(409,),
)
def add_ruleset(body: dict[str, Any]) -> Response:
    """Add a local rule set, which is never changed. The same file again changes nothing; another one with the same `id`
    is refused."""
    info, _ = current_services().games.rulesets.add(body["file"], current_write().source)
    return respond(ruleset_json(info, body["file"]), 201)


@rulesets_blueprint.operation("DELETE", "/rulesets/<ruleset_id>", scope="arbiter", status=204, problems=(409,))
def remove_ruleset(ruleset_id: str) -> None:
    """Remove a local rule set by which no game is played."""
    current_services().games.rulesets.remove(ruleset_id)
