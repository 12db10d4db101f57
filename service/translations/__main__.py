"""``python -m service.translations``: brings all catalogues up to date, compiles them, and says what is missing."""

from __future__ import annotations

from .catalogues import catalogue_path, catalogue_text, compiled, translated_languages, updated_catalogue


def main() -> None:
    """Write the catalogues of all languages."""
    for language in translated_languages():
        catalogue = updated_catalogue(language)
        catalogue_path(language).parent.mkdir(parents=True, exist_ok=True)
        catalogue_path(language).write_bytes(catalogue_text(catalogue))
        catalogue_path(language, "mo").write_bytes(compiled(catalogue))
        missing = [message.id for message in catalogue if message.id and not _is_translated(message.string)]
        print(f"{language}: {len(catalogue)} texts, {len(missing)} not translated")
        for text in missing:
            print(f"  {text}")


def _is_translated(text: str | tuple[str, ...] | list[str] | None) -> bool:
    """Whether a text is there, in all its plural forms."""
    return bool(text) and all(text or ())


if __name__ == "__main__":
    main()
