"""Clients of an application that show a key, and keys for those who ask over the network."""

import os
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from inkeek.service.http.access.caller import SESSION, TOKEN
from inkeek.service.http.access.guard import CSRF_HEADER
from inkeek.service.http.access.keys import csrf_token
from inkeek.service.http.context import services_of
from inkeek.service.http.services import build_services
from inkeek.service.settings import read_settings
from inkeek.service.storage import Limit


def with_token(app: Flask, *scopes: str, limit: Limit | None = None, name: str = "tests") -> FlaskClient:
    """A client with a token of that name that is good for these scopes; without any, for all."""
    services = services_of(app)
    client = app.test_client()
    secret = services.keys.create(TOKEN, name, scopes or ("admin",), None, limit)[1]
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return client


def signed_in(
    app: Flask, *scopes: str, csrf: bool = True, limit: Limit | None = None, name: str = "Naisula"
) -> FlaskClient:
    """A browser in which a person of that name is signed in; with `csrf` it sends along what its forms carry."""
    services = services_of(app)
    client = app.test_client()
    secret = services.keys.create(SESSION, name, scopes or ("record",), None, limit)[1]
    client.set_cookie("inkeek_80", secret, domain="localhost")
    if csrf:
        client.environ_base["HTTP_" + CSRF_HEADER.upper().replace("-", "_")] = csrf_token(secret)
    return client


def token_in(folder: Path) -> str:
    """A token that is good for all, in the database of a service on that folder, made if it is not there."""
    services = build_services(read_settings(os.environ, {"data": str(folder)}))
    try:
        services.store.upgrade()
        return services.keys.create(TOKEN, "tests", ("admin",), None)[1]
    finally:
        services.store.close()
