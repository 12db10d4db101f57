"""``python -m inkeek.service.translations``: brings all catalogues up to date, compiles them, and says what is missing.

Codes of new languages, such as ``pl``, may follow: their catalogues are made.
"""

from __future__ import annotations

import sys

from .catalogues import DOMAINS, catalogue_path, catalogue_text, compiled, translated_languages, updated_catalogue


def main() -> None:
    """Write the catalogues of all languages."""
    for language in sorted({*translated_languages(), *sys.argv[1:]}):
        for domain in DOMAINS:
            catalogue, path = updated_catalogue(language, domain), catalogue_path(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(catalogue_text(catalogue))
            path.with_suffix(".mo").write_bytes(compiled(catalogue))
            missing = [message for message in catalogue if message.id and not _is_translated(message.string)]
            print(f"{language}, {domain}: {len(catalogue)} texts, {len(missing)} not translated")
            for message in missing:
                print(f"  {message.context or message.id}")


def _is_translated(text: str | tuple[str, ...] | list[str] | None) -> bool:
    return bool(text) and all(text or ())


if __name__ == "__main__":
    main()
