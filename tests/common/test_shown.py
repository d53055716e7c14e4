import doctest

from lexbeam.transforms.common import shown


def test_doctests():
    assert doctest.testmod(shown).failed == 0
