"""Values from Python."""

from dataclasses import dataclass

import pytest

from lexbeam._given import given
from transforms.common.errors import UsageError
from transforms.common.options import from_mapping, option


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    """Options of a toy."""

    places: tuple[str, ...] = option(help="places", positional=True)
    names: tuple[str, ...] = option((), help="names")
    numbers: tuple[int, ...] = option((1,), help="numbers")
    text: str | None = option(None, help="text")


def taken(**values):
    return from_mapping(ToyOptions, given(ToyOptions, values))


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ("a,b", ("a,b",)),  # as in a shell, which separates by blanks
        (["a", "b,c"], ("a", "b,c")),
        (("a",), ("a",)),
    ],
)
def test_one_text_by_position_is_one_value(places, expected):
    assert taken(places=places).places == expected


def test_a_path_is_one_value(tmp_path):
    assert taken(places=tmp_path).places == (str(tmp_path),)
    assert taken(places=[tmp_path, "x"]).places == (str(tmp_path), "x")


def test_other_values_are_as_on_the_command_line_or_as_in_python():
    assert taken(places="a", names="b,c").names == ("b", "c")
    assert taken(places="a", names=["b,c"]).names == ("b,c",)
    assert taken(places="a", numbers=3).numbers == (3,)
    assert taken(places="a", numbers=range(2, 5)).numbers == (2, 3, 4)
    assert taken(places="a", numbers="2,3").numbers == (2, 3)


def test_none_is_not_given():
    assert taken(places="a", numbers=None) == taken(places="a")
    with pytest.raises(UsageError, match=r"^places must be given"):
        taken(places=None)
