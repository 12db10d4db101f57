"""Collects the words of the pages and of `inkeek.records.language`, and keeps the catalogues up to date with them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from inkeek.drivers.errors import DriverError
from inkeek.records.findings import KINDS
from inkeek.records.language import PLURAL_FORMS, english_texts, language_ids
from inkeek.records.notation.tags import SHOWN_TAGS
from inkeek.records.rules.lessons import load_lessons, reasons_without_lesson
from inkeek.records.rules.ruleset import load_ruleset, ruleset_ids
from inkeek.service.errors import ServiceError, error_kinds
from inkeek.service.http.problems import problem_types
from inkeek.service.rooms import BUILT_IN

METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
# Their first argument is a text that pages show.
ERRORS = {kind.__name__: None for root in (ServiceError, DriverError) for kind in error_kinds(root)}
KEYWORDS = {**DEFAULT_KEYWORDS, "later": None, "ErrorText": None, **ERRORS}
# Of pages, and of errors that pages show.
FOLDERS_OF_ROOMS = tuple(room.package.rpartition(".")[2] for room in BUILT_IN if room.package)
PARTS = ("http", *FOLDERS_OF_ROOMS, "maintenance")  # of the service
FOLDERS = (*(f"service/{part}" for part in PARTS), "records", "drivers")
WIDTH = 120
HEADER = "# Made by `make translations` (docs/translations.md). Change the lines that begin with msgstr."


def catalogue_path(language: str, domain: str, suffix: str = "po") -> Path:
    """A catalogue of a language, of one of the `DOMAINS`: ``po`` is the text, ``mo`` is compiled from it."""
    if domain == "records":
        return Path(__file__).parents[2] / "records" / "messages" / f"{language}.{suffix}"
    return Path(__file__).parent / language / "LC_MESSAGES" / f"{domain}.{suffix}"


def translated_languages() -> list[str]:
    """The languages that need catalogues: the words in the sources are English."""
    return [id for id in language_ids() if id != "en"]


def page_messages() -> Catalog:
    """All words of the pages and of the errors that they show; the titles of games, their options and values, the rules
    that findings quote; the titles of slips and of problems."""
    found = Catalog(project="inkeek", charset="utf-8")
    for folder in FOLDERS:
        texts = extract_from_dir(Path(__file__).parents[2] / folder, METHODS, keywords=KEYWORDS)
        for file, _, message, comments, _ in texts:
            found.add(message, locations=[(Path(file).name, 0)], auto_comments=comments)
    for id in ruleset_ids():
        ruleset = load_ruleset(id)
        says = [option.says for option in ruleset.options] + [rule.says for rule in ruleset.rules.values()]
        says += [option.decided for option in ruleset.options if option.decided]
        says += [text for clause in ruleset.clauses for text in (clause.reading, clause.mark)]
        says += [lesson.says for lesson in load_lessons(id).values()]
        names = [option.name.replace("_", " ") for option in ruleset.options] + [one.name for one in ruleset.setups]
        values = [str(value).lower() for option in ruleset.options for value in option.allowed if not is_number(value)]
        for text in (ruleset.title, *says, *names, *values):
            found.add(text, locations=[(f"{id}.toml", 0)])
    for text in reasons_without_lesson().values():
        found.add(text, locations=[("lessons.toml", 0)])
    for text in dict.fromkeys(text for tag in SHOWN_TAGS for text in (tag.label, tag.field) if text):
        found.add(text, locations=[("tags.py", 0)])
    for kind in KINDS.values():
        found.add(kind.title, locations=[("kinds.py", 0)])
    for problem in problem_types().values():
        found.add(problem.title, locations=[("problems.py", 0)])
    return found


def record_messages() -> Catalog:
    """The templates and names of `inkeek.records.language`, each with its key as the context."""
    found = Catalog(project="inkeek", charset="utf-8")
    for key, text in english_texts().items():
        found.add(text, context=key)
    found.add(PLURAL_FORMS)
    return found


# What each catalogue of a language holds.
DOMAINS = {"messages": page_messages, "records": record_messages}


def is_number(value: object) -> bool:
    """Whether the value of an option needs no translation."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_catalogue(language: str, domain: str) -> Catalog:
    """A catalogue of a language; an empty one if there is none yet."""
    path = catalogue_path(language, domain)
    if not path.exists():
        return Catalog(locale=language, project="inkeek", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated_catalogue(language: str, domain: str) -> Catalog:
    """A catalogue of a language with the words of today: new ones are empty, and those that are not used are gone."""
    catalogue, template = read_catalogue(language, domain), DOMAINS[domain]()
    template.creation_date = catalogue.creation_date  # else every run would change the file
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    if numbers := catalogue.get(PLURAL_FORMS):
        numbers.string = tuple(map(str, range(catalogue.num_plurals)))
    for message in catalogue:  # tools that know the flag take the words in {count:seed|seeds} for a format
        message.flags.discard("python-brace-format")
    catalogue.header_comment, catalogue.fuzzy = HEADER, False
    catalogue.version = catalogue.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    catalogue.revision_date = catalogue.creation_date
    return catalogue


def catalogue_text(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalogue, width=WIDTH, include_lineno=False)
    return file.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()
