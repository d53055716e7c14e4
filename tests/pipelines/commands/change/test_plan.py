"""What a plan takes from the manifests of corpora: letter case by language, slices by years."""

import re
from contextlib import nullcontext
from dataclasses import replace

import pytest

from lexbeam.pipelines.commands.change.options import ChangeOptions, may_be_series
from lexbeam.pipelines.commands.change.plan import plan_change
from lexbeam.pipelines.frame.command import Inputs, InputTable
from lexbeam.transforms.change.scores.named_systems import SYSTEMS
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, UsageError
from lexbeam.transforms.common.options.fields import from_mapping, plain_options


def inputs(*languages):
    """Corpora of these languages, a set of them for each, as found by a run."""
    sections = [
        {
            "documents_by_year": {"1810": 3, "1910": 2},
            "tokens_by_year": {"1810": 9, "1910": 8},
            "languages": dict.fromkeys(found, 1),
            "columns": ["forms", "lemmas", "upos"],
            "engine": {"name": "any"},
        }
        for found in languages
    ]
    tables = ("sentences", "documents")
    return Inputs(tuple(InputTable(name, (), "corpus", entry, True) for entry in sections for name in tables))


def planned(found, **more):
    options = from_mapping(ChangeOptions, {"out": "x", "slices": "1800-1850,1900-1950", **more})
    return plan_change(options, found)


@pytest.mark.parametrize(
    ("languages", "asked", "case"),
    [
        ([{"en"}], "auto", "lower"),
        ([{"de"}], "auto", "keep"),
        ([{"de"}], "lower", "lower"),
        ([{"de"}, {"de-AT"}], "auto", "keep"),
        ([{"en"}, {"la"}], "auto", "lower"),
        ([set()], "auto", "lower"),
        ([{"de", "en"}], "keep", "keep"),
    ],
)
def test_case_follows_the_language_of_the_corpora(languages, asked, case):
    assert planned(inputs(*languages), case=asked).view.options.case == case


def test_corpora_that_disagree_need_to_be_told():
    for found in (inputs({"de"}, {"en"}), inputs({"de", "en"})):
        with pytest.raises(UsageError, match="`case` as keep or lower"):
            planned(found)


def test_targets_have_the_case_of_the_words(tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("Arm\narm\n")
    assert planned(inputs({"de"}), targets=str(path)).view.targets.words == ("Arm", "arm")
    assert planned(inputs({"en"}), targets=str(path)).view.targets.words == ("arm",)


def test_other_ways_to_write_are_resolved_when_options_are_read():
    options = from_mapping(
        ChangeOptions, {"out": "x", "slices": "a=1800\u20131850, 1900\u20131950", "alignment": "procrustes,cca,op"}
    )
    plain = plain_options(options)
    assert plain["slices"] == "a=1800-1850, 1900-1950"
    assert plain["alignment"] == ["op", "cca"]
    with pytest.raises(UsageError, match="alignment cannot be 'procrustean'"):
        from_mapping(ChangeOptions, {"out": "x", "slices": "1", "alignment": "procrustean"})


def test_what_a_run_asks_of_years_is_what_the_plan_would_refuse():
    from lexbeam.pipelines.commands.change.change import Change

    for spec in ("1800-1850,1900-1950", "1800-1850,1950-1980", "every 20", "every 500"):
        options = from_mapping(ChangeOptions, {"out": "x", "slices": spec})
        told = Change().year_check(options)({1810, 1910})
        refused = pytest.raises(LexbeamError, match=f"^{re.escape(told)}$") if told else nullcontext()
        if spec == "every 500":  # there is nothing to compare, which is asked of no year
            refused = pytest.raises(NoDataError, match="no pair of slices: all documents are of 1500-1999")
        with refused:
            plan_change(options, inputs({"en"}))
    several = from_mapping(ChangeOptions, {"out": "x", "slices": "1", "corpora": ["a", "b"]})
    assert Change().year_check(several) is None


@pytest.mark.parametrize(
    ("slices", "asked", "series"),
    [
        ("1800-1850,1900-1950", True, False),
        ("1800,1850,1900", True, True),
        ("1800,1850,1900", False, False),
        ("every 50", True, True),
        ("every 100", True, False),
    ],
)
def test_a_series_needs_three_slices_with_documents(slices, asked, series):
    tables = inputs({"en"}).tables
    years = {str(year): 1 for year in (1800, 1850, 1900)}
    section = {**tables[0].section, "documents_by_year": years, "tokens_by_year": years}
    found = Inputs(tuple(replace(table, section=section) for table in tables))
    assert planned(found, slices=slices, series=asked).series == series
    options = from_mapping(ChangeOptions, {"out": "x", "slices": slices, "series": asked})
    assert may_be_series(options) == (series or slices == "every 100")


OF_COUNTS = {"measure": "cosine", "representation": "ppmi"}
UNALIGNED = {"measure": "cosine", "alignment": "vi", "fit_on": "shared"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"system": "count-ci-cd", "epochs": 9}, "`epochs` 9: it is used with `representation` sgns, not with count"),
        ({"system": "freq,count-ci-cd,ucd", "trainer": "fast"}, "`trainer` fast: it is used with"),
        ({"system": "count-ci-cd,uwb", "epochs": 9, "systems": {"uwb": {"epochs": 3}}}, "`epochs` 9: it is used with"),
        ({"system": "uwb,rpi-trust", "pivots": 9}, "`pivots` 9: it is used with `measure` pivots, not with cosine"),
        ({"system": "ims", "fit_on": "top:9"}, "`fit_on` top:9: nothing is fitted by `alignment` vi: leave it out"),
        ({"system": "circe", "representation": "svd", "negative": 2}, "`negative` 2: it is used with"),
        ({"system": "mine", "systems": {"mine": {**OF_COUNTS, "epochs": 9}}}, "`systems`: mine: `epochs` 9: it is"),
        ({"system": "uwb,mine", "systems": {"mine": {**OF_COUNTS, "epochs": 9}}}, "`systems`: mine: `epochs` 9: it"),
        ({"system": "mine", "systems": {"mine": UNALIGNED}}, "`systems`: mine: `fit_on` shared: nothing is fitted"),
        ({"system": "uwb,mine", "systems": {"mine": UNALIGNED}}, "`systems`: mine: `fit_on` shared: nothing is"),
        (
            {"system": "uwb,life-language", "systems": {"life-language": {"fit_on": "top:9"}}},
            "`systems`: life-language: `fit_on` top:9: nothing is fitted for `measure` pivots",
        ),
        (
            {"system": "life-language,dcc", "systems": {name: {"pivots": 9} for name in ("life-language", "dcc")}},
            "`systems`: dcc: `pivots` 9: it is used with `measure` pivots, not with cosine",
        ),
    ],
)
def test_what_neither_the_run_nor_a_system_uses_is_refused(asked, told, targets):
    with pytest.raises(UsageError, match=re.escape(told)):
        planned(inputs({"en"}), targets=targets, **asked)


@pytest.fixture
def targets(tmp_path):
    path = tmp_path / "targets.txt"
    path.write_text("arm\n")
    return str(path)


def test_what_one_of_them_uses_or_a_named_system_sets_is_not(targets):
    for asked in (
        *({"system": name} for name in (*SYSTEMS, list(SYSTEMS), list(SYSTEMS)[::-1])),
        *({"system": system, "epochs": 9} for system in ("uwb,count-ci-cd", "count-ci-cd,uwb")),
        {"system": "ims,uwb", "fit_on": "top:9", "rcond": 0.1},
        {"system": "cs2020,life-language,entity,rpi-trust", "pivots": 9, "x_max": 9, "threshold_sd": 2},
        {"system": "uwb,circe", "representation": "svd", "gamma": 1},
        {"system": "uwb,circe", "systems": {"circe": {"representation": "svd", "gamma": 1}}},
        {"system": "uwb,mine", "systems": {"mine": OF_COUNTS | {"shift": 3}}},
    ):
        assert planned(inputs({"en"}), targets=targets, **asked)


@pytest.mark.parametrize(
    ("systems", "frees"),
    [
        ({}, True),
        ({"uwb": {"dim": 50}}, True),
        ({"uwb": {"dim": 50}, "circe": {"dim": 60}}, True),
        ({"discovery": {"min_count": 9}}, False),
        ({"uwb": {"dim": 50}, "circe": {"dim": 50, "window": 5, "negative": 5, "min_count": 7}}, False),
        ({"count-ci-cd": {}}, True),
        ({"count-ci-cd": {}, "mine": OF_COUNTS}, False),
        ({"count-ci-cd": {}, "mine": OF_COUNTS | {"window": 3}}, True),
    ],
)
def test_null_spaces_are_freed_early_where_no_two_systems_may_share_them(systems, frees):
    asked = {"system": ",".join(["cs2020", *systems]), "systems": systems}  # the first is what the run's options say
    assert not planned(inputs({"en"}), **asked).frees
    found = planned(inputs({"en"}), keep="published", **asked)
    assert (found.frees, len(found.beside)) == (frees, len(systems))
