import pickle

import pytest

from inkeek.records import IllegalMove, OptionError, Position, PositionError, ruleset, ruleset_ids
from inkeek.records.rules.play import rules_at
from inkeek.records.rules.ruleset import format_value, load_ruleset


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
            if option.name == "pits" and load_ruleset(id).setups and value not in (8, 12):
                continue  # without a named set-up
            needed = {name: values[0] for name, values in option.needs.items()}
            for given in (value, format_value(value)):
                assert ruleset(id, **needed, **{option.name: given}).options[option.name] == value


@pytest.mark.parametrize("id", ruleset_ids())
def test_an_option_that_needs_another_is_refused_without_it(id):
    for option in load_ruleset(id).options:
        other = [value for value in option.allowed if value != option.default]
        for needed, values in option.needs.items():
            for wrong in set(load_ruleset(id).option(needed).allowed) - set(values):
                given = {**{name: wanted[0] for name, wanted in option.needs.items()}, needed: wrong}
                assert ruleset(id, **given, **{option.name: option.default}).options[option.name] == option.default
                with pytest.raises(OptionError) as caught:
                    ruleset(id, **given, **{option.name: other[0]})
                message = str(caught.value)
                assert f"{option.name}={format_value(other[0])} means nothing with {needed}={wrong}" in message
                assert all(f"{needed}={value}" in message for value in values)


@pytest.mark.parametrize(
    ("id", "options", "says"),
    [
        ("chess", {}, f"no rule set 'chess': expected one of {', '.join(ruleset_ids())}"),
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
        ("enkeshui", {"race_keeps_position": False}, "race_keeps_position=false means nothing with race=none"),
        ("enkeshui", {"race_won": "farthest"}, "expected race=right-hand or race=free, or race_won=first-empty"),
        ("enkeshui", {"starter": "loser"}, "starter=loser means nothing with match=none: expected match=games or "),
        ("enkeshui", {"starter": "loser", "match": "games", "race": "free"}, "nothing with race=free: expected race=n"),
        ("enkeshui-wikipedia", {"starter": "loser", "match": "games"}, "means nothing with race=free"),
        ("bof", {"starter": "loser", "match": "rounds"}, "starter=loser means nothing with match=rounds"),
        ("bof", {"round_starter": "loser", "match": "games"}, "round_starter=loser means nothing with match=games"),
        ("bof", {"closing": "leftmost"}, "closing=leftmost means nothing with match=none: expected match=rounds"),
        ("bof", {"match": "surplus"}, "match=surplus is not possible: expected none or games or rounds"),
        ("kalah", {"round_starter": "loser"}, "kalah has no option 'round_starter'"),
    ],
)
def test_options_that_are_not_possible_or_contradict_each_other(id, options, says):
    with pytest.raises(OptionError) as caught:
        ruleset(id, **options)
    assert says in str(caught.value)


def test_defaults_never_contradict():
    rules = ruleset("enkeshui", race="none", race_keeps_position=True, starter="alternate")
    assert rules.changed == {}


def test_what_differs_from_the_defaults():
    rules = ruleset("enkeshui", pits=8)
    assert rules.changed == {"pits": 8, "setup": "fours-right"}
    assert repr(rules) == "ruleset('enkeshui', pits=8, setup='fours-right')"
    assert ruleset("enkeshui", pits="12", setup="triples").changed == {}


def test_layli_goobalay_is_played_on_other_boards_with_other_seeds_and_set_ups():
    assert str(ruleset("layli-goobalay", pits=9, seeds=3).start()) == f"{'.'.join('3' * 9)}/{'.'.join('3' * 9)} 0-0 s 0"
    rules = ruleset("layli-goobalay", setup="4.4.0.5/5.4.4.0")
    assert (rules.row, rules.seeds, rules.changed) == (4, 26, {"pits": 4, "setup": "4.4.0.5/5.4.4.0"})
    with pytest.raises(OptionError, match="16 seeds"):
        ruleset("layli-goobalay", setup="4.4.4.4/4.4.4.5")
    with pytest.raises(OptionError, match="seeds=3"):
        ruleset("layli-goobalay", setup="4.4.4.4/4.4.4.4", seeds=3)


def test_a_game_whose_rules_are_not_known_is_kept_and_never_judged():
    info = load_ruleset("konso:lamlameta")
    assert not info.is_known
    start = Position.parse("4.4.4.4/4.4.4.4 0-0 s 0")
    rules = rules_at(info.id, {"anything": "2"}, start)
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert (rules.legal_moves(start), rules.outcome(start), rules.changed) == ([], None, {"anything": "2"})
    rules.verify_position(Position.parse("1.0.0.0/4.4.4.2s 0-90 n 3"))
    with pytest.raises(PositionError):
        rules.verify_position(Position.parse("4.4/4.4 0-0 s 0"))
    with pytest.raises(IllegalMove) as refused:
        rules.play(start, "b")
    assert refused.value.reason == "unknown-rules"
    for needs_rules in (lambda: rules.perft(start, 1), lambda: rules.board(start), rules.verify_known):
        with pytest.raises(OptionError, match=info.id):
            needs_rules()
    with pytest.raises(OptionError, match="oware"):
        load_ruleset("owaer")
