"""Run the corpus in this folder against any program that reads the notation (README.md).

    python conformance.py [--level syntax] -- COMMAND…    each file on standard input, a JSON answer on standard output
    python conformance.py --archive FILE.zip              make an archive of this folder for others

This file needs nothing but Python.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
SPECIFICATION = FOLDER.parents[2] / "docs" / "notation.md"
LEVELS = ("syntax", "rules")
SECONDS = 30  # for one file


def cases() -> list[Path]:
    """The records of the corpus. Beside each is a JSON file with what is expected."""
    return sorted(FOLDER.glob("*/*.pmn"))


def expected(path: Path) -> dict[str, Any]:
    """What the JSON file beside a file of records says."""
    data: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return data


def differences(wanted: list[dict[str, Any]], answer: object, level: str) -> Iterator[str]:
    """What is wrong with an answer about a file."""
    records = answer.get("records") if isinstance(answer, dict) else None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        yield 'the answer is not {"records": [{…}, …]}'
        return
    if len(records) != len(wanted):
        yield f"{len(records)} records: expected {len(wanted)}"
        return
    for number, (one, got) in enumerate(zip(wanted, records, strict=True), 1):
        for member, value in _wanted_of(one, level).items():
            found, value = (_comparable(member, one, level) for one in (got.get(member), value))
            if found != value:
                yield f"record {number}: {member} is {json.dumps(found)}: expected {json.dumps(value)}"


def _wanted_of(record: dict[str, Any], level: str) -> dict[str, Any]:
    """The members of an answer that are compared, with their values."""
    wanted = {"record": record["record"]} if "record" in record else {}
    if level == "rules":
        wanted |= {"error": record.get("error")}
        wanted |= {member: record[member] for member in ("turns", "canonical") if member in record}
    elif not wanted:
        wanted["error"] = record["error"]
    return wanted


def _comparable(member: str, value: Any, level: str) -> Any:
    """A value without what is free: the order of legal moves, the message. The order of tags is not."""
    if member == "error" and isinstance(value, dict):
        place = {name: value.get(name) for name in ("line", "column", "ply")}
        return place if level == "syntax" else {**place, "legal": sorted(value.get("legal") or ())}
    if member == "record" and isinstance(value, dict):
        return {**value, "tags": list(value.get("tags", {}).items())}
    return value


def answer_of(command: list[str], data: bytes) -> object:
    """The answer of a command about a file.

    :raises ValueError: there is none, or it is not JSON.
    """
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"no answer within {SECONDS} s") from None
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ValueError(f"status {done.returncode}, and no JSON: {error} {' '.join(complaint)}") from error


def make_archive(path: Path) -> None:
    """Make a zip file of the corpus and the specification: the same bytes for the same files."""
    files = [file for file in sorted(FOLDER.rglob("*")) if file.is_file() and file.suffix != ".pyc"]
    with zipfile.ZipFile(path, "w") as archive:
        for file in [*files, *([SPECIFICATION] if SPECIFICATION.exists() else [])]:
            name = str(file.relative_to(FOLDER)) if FOLDER in file.parents else file.name
            member = zipfile.ZipInfo(f"notation-corpus/{name}")
            archive.writestr(member, file.read_bytes(), zipfile.ZIP_DEFLATED)


def main() -> int:
    """Run what the command line says; the status is 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", choices=LEVELS, default="rules", help="syntax: for a program that knows no rules")
    parser.add_argument("--archive", type=Path, metavar="FILE.zip")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the program to test, after --")
    options = parser.parse_args()
    if options.archive:
        make_archive(options.archive)
        return 0
    if not options.command:
        parser.error("give -- and the command of the program to test")
    wrong = 0
    for path in cases():
        try:
            answer = answer_of(options.command, path.read_bytes())
            faults = list(differences(expected(path)["records"], answer, options.level))
        except ValueError as error:
            faults = [str(error)]
        wrong += bool(faults)
        for fault in faults:
            print(f"{path.relative_to(FOLDER)} ({' '.join(expected(path)['sentences'])}): {fault}")
    print(f"{len(cases()) - wrong} of {len(cases())} files are read as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
