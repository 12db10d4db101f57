"""Fixtures for tests of commands."""

import pytest

from inkeek.service.cli import main


@pytest.fixture
def run(runner):
    """Runs a command that must exit with `status`; its result."""

    def run(*arguments, status=0, given=None):
        done = runner.invoke(main, [str(argument) for argument in arguments], input=given)
        assert done.exit_code == status, done.output
        return done

    return run
