"""Tags that tell of a match, or of the version; what one record alone may say. The corpus has a file for each point."""

import io
import json

import pytest
from hypothesis import given, strategies as st

from inkeek.records import Board, read_games, ruleset, write_game
from inkeek.records.notation.tags import (
    CONSENT_WORDS,
    MAX_GAMES,
    MAX_TEAM,
    TagError,
    consent_of,
    match_game,
    parse_match,
    parse_team,
    rules_of,
    starting_teams,
    tag_warnings,
)
from inkeek.records.rules.ruleset import ruleset_of, write_ruleset_json

OWN = {
    "id": "my:game",
    "name": "Mine",
    "sources": ['"A" \\ B'],
    "extends": "bof",
    "pits": 3,
    "each": 2,
    "options": {"direction": {"default": "cw", "allowed": ["cw", "ccw"], "says": "the way"}},
    "sow": {"direction": {"option": "direction"}},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("games", ("games", None)),
        ("games 5", ("games", 5)),
        ("games 5, at Narok", ("games", 5)),
        (f"games {MAX_GAMES}", ("games", MAX_GAMES)),
        ("games at Narok", ("games", None)),
        ("surplus", ("surplus", None)),
        ("surplus, third", ("surplus", None)),
        ("surplus 2026", ("surplus", None)),
        ("rounds: at the well", ("rounds", None)),
        ("", (None, None)),
        ("Games 5", (None, None)),
        ("gamesome", (None, None)),
        ("a match for the surplus", (None, None)),
        ("games 5th", ("games", None)),
    ],
)
def test_match_tags_are_read(text, expected):
    assert parse_match(text) == expected


@pytest.mark.parametrize("number", ["0", "1001", "01", "99999999999999999999"])
def test_numbers_of_games_that_cannot_be(number):
    with pytest.raises(TagError, match=f"Match is 'games {number}': expected a number from 1 to 1000"):
        parse_match(f"games {number}")


def test_the_tag_sets_the_option_and_agrees_with_it():
    for tags in ({"Match": "surplus"}, {"Options": "match=surplus"}, {"Match": "surplus", "Options": "match=surplus"}):
        assert rules_of({"Game": "enkeshui", **tags}).options["match"] == "surplus"
    with pytest.raises(TagError, match="Match is 'games 3', but the options say match=none"):
        rules_of({"Game": "enkeshui", "Match": "games 3", "Options": "match=none"})


def test_an_option_that_needs_a_match_has_it_from_the_tag():
    assert rules_of({"Game": "bof", "Match": "games 3", "Options": "starter=loser"}).options["starter"] == "loser"


@pytest.mark.parametrize("version", ["1", "1.1", "2"])
def test_a_version_that_is_not_known_gets_a_warning(version):
    tags = {"Game": "bof", "Version": version}
    assert [repr(version) in text for text in tag_warnings(tags, rules_of(tags)).values()] == [True] * (version == "2")


def test_the_number_of_a_game_means_something_only_in_a_match():
    tags = {"Game": "bof", "MatchGame": "third"}
    assert match_game(tags, rules_of(tags)) is None
    tags = {"Game": "bof", "MatchGame": "3", "Match": "rounds"}
    assert match_game(tags, rules_of(tags)) == 3


def test_a_match_for_the_surplus_is_measured_by_its_set_up():
    rows = {"Setup": "0.0.0.1.4.4.0.0/4.4.4.4.4.4.0.0 0-0 s 0", "Match": "surplus", "Game": "enkeshui"}
    assert rules_of({**rows, "Options": "setup=fours-left"}).start().seeds == 33
    with pytest.raises(TagError, match="setup=fours-right: South has 9 seeds and laid"):
        rules_of(rows)
    with pytest.raises(TagError, match="setup=triples is for pits=12, not pits=8"):
        rules_of({**rows, "Options": "setup=triples"})
    with pytest.raises(TagError, match="has 36 seeds for South and 12 for North"):
        rules_of({**rows, "Options": "setup=8.8.4.4.4.4.4.0/4.4.4.0.0.0.0.0"})
    with pytest.raises(TagError, match="no set-up of a board with pits=10 is attested"):
        rules_of({**rows, "Setup": "0.0.0.0.0.1.4.4.4.4/0.0.0.0.0.1.4.4.4.4 0-0 s 0"})


def test_a_game_of_ones_own_is_written_with_its_rules_and_read_by_them():
    rules = ruleset(ruleset_of(OWN), direction="ccw")
    board = Board(rules)
    board.push(next(iter(board.legal_moves)))
    game = board.game()
    assert (game.tags["Version"], game.tags["Options"]) == ("1.1", "direction=ccw")
    (again,) = read_games(io.StringIO(write_game(game)))
    assert (again.errors, again.replay().positions) == ((), game.replay().positions)
    assert write_ruleset_json(again.rules().info) == write_ruleset_json(rules.info)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "no JSON object"),
        ("[" * 40_000, "is not JSON"),
        ('{"id":"my:game","id":"my:game"}', "the key 'id' appears twice"),
        ('{"id":"my:game","each":NaN}', "rule set my:game: each = nan: expected a whole number"),
        ('{"id":"bof"}', "id = 'bof': expected a place and a name"),
        (json.dumps({**OWN, "sow": {"direction": "up"}}), "sow.direction = 'up': expected one of"),
    ],
)
def test_rules_that_cannot_be_read(text, says):
    with pytest.raises(TagError) as caught:
        rules_of({"Game": "my:game", "Version": "1.1", "Rules": text})
    assert (caught.value.tag, says in str(caught.value)) == ("Rules", True), str(caught.value)


names = st.text("ABC äé.-", min_size=1, max_size=8).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(names, max_size=MAX_TEAM, unique=True))
def test_names_are_read_in_order(team):
    assert parse_team("SouthTeam", "; ".join(team)) == tuple(team)


@pytest.mark.parametrize(("text", "team"), [("", ()), ("?", ()), (" A ;; B  C;", ("A", "B C")), ("A", ("A",))])
def test_a_tag_is_names_with_semicolons_between_them(text, team):
    assert parse_team("SouthTeam", text) == team


def test_the_tag_that_is_wrong_is_named():
    assert starting_teams({"NorthTeam": "A"}) == ((), ("A",))
    with pytest.raises(TagError) as caught:
        starting_teams({"SouthTeam": "A", "NorthTeam": "B; A"})
    assert caught.value.tag == "NorthTeam"


def consent_warnings(consent):
    tags = {"Game": "bof", "Consent": consent}
    return [text for text in tag_warnings(tags, rules_of(tags)).values() if repr(consent) in text]


@pytest.mark.parametrize("wanted", ["names", "pseudonyms", "none"])
def test_what_consent_programs_understand_has_no_warning(wanted):
    for word in CONSENT_WORDS[wanted]:
        for written in (word, f" {word.upper()}. "):
            assert consent_of({"Consent": written}) == (None if wanted == "names" else wanted), written
            assert not consent_warnings(written)


@pytest.mark.parametrize("consent", [None, "", " ", "?"])
def test_where_nothing_is_said_of_consent_nothing_is_asked(consent):
    tags = {"Game": "bof", **({} if consent is None else {"Consent": consent})}
    assert consent_of(tags) is None
    assert not tag_warnings(tags, rules_of(tags))


@pytest.mark.parametrize(
    ("consent", "wanted"),
    [
        ("as the club says", "pseudonyms"),
        ("not anonymous, they want to be named", "pseudonyms"),
        ("no pseudonyms", "pseudonyms"),
        ("no names, please", "pseudonyms"),
        ("yes, but no names", "pseudonyms"),
        ("yes?", "pseudonyms"),
        ("-", "pseudonyms"),
        ("!", "pseudonyms"),
        ("oral, 1990", "pseudonyms"),
        ("The players refused", "none"),
        ("Ama declined", "none"),
        ("withdrawn in 1994", "none"),
        ("no, thanks", "none"),
        ("none given", "none"),
        ("please don’t publish this", "none"),
        ("not to be published", "none"),
        ("wachezaji walikataa", "none"),
    ],
)
def test_words_that_are_no_clear_permission_permit_nothing_and_are_warned_of(consent, wanted):
    assert consent_of({"Consent": consent}) == wanted
    (text,) = consent_warnings(consent)
    assert f"treat it as {wanted}" in text
