"""Lists that are called as well-known norms are, on the scales of these and on others."""

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare


def scale(folder, name, values, more=""):
    path = folder / "list.csv"
    path.write_text("Word,Rating\n" + "".join(f"w{n},{v}\n" for n, v in enumerate(values)))
    spec = f"{name}={path}:word=Word,value=Rating{more}"
    (held,) = prepare(LexiconOptions(resources=(spec,), cache=str(folder / "cache"))).held
    return held.open().scale


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("concreteness", (1, 4.5)),
        ("Concreteness", (1.04, 5)),
        ("aoa", (1.58, 25)),
        ("aoa", (125, 697)),
        ("prevalence", (-2.1, 2.6)),
        ("familiarity", (43, 657)),
        ("familiarity", (1, 7)),
        ("imageability", (129, 667)),
        ("anything", (-1e6, 1e6)),
        ("my_concreteness", (100, 700)),
    ],
)
def test_scales_that_fit_are_told_as_found(tmp_path, name, values):
    assert scale(tmp_path, name, values) == values


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("concreteness", (1.58, 6.7), "go from 1.58 to 6.7.*from 1 to 5"),
        ("concreteness", (158, 670), "go from 158 to 670.*from 1 to 5"),
        ("AoA", (0.5, 314232), "0 to 25 .years.* or 100 to 700"),
        ("aoa", (5, 300), "go from 5 to 300"),
        ("prevalence", (0, 98), "-5 to 5"),
        ("familiarity", (0.43, 6.57), "1 to 7 .* or 10 to 700"),
    ],
)
def test_another_scale_is_an_error_that_names_file_column_and_remedy(tmp_path, name, values, told):
    with pytest.raises(LexbeamError, match=told) as failed:
        scale(tmp_path, name, values)
    for part in (name, "list.csv", "'Rating'", "`factor=`", "`scale=LOW-HIGH`", "`scale=read`"):
        assert part in str(failed.value)
    assert scale(tmp_path, name, values, ",scale=read") == values
    assert scale(tmp_path, name, values, ",scale=-1-400000") == (-1, 400000)


def test_a_logarithm_is_on_no_usual_scale(tmp_path):
    assert scale(tmp_path, "concreteness", (1e6, 1e7), ",log10=0") == (6, 7)


def test_the_right_factor_makes_it_fit(tmp_path):
    assert scale(tmp_path, "mrc_concreteness", (1.58, 6.7), ",factor=100") == (158, 670)
