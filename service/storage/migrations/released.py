"""The revisions, which are never changed and whose numbers are never used again.

To change the tables, add a migration; `python -m tests.service.storage.fingerprints` writes its line here.
"""

from __future__ import annotations

from typing import NamedTuple


class Release(NamedTuple):
    """The fingerprints of the schema of a revision on each kind of database."""

    sqlite: str
    postgresql: str


# The revisions of development versions that are not upgraded, and a commit whose program made each. From 0020 on the
# database itself knows the program.
BETWEEN: dict[str, str] = {
    "0002": "f83ced72",
    "0003": "77a7c26a",
    "0004": "698e8ed3",
    "0005": "69301754",
    "0006": "cf5f12ba",
    "0007": "94a45db6",
    "0008": "69e179c2",
    "0009": "9876135a",
    "0010": "84baa52a",
    "0011": "e6221fa1",
    "0012": "f1ffa10a",
    "0013": "7aab60b2",
    "0014": "c0f44270",
    "0015": "89f78439",
    "0016": "89f78439",
    "0017": "5593606b",
    "0018": "5593606b",
    "0019": "5593606b",
    **dict.fromkeys((f"{number:04}" for number in (*range(20, 26), *range(28, 33))), ""),
}

EARLIER = ("0001", "0026", "0027")  # the tables of these are copied into those of 0033 (`earlier`)
RELEASED: dict[str, Release] = {
    "0001": Release("2acdf70443c5c7b5", "9757543b135ac1e9"),
    "0026": Release("57180987400f853a", "1fd765f1df75d11b"),
    "0027": Release("bba8a343391cca76", "72222ce92a39aa11"),
    "0033": Release("92535f1beccece24", "f31c95dbfc755a54"),
}
