"""Installs the drivers of this folder as another distribution would, without installing anything."""

from __future__ import annotations

from pathlib import Path

from inkeek.drivers.registry import GROUP, Plugin

NAME, VERSION, SUMMARY = "inkeek-bad-boards", "1.2", "Boards that misbehave"
BAD = Plugin("bad", "tests.misbehaving.board:BadDriver", NAME, VERSION)

# Where a module misbehaves while it is imported.
BODIES = {
    "import": "act()\nclass Board:\n    pass\n",
    "class": "class Board:\n    act()\n",
    "init": "class Board:\n    def __init__(self):\n        act()\n",
}


def importing(place: str, act: str) -> Plugin:
    """A driver that misbehaves before it is one."""
    name = f"{place}-{act}"
    return Plugin(name, f"bad_{place}_{act}:Board", NAME, VERSION)


def install(folder: Path, *plugins: Plugin) -> None:
    """Declare drivers in a folder for the path, with the modules that `importing` names."""
    info = folder / f"{NAME.replace('-', '_')}-{VERSION}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nSummary: {SUMMARY}\n")
    lines = [f"{plugin.name} = {plugin.target}" for plugin in plugins]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))
    for plugin in plugins:
        module, _, _ = plugin.target.partition(":")
        if module.startswith("bad_"):
            _, place, act = module.split("_", 2)
            text = f"from tests.misbehaving.acts import {act} as act\n{BODIES[place]}"
            (folder / f"{module}.py").write_text(text)
