"""The pages of games: the list, the form for a new game, the live page and the review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.records import OptionError, Rules, Turn, ruleset
from inkeek.records.drawing.svg import Highlights, highlights_of
from inkeek.records.rules.ruleset import format_value, verify_ruleset_id
from inkeek.records.rules.trace import sown_seeds
from inkeek.service.disputes.view import waiting_disputes
from inkeek.service.http.access import allows, needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_caller, current_limit, current_services, find_ruleset
from inkeek.service.http.language import error_text, gettext, local_time
from inkeek.service.http.names import with_persons
from inkeek.service.http.web import forms, labels
from inkeek.service.http.web.base import blueprint, feed_address, feed_end, render_page, see_other, unchanged_or
from inkeek.service.http.web.drawing import BoardPicture
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.storage import GameFilter, GameRow, event_of
from inkeek.service.storage.search import name_key, table_and_event

from . import api, view_models
from .events.plan import EventPlan, plan_of
from .schemas import NewGameSchema
from .view_models import default_set_ups, set_ups

LOOKED_AT = 100  # legal turns of the start among which the example is chosen
MOST_SEEDS = 12  # sown in the example, if a turn has so few


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """A picture with what it explains; `terms` are those of its game."""

    drawn: BoardPicture
    words: str
    terms: dict[str, str]


def first_pictures() -> tuple[FirstPicture, ...]:
    """Tap a pit; compare what was sown; mend a mistake."""
    rules, turn = _example()
    terms = dict(rules.info.terms)
    trace = rules.trace(turn.before, turn.move)
    path = sown_seeds(trace.events, len(turn.before.pits))
    legal = tuple({move.pit_index(rules.row): None for move in rules.legal_moves(turn.before, LOOKED_AT)})
    last, after = path[-1].place, (path[-1].place + 1) % len(turn.before.pits)
    pits = list(turn.position.pits)
    pits[last], pits[after] = pits[last] - 1, pits[after] + 1
    slipped = turn.position.replaced(pits=tuple(pits))
    start = highlights_of(turn, rules.row).start
    return (
        FirstPicture(
            BoardPicture(turn.before, gettext("1. Tap the pit that is emptied"), Highlights(legal=legal)),
            gettext("Pits that can be played glow. Hold a pit to see what its turn would do."),
            terms,
        ),
        FirstPicture(
            BoardPicture(turn.position, gettext("2. Compare the boards"), Highlights(start=start), path),
            gettext("The page sows the turn and numbers its seeds. Your board must look the same."),
            terms,
        ),
        FirstPicture(
            BoardPicture(slipped, gettext("3. Mend a mistake"), Highlights(mend={last: 1, after: -1})),
            gettext(
                "“Was this turn legal?” says what went wrong and where to add or remove seeds. Or take the turn back, "
                "lay out what stands, or ask the arbiter."
            ),
            terms,
        ),
    )


@cache
def _example() -> tuple[Rules, Turn]:
    rules = ruleset("enkeshui", pits=8, setup="fours-left")
    turns = rules.turns(rules.start(), LOOKED_AT)

    def sown(turn: Turn) -> int:
        return len(sown_seeds(rules.trace(turn.before, turn.move).events, len(turn.before.pits)))

    return rules, max(turns, key=lambda turn: (sown(turn) <= MOST_SEEDS, sown(turn)))


LIVE = 9  # boards on the home page
RESULTS = 15  # on the home page, and as many records that are not finished
UNENDED = 100  # games that have not ended, among which the home page looks for live ones
WAITING = 10  # disputes on the home page


def games_of(rows: Iterable[GameRow]) -> list[view_models.GameCard]:
    """What the lists show of these games, with the players as they are written everywhere."""
    return [view_models.GameCard(row) for row in with_persons(list(rows))]


@blueprint.get("/")
@needs("read", limited=True)
def games() -> ResponseReturnValue:
    """What goes on: live games, for arbiters the disputes that wait, the newest results, and records of games that have
    not ended."""
    feed = feed_address(feed_end())
    unended, more = _newest("live", UNENDED)
    live = [row for row in unended if labels.is_live(row)]
    ended = games_of(_newest("ended", RESULTS)[0])
    today = local_time().date().isoformat()
    page = render_page(
        "games/home.html",
        live=games_of(live[:LIVE]),
        more_live=more or len(live) > LIVE,
        waiting=waiting_disputes(WAITING) if allows(current_caller().scopes, "arbiter") else (),
        today=[game for game in ended if game.day == today],
        earlier=[game for game in ended if game.day != today],
        unfinished=games_of([row for row in unended if row not in live][:RESULTS]),
        first_pictures=first_pictures,
        feed=feed,
    )
    return unchanged_or(page)


def _newest(state: str, most: int) -> tuple[Sequence[GameRow], str | None]:
    return current_services().games.page(most, None, GameFilter(state=state, within=current_limit()))


@blueprint.get("/games/new")
@needs("read", limited=True)
def new_game() -> ResponseReturnValue:
    """The form for a new game: first the rule set, which the event may say, then the players."""
    ruleset_id, event = request.args.get("game"), request.args.get("event", "")
    plan = _plan(event)
    offered = {one.game: one for one in plan.games} if plan else {}
    if ruleset_id is None and len(offered) == 1:
        ruleset_id = next(iter(offered))
    if ruleset_id is None:
        rulesets = [one for one in default_set_ups() if not offered or one[0].id in offered]
        return render_template("games/choose.html", rulesets=rulesets, form="web.new_game", event=event or None)
    given = {"Date": local_time().date().isoformat(), "Event": plan.name if plan else event, **_where()}
    if ruleset_id in offered:
        given |= {f"{forms.OPTION}{name}": format_value(value) for name, value in offered[ruleset_id].options.items()}
    return new_game_form(checked_ruleset(ruleset_id), given, None)


def _plan(event: str) -> EventPlan | None:
    """The plan of the event of that name, if it has one that the caller may read."""
    key, limit = event_of({"Event": event}), current_limit()
    if key is None or (limit is not None and (limit.kind != "event" or name_key(limit.value) != key)):
        return None
    row = current_services().events.row(key)
    return None if row is None else plan_of(row)


@blueprint.post("/games/new")
@needs("record", limited=True)
@shows_refusals(lambda refusal: new_game_form(checked_ruleset(request.form.get("game", "")), request.form, refusal))
def create_game() -> ResponseReturnValue:
    """Create the game, or show the form again with what is wrong."""
    checked_ruleset(request.form.get("game", ""))
    given = forms.new_game_fields(request.form)
    if "Date" not in request.form:
        given["tags"]["Date"] = forms.today()
    new = api.create_game(read_form(NewGameSchema, given))
    return see_other("web.live", game_id=new.row.id, names="new")


def _where() -> dict[str, str]:
    """The event and the table of a caller who is limited to them, as tags."""
    limit = current_caller().limit
    if limit is None or limit.kind not in ("event", "table"):
        return {}
    table, event = table_and_event(limit) if limit.kind == "table" else ("", limit.value)
    return {"Event": event, "Board": table}


def checked_ruleset(ruleset_id: str) -> str:
    """The id of a rule set, or of the one that a stored game carries (`Rulesets.find`).

    :raises BadRequest: there is none of that name.
    """
    try:
        verify_ruleset_id(ruleset_id.partition("@")[0])
    except OptionError as error:
        raise BadRequest(error_text(error)) from error
    return ruleset_id


def new_game_form(
    ruleset_id: str, given: Mapping[str, str], refusal: str | None, match_kinds: Sequence[tuple[str, str]] = ()
) -> str:
    """The form for a new game, or with `match_kinds` for a match."""
    info = find_ruleset(ruleset_id)
    values = {"info": info, "set_ups": set_ups(info), "tags": forms.TAGS, "match_kinds": match_kinds}
    return render_template("games/new.html", given=given, refusal=refusal, **values)


@blueprint.get("/games/<game_id>")
@needs("read")
def game(game_id: str) -> ResponseReturnValue:
    """The page of the game: the live page while it goes on, else the review."""
    row = current_services().games.row(game_id)
    return redirect(url_for("web.live" if row.state == "live" else "web.review", game_id=game_id), 302)
