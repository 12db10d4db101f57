from types import SimpleNamespace

from inkeek.service.disputes.words import EFFECTS, cite_in_words, remedy_choices


def test_every_remedy_says_what_it_does_to_the_game(app):
    with app.test_request_context():
        for about in ("turn", "end"):
            dispute = SimpleNamespace(about=about, ply=1, is_unrecorded=False)
            assert EFFECTS[about].keys() == remedy_choices(dispute, str).keys()


def test_a_turn_without_a_move_is_cited_without_a_point(app, games, new_game):
    for turns in (2, 3):
        cite = cite_in_words(games.load(new_game(turns)))
        with app.test_request_context():
            assert "." in cite(1)
            assert not {".", "…"} & set(cite(turns + 1))
