"""Every command of the notation is told as a sentence, with all that it says."""

import pytest

from inkeek.records.notation.commands import FORMS, RawCommand, split_comment
from inkeek.service.http.web.labels import command_words

CASES = {
    "[%clk 0:05:10.5]": ("0:05:10.5",),
    "[%emt 0:00:07]": ("0:00:07",),
    "[%at 2026-11-20T18:30:00+03:00]": ("2026-11-20", "18:30"),
    '[%entered 2026-11-20T18:30:00Z by="Abdi"]': ("2026-11-20", "18:30", "Abdi"),
    "[%value -2.5,7]": ("2.5", "North", "7"),
    "[%eval 3]": ("3", "South"),
    '[%by "Nasieku \\"the long arm\\""]': ('Nasieku "the long arm"',),
    '[%join south "Nasieku"]': ("Nasieku", "South"),
    '[%leave north "Abdi"]': ("Abdi", "North"),
    '[%trial dx7=f by="Nasieku"]': ("Nasieku", "dx7=f"),
    '[%retract dx7=f side=south reason=trial note="too short"]': ("South", "dx7=f", "trial", "too short"),
    '[%retract d side=south reason=entry note="it was e"]': ("d", "it was e"),
    '[%dispute side=north claim="six seeds were lifted"]': ("North", "six seeds were lifted"),
    '[%ruling outcome=stands by="Koinet"]': ("Koinet",),
    '[%claim "seven seeds were lifted" by="Abdi"]': ("seven seeds were lifted", "Abdi"),
    '[%propose side=south outcome=corrected move=d by="Nasieku" note="we both saw it"]': (
        "South",
        "d instead",
        "Nasieku",
        "we both saw it",
    ),
    "[%respond side=north answer=accepted]": ("North", "accepts"),
    "[%penalty side=north kind=seeds seeds=2]": ("North", "seeds", "2"),
    "[%clock side=south add=0:02:00]": ("South", "0:02:00"),
    '[%appeal "the arbiter was not there" side=north by="Abdi"]': ("the arbiter was not there", "Abdi"),
    '[%end 1-0 termination=resignation score=26-22 by="Nasieku"]': ("South", "resignation", "26–22", "Nasieku"),
    '[%correction 0-1 termination=normal by="Koinet" reason="South resigned"]': ("North", "Koinet", "South resigned"),
    '[%reopen by="Koinet" reason="nobody had resigned"]': ("Koinet", "nobody had resigned"),
    '[%board "T-0001" seq=7]': ("T-0001", "7"),
    '[%after "4.4/4.4 0-0 s 1"]': ("4.4/4.4 0-0 s 1",),
}


@pytest.fixture(autouse=True)
def _page(app, request):
    """A page in English, or in the language that the test is marked with."""
    with app.test_request_context(f"/?lang={getattr(request, 'param', 'en')}"):
        yield


def the_command(text: str) -> RawCommand:
    (command,) = split_comment(text).commands
    return command


@pytest.mark.parametrize("text", CASES)
def test_a_command_is_a_sentence(text: str) -> None:
    words = command_words(the_command(text))
    for part in CASES[text]:
        assert part in words
    assert "reason=" not in words
    assert "[%" not in words


def test_all_commands_are_among_the_cases() -> None:
    assert {the_command(text).name for text in CASES} == FORMS.keys()


@pytest.mark.parametrize("text", ["[%mood sunny]", "[%clk soon]", "[%end 7-0]"])
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    assert f"[%{command_words(the_command(text))}]" == text


@pytest.mark.parametrize("_page", ["sw"], indirect=True)
@pytest.mark.parametrize("text", CASES)
def test_a_sentence_is_in_the_language_of_the_page(text: str) -> None:
    words = command_words(the_command(text))
    for word in ("South", "North", " the ", "played", "turns"):
        assert word not in words.replace("South resigned", "").replace("the arbiter was not there", "").replace(
            "the long arm", ""
        )
