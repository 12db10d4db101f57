"""What boards, drivers and the detection say is stored as text and values, and shown in the language of the page."""

import ast
import json
import re
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from markupsafe import escape

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.records import Side
from inkeek.records.errors import ErrorText
from inkeek.records.language import Message, MessageText
from inkeek.service.translations.catalogues import KEYWORDS, METHODS
from tests.service.boards_double import set_status
from tests.service.clients import signed_in, with_token
from tests.service.http.web.test_languages import english_left

ROOT = Path(__file__).parents[4]
SWAHILI = {"Accept-Language": "sw"}
VALUE = re.compile(r"%\((\w+)\)")
PAGES = ("pages", "templates", "view_models")
REASONS = ("error", "reason", "why")
# The arguments by which a controller says something.
SAYING = ("message", "note", "sentence", "sentences", "reason")


def texts_of(folder: str) -> list[ErrorText]:
    """All texts of a folder's sources but its pages, with numbers for their values."""
    extracted = extract_from_dir(ROOT / folder, METHODS, keywords=KEYWORDS)
    found = {text for file, _, text, _, _ in extracted if not file.startswith(PAGES)}
    values = {name: ErrorText("no turn") if name in REASONS else 7 for text in found for name in VALUE.findall(text)}
    return [ErrorText(text, **{name: values[name] for name in VALUE.findall(text)}) for text in sorted(found)]


def board_words(page: str) -> str:
    """What the live page says of the board."""
    return page[page.index('data-fresh="warning"') : page.index('data-fresh="seen"')]


@pytest.fixture
def board(new_game, bind_board):
    game = new_game(3)
    return game, bind_board(game)


@pytest.mark.parametrize("folder", ["service/boards", "drivers"])
def test_every_text_of_boards_and_drivers_is_shown_in_swahili(app, services, board, folder):
    game, board_id = board
    texts = [text for text in texts_of(folder) if re.search("[a-z]{3}", VALUE.sub("", text.template))]
    assert len(texts) > 50
    set_status(services.boards, board_id, message=texts[0], sentences=texts)
    client = signed_in(app, "admin")
    page = board_words(client.get(f"/games/{game}/live", headers=SWAHILI).text)
    assert [text for text in texts if f">{escape(text)}</" in page] == []
    assert 'lang="en"' not in page
    english = board_words(client.get(f"/games/{game}/live").text)
    assert [text for text in texts if f">{escape(text)}</" not in english.replace("<code>7</code>", "7")] == []


def verdicts(services, game):
    """What the detection says of boards with something wrong."""
    loaded = services.games.load(game)
    rules, position = loaded.rules, loaded.position
    first = rules.turns(position)[0]
    held = [float(seeds) for seeds in (*position.pits, *position.stores)]
    after = [float(seeds) for seeds in (*first.position.pits, *first.position.stores)]
    moved = [*after]
    moved[0], moved[1] = moved[0] + 1, moved[1] - 1
    between = [(one + other) / 2 for one, other in zip(held, after, strict=True)]
    strewn = [seeds + (3 if at % 2 else -2) for at, seeds in enumerate(held)]
    model = NoiseModel()
    for counts in (moved, between, strewn, [*after[:2], after[2] + 1, *after[3:]]):
        yield detect(rules, position, counts, pressed_by=None, model=model)
    yield detect(rules, position, after, pressed_by=position.to_move.other, model=model)


def test_what_the_detection_says_is_shown_in_swahili(app, services, board):
    game, board_id = board
    client, kinds = signed_in(app, "admin"), set()
    for verdict in verdicts(services, game):
        kinds.add(type(verdict).__name__)
        assert verdict.sentences
        set_status(services.boards, board_id, message=ErrorText("no turn"), sentences=verdict.sentences)
        page = board_words(client.get(f"/games/{game}/live", headers=SWAHILI).text)
        assert english_left(page) == []
        assert 'lang="en"' not in page
        assert all(str(escape(sentence)) not in page for sentence in verdict.sentences)
        log = ("refused", {"side": "South", "number": "2.", "message": "", "sentences": list(verdict.sentences)})
        set_status(services.boards, board_id, log)
        page = client.get(f"/boards/{board_id}", headers=SWAHILI).text
        log_table = page[page.index('data-fresh="log"') : page.index("</main>")]
        assert english_left(log_table) == []
        assert 'lang="en"' not in log_table
    assert kinds == {"NoFit", "Ambiguous"}


def test_a_text_is_stored_with_its_values_and_the_api_says_it_in_english(app, services, board):
    _, board_id = board
    nested = ErrorText("after %(turn)s", turn="3. cx5")
    said = ErrorText(
        "%(side)s takes back the turn they began: put the seeds back as %(layout)s.", side=Side.NORTH, layout=nested
    )
    sentence = MessageText(Message("findings.store", {"owner": Side.SOUTH}))
    set_status(services.boards, board_id, message=said, sentences=[sentence])
    stored = services.boards.get(board_id).status
    assert (stored["message"], stored["message"].values["layout"]) == (said, nested)
    assert stored["message"].values["side"] is Side.NORTH
    assert stored["sentences"][0].message == sentence.message
    answer = with_token(app).get(f"/api/v1/boards/{board_id}").json["status"]
    assert json.dumps([answer["message"], *answer["sentences"]]) == json.dumps([str(said), str(sentence)])


def test_a_text_of_an_earlier_version_is_translated_if_it_is_known_and_marked_if_not(app, services, board):
    game, board_id = board
    client = signed_in(app, "admin")
    set_status(services.boards, board_id, message="This turn was already recorded.", sentences=["It went wrong."])
    page = board_words(client.get(f"/games/{game}/live", headers=SWAHILI).text)
    assert "already" not in page
    assert '<span lang="en">It went wrong.</span>' in page


@pytest.mark.parametrize("file", sorted((ROOT / "service/boards/controller").glob("*.py")), ids=lambda file: file.name)
def test_a_controller_says_nothing_that_is_not_a_text_of_the_catalogue(file):
    """Plain English in one of these arguments or variables could not be translated."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        values = [word.value for word in node.keywords if word.arg in SAYING] if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "answer_button":
            values += node.args[1:2]
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in SAYING:
            values.append(node.value)
        found += [ast.unparse(one) for one in values if isinstance(one, ast.JoinedStr) or is_words(one)]
    assert found == []


def is_words(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
