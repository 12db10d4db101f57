"""Fixtures for names and persons over the API."""

from tests.service.http.conftest import app

__all__ = ["app"]
