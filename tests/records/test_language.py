"""Every language can tell everything; fields and numbers go where they belong."""

import string

import pytest

from inkeek.records import ERROR_CODES, NORTH, OptionError, ruleset_ids
from inkeek.records.language import Message, Term, language_ids, load_language
from inkeek.records.rules.ruleset import load_ruleset


def fields(template):
    """The names of the fields of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_there_are_english_and_swahili():
    assert set(language_ids()) >= {"en", "sw"}


def test_every_reason_of_a_refusal_is_the_code_of_an_error():
    reasons = {key.split(".")[1] for key in load_language("en").templates if key.startswith("refusals.")}
    errors = {name for name, code in ERROR_CODES.items() if (code.kind, code.severity) == ("turn", "error")}
    assert reasons == errors - {"too-much-sowing"}


@pytest.mark.parametrize("id", language_ids())
def test_every_language_has_the_same_templates_with_the_same_fields(id):
    own, english = load_language(id).templates, load_language("en").templates
    assert own.keys() == english.keys()
    assert {key: fields(text) for key, text in own.items()} == {key: fields(text) for key, text in english.items()}


@pytest.mark.parametrize("id", language_ids())
def test_a_choice_of_words_has_one_for_each_plural_form_or_two_for_a_term(id):
    language = load_language(id)
    forms = 1 + max(map(language.plural_form, range(1000)))
    for key, text in language.templates.items():
        for _, name, spec, conversion in string.Formatter().parse(text):
            assert conversion is None, key
            assert not spec or len(spec.split("|")) == (2 if name == "special" else forms), key


@pytest.mark.parametrize("id", language_ids())
def test_words_are_given_only_for_words_that_a_game_has(id):
    words = {word for game in ruleset_ids() for word in load_ruleset(game).terms.values()}
    assert load_language(id).terms.keys() <= words


@pytest.mark.parametrize("id", [id for id in language_ids() if id != "en"])
def test_no_sentence_was_left_in_english(id):
    own, english = load_language(id).templates, load_language("en").templates
    same = {key for key in own if own[key] == english[key] and own[key].strip("{}") not in fields(own[key])}
    assert same == set()


def test_a_language_that_is_not_there():
    with pytest.raises(OptionError, match=r"no language 'xx': expected one of en, sw"):
        load_language("xx")
    with pytest.raises(OptionError, match=r"no language '\.\./rulesets/bof'"):
        load_language("../rulesets/bof")


def test_numbers_sides_and_terms_are_in_the_language():
    message = Message("refusals.special-pit", {"pit": "B", "special": Term("bull"), "owner": NORTH, "count": 1})
    many = Message(message.key, {**message.fields, "count": 4})
    english, swahili = load_language("en"), load_language("sw")
    assert all(word in english.translate(message) for word in ("B", "bull", "North", "1 seed"))
    assert "1 seeds" not in english.translate(message)
    assert "4 seeds" in english.translate(many)
    assert all(word in swahili.translate(many) for word in ("B", "fahali", "Kaskazini", "4"))


def test_a_message_within_a_message():
    why = Message("refusals.empty-pit", {"pit": "a"})
    over = Message("illegal.over", {"why": why})
    for language in map(load_language, language_ids()):
        assert language.translate(why) in language.translate(over)


@pytest.mark.parametrize(("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ([*"abc"], "a, b and c")])
def test_lists(items, text):
    assert load_language("en").listed(items) == text


def test_braces_in_a_field_are_text():
    assert "{x} is" in load_language("en").text("refusals.empty-pit", pit="{x}")
