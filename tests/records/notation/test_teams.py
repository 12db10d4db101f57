import pytest
from hypothesis import given
from hypothesis import strategies as st

from inkeek.records.notation.tags import MAX_TEAM, TagError, parse_team, starting_teams

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
