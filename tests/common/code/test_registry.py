"""What registries are, with the entries that packages of others add."""

import logging
import re
from dataclasses import dataclass

import pytest

from lexbeam.transforms.common.code.registry import Entry, Registry, docs_of
from lexbeam.transforms.common.errors import UsageError


@dataclass(frozen=True)
class Number(Entry):
    value: int


def numbers(group=""):
    return Registry(
        {"two": Number(2, doc="even"), "one": Number(1, doc="odd", needs="luck")}, what="number", group=group
    )


@pytest.fixture
def installed(outsider):
    """A package that adds to the group `toy.numbers`: one good, one of a taken name, two broken."""
    outsider(
        "toy.numbers",
        "three = toy_numbers:THREE",
        "one = toy_numbers:THREE",
        "bad = toy_numbers:missing",
        "worse = toy_nowhere:three",
        toy_numbers=("from lexbeam.transforms.common.code.registry import Entry\nTHREE = Entry(doc='odd, too')\n"),
    )


def test_entries_stand_in_the_order_of_the_literal():
    found = numbers()
    assert list(found) == ["two", "one"]
    assert (found["one"].value, found["one"].needs, found["two"].needs) == (1, "luck", "")
    assert docs_of(found) == {"two": "even", "one": "odd"}
    assert "three" not in found
    with pytest.raises(KeyError):
        found["three"]
    with pytest.raises(TypeError, match="doc"):
        Number(3)


def test_an_unknown_name_is_told_with_the_nearest_and_all():
    numbers().check(["one", "two"])
    told = "`n`: no number is called 'tow'; did you mean 'two'? (there are: two, one)"
    with pytest.raises(UsageError, match=f"^{re.escape(told)}$"):
        numbers().check(["one", "tow"], "`n`")


@pytest.mark.usefixtures("installed")
def test_entries_of_other_packages_come_behind_ours_and_are_loaded_once(caplog):
    with caplog.at_level(logging.WARNING):
        for found in (numbers("toy.numbers"), numbers("toy.numbers")):
            assert docs_of(found) == {"two": "even", "one": "odd", "three": "odd, too"}
            assert len(found) == 3
            assert "three" in found
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert "'bad' cannot be loaded" in told[0]
    assert "'one' of toy_numbers:THREE is left out" in told[1]
    assert "'worse' cannot be loaded" in told[2]
    assert list(numbers()) == ["two", "one"]


def test_a_group_that_nobody_adds_to_changes_nothing():
    assert list(numbers("lexbeam.nobody.adds.to.this")) == ["two", "one"]
