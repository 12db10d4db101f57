"""The revisions, which are never changed and whose numbers are never used again.

To change the tables, add a migration; `python -m tests.service.storage.fingerprints` writes its line here.
"""

from __future__ import annotations

from typing import NamedTuple


class Release(NamedTuple):
    """The fingerprints of the schema of a revision on each kind of database, and a commit whose program makes it.

    From 0020 on the database itself knows the program.
    """

    sqlite: str
    postgresql: str
    commit: str = ""


RELEASED: dict[str, Release] = {
    "0001": Release("2acdf70443c5c7b5", "9757543b135ac1e9", "ebc3f708"),
    "0002": Release("67d0245594df198d", "b658806909e7cd58", "f83ced72"),
    "0003": Release("d5fc9fdfc9761521", "7dcce08ece8de1e2", "77a7c26a"),
    "0004": Release("29c93784d69d9158", "6fde776b61060041", "698e8ed3"),
    "0005": Release("f1bb0b9a84e6c783", "629b8d5e21b92b17", "69301754"),
    "0006": Release("8c3d997c72f8f049", "7afdbac4143aec45", "cf5f12ba"),
    "0007": Release("869b08ff52bcc63a", "4e303bdf0d221675", "94a45db6"),
    "0008": Release("00a810d1d421e2d7", "f5db4cb6a17f123c", "69e179c2"),
    "0009": Release("3101490850d5e722", "7304db15c92641dc", "9876135a"),
    "0010": Release("98a94e18c1ad1fd6", "70130e58225a410e", "84baa52a"),
    "0011": Release("17de72099d391d72", "ea7dab8de8d6a270", "e6221fa1"),
    "0012": Release("c4cf44be1c0e680f", "be3c800ba2b0d4b3", "f1ffa10a"),
    "0013": Release("c04ce5b8b4d11533", "a95269ae623bd685", "7aab60b2"),
    "0014": Release("bdb39c8e4729aa0b", "f5943835776bacb2", "c0f44270"),
    "0015": Release("b63a67ba46b2560e", "923fb7dab1ad7d48", "89f78439"),
    "0016": Release("bd3e3a42b1de4cc9", "fed21efd8f25411e", "89f78439"),
    "0017": Release("a7f1fa9f0e4d9d74", "fcd1cfb2568365e5", "5593606b"),
    "0018": Release("d05ea275c11ac17c", "466e4b02f20606c1", "5593606b"),
    "0019": Release("d05f53569fb23e4f", "401ac6db52474f82", "5593606b"),
    "0020": Release("82840885bd4f3fad", "dc7e8fa6295efec6"),
    "0021": Release("9226806d6f597178", "e35989bf5ca0873e"),
    "0022": Release("8f28479b430ba9a5", "283c1465c0ba85a8"),
    "0023": Release("701b74ddb3321aaf", "33befff18221bb31"),
    "0024": Release("14e3b22d64b0e2d3", "46f701397cbe4bfd"),
    "0025": Release("84d17223b0af6c07", "a7ecbba260536e1a"),
    "0026": Release("57180987400f853a", "1fd765f1df75d11b"),
    "0027": Release("dec718c9f2222502", "a818cafbd7912378"),
}
