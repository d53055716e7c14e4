"""What a plan takes from the manifests of corpora: letter case by language, slices by years."""

import re
from contextlib import nullcontext
from dataclasses import replace

import pytest

from pipelines.commands.change.options import ChangeOptions, may_be_series
from pipelines.commands.change.plan import plan_change
from pipelines.frame.command import Inputs, InputTable
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import from_mapping, plain_options


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
    from pipelines.commands.change.change import CHANGE

    for spec in ("1800-1850,1900-1950", "1800-1850,1950-1980", "every 20", "every 500"):
        options = from_mapping(ChangeOptions, {"out": "x", "slices": spec})
        told = CHANGE.year_check(options)({1810, 1910})
        refused = pytest.raises(LexbeamError, match=f"^{re.escape(told)}$") if told else nullcontext()
        with refused:
            plan_change(options, inputs({"en"}))
    several = from_mapping(ChangeOptions, {"out": "x", "slices": "1", "corpora": ["a", "b"]})
    assert CHANGE.year_check(several) is None


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
