from __future__ import annotations

from service.http.web.disputes.remedies import cite_in_words


def test_a_turn_without_a_move_is_cited_without_a_point(app, games, new_game):
    for turns in (2, 3):
        cite = cite_in_words(games.load(new_game(turns)))
        with app.test_request_context():
            assert "." in cite(1)
            assert not {".", "…"} & set(cite(turns + 1))
