import os

import pytest

from inkeek.service.errors import StorageError
from inkeek.service.storage.store import Store


def desk(store):
    with store.reading() as transaction:
        return transaction.machines.desk()


def test_one_desk_at_a_time_has_the_lock_and_all_know_which(store, database):
    other = Store(database)
    first, second = store.desk_lock(), other.desk_lock()
    assert desk(store) is None
    assert [first.hold(), second.hold(), first.hold()] == [True, False, True]
    assert str(os.getpid()) in desk(other)
    first.close()
    assert desk(store) is None
    assert [second.hold(), first.hold()] == [True, False]
    first.close()
    second.close()
    other.close()


def test_a_lock_whose_connection_is_lost_is_taken_again(store):
    lock = store.desk_lock()
    assert lock.hold()
    if store.file is None:
        with store.writing() as transaction:
            end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name ~ '^process'"
            transaction.games._session.exec_driver_sql(end)
        with pytest.raises(StorageError):
            lock.hold()
    assert lock.hold()
    lock.close()
