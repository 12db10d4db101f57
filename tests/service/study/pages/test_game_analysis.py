import re
from html.parser import HTMLParser

import pytest

from inkeek.service.games.corrections import take_back
from inkeek.service.games.write import Write
from inkeek.service.study.pages import seeds_text
from tests.service.clients import signed_in, with_token


class Rows(HTMLParser):
    """The rows of the table of turns, as cells of text by ply."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: dict[int, list[str]] = {}
        self._row: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "tr" and given.get("data-ply"):
            self._row = self.rows[int(given["data-ply"] or "")] = []
        elif tag in ("th", "td") and self._row is not None:
            self._row.append("")
        elif tag == "tr":
            self._row = None

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._row:
            self._row[-1] += data


def path_of(game_id: str) -> str:
    return f"/games/{game_id}/analysis"


def test_a_game_is_analyzed_from_its_page(app, services, new_game, work_on_jobs):
    client, game_id = signed_in(app), new_game(6)
    assert Rows(client.get(path_of(game_id)).text).rows == {}
    asked = client.post(path_of(game_id), data={"effort": "quick"})
    assert asked.status_code == 303
    working = client.get(asked.location).text
    job = re.search(r'data-job="(\w+)"', working)
    assert job is not None
    assert services.jobs.get(job[1]).limits["nodes"] == 100_000
    assert 'max="7" value="0"' in working
    work_on_jobs()
    page = client.get(asked.location).text
    found = services.jobs.game_analysis(game_id).found
    rows = Rows(page).rows
    assert list(rows) == [1, 2, 3, 4, 5, 6]
    for turn in found.turns:
        sign = 1 if turn.side == 0 else -1
        _, value, loss, best = rows[turn.ply]
        assert value.split()[0] == seeds_text(sign * turn.after)
        assert loss == ("" if turn.loss is None else seeds_text(-turn.loss))
        assert bool(best) == bool(turn.loss)
        if turn.loss:
            assert best.split()[0] == str(turn.best.moves[0])
    for percent in found.accuracy:
        assert ("–" if percent is None else f"{percent:g} %") in page
    assert page.count("value-graph") == 1


def test_a_job_is_cancelled_by_who_started_it(app, services, new_game):
    client, game_id = signed_in(app), new_game(2)
    asked = client.post(path_of(game_id))
    job = asked.location.partition("job=")[2]
    other = with_token(app, "read")
    assert 'name="job"' not in other.get(path_of(game_id)).text
    assert other.post(f"{path_of(game_id)}/cancel", data={"job": job}).status_code == 403
    assert client.post(f"{path_of(game_id)}/cancel", data={"job": job}).status_code == 303
    assert services.jobs.get(job).state == "cancelled"
    assert client.post(f"{path_of(game_id)}/cancel", data={"job": job}).status_code == 303  # over already
    assert "data-job" not in client.get(path_of(game_id)).text


def test_each_key_follows_its_own_job(app, services, new_game):
    clients, game_id = (signed_in(app), with_token(app, "read")), new_game(2)
    asked = [client.post(path_of(game_id)).location for client in clients]
    own = [location.partition("job=")[2] for location in asked]
    assert own[0] != own[1]
    services.jobs.cancel(own[0])
    shown = [re.findall(r'data-job="(\w+)"', clients[1].get(location).text) for location in asked]
    assert shown == [[], [own[1]]]


def test_a_game_that_went_on_shows_the_turns_that_still_stand(app, games, new_game, work_on_jobs):
    client, game_id = signed_in(app), new_game(4)
    client.post(path_of(game_id))
    work_on_jobs()
    games.play(game_id, games.load(game_id).legal(20)[0], Write("api"))
    page = client.get(path_of(game_id)).text
    assert list(Rows(page).rows) == [1, 2, 3, 4]
    assert 'class="warning"' in page
    take_back(games, game_id, "agreement", Write("api"), count=2)
    other = [move for move in games.load(game_id).legal(20) if str(move) != Rows(page).rows[4][0].split()[1]]
    games.play(game_id, other[0], Write("api"))
    assert list(Rows(client.get(path_of(game_id)).text).rows) == [1, 2, 3]


def buttons(page: str) -> list[str]:
    """What the form about the record offers."""
    form = page.partition("data-notes>")[2].partition("</form>")[0]
    return re.findall(r'name="action" value="(\w+)"', form)


def test_an_analysis_is_written_into_the_record_and_removed(app, games, new_game, work_on_jobs):
    client, game_id = signed_in(app, "record"), new_game(4)
    address = f"{path_of(game_id)}/annotations"
    assert buttons(client.get(path_of(game_id)).text) == []
    assert client.post(address, data={"action": "write"}).status_code == 409
    client.post(path_of(game_id))
    work_on_jobs()
    assert buttons(client.get(path_of(game_id)).text) == ["write"]
    written = client.post(address, data={"action": "write"})
    assert (written.status_code, written.location) == (303, path_of(game_id))
    assert buttons(client.get(written.location).text) == ["remove"]
    assert "[%value" in client.get(f"/api/v1/games/{game_id}.pmn").text
    notes = games.load(game_id).state.annotations
    assert [one.ply for one in notes if one.kind == "comment"] == [0, 1, 2, 3, 4]
    assert all(one.from_analysis and one.source.startswith("page:Naisula:") for one in notes)
    seq = games.row(game_id).seq
    client.post(address, data={"action": "write"})
    assert games.row(game_id).seq == seq  # the same is not stored twice
    games.play(game_id, games.load(game_id).legal(20)[0], Write("api"))
    assert buttons(client.get(path_of(game_id)).text) == ["remove"]  # it is not that of the game any more
    assert client.post(address, data={"action": "write"}).status_code == 409
    assert client.post(address, data={"action": "remove"}).status_code == 303
    assert "[%value" not in client.get(f"/api/v1/games/{game_id}.pmn").text
    assert buttons(client.get(path_of(game_id)).text) == []
    assert client.post(address, data={"action": "print"}).status_code == 400


def test_who_may_not_record_writes_no_analysis_and_nobody_removes_that_of_others(app, new_game, work_on_jobs):
    client, game_id = signed_in(app, "record"), new_game(2)
    address = f"{path_of(game_id)}/annotations"
    client.post(path_of(game_id))
    work_on_jobs()
    reader, nobody = signed_in(app, "read"), app.test_client()
    assert buttons(reader.get(path_of(game_id)).text) == []
    assert reader.post(address, data={"action": "write"}).status_code == 403
    assert nobody.post(address, data={"action": "write"}).status_code == 401
    assert client.post(address, data={"action": "write"}).status_code == 303
    other = with_token(app, "record")
    assert other.delete(f"/api/v1/games/{game_id}/analysis/annotations").status_code == 403


def test_a_failed_job_says_why(app, services, new_game):
    client, game_id = signed_in(app), new_game(2)
    asked = client.post(path_of(game_id))
    job = asked.location.partition("job=")[2]
    with services.store.writing() as transaction:
        transaction.jobs.finish(job, None, "failed", "2026-11-20T18:00:00Z", error="workers died")
    page = client.get(asked.location).text
    assert "workers died" in page
    assert "data-job" not in page


@pytest.mark.parametrize(("sent", "status"), [({"effort": "endless"}, 400), ({"effort": "deep"}, 303)])
def test_an_effort_is_one_of_a_few(app, new_game, sent, status):
    assert signed_in(app).post(path_of(new_game(2)), data=sent).status_code == status


def test_a_job_of_another_game_is_not_found(app, new_game):
    client = signed_in(app)
    job = client.post(path_of(new_game(2))).location.partition("job=")[2]
    assert client.get(f"{path_of(new_game(3))}?job={job}").status_code == 404


@pytest.mark.parametrize(
    ("value", "text"), [(3.0, "+3"), (-1.5, "−1.5"), (0.0, "0"), (0.04, "0"), (-0.04, "0"), (12.25, "+12.2")]
)
def test_values_are_written_short(value, text):
    assert seeds_text(value) == text
