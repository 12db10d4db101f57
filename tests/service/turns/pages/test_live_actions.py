import pytest

from inkeek.service.games.write import Write
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import forms_with


@pytest.fixture
def people(app, games, new_game):
    """Send forms of the live page to a game of two turns; returns what its record then says of people."""
    game_id, client = new_game(2), signed_in(app, "record")

    def send(**form: str):
        assert client.post(f"/games/{game_id}/live/actions", data=form).status_code == 303
        return games.load(game_id).record.people()

    return send


@pytest.mark.parametrize(
    ("reason", "chosen", "side"),
    [
        ("standing", "South", "South"),
        ("illegal", "North", "North"),
        ("objection", "North", "South"),
        ("team", "", "North"),
    ],
)
def test_a_retraction_has_the_chosen_side_and_an_objection_the_opponents(people, reason, chosen, side) -> None:
    (taken,) = people(action="take-back", ply="2", reason=reason, side=chosen).retractions
    assert (str(taken.command.side), taken.command.reason) == (side, reason)


def test_a_trial_says_whose_suggestion_it_was(people) -> None:
    (trial,) = people(action="trial", ply="3", move="b", by="Nasieku").trials
    assert trial.command.by == "Nasieku"


def test_what_was_chosen_for_a_turn_is_not_chosen_for_the_one_that_came_after_it(app, games, new_game) -> None:
    game_id, client = new_game(2), signed_in(app, "record")
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    sent = {"action": "take-back", "ply": "2", "reason": "team", "side": "North", "note": "misheard"}
    answer = client.post(f"/games/{game_id}/live/actions", data=sent)
    assert answer.status_code == 409
    form, *_ = forms_with(answer.text, "", ("ply", "side", "note"))
    assert (form["ply"], form["side"], form["note"]) == ("3", "South", "misheard")
