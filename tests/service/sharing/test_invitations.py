"""A friend is invited to a game by the page that shares it."""

from dataclasses import replace

from inkeek.service.http.access.limiter import shown_code
from tests.service.accounts.pages.test_joining import AFAR, play
from tests.service.clients import signed_in


def from_afar(app):
    """A device in the same network."""
    client = app.test_client()
    client.environ_base.update(AFAR)
    return client


def test_a_friend_joins_a_game_without_an_event_and_writes_it_and_no_other(app, services):
    """From the wall to the board: the code is asked for, and leads back to the page that was wanted."""
    organizer = signed_in(app, "admin")
    here, there = (organizer.post("/api/v1/games", json={"game": "oware"}).json["id"] for _ in range(2))
    friend = from_afar(app)
    assert 'name="code"' in friend.get(f"/games/{here}/live").text
    shown = organizer.post(f"/games/{here}/invitation").location
    made = services.invitations.for_game(here)
    assert organizer.post(f"/games/{here}/invitation").location == shown
    assert shown_code(made.code) in organizer.get(shown).text
    assert shown_code(made.code) not in signed_in(app, "record").get(shown).text
    assert signed_in(app, "record").post(f"/games/{here}/invitation").status_code == 403
    assert f"/games/{here}/share#invite" in organizer.get(f"/games/{here}/live").text
    assert 'value="watch"' not in friend.get(f"/join/{made.code}").text
    assert friend.post(f"/join/{made.code}", data={"other": "Ben"}).location == f"/games/{here}"
    assert "Ben" in friend.get("/join").text
    assert [play(friend, game) for game in (here, there)] == [201, 404]
    assert [friend.get(f"/games/{game}/live").status_code for game in (here, there)] == [200, 404]
    assert ":Ben:" in services.games.load(here).events[-1].source
    organizer.post(f"/games/{here}/invitation", data={"do": "withdraw"})
    assert friend.get(f"/games/{here}/live").status_code == 401
    assert from_afar(app).get(f"/join/{made.code}").status_code == 404


def test_the_page_of_the_code_invites_a_friend_to_a_game_that_goes_on(app, services, new_game):
    app.extensions["inkeek"] = replace(services, settings=replace(services.settings, host="0.0.0.0"))
    assert f"/games/{new_game()}/share#invite" in signed_in(app, "admin").get("/welcome").text
