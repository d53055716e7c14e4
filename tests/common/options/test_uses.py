"""Options that entries of a registry use alone, with the options of a command."""

import pytest

from lexbeam.pipelines.commands.change.options import ChangeOptions
from lexbeam.transforms.change.scores.measures import MEASURES, Measure
from lexbeam.transforms.common.options.fields import from_mapping, options_of, unused

GIVEN = {"corpora": "c", "out": "o", "slices": "1800-1849,1850-1900"}


def asked(**values):
    return from_mapping(ChangeOptions, GIVEN | values)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"gamma": 1}, "`gamma` 1.0: it is used with `representation` svd, not with sgns: leave it out, or"),
        ({"threshold_sd": 2}, "`threshold_sd` 2.0: it is used with `threshold` mean-sd or mean-sd-ranked, not with"),
        ({"whiten": False}, "`whiten`: it is used with `alignment` op+, not with op,cca"),
        ({"reweight": 1, "alignment": "cca,op"}, "`reweight` 1.0: it is used with `alignment` op+, not with cca,op"),
        ({"rcond": 0.1, "representation": "ri"}, "not with none"),
        ({"epochs": 3, "representation": "svd"}, "`epochs` 3: it is used with `representation` sgns, not with svd"),
        ({"trainer": "fast", "representation": "glove"}, "`trainer` fast: it is used with `representation` sgns, not"),
        ({"dim": 50, "representation": "ppmi"}, "`dim` 50: it is used with `representation` sgns or svd or ri or"),
        ({"pivots": 7, "measure": "lnd"}, "`pivots` 7: it is used with `measure` pivots, not with lnd"),
    ],
)
def test_a_value_that_nothing_takes_is_told(values, told):
    ((option, found),) = unused(asked(**values)).items()
    assert option in values
    assert told in found


def test_values_that_something_takes_and_defaults_are_not():
    for values in (
        {"gamma": 1, "representation": "svd", "dim": 50, "window": 3},
        {"dim": 50, "epochs": 3, "negative": 1, "sample": 0.1, "alpha": 0.1, "trainer": "fast"},
        {"threshold_sd": 2, "threshold": "mean,mean-sd"},
        {"neighbourhood": 9, "measure": "ecdf"},
        {name: entry.default for name, entry in options_of(ChangeOptions).items() if entry.of},
    ):
        assert not unused(asked(**values))


def test_an_entry_of_another_package_takes_what_it_uses(monkeypatch):
    own = Measure(len, "0 and up", uses=("pivots",), doc="its own")
    monkeypatch.setitem(MEASURES, "own", own)
    assert not unused(asked(pivots=7, measure="own"))
