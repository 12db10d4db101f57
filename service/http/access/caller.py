"""The caller of a request."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from inkeek.service.processes.places import Sender
from inkeek.service.storage import Limit

TOKEN, SESSION, LINK = "token", "session", "link"  # kinds of keys
UNNAMED = "page"  # the name of a link for which nobody gave one: nobody's
ANYONE = "anyone"  # the kind of the one that stands for all who may watch without a key
NETWORK = 64  # bits of an IPv6 address that name a network: its holder has all addresses within


def person_name(name: str | None) -> str:
    """The name of who did something; empty if it is nobody's."""
    return "" if name in (None, UNNAMED) else str(name)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: `kind`, `id`, `name`, `scopes` and `limit` of their key, and the `hash` of the secret that
    they sent; empty without a key. `is_replaced`: a rotation has replaced that secret, which is still in its grace.
    The session `lender` lends the key to another device of a person.
    `look` and `language` are how a person who signed in wants pages to be; empty: they did not say."""

    kind: str = ""
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()
    limit: Limit | None = None
    hash: str = ""
    is_replaced: bool = False
    lender: str = ""
    look: str = ""
    language: str = ""

    @property
    def person(self) -> str:
        """The name of who sent the request; empty if their key has none."""
        return person_name(self.name)

    def source(self, channel: str | None = None) -> str:
        """The source of an event: ``page`` for a signed-in browser, else ``api``, or another `channel`; then the name
        and the id of the key, as ``api:score desk:k3f9wm``."""
        channel = channel or ("page" if self.kind == SESSION else "api")
        return f"{channel}:{self.name}:{self.id}" if self.id else channel

    def sender(self, address: str | None) -> Sender:
        """Whom a request from this address counts against: the holder of the key, on all their devices, or without
        a key the address."""
        return Sender(self.lender or self.id, True) if self.id else Sender(network_of(address or ""), False)


def network_of(address: str) -> str:
    """The address, or of IPv6 the network in which its holder may choose any other."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address) or parsed.is_loopback:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> (128 - NETWORK) << (128 - NETWORK)))


NOBODY = Caller()
