"""Which values are outside their bounds."""

import pytest

from transforms.common.errors import HeldBackError
from transforms.common.publish.bounds import Bound, Gauge, check_bounds
from transforms.common.publish.sections import Made

MADE = [Made(name="corpus", parts=(), entry={})]


def outside(values, *bound):
    gauge = Gauge(lambda made: values, doc="shares")
    try:
        check_bounds(MADE, {"corpus": [Bound("shares", gauge, *bound)]})
    except HeldBackError as error:
        return [*error.reasons]
    return []


@pytest.mark.parametrize(
    ("values", "bound", "reasons"),
    [
        ({"en": 0.5}, (None, 0.5, 0.5), []),
        ({"en": 0.5, "de": 0.4}, (None, 0.5, None), ["shares of de: 0.4 is less than 0.5"]),
        ({"en": 0.5}, ("de", 0.1, None), ["shares of de: 0 is less than 0.1"]),
        ({"en": 0.5}, ("de", None, 0.1), []),
        ({}, (None, 0.5, None), ["shares: there is none, and 0.5 is the least"]),
        ({}, (None, 0, None), []),
        ({}, (None, None, 0.5), []),
    ],
)
def test_each_value_or_the_named_one_keeps_its_bounds(values, bound, reasons):
    assert outside(values, *bound) == [f"corpus: {reason}" for reason in reasons]


def test_a_bound_from_above_of_what_is_not_there_is_told(caplog):
    assert outside({"en": 0.5, "de": 0.4}, "eng", None, 0.6) == []
    (record,) = caplog.records
    assert record.getMessage() == "the gate's bound of corpus: shares: there is no eng, but de, en"
    assert outside({"en": 0.5}, "en", None, 0.6) == []
    assert len(caplog.records) == 1
