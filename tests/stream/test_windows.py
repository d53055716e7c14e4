"""A window ends by its time or by what it holds, whichever comes first."""

import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.stream.landing_windows import WINDOW_BYTES, WindowRule, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"), [("5m", 300), ("30s", 30), ("1.5h", 5400), (".5s", 0.5), ("250ms", 0.25), ("1d", 86400)]
)
def test_a_duration_is_a_number_with_a_unit(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "m", "0s", "-1s", "5 m", "5min", "1e3s", "9" * 400 + "s"])
def test_anything_else_is_none(text):
    with pytest.raises(UsageError, match="such as 5m"):
        seconds_of(text)


def test_whichever_comes_first():
    rule = WindowRule(10, 3)
    assert not rule.ends(2, 5, 9.9)
    assert rule.ends(3, 5, 0)
    assert rule.ends(1, 5, 10)
    assert rule.ends(1, WINDOW_BYTES, 0)
    assert not rule.ends(0, 0, 1000), "nothing has come, so nothing has begun"
