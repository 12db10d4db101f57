"""``python -m docs.generate`` writes all generated parts of the pages again, or of the pages that are named."""

from __future__ import annotations

import sys

from . import generated, pages

for path in pages():
    if sys.argv[1:] and path.name not in sys.argv[1:]:
        continue
    text = path.read_text("utf-8")
    made = generated(text)
    if made != text:
        path.write_text(made, "utf-8")
        print(f"docs/{path.name}: changed")
