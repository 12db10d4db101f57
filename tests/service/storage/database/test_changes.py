import pytest

from inkeek.service.errors import StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store


def test_every_commit_is_noticed_once_whoever_made_it(store, database):
    other = Store(database)
    with store.changes() as changes:
        assert changes.happened()
        assert not changes.happened()
        for writer in (store, other):
            Games(writer, max_plies=10).create("enkeshui", {}, {}, Write("api"))
            assert changes.happened()
            assert not changes.happened()
    other.close()


def test_what_only_reads_is_not_noticed(store):
    with store.changes() as changes:
        changes.happened()
        with store.reading() as transaction:
            transaction.games.count()
        assert not changes.happened()


def test_a_database_that_is_gone_says_so(store):
    with store.changes() as changes:
        pass
    store.close()
    with pytest.raises(StorageError):
        changes.happened()


def create_and_fail(store):
    with store.together():
        Games(store, max_plies=10).create("enkeshui", {}, {}, Write("api"))
        raise OverflowError


def test_the_connection_that_looked_makes_transactions_again(store):
    with store.changes() as changes:
        changes.happened()
    with pytest.raises(OverflowError):
        create_and_fail(store)
    with store.reading() as transaction:
        assert transaction.games.count() == 0
