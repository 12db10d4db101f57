"""The table of docs/settings.md."""

from __future__ import annotations

from dataclasses import Field, fields

from inkeek.service.settings import Settings

from .tables import table


def settings_table(_: str) -> str:
    """Every setting with its default and bounds."""
    rows = [
        (f"`{setting.name}`", f"`{setting.default}`" if setting.default != "" else "", bounds(setting), says(setting))
        for setting in fields(Settings)
    ]
    return table(("setting", "default", "bounds", "meaning"), rows)


def bounds(setting: Field[object]) -> str:
    """The values that are allowed, "" for any."""
    low, high, choices = (setting.metadata[name] for name in ("low", "high", "choices"))
    return f"{low} to {high}" if low is not None else ", ".join(choices)


def says(setting: Field[object]) -> str:
    return str(setting.metadata["says"])


PARTS = {"settings": settings_table}
