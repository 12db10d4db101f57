"""Two people have the same form open. What one of them typed is not lost because the other was first, and takes nothing
away from what the other changed."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from inkeek.records import Position
from inkeek.service.disputes.disputes import add_claim, open_dispute
from inkeek.service.disputes.rulings import rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.games import corrections, people
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.events import rules
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.storage import EventRules

from .html_forms import forms_with, visible_words

OTHER = Write("api", "Nasieku")
CUP = "/events/cup"
LADDER = rules.DEFAULT.ladder


class Row(NamedTuple):
    """A form: the page where it is opened, its address, what is typed, what the other does meanwhile, and what is so
    then: `both` have what they wrote, or the other's stands, and this one is told so."""

    page: str
    address: str
    typed: dict[str, str]
    other: Callable[[], object]
    is_so: Callable[[], bool]
    both: bool = False


class Place:
    """A game of two turns, with a dispute if one is asked for, and an event of four players."""

    def __init__(self, services: Any, new_game: Any) -> None:
        self.store, self.games, self.events = services.store, services.games, services.events
        self.game = new_game(2, tags={"South": "Ann"})
        self.page = f"/games/{self.game}"
        players = tuple(EventPlayer(id, name) for id, name in enumerate(("Ann", "Ben", "Cleo", "Dan"), 1))
        self.events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players), OTHER)

    @property
    def row(self):
        return self.games.row(self.game)

    @property
    def pairings(self):
        return [(one.south, one.north) for one in plan_of(self.events.load("cup")).pairings]

    @property
    def dispute(self):
        return self.games.load(self.game).state.disputes[-1]

    def has(self, kind, number):
        """Whether the game has so many events of a kind."""
        return len([event for event in self.games.load(self.game).events if event.kind == kind]) == number

    def play(self):
        self.games.play(self.game, self.games.load(self.game).legal(1)[0], OTHER)

    def replay(self):
        corrections.take_back(self.games, self.game, "agreement", OTHER)
        self.games.play(self.game, self.games.load(self.game).legal(9)[-1], OTHER)

    def retag(self, **tags):
        self.games.retag(self.game, tags, OTHER)

    def pair(self):
        self.events.begin_round("cup", None, OTHER, [(1, 2), (3, 4)])

    def tap(self):
        self.events.change_table("cup", None, 1, 1, {"result": "1-0"}, OTHER)

    def set_deadline(self):
        rules.set_rules(self.store, "cup", EventRules(LADDER, 30))

    def rules(self):
        return rules.load_rules(self.store, "cup")[:2]


def at_live(
    path: str, typed: dict[str, str], other: Callable[[Place], object], is_so: Callable[[Place], bool], *, both=False
):
    """A form of the live page."""
    return lambda place: Row(
        f"{place.page}/live", place.page + path, typed, lambda: other(place), lambda: is_so(place), both
    )


def at_cup(
    path: str, typed: dict[str, str], other: Callable[[Place], object], is_so: Callable[[Place], bool], *, both=False
):
    """A form of the page of the event."""
    return lambda place: Row(CUP, CUP + path, typed, lambda: other(place), lambda: is_so(place), both)


def at_dispute(path: str, typed: dict[str, str], is_so: Callable[[Place], bool], *, both=False, rules=False):
    """A form of a dispute: meanwhile somebody says something else, or rules."""

    def row(place: Place) -> Row:
        dispute = open_dispute(place.games, place.game, "South", "five were lifted", OTHER)
        page = f"{place.page}/disputes/{dispute.seq}"

        def other():
            if rules:
                rule(place.games, dispute.id, Terms("stands", note="seen by all"), OTHER)
            else:
                add_claim(place.games, dispute.id, "six were lifted", OTHER)

        return Row(page, page + path, typed, other, lambda: is_so(place), both)

    return row


def counted_board(place: Place) -> Row:
    dispute = open_dispute(place.games, place.game, "South", "five were lifted", OTHER)
    position = place.games.load(place.game).position
    theirs = str(Position.parse(f"?.?{str(position)[3:]}"))
    page = f"{place.page}/disputes/{dispute.seq}/board"
    return Row(
        page,
        page,
        {"now.a": "8"},
        lambda: add_claim(place.games, dispute.id, "", OTHER, theirs),
        lambda: place.dispute.seen == theirs,
    )


def review(place: Place) -> Row:
    page = f"{place.page}/review"
    return Row(f"{page}?ply=2", page, {"comment": "fine"}, place.replay, lambda: place.has("annotations", 0))


def corrected_end(place: Place) -> Row:
    place.games.end(place.game, "resignation", "North", OTHER)
    typed = {
        "reason": "the clock stood",
        "termination": "time",
        "winner": "South",
        "score_South": "9",
        "score_North": "8",
    }

    def other():
        corrections.correct_end(place.games, place.game, CorrectedEnd("agreement"), "both say so", OTHER)

    return Row(
        f"{place.page}/live", f"{place.page}/end/change", typed, other, lambda: place.row.termination == "agreement"
    )


def new_event(place: Place) -> Row:
    typed = {"name": "Sunday Cup", "pasted": "Eve\nFay", "game.bof": "yes", "place": "Narok"}
    plan = EventPlan("Sunday Cup", games=(OfferedGame("bof"),), place="Magadi")
    return Row(
        "/events/new",
        "/events/new",
        typed,
        lambda: place.events.create(plan, OTHER),
        lambda: plan_of(place.events.load("sunday cup")).place == "Magadi",
    )


def seats(place: Place) -> Row:
    place.pair()
    return at_cup("/tables", {"south": "3"}, Place.tap, lambda place: place.pairings[0] == (1, 2))(place)


def player(place: Place) -> Row:
    return Row(
        "/players/ann",
        "/players/ann",
        {"name": "Annie", "action": "name"},
        lambda: persons.rename(place.events, place.store, "ann", "Anna", OTHER),
        lambda: persons.load_person(place.store, "ann").key == "anna",
    )


def paper(place: Place) -> Row:
    game = place.games.create("bof", {}, {}, OTHER).id
    first, *_, last = place.games.load(game).legal(9)
    return Row(
        f"/paper?into={game}",
        "/paper/game",
        {"text": f"1. {first}", "into": game},
        lambda: place.games.play(game, last, OTHER),
        lambda: place.games.row(game).ply == 1,
    )


ROWS = {
    "web.play": at_live("/live", {"move": "a"}, Place.play, lambda one: one.row.ply == 3),
    "web.live_action take-back": at_live(
        "/live/actions",
        {"note": "misheard", "action": "take-back", "reason": "team"},
        Place.replay,
        lambda one: one.row.ply == 2,
    ),
    "web.live_action trial": at_live(
        "/live/actions", {"move": "a", "by": "Aisha", "action": "trial"}, Place.play, lambda one: one.row.ply == 3
    ),
    "web.live_action gap": at_live(
        "/live/actions", {"turns": "3", "action": "gap"}, Place.play, lambda one: one.row.ply == 3
    ),
    "web.live_action join": at_live(
        "/live/actions",
        {"name": "Aisha", "action": "join"},
        lambda one: people.join(one.games, one.game, "South", "Babu", OTHER),
        lambda one: one.has("join", 2),
        both=True,
    ),
    "web.end": at_live(
        "/end",
        {"termination": "resignation", "winner": "South"},
        Place.play,
        lambda one: (one.row.ply, one.row.result) == (3, "1-0"),
        both=True,
    ),
    "web.change_tags": at_live(
        "/tags",
        {"Site": "Narok"},
        lambda one: one.retag(North="Babu"),
        lambda one: {"South": "Ann", "North": "Babu", "Site": "Narok"}.items() <= one.row.tags.items(),
        both=True,
    ),
    "web.change_tags same": at_live(
        "/tags",
        {"South": "Anna"},
        lambda one: one.retag(South="Anne", Site="Magadi"),
        lambda one: {"South": "Anne", "Site": "Magadi"}.items() <= one.row.tags.items(),
    ),
    "web.change_end": corrected_end,
    "web.comment": at_live("/review", {"comment": "a fine turn"}, Place.replay, lambda one: one.has("annotations", 0)),
    "web.comment review": review,
    "web.open_dispute": at_live(
        "/disputes", {"claim": "five", "side": "North", "ply": "2"}, Place.replay, lambda one: one.row.dispute is None
    ),
    "web.add_claim": at_dispute(
        "/claim", {"claim": "five, not six"}, lambda one: one.dispute.claim == "six were lifted"
    ),
    "web.add_claim untouched": at_dispute(
        "/claim", {"by": "Aisha"}, lambda one: one.dispute.claim == "six were lifted" and one.has("claim", 1), both=True
    ),
    "web.count_board": counted_board,
    "web.add_evidence": at_dispute(
        "/evidence", {"witness": "Aisha", "text": "six"}, lambda one: one.has("evidence", 1), both=True
    ),
    "web.rule_on_dispute": at_dispute(
        "/ruling", {"note": "I saw it", "outcome": "retracted"}, lambda one: one.has("ruling", 1), rules=True
    ),
    "web.withdraw_dispute": at_dispute(
        "/withdrawal", {"note": "a mistake"}, lambda one: one.has("ruling", 1), rules=True
    ),
    "web.propose_ruling": at_dispute(
        "/proposal",
        {"note": "let it stand", "outcome": "stands", "side": "South"},
        lambda one: one.has("proposal", 0),
        rules=True,
    ),
    "web.create_event": new_event,
    "web.begin_round": at_cup(
        "/rounds", {"south": "3", "north": "1"}, Place.pair, lambda one: one.pairings[0] == (1, 2)
    ),
    "web.change_table": seats,
    "web.set_event_rules": at_cup(
        "", {"rung": LADDER[0]}, Place.set_deadline, lambda one: one.rules() == (LADDER[:1], 30), both=True
    ),
    "web.set_event_rules same": at_cup(
        "", {"appeal_minutes": "20"}, Place.set_deadline, lambda one: one.rules() == (LADDER, 30)
    ),
    "web.change_player": player,
    "web.keep_paper": paper,
}

OTHERS = {  # forms that make something of one's own, or in which nothing is typed
    *("create_game", "create_match", "create_token", "check_rules", "import_text", "read_paper", "invite", "bind"),
    *("invite_to_game", "choose_backup_folder", "download_backup", "set_appearance", "store_example", "choose_phones"),
    *("use_link", "sign_out", "join_as", "ask_to_keep", "add_device", "end_device", "rotate_token", "revoke_token"),
    *("withdraw_invitation", "change_guest", "choose_watching", "set_privacy", "answer", "request_action"),
    *("analyze_game", "cancel_game_analysis", "annotate_from_analysis", "begin_next_game"),
    *(
        "answer_proposal",
        "appeal_ruling",
        "release_photograph",
        "remove_photograph",
    ),  # the course has both
    "change_event_plan",  # events/test_plans.py
}


@pytest.mark.parametrize("name", ROWS)
def test_nobody_takes_a_word_from_another(client, services, new_game, name):
    row = ROWS[name](Place(services, new_game))
    form = forms_with(client.get(row.page).text, row.address, row.typed)[0]
    row.other()
    answer = client.post(row.address, data={**form, **row.typed})
    assert (answer.status_code, row.is_so()) == (303 if row.both else 409, True)
    if not row.both:
        fields = {name: text for name, text in row.typed.items() if name in form}
        kept = [
            {name: one.get(name, "").strip() for name in fields} for one in forms_with(answer.text, row.address, fields)
        ]
        words = visible_words(answer.text)
        assert fields in kept or all(text in words for text in fields.values()), (fields, kept[:2])


def test_every_form_is_tried_or_has_nothing_that_another_could_change(app):
    forms = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    tried = {name.partition(" ")[0] for name in ROWS}
    assert {form for form in forms if form.startswith("web.")} == tried | {f"web.{name}" for name in OTHERS}
