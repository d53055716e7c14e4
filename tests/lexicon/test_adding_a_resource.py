"""A resource is added from outside, as CONTRIBUTING.md says, word for word."""

import pickle
import re

import pyarrow as pa
import pytest
from kinds_opened import opened
from outsiders import blocks_of, entry_of, section_of

from lexbeam.transforms.common.code.code_identity import code_identity
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled.word_list import words_from
from lexbeam.transforms.lexicon.resource_cache import KINDS

SECTION = section_of("Add a resource")


@pytest.fixture
def package(outsider):
    """The module and entry point of the page, installed."""
    (module,) = blocks_of("Add a resource")
    outsider(*entry_of("Add a resource"), toy_letters=module)


@pytest.mark.usefixtures("package")
def test_the_resource_of_the_page_is_asked_like_any_other():
    kinds = KINDS
    (argument,) = re.findall(r"`--resources \w+=letters:(\w+)`", SECTION)
    found = opened(kinds["letters"], argument)
    asked = pa.array(["b", "C", "z"])
    assert found.look_up(asked)["value"].to_pylist() == [2.0, 3.0, None]
    assert list(found.look("B")) == [("value", "2 (value, from 1 to 3)")]
    parsed = kinds["letters"].parse(argument)
    assert (parsed.paths, parsed.language) == ((), None)
    # Its code decides what is compiled, and it travels to workers.
    before = code_identity(kinds["letters"].compile)
    assert "toy_letters:letters" in before.names
    assert pickle.loads(pickle.dumps(kinds["letters"].compile)).args[0].__name__ == "letters"


def numbers(argument):
    """A table of the argument's making, for what is wrong."""
    return {
        "no value": pa.table({"word": ["a"]}),
        "text": pa.table({"word": ["a"], "value": ["x"]}),
        "more": pa.table({"word": ["a"], "value": [1.0], "weight": [1.0]}),
        "twice": pa.table({"word": ["a", "a"], "value": [1.0, 2.0]}),
        "far": pa.table({"word": ["a"], "value": [9.0]}),
        "none": pa.table({"word": pa.array([], pa.string()), "value": pa.array([], pa.float64())}),
    }[argument]


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("no value", r"numbers\('no value'\) returns no column 'value'"),
        ("text", "column 'value' is not double"),
        ("more", "returns the column 'weight'; known are word, value"),
        ("twice", r"1 words have several rows: 'a' \(lines 1, 2\)"),
        ("far", "outside the scale 0-7"),
        ("none", "no row has a word and a value"),
    ],
)
def test_what_a_function_returns_is_checked(argument, told):
    with pytest.raises(LexbeamError, match=told):
        opened(words_from(numbers, help="", scale=(0, 7)), argument)


def test_rules_are_checked_at_once():
    with pytest.raises(UsageError, match="`case` takes fold, keep, lower, not 'lowr'"):
        words_from(numbers, help="", case="lowr")
    with pytest.raises(UsageError, match="`duplicates` takes error, first"):
        words_from(numbers, help="", duplicates="all")
