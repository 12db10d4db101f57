"""The live page: the game as it stands; turns are played without scripts, laid out, taken back and tried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records import Move, Position, Side
from inkeek.records.rules.rearrangement import rearrangement_between, why_not_now
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games import corrections, view_models
from inkeek.service.games.api import corrected_end, end_game
from inkeek.service.games.editor import check_next_turn
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.schemas import (
    EndCorrectionSchema,
    EndSchema,
    NewGapSchema,
    NewIrregularTurnSchema,
    NewTurnSchema,
    ReopeningSchema,
)
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.games.state import ENDS
from inkeek.service.games.validation import may_arrange
from inkeek.service.games.view_models import GameCard
from inkeek.service.http.access import allows, needs
from inkeek.service.http.api.bodies import number_or_text, read_form
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import (
    blueprint,
    feed_address,
    feed_end,
    name_hints,
    render_page,
    see_other,
    view_name,
)
from inkeek.service.http.web.drawing import (
    EditedBoard,
    board_of,
    edited_board,
    fields_of,
    given_fields,
    place_names,
    total_texts,
)
from inkeek.service.http.web.forms import (
    Commands,
    end_fields,
    read_number,
    read_tag_changes,
    shows_refusals,
    tag_fields,
    whole_or_none,
)
from inkeek.service.storage import GameFilter, GameRow, covers, event_of
from inkeek.service.storage.search import name_key, players_of, table_and_event, table_of

from . import api

LAID = "laid."  # prefix of the fields
MAX_FIELD = 6  # characters


@dataclass(frozen=True, slots=True)
class LayOutForm:
    """The form: its board, the texts of its total, how many seeds there must be, the pits where the turn may have
    begun, whether the side to move may rearrange, and who is to move after an irregular turn, the likelier side first.
    """

    board: EditedBoard
    totals: str
    seeds: int
    pits: tuple[str, ...]
    may_rearrange: bool
    next_sides: tuple[Side, Side]


def lay_out_form(snapshot: GameSnapshot, shown: Position, given: Mapping[str, str]) -> LayOutForm:
    """The form for the next turn of a game. Its fields have what was `given`, else what the page shows."""
    rules, position = snapshot.rules, snapshot.position
    words = given_fields(given, LAID, position) or fields_of(shown)
    mover = position.to_move
    return LayOutForm(
        edited_board(LAID, gettext("The board now"), words, position, rules),
        json.dumps(total_texts()),
        rules.seeds,
        tuple(position.letter(pit) for pit in position.pits_of(mover)),
        may_rearrange(snapshot),
        (mover.other, mover),
    )


def board_fields(board: Position) -> dict[str, str]:
    """The fields that say what lies on a board, as `gap_fields` reads them."""
    words = fields_of(board)
    return {LAID + name: words[place] for place, name in place_names(board.row)}


def may_rearrange(snapshot: GameSnapshot) -> bool:
    """Whether the side to move may rearrange now."""
    plies = snapshot.record.plies
    previous = plies[-1].move if plies else None
    return why_not_now(snapshot.rules.options.get("rearrangement", "none"), snapshot.position, previous) is None


def irregular_fields(form: Mapping[str, str], before: Position) -> dict[str, Any]:
    """An irregular turn and the position after it.

    :raises Invalid: a place was not counted, or a field is missing. :raises RecordsError: the fields are no position.
    """
    text = f"{read_laid_board(form, before)} {_side(form, 'next')[0].lower()} {before.ply + 1}"
    return {**form, "move": f"~{form.get('pit', '')}", "position": str(Position.parse(text))}


def gap_fields(form: Mapping[str, str], before: Position) -> dict[str, Any]:
    """How many turns nobody saw, and the position after them, with ``?`` for what is not known.

    :raises Invalid: the side is missing. :raises RecordsError: the fields are no position.
    """
    turns = number_or_text(form.get("turns", ""))
    after = before.after_unseen(max(turns, 1) if isinstance(turns, int) else 1)
    fields = form if given_fields(form, LAID, before) else board_fields(after)
    board = read_laid_board(fields, before, is_whole=False)
    return {**form, "position": str(Position.parse(f"{board} {_side(form, 'next')[0].lower()} {after.ply}"))}


def _side(form: Mapping[str, str], field: str) -> str:
    """:raises Invalid: the field has no side."""
    side = form.get(field, "")
    if side not in SIDES:
        raise Invalid("The side is %(text)r. Choose South or North.", text=side[:40], field=field)
    return side


def read_rearrangement(form: Mapping[str, str], before: Position) -> Move:
    """A rearrangement by the side to move.

    :raises Invalid: a place was not counted. :raises RecordsError: no rearrangement lays out this board.
    """
    text = f"{read_laid_board(form, before)} {'sn'[before.to_move]} {before.ply}"
    return rearrangement_between(before, Position.parse(text))


def read_laid_board(form: Mapping[str, str], before: Position, *, is_whole: bool = True) -> str:
    """The text of the board as it was laid out; one that is not whole may have places that nobody counted.

    :raises Invalid: a place was not counted.
    """
    words = given_fields(form, LAID, before)
    unknown = [name for place, name in place_names(before.row) if words.get(place, "").strip() in ("", "?")]
    if is_whole and unknown:
        raise Invalid(
            "Not counted: %(places)s. Expected the seeds of every pit and of both stores.", places=" ".join(unknown)
        )
    for place, name in place_names(before.row):
        if len(words.get(place, "")) > MAX_FIELD:
            raise Invalid(
                "%(place)s is %(text)r. Expected the number of seeds, as '4' or '4s'.",
                place=name,
                text=words[place][:20],
            )
    return board_of({place: word.strip() for place, word in words.items()}, before.row)


LOOKED_AT = 200  # newest games that go on in an event, among which the next one at a table is found


def live_page(game_id: str, refusal: str | None = None) -> Response:
    """The live page, with why something was refused."""
    services, limit = current_services(), current_caller().limit
    snapshot, feed, following = services.games.load(game_id), "", None
    event, table = event_of(snapshot.row.tags), table_of(snapshot.row.tags)
    if limit is not None and limit.kind == "table" and _plays(snapshot.row):
        table = name_key(table_and_event(limit)[0])  # players go on where they play next
    if snapshot.row.state == "ended" and event and table:  # the next game at the table matters too
        feed = feed_address(feed_end(), event=event)
        snapshot = services.games.load(game_id)
        live, _ = services.games.page(LOOKED_AT, None, GameFilter(event=event, state="live", within=current_limit()))
        here = [row for row in live if table_of(row.tags) == table and row.created >= snapshot.row.created]
        following = GameCard(here[0]) if here else None
    view = view_models.game_view(snapshot)
    near = view_models.view_side(request.args.get("view"))
    laid = lay_out_form(snapshot, view.picture.position, request.form) if view.may_enter else None
    missed = _board_after_gap(view)
    may_write = allows(current_caller().scopes, "record")
    last, result = view.last, view.result if view.ended else ""
    shown = {
        "view": view,
        "game": snapshot,
        "near": int(near),
        "view_name": view_name(near),
        "spoken": labels.spoken_turn(last.turn, view.names, result) if last else "",
        "time_limit": labels.time_limit(snapshot.row.tags.get("TimeControl", "").strip()),
        "end_history": view_models.end_history(snapshot),
    }
    disputed = request.args.get("dispute", type=whole_or_none)
    entered = {"disputed": disputed, "lay_out": laid, "missed": missed and board_fields(missed)}
    may_name = may_write and may_arrange(limit)
    hints = name_hints(snapshot.row.tags) if "names" in request.args and may_name else ()
    asks = may_name and view.ended and not any(players_of(snapshot.row.tags))
    named = {"name_hints": hints, "asks_names": asks, "tag_fields": tag_fields(snapshot.row.tags, request.form)}
    leads = following is not None and limit is not None and limit.kind == "table" and covers(limit, following.row)
    next_game = {"feed": feed, "following": following, "leads": leads}
    series = services.matches.games_with(snapshot.row)
    return render_page("turns/live.html", refusal=refusal, match_games=series, **next_game, **named, **shown, **entered)


def _board_after_gap(view: view_models.GamePage) -> Position | None:
    """What a board that reports the turns says of where turns led that nobody saw, if that is all there is to know: it
    does not say which pits are special."""
    board, is_asked = view.board, not (view.ended or view.dispute or view.may_enter)
    return board.measured if board and board.measures_all and is_asked and "special" not in view.terms else None


def _plays(row: GameRow) -> bool:
    with current_services().store.reading() as transaction:
        owner = transaction.persons.owner
        return owner(name_key(current_caller().name)) in map(owner, players_of(row.tags))


def check_turns_known(game_id: str) -> None:
    """Check that the turns that the sender of a form saw, up to its event `known`, are still those of the game.

    :raises Conflict: some were taken back since.
    """
    known, snapshot = whole_or_none(request.form.get("known", "")), current_services().games.load(game_id)
    if known is not None and any(event.kind == "retraction" for event in snapshot.events[known:]):
        raise Conflict(
            "Turns were taken back since you opened this form. Nothing was stored: look at it, then send it again.",
            current=snapshot.row,
        )


@blueprint.get("/games/<game_id>/live")
@needs("read")
def live(game_id: str) -> ResponseReturnValue:
    """The game as it stands, with its board."""
    return live_page(game_id)


@blueprint.post("/games/<game_id>/live")
@needs("record")
@shows_refusals(live_page)
def play(game_id: str) -> ResponseReturnValue:
    """Play a turn, for browsers without scripts; the script uses the API."""
    check_turns_known(game_id)
    if not request.form.get("move", "").strip():
        raise Invalid("No move was given. Choose a pit or type the move.", field="move")
    api.play_turn(_body(NewTurnSchema, request.form), game_id)
    return see_other("web.live", game_id=game_id, view=request.args.get("view"))


def _body(schema: type[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The body that a form makes which says of which turn it is."""
    return read_form(schema, {**fields, "ply": read_number(request.form, "ply")})


commands = Commands()


@blueprint.post("/games/<game_id>/live/actions")
@needs("record")
@shows_refusals(live_page)
def live_action(game_id: str) -> ResponseReturnValue:
    """Take the last turn back, lay out, note a trial, or change a team: one of `commands`."""
    check_turns_known(game_id)
    commands.run(game_id)
    return see_other("web.live", game_id=game_id, view=request.args.get("view"))


@commands("take-back")
def _take_back(game_id: str) -> None:
    form = request.form
    # an objection is the opponents', whoever is chosen beside the other reasons
    side = _side(form, "side") if form.get("side") and form.get("reason") != "objection" else None
    write = current_write(expected_ply=read_number(form, "ply"))
    corrections.take_back(current_services().games, game_id, form.get("reason", ""), write, side, form.get("note", ""))


@commands("trial")
def _try_move(game_id: str) -> None:
    api.try_move(_body(api.NewTrialSchema, request.form), game_id)


@commands("irregular")
def _play_irregular(game_id: str) -> None:
    fields = irregular_fields(request.form, _laid_on(game_id))
    api.play_irregular(_body(NewIrregularTurnSchema, fields), game_id)


@commands("gap")
def _add_gap(game_id: str) -> None:
    api.add_gap(_body(NewGapSchema, gap_fields(request.form, _laid_on(game_id))), game_id)


@commands("rearrange")
def _rearrange(game_id: str) -> None:
    move = read_rearrangement(request.form, _laid_on(game_id))
    current_services().games.play(game_id, move, current_write(expected_ply=read_number(request.form, "ply")))


@commands("join", "leave")
def _change_people(game_id: str) -> None:
    api.change_people(read_form(api.NewPersonSchema, request.form), game_id)


def _laid_on(game_id: str) -> Position:
    """:raises Conflict: there was another turn since the next one was laid out."""
    snapshot = current_services().games.load(game_id)
    check_next_turn(snapshot.row, read_number(request.form, "ply"))
    return snapshot.position


@blueprint.post("/games/<game_id>/end")
@needs("record")
@shows_refusals(live_page)
def end(game_id: str) -> ResponseReturnValue:
    """End the game by hand."""
    end_game(read_form(EndSchema, end_fields(request.form)), game_id)
    return see_other("web.live", game_id=game_id)


@blueprint.post("/games/<game_id>/tags")
@needs("record")
@shows_refusals(live_page)
def change_tags(game_id: str) -> ResponseReturnValue:
    """Mend the names, the event, the table or the date of a game; names in all games of its match."""
    games = current_services().games
    with games.together():
        changes = read_tag_changes(request.form, games.row(game_id).tags)
        games.retag(game_id, changes, current_write(), in_match=True)
    return see_other("web.live", game_id=game_id, names="new", _anchor="main")


@blueprint.post("/games/<game_id>/end/change")
@needs("arbiter")
@shows_refusals(live_page)
def change_end(game_id: str) -> ResponseReturnValue:
    """Correct how a game ended, or have it go on."""
    form, games = request.form, current_services().games
    with games.together():
        snapshot = games.load(game_id)
        _check_end_known(snapshot, read_number(form, "seq"))
        write = current_write(expected_seq=snapshot.seq)
        if form.get("change") == "reopen":
            body = read_form(ReopeningSchema, form)
            corrections.reopen(games, game_id, body["reason"], write, confirm=body["confirm"])
        else:
            body = read_form(EndCorrectionSchema, {**form, **end_fields(form)})
            end = corrected_end(body)
            corrections.correct_end(games, game_id, end, body["reason"], write, confirm=body["confirm"])
    return see_other("web.live", game_id=game_id)


def _check_end_known(snapshot: GameSnapshot, known: int) -> None:
    """:raises Conflict: the game did not end as the sender of the form saw it, at its event `known`."""
    row = snapshot.row
    if not snapshot.ended:
        raise Conflict(
            "Somebody else had the game go on meanwhile. It has no end to change, and nothing was stored.", current=row
        )
    if any(event.kind in (*ENDS, "reopening") for event in snapshot.events[known:]):
        raise Conflict(
            "Somebody else has changed the end meanwhile. It is now: %(end)s. Send it again to store yours.",
            end=labels.result_words(labels.player_names(row.tags), row),
            current=row,
        )
