from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.drivers.protocol.conversations import Conversation, play_port, play_session, read


@pytest.mark.parametrize("play", [play_session, play_port])
@pytest.mark.parametrize("talk", read(), ids=lambda talk: talk.name)
def test_a_conversation_goes_as_it_is_written(
    talk: Conversation, play: Callable[[Conversation], Iterator[list[str]]]
) -> None:
    for step, answers in zip(talk.steps, play(talk), strict=True):
        assert answers == step.answers, f"after {step.time:g} {step.action} {step.words}"
