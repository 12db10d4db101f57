from __future__ import annotations

import gettext
import re

import pytest

from records.language import language_ids
from service.translations.catalogues import (
    catalogue_path,
    catalogue_text,
    compiled,
    page_messages,
    read_catalogue,
    translated_languages,
    updated_catalogue,
)

FIELD = re.compile(r"%\((\w+)\)[sd]")
LANGUAGES = translated_languages()


def texts(message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The English texts of a message, and what they are in the language: each one or more."""
    ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    strings = (message.string,) if isinstance(message.string, str) else tuple(message.string)
    return ids, strings


def test_every_language_but_english_has_a_catalogue():
    assert {"en", *LANGUAGES} == set(language_ids())
    assert LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_the_texts_of_the_pages_and_no_others(language):
    there = {message.id for message in read_catalogue(language) if message.id}
    assert there == {message.id for message in page_messages() if message.id}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language):
    catalogue = read_catalogue(language)
    missing = [message.id for message in catalogue if message.id and not all(texts(message)[1])]
    assert missing == []
    assert [message.id for message in catalogue if message.fuzzy] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_fields_of_the_text(language):
    for message in read_catalogue(language):
        ids, strings = texts(message)
        for text in strings:
            assert set(FIELD.findall(text)) == set(FIELD.findall(ids[-1])), message.id
        assert list(message.check()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_text(language, tmp_path):
    fresh = tmp_path / "messages.mo"
    fresh.write_bytes(compiled(read_catalogue(language)))
    found = []
    for path in (catalogue_path(language, "mo"), fresh):
        with path.open("rb") as file:
            catalogue = dict(vars(gettext.GNUTranslations(file))["_catalog"])
        catalogue.pop("")  # names the version of Babel
        found.append(catalogue)
    assert found[0] == found[1]
    assert len(found[0]) > 50


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_update_changes_nothing_that_is_up_to_date(language):
    assert (
        catalogue_text(updated_catalogue(language)).split(b"\n\n", 1)[1]
        == (catalogue_path(language).read_bytes().split(b"\n\n", 1)[1])
    )


def test_texts_of_pages_and_rules_are_found():
    found = {message.id for message in page_messages()}
    assert {"Claim", "Sheet"} <= found  # in Python, in a template
    assert ("%(num)d lap is not shown", "%(num)d laps are not shown") in found
    assert any("bull" in text for text in found if isinstance(text, str))  # a rule
