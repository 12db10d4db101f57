from __future__ import annotations

import re
from html import unescape

from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.write import Write


def test_list_bar_course_and_choice_cite_turns_as_the_record_does(client, games, new_game):
    def page_text(address: str) -> str:
        return unescape(client.get(address).get_data(as_text=True))

    game = new_game(4, tags={"Event": "Cup of the lake", "Round": "3", "Board": "7"})
    cited = games.load(game).cite(3)
    opened = open_dispute(games, game, "South", "not so", Write("api"), ply=3)
    card = page_text("/disputes").split('id="ruled-head"')[0]
    place = re.search(r"data-place>([^<]*)<", card)
    assert place is not None
    assert [word in place[1] for word in ("Cup of the lake", "3", "7")] == [True] * 3
    assert cited in card
    assert cited in page_text(f"/games/{game}/live").split('class="disputed-bar"')[1].split("</p>")[0]
    page = page_text(f"/games/{game}/disputes/{opened.seq}")
    assert cited in page.split('data-entry="dispute"')[1].split("</li>")[0]
    choices = re.findall(
        r'<option value="([0-9]*)"[^>]*>(.*?)</option>', page.split('name="to"')[1].split("</select>")[0]
    )
    assert [value for value, _ in choices] == ["", "2", "1"]
    assert choices[1][1] == games.load(game).cite(2)
