"""Values from Python, and messages for it."""

import doctest
from dataclasses import dataclass

import pytest

import lexbeam._translating
from lexbeam._translating import as_fields, given, in_python_terms
from pipelines import registry
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


def test_doctests():
    assert doctest.testmod(lexbeam._translating).attempted
    assert not doctest.testmod(lexbeam._translating).failed


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


def test_flags_of_others_stay():
    text = "give --no-such, lexbeam--out or --outer, /a--out"
    assert as_fields(text, {"out"}) == text
    assert as_fields("--out: a --keep-all.", {"out", "keep_all"}) == "`out`: a `keep_all`."


def test_errors_keep_type_and_trace():
    registry.load("change")
    with pytest.raises(UsageError, match=r"^give `overwrite`$") as caught, in_python_terms():
        raise UsageError("give --overwrite")
    assert caught.traceback[-1].path.name == "test_translating.py"
