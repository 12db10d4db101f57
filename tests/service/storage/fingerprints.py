"""Add the fingerprints of new migrations to `released.py`: ``python -m tests.service.storage.fingerprints``."""

import tempfile
from pathlib import Path

from inkeek.service.storage import migrate
from inkeek.service.storage.database.engine import begin, open_engine
from inkeek.service.storage.migrate import fingerprint, read_schema
from inkeek.service.storage.migrations import released
from tests.databases import running_postgresql


def made(url: str, revision: str) -> str:
    """The fingerprint of what the migrations make of an empty database up to a revision."""
    engine = open_engine(url, 5.0)
    with engine.connect() as connection:
        begin(connection, 5.0)
        migrate._migrate(connection, revision)
        found = fingerprint(read_schema(connection))
    engine.dispose()
    return found


def main() -> None:
    """Write a line for each migration that has none."""
    revisions = sorted(path.name[1:5] for path in migrate.MIGRATIONS.glob("versions/r*.py"))
    lines = ""
    with tempfile.TemporaryDirectory() as folder, running_postgresql(must=True) as server:
        for revision in (revision for revision in revisions if revision not in released.RELEASED):
            with server.database(empty=True) as postgresql:
                sqlite = f"sqlite:///{Path(folder, revision)}"
                lines += f'    "{revision}": Release("{made(sqlite, revision)}", "{made(postgresql, revision)}"),\n'
    path = Path(released.__file__)
    path.write_text(path.read_text("utf-8").removesuffix("}\n") + lines + "}\n", "utf-8")


if __name__ == "__main__":
    main()
