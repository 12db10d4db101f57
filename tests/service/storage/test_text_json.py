"""Texts that pages show in their language survive being stored, and nothing else becomes one."""

from inkeek.records import SOUTH
from inkeek.records.errors import ErrorText
from inkeek.records.language import Message, MessageText
from inkeek.service.storage.text_json import dump_texts, load_texts


def test_a_text_keeps_what_it_was_made_from() -> None:
    text = ErrorText("%(side)s lacks %(seeds)s seeds", side=SOUTH, seeds=2)
    found = load_texts(dump_texts({"why": [text], "also": MessageText(Message("findings.untouched", {}))}), "it")
    assert (found["why"][0].template, found["why"][0].values) == (text.template, text.values)
    assert found["also"].message.key == "findings.untouched"


def test_what_a_board_sends_is_no_text() -> None:
    for sent in ({"$text": "%(x)s"}, {"$text": "%(x)s", "values": {}}, {"$message": 1}, {"$side": 7}, {"$$": {"$": 1}}):
        assert load_texts(dump_texts({"sent": sent}), "it") == {"sent": sent}
