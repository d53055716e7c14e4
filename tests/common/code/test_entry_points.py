import logging

import pytest

from transforms.common.code.entry_points import with_outside


@pytest.fixture
def installed(outsider):
    """A package that adds to the group `toy.numbers`: one good, one of a taken name, one broken."""
    outsider(
        "toy.numbers",
        "three = toy_numbers:three",
        "one = toy_numbers:three",
        "bad = toy_numbers:missing",
        "worse = toy_nowhere:three",
        toy_numbers="def three():\n    return 3\n",
    )


@pytest.mark.usefixtures("installed")
def test_entries_of_other_packages_are_taken_in_once(caplog):
    def one():
        return 1

    numbers = {"one": one}
    with caplog.at_level(logging.WARNING):
        assert with_outside(numbers, "toy.numbers") is numbers
        assert with_outside(numbers, "toy.numbers") is numbers
    assert {name: number() for name, number in numbers.items()} == {"one": 1, "three": 3}
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert "'bad' cannot be loaded" in told[0]
    assert "'one' of toy_numbers:three is left out" in told[1]
    assert "'worse' cannot be loaded" in told[2]


def test_a_group_that_nobody_adds_to_changes_nothing():
    assert with_outside({"one": 1}, "lexbeam.nobody.adds.to.this") == {"one": 1}
