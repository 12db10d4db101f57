"""The parts of libraries that they do not document, and that we lean on.

When a new version of a library fails here, nothing else need be wrong yet: read in its source what became of the part,
change the module of ours that is named below, then raise the bound in `pyproject.toml`. Until then keep the old bound.
"""

from __future__ import annotations

from gettext import c2py
from typing import Any

import msgspec
import pytest
from prometheus_client.mmap_dict import MmapedDict


def test_gettext_reads_the_formula_of_plurals() -> None:
    """`records.language`: sentences have several numbers, and `ngettext` takes one."""
    assert [c2py("n != 1")(number) for number in (0, 1, 2)] == [1, 0, 1]


def test_prometheus_client_has_files_of_values(tmp_path: Any) -> None:
    """`service.processes.metrics`, which adds up the files of processes that have ended."""
    path = str(tmp_path / "counter_1.db")
    values: Any = MmapedDict(path)  # type: ignore[no-untyped-call]
    assert values.read_value("turns") == (0.0, 0.0)
    values.write_value("turns", 3.0, 5.0)
    values.close()
    found = list(MmapedDict.read_all_values_from_file(path))  # type: ignore[no-untyped-call]
    assert [value[:3] for value in found] == [("turns", 3.0, 5.0)]


class Pit(msgspec.Struct, forbid_unknown_fields=True):
    seeds: int


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"pits": [{"seeds": 1, "x": 2}]}, "Object contains unknown field `x` - at `$.pits[0]`"),
        ({"pits": [{}]}, "Object missing required field `seeds` - at `$.pits[0]`"),
        ({"pits": [{"seeds": "1"}]}, "Expected `int`, got `str` - at `$.pits[0].seeds`"),
        ({"stores": {"a": "1"}}, "Expected `int`, got `str` - at `$.stores[...]`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_msgspec_says_where_a_value_is_wrong(data: object, says: str) -> None:
    """`records.json_codec` reads these sentences: msgspec has the place nowhere else."""
    board = msgspec.defstruct("Board", [("pits", list[Pit], []), ("stores", dict[str, int], {})])
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(data, board)
    assert str(caught.value) == says
