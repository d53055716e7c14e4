"""Values from Python."""

from dataclasses import dataclass

import pytest

from lexbeam._signatures import option_values
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, option


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    """Options of a toy."""

    places: tuple[str, ...] = option(help="places", positional=True)
    names: tuple[str, ...] = option((), help="names")
    numbers: tuple[int, ...] = option((1,), help="numbers")
    text: str | None = option(None, help="text")
    spans: str = option("1-2", help="spans")
    place: str | None = option(None, help="a place", path="place")
    number: int = option(1, help="a number")


def taken(**values):
    return from_mapping(ToyOptions, option_values(ToyOptions, values))


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


@pytest.mark.parametrize("kind", [list, tuple])
def test_texts_for_one_text_are_joined_by_commas(kind):
    made = taken(places="a", text=kind(["x", "y"]), spans=kind(["1800-1849", "1850-1900"]))
    assert (made.text, made.spans) == ("x,y", "1800-1849,1850-1900")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("place", ["a", "b"], "place must be text"),
        ("number", ["1"], "number must be a whole number"),
        ("spans", [], "spans must be text"),
        ("spans", [(1800, 1849)], "spans must be text"),
    ],
)
def test_other_lists_for_one_value_are_refused(name, value, message):
    with pytest.raises(UsageError, match=message):
        taken(places="a", **{name: value})


def test_none_is_no_value():
    assert taken(places="a", numbers=None) == taken(places="a")
    with pytest.raises(UsageError, match=r"^places must be given"):
        taken(places=None)
