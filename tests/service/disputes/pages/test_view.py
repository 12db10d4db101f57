"""What the page of a dispute shows of the boards."""

from __future__ import annotations

import re

import pytest

from inkeek.records import Position
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.write import Write
from inkeek.service.storage import DisputeRow


def test_a_store_that_differs_is_listed_and_ringed(client, games, new_game):
    game = new_game(4)
    should = Position.parse(games.row(game).position)
    (south, north), pits = should.stores, list(should.pits)
    pits[pits.index(max(pits))] -= 3
    seen = str(should.replaced(pits=tuple(pits), stores=(south + 3, north)))
    dispute = open_dispute(games, game, "South", "I captured three", Write("api"), seen)
    page = client.get(f"/games/{game}/disputes/{dispute.seq}").text
    listed = re.search(r'<p class="differs">([^<]*)<', page)[1].split("; ")
    assert len(listed) == 2
    assert f"{south + 3} on the board" in listed[1]
    lies = page.split('data-picture="lies"')[1].split("</figure>")[0]
    assert set(re.findall("[+−]3", lies)) == {"+3", "−3"}


@pytest.fixture
def unmarked(games, new_game):
    """A disputed game with a special pit that is not marked on the board; its number, and the pit's letter."""
    for seed in range(50):
        game = new_game(6, seed=seed)
        should = Position.parse(games.row(game).position)
        if not any(should.marks):
            continue
        pit = next(pit for pit, mark in enumerate(should.marks) if mark)
        marks = tuple(0 if at == pit else mark for at, mark in enumerate(should.marks))
        seen = str(should.replaced(marks=marks))
        return open_dispute(games, game, "South", "it is no bull", Write("api"), seen), pit, should.letter(pit)
    raise AssertionError("no game has a special pit")


def test_a_mark_that_differs_is_listed_and_ringed(client, unmarked):
    dispute, pit, letter = unmarked
    page = client.get(f"/games/{dispute.game}/disputes/{dispute.seq}").text
    assert re.search(r'<p class="differs">([^<]*)<', page)[1].strip().startswith(f"{letter}: ")
    lies = page.split('data-picture="lies"')[1].split("</figure>")[0]
    assert re.findall(r'class="pit mend"\s+data-pit="(\d+)"', lies) == [str(pit)]
    assert 'class="badge"' not in lies
    sheet = client.get(f"/games/{dispute.game}/disputes/{dispute.seq}/sheet").text
    assert f"<p>{letter}: " in sheet


def test_a_ruling_orders_the_mark(client, unmarked):
    dispute, _, letter = unmarked
    board = client.post(f"/api/v1/disputes/{dispute.id}/preview", json={"outcome": "stands"}).json["board"]
    assert [(one["place"], one["mark_lies"]) for one in board] == [(letter, None)]
    assert board[0]["mark_then"] in ("South", "North")
    assert board[0]["lies"] == board[0]["then"]


@pytest.fixture
def ended(games, new_game):
    """Disputes the end or the last turn of a game that the rules ended, its pits cleared into the store of North.
    Returns the dispute, and the seeds that belong to South."""

    def make(about: str) -> tuple[DisputeRow, int]:
        for seed in range(50):
            game = new_game(300, "kalah", seed=seed)
            should = Position.parse(games.row(game).position)
            souths = sum(should.pits[: should.row])
            if souths:
                break
        stores = should.stores[0], should.stores[1] + souths
        seen = str(should.replaced(pits=(0,) * len(should.pits), stores=stores))
        return open_dispute(games, game, "South", "they are mine", Write("api"), seen, about), souths

    return make


@pytest.mark.parametrize("about", ["end", "turn"])
def test_cleared_pits_are_compared_with_the_cleared_record(client, ended, about):
    dispute, souths = ended(about)
    page = client.get(f"/games/{dispute.game}/disputes/{dispute.seq}").text
    assert len(re.search(r'<p class="differs">([^<]*)<', page)[1].split("; ")) == 2
    for address in ("", "/sheet"):
        drawn = client.get(f"/games/{dispute.game}/disputes/{dispute.seq}{address}").text
        assert set(re.findall(r'class="badge"[^>]*>([^<]*)<', drawn.split("data-account")[0])) == {
            f"+{souths}",
            f"−{souths}",
        }
    board = client.post(f"/api/v1/disputes/{dispute.id}/preview", json={"outcome": "stands"}).json["board"]
    assert [(one["place"], one["then"] - one["lies"]) for one in board] == [("South", souths), ("North", -souths)]


@pytest.mark.parametrize("about", ["end", "turn"])
def test_a_remedy_that_is_refused_is_not_offered(client, ended, about):
    dispute, _ = ended(about)
    page = client.get(f"/games/{dispute.game}/disputes/{dispute.seq}").text
    offered = set(re.findall(r'name="outcome"\s+value="(\w+)"', page))
    assert offered == ({"stands"} if about == "end" else {"stands", "retracted", "restart", "corrected"})
