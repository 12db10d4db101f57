from __future__ import annotations

import pytest

from records import OptionError, ruleset, ruleset_ids
from records.ruleset import format_value, load_ruleset


def test_the_games():
    assert set(ruleset_ids()) >= {"enkeshui", "enkeshui-wikipedia", "anywoli", "layli-goobalay", "bof"}
    assert list(ruleset_ids()) == sorted(ruleset_ids())


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_rule_set_tells_all_of_itself(id):
    info = load_ruleset(id)
    assert info.id == id
    assert info.name
    assert info.title
    assert info.sources
    for option in info.options:
        assert option.default in option.allowed
        assert option.says
    rules = ruleset(id)
    assert rules.changed == {}
    assert set(rules.options) == {option.name for option in info.options}
    assert rules.start().seeds == info.seeds_on_board(rules.options)
    assert rules.outcome(rules.start()) is None


@pytest.mark.parametrize("id", ruleset_ids())
def test_every_value_of_every_option_is_taken_also_as_text(id):
    for option in load_ruleset(id).options:
        for value in option.allowed:
            if id.startswith("enkeshui") and (option.name, value) == ("pits", 10):
                continue
            for given in (value, format_value(value)):
                assert ruleset(id, **{option.name: given}).options[option.name] == value


@pytest.mark.parametrize(
    ("id", "options", "says"),
    [
        ("chess", {}, "no rule set 'chess': expected one of anywoli, bof, enkeshui"),
        ("bof", {"pit": 5}, "bof has no option 'pit': expected one of pits"),
        ("bof", {"pits": 6}, "bof: option pits=6 is not possible: expected 5"),
        ("bof", {"pits": True}, "option pits=true is not possible"),
        ("anywoli", {"skip_origin": 1}, "option skip_origin=1 is not possible: expected true or false"),
        ("layli-goobalay", {"direction": "up"}, "option direction=up is not possible: expected cw or ccw"),
        ("enkeshui", {"setup": "fours"}, "option setup=fours is not possible: expected triples or fours-right"),
        ("enkeshui", {"setup": "triples", "pits": 8}, "setup=triples is for pits=12, not pits=8"),
        ("enkeshui", {"setup": "0.0.4.4.4.4.4.4/24"}, "the south row has 8 pits and the north row 1"),
        ("bof", {"id": "bof"}, "bof has no option 'id'"),
        ("enkeshui", {"setup": "4.4/4.4"}, "option pits=2 is not possible: expected 8 or 10 or 12"),
    ],
)
def test_options_that_are_not_possible(id, options, says):
    with pytest.raises(OptionError) as caught:
        ruleset(id, **options)
    assert says in str(caught.value)


def test_what_differs_from_the_defaults():
    rules = ruleset("enkeshui", pits=8)
    assert rules.changed == {"pits": 8, "setup": "fours-right"}
    assert repr(rules) == "ruleset('enkeshui', pits=8, setup='fours-right')"
    assert ruleset("enkeshui", pits="12", setup="triples").changed == {}


def test_an_unknown_kernel():
    with pytest.raises(ValueError, match="no kernel mode 'fast': expected one of compiled, interpreted"):
        ruleset("bof", kernel="fast")
