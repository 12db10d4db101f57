"""``python -m docs.generate`` writes all generated parts of the pages again."""

from __future__ import annotations

from . import generated, pages

for path in pages():
    text = path.read_text("utf-8")
    made = generated(text)
    if made != text:
        path.write_text(made, "utf-8")
        print(f"docs/{path.name}: changed")
