"""What the page of a dispute shows of the boards."""

from __future__ import annotations

import re

from records import Position
from service.games.disputes.disputes import open_dispute
from service.games.write import Write


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
