import math

import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.select.patterns import Band, SelectOptions, parse_bands, parse_quotas


def test_quotas_of_kinds():
    assert parse_quotas(()) == {"single": None, "mwe": None}
    assert parse_quotas(("7",)) == {"single": 7, "mwe": 7}
    assert parse_quotas(("7", "mwe=2")) == {"single": 7, "mwe": 2}
    assert parse_quotas(("mwe=2",)) == {"single": None, "mwe": 2}


@pytest.mark.parametrize("text", ["", "-1", "=3", "double=3", "single=", "1.5", "single=2=3"])
def test_quotas_that_are_wrong(text):
    with pytest.raises(UsageError, match="`quota` must be"):
        parse_quotas((text,))


def test_bands():
    assert parse_bands(("zipf=2:5.5", "aoa=:9", "x=1:")) == (
        Band("zipf", 2, 5.5),
        Band("aoa", -math.inf, 9),
        Band("x", 1, math.inf),
    )


@pytest.mark.parametrize("text", ["zipf", "zipf=2", "=1:2", "zipf=5:2", "zipf=a:b", "z=nan:1"])
def test_bands_that_are_wrong(text):
    with pytest.raises(UsageError, match="`band` must be"):
        parse_bands((text,))


def test_lengths_that_no_sentence_has():
    with pytest.raises(UsageError, match="`max_sentence` 2 is below `min_sentence` 3"):
        SelectOptions(min_sentence=3, max_sentence=2)
