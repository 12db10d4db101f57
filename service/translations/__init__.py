"""The gettext catalogues of the pages, one a language but English: ``<language>/LC_MESSAGES/messages.po``.

``python -m inkeek.service.translations`` (``make translations``) brings them up to date and compiles them.
"""

from __future__ import annotations

import gettext
from importlib import resources


def translated(text: str, language: str) -> str:
    """A text of the catalogues in a language, as `inkeek.records.language.language_ids` names it, or as it is."""
    folder = str(resources.files(__name__))
    return gettext.translation("messages", folder, [language], fallback=True).gettext(text)
