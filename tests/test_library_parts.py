"""The parts of libraries that they do not document, and that we lean on.

When a new version of a library fails here, nothing else need be wrong yet: read in its source what became of the part,
change the module of ours that is named below, then raise the bound in `pyproject.toml`. Until then keep the old bound.
"""

from __future__ import annotations

from gettext import c2py

import msgspec
import pytest


def test_gettext_reads_the_formula_of_plurals() -> None:
    """`records.language`: sentences have several numbers, and `ngettext` takes one."""
    assert [c2py("n != 1")(number) for number in (0, 1, 2)] == [1, 0, 1]


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
