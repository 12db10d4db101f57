import gettext
import re
from io import BytesIO

import pytest

from inkeek.records.language import load_language, read_language
from inkeek.service.translations.catalogues import (
    DOMAINS,
    catalogue_path,
    catalogue_text,
    compiled,
    read_catalogue,
    translated_languages,
    updated_catalogue,
)

FIELD = re.compile(r"%\((\w+)\)[sd]")
LANGUAGES = translated_languages()
every_catalogue = pytest.mark.parametrize(
    ("language", "domain"), [(language, domain) for language in LANGUAGES for domain in DOMAINS]
)


def texts(message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The English texts of a message, and what they are in the language: each one or more."""
    ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    strings = (message.string,) if isinstance(message.string, str) else tuple(message.string)
    return ids, strings


@every_catalogue
def test_every_text_is_translated(language, domain):
    catalogue = read_catalogue(language, domain)
    missing = [message.id for message in catalogue if message.id and not all(texts(message)[1])]
    assert missing == []
    assert [message.id for message in catalogue if message.fuzzy] == []


@every_catalogue
def test_translations_have_the_fields_of_the_text(language, domain):
    for message in read_catalogue(language, domain):
        ids, strings = texts(message)
        for text in strings:
            assert set(FIELD.findall(text)) == set(FIELD.findall(ids[-1])), message.id
        assert list(message.check()) == []


@every_catalogue
def test_the_compiled_catalogue_is_that_of_the_text(language, domain, tmp_path):
    fresh = tmp_path / "messages.mo"
    fresh.write_bytes(compiled(read_catalogue(language, domain)))
    found = []
    for path in (catalogue_path(language, domain, "mo"), fresh):
        with path.open("rb") as file:
            catalogue = dict(vars(gettext.GNUTranslations(file))["_catalog"])
        catalogue.pop("")  # names the version of Babel
        found.append(catalogue)
    assert found[0] == found[1]
    assert len(found[0]) > 50


@every_catalogue
def test_an_update_changes_nothing_that_is_up_to_date(language, domain):
    assert (
        catalogue_text(updated_catalogue(language, domain)).split(b"\n\n", 1)[1]
        == (catalogue_path(language, domain).read_bytes().split(b"\n\n", 1)[1])
    )


def test_a_language_with_three_plural_forms():
    catalogue, key = updated_catalogue("pl", "records"), "findings.mend.take"
    english = load_language("en")
    message = catalogue.get(english.templates[key], context=key)
    message.string = "weź {count} {count:nasiono|nasiona|nasion} z {places}"
    polish = read_language("pl", BytesIO(compiled(catalogue)))
    taken = [polish.text(key, count=count, places=["a"]) for count in (1, 3, 12, 22)]
    assert taken == ["weź 1 nasiono z a", "weź 3 nasiona z a", "weź 12 nasion z a", "weź 22 nasiona z a"]
    other, fields = "findings.mend.put", {"count": 3, "places": ["a", "b"]}  # is not translated
    assert polish.text(other, **fields) == english.text(other, **fields)
    assert (polish.sides, polish.name) == (english.sides, "pl")
