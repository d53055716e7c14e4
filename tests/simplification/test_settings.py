"""Settings: named ways, of which each stage takes its own options."""

import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.ranking.options import RankingOptions, check_rankers, gain_of
from lexbeam.transforms.simplification.selection.candidate_filter import SelectionOptions
from lexbeam.transforms.simplification.settings import check_setting_name, settings_of, settings_of_candidates

FILE = """\
b:
  generators: [thesaurus, vectors]
  filters: none
  ranker: [senses, frequency]
a:
c: {k: 3, keep-target: "if-gain:0.5"}
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text(FILE)
    return str(file)


def test_each_stage_takes_its_own(path):
    defaults = GenerationOptions(k=7)
    settings = settings_of("generate", defaults, path, "x")
    assert list(settings) == ["a", "b", "c"]
    assert settings["a"] == defaults
    assert (settings["b"].generators, settings["b"].k) == (("thesaurus", "vectors"), 7)
    assert settings["c"].k == 3
    selected = settings_of("select", SelectionOptions(), path, "")
    assert [options.filters for options in selected.values()] == [("morphology",), ("none",), ("morphology",)]
    ranked = settings_of("rank", RankingOptions(), path, "")
    assert ranked["b"].ranker == ("senses", "frequency")
    assert ranked["c"].keep_target == "if-gain:0.5"


def test_no_two_stages_have_an_option_of_one_name():
    # They share a file of settings, where it would mean both.
    stages = [GenerationOptions, SelectionOptions, RankingOptions]
    names = [name for stage in stages for name in options_of(stage)]
    assert len(names) == len(set(names)) > 20


def test_without_a_file_there_is_one():
    defaults = GenerationOptions(k=7)
    assert settings_of("generate", defaults, None, "own") == {"own": defaults}


def test_settings_that_were_generated(path):
    defaults = SelectionOptions(least_similarity=0.5)
    settings = settings_of_candidates("select", defaults, path, ["a", "b", "c", "d"])
    assert settings["d"] == defaults
    assert settings["b"] == SelectionOptions(least_similarity=0.5, filters=("none",))
    assert settings_of_candidates("select", defaults, None, ["d", "a"]) == {"a": defaults, "d": defaults}
    with pytest.raises(UsageError, match="has setting c, by which no candidates were generated"):
        settings_of_candidates("select", defaults, path, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no settings"),
        ("[a]", "has no settings"),
        ("a: [k]", "setting a is no mapping"),
        ("a: {kk: 1}", "setting a: unknown option kk"),
        ("a: {k: none}", "setting a: k must be a whole number"),
        ("a: {filters: morphologie}", "morphologie"),
        ("a b: {k: 1}", "is no name of a setting"),
    ],
)
def test_what_is_wrong_is_said(text, message, tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    stage = ("select", SelectionOptions()) if "filters" in text else ("generate", GenerationOptions())
    with pytest.raises(UsageError, match=message):
        settings_of(*stage, str(file), "")


@pytest.mark.parametrize("name", ["", "-x", "a/b", "a b", "x" * 65, "ñ"])
def test_names(name):
    with pytest.raises(UsageError):
        check_setting_name(name)


def test_rankers_and_gains():
    check_rankers(("frequency:zipf", "senses"))
    for name in ("frequenzy", "frequency:", "senses:x"):
        with pytest.raises(UsageError):
            check_rankers((name,))
    with pytest.raises(UsageError, match="'senses' is named twice"):
        check_rankers(("senses", "frequency", "senses"))
    assert gain_of("if-gain:-1.5") == -1.5
    assert gain_of("never") is None
    for text in ("if-gain", "if-gain:", "if-gain:nan", "if-gain:inf", "if-more", "gain:1"):
        with pytest.raises(UsageError):
            gain_of(text)
