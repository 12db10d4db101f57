"""The HTTP API, ``/api/v1`` (`docs/api.md`)."""
