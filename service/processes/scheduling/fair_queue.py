"""Queues that serve those who wait in turn: whoever asks for much waits for their own, and not everybody else."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Sender(NamedTuple):
    """Whom requests count against: the holder of a key, or without one an address."""

    name: str
    has_key: bool


class RoundRobin(Generic[T]):
    """A queue that serves its senders in turn, and what one of them sent in order."""

    def __init__(self) -> None:
        self._items: OrderedDict[Hashable, deque[T]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, sender: Hashable, item: T) -> None:
        self._items.setdefault(sender, deque()).append(item)

    def pop(self) -> T:
        """Take the next item.

        :raises KeyError: there is none.
        """
        sender, items = self._items.popitem(last=False)
        item = items.popleft()
        if items:
            self._items[sender] = items
        return item

    def discard(self, sender: Hashable, item: T) -> bool:
        """Remove an item. Return whether it was there."""
        items = self._items.get(sender)
        if items is None or item not in items:
            return False
        items.remove(item)
        if not items:
            del self._items[sender]
        return True


class FairQueue(Generic[T]):
    """Serves senders with a key and those without in turn, and in each of the two groups one sender after another.

    Addresses cost nothing: however many of them ask, they have half of the turns while somebody with a key waits.
    """

    def __init__(self) -> None:
        self._groups: tuple[RoundRobin[T], RoundRobin[T]] = RoundRobin(), RoundRobin()
        self._with_key = True  # the group that is next

    def __bool__(self) -> bool:
        return any(self._groups)

    def add(self, sender: Sender, item: T) -> None:
        self._groups[sender.has_key].add(sender, item)

    def pop(self) -> T:
        """Take the next item.

        :raises KeyError: there is none.
        """
        group = self._with_key if self._groups[self._with_key] else not self._with_key
        self._with_key = not group
        return self._groups[group].pop()
