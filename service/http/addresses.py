"""The addresses under which other devices on the network reach this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import quote, urlsplit

import ifaddr
from flask import has_request_context, request

from inkeek.service.settings import Settings


def page_url(kind: str, name: str) -> str:
    """The address of the page of a game, a match, a player or an event: `kind` is the first part of its path, `name`
    the second."""
    root = f"{request.scheme}://{request.host}{quote(request.root_path)}/" if has_request_context() else "/"
    return f"{root}{kind}/{quote(name, safe='')}"


HTTPS = 443  # the port that URLs need not name
ANY = ("0.0.0.0", "::")  # what a service that all networks reach listens on
_VIRTUAL = ("br-", "docker", "vbox", "veth", "virbr", "vmnet", "vEthernet")  # adapters that lead to no other device


def network_addresses() -> list[str]:
    """The IPv4 addresses of this machine in its networks, the likeliest to be reached first."""
    found: list[tuple[bool, bool, str]] = []
    for adapter in ifaddr.get_adapters():
        for one in adapter.ips:
            if isinstance(one.ip, str):
                address = ipaddress.IPv4Address(one.ip)
                if not (address.is_loopback or address.is_link_local or address.is_unspecified):
                    found.append((adapter.nice_name.startswith(_VIRTUAL), not address.is_private, one.ip))
    return [ip for _, _, ip in sorted(found)]


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine, whoever asks."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def reachable_url(url: str, listens_on: str) -> str:
    """The URL for other devices: a loopback address in it becomes that of this machine in its network, if the service
    listens there."""
    parts = urlsplit(url)
    if listens_on not in ANY or not (parts.hostname in ANY or is_loopback(parts.hostname or "")):
        return url
    host = next(iter(network_addresses()), "127.0.0.1")
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=host + port).geturl()


def address(settings: Settings, host: str, port: int) -> str:
    """The service's root URL, for other devices too if they reach it."""
    scheme = "https" if settings.tls_cert else "http"
    return reachable_url(f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/", host)


def public_address(settings: Settings, host: str, port: int, proxy_port: int = HTTPS) -> str:
    """The root URL for links: with the name in the settings, and the port of the proxy if there is one."""
    if not settings.public_name:
        return address(settings, host, port)
    shown = proxy_port if settings.proxies else port
    return f"https://{settings.public_name}{'' if shown == HTTPS else f':{shown}'}/"


def sign_in_url(root: str, secret: str) -> str:
    """The link with this secret."""
    return f"{root.rstrip('/')}/sign-in?key={secret}"
