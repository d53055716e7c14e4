"""Sections of a manifest as lines."""

import pytest

from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.shown.overview import section_lines

CHANGE = {
    "slices": [["a", 1800, 1824], ["b", 1825, 1849], ["c", 1950, 1999]],
    "pairs": [[0, 1], [1, 2]],
    "seeds": list(range(1, 31)),
    "targets": [f"w{n:02}" for n in range(40)],
    "view": {"unit": "lemma", "case": "lower", "min_sentence": 10},
    "environment": "1918b845",
    "resources": {"targets": []},
    "inputs": [[3, "ff"], [4, "ee"]],
    "reads": [{"digest": "8d10ecba", "section": "corpus", "table": "sentences"}],
    "options": {"slices": "a=1800-1824", "null": 0, "dim": 50, "gone": True},
    "stages": {"change/train": {}},
}


def told(section, values):
    return [" ".join(line.split()) for line in shown_lines(section_lines(section, values), width=0)]


def test_a_change_run_is_told_by_the_names_of_its_slices():
    lines = told("change", CHANGE)
    assert "slices a (1800 to 1824), b (1825 to 1849), c (1950 to 1999)" in lines
    assert "pairs a to b, b to c" in lines
    assert "made from sentences of corpus (2 parts)" in lines
    assert "seeds 1 to 30" in lines
    assert "targets 40, from w00 to w39" in lines


def test_digests_are_left_out_and_so_are_options_at_their_defaults():
    lines = told("change", CHANGE)
    assert not [line for line in lines if "8d10" in line or "1918" in line or "stages" in line]
    place = lines.index("options:")
    assert lines[place + 1 :] == [
        "slices a=1800-1824",
        "dim 50",
        "gone yes",
        "1 other option as `lexbeam change --help` says",
    ]


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("words_by_year", {"1800": 2, "1810": 3}, "words by year 5 in 2 years, 1800 to 1810"),
        ("words_by_year", {"-44": 2}, "words by year 2 in 1 year, -44"),
        ("engine", {"fingerprint": "x=4c49891006bb", "name": "builtin:en"}, "engine builtin:en"),
        ("rejects", {"empty": 2, "html": 1}, "rejects empty: 2, html: 1"),
        ("other", False, "other no"),
        ("wanted", [0.7, 0.1 + 0.2], "wanted 0.7, 0.3"),
        ("numbers", list(range(0, 40, 2)), "numbers 20, from 0 to 38"),
    ],
)
def test_a_fact_is_a_line(name, value, line):
    assert told("of.another.version", {name: value}) == [line]


def test_what_says_nothing_is_no_line():
    assert told("of.another.version", {"a": None, "b": [], "c": {}, "options": {}}) == []


def test_a_list_of_facts_is_a_table():
    groups = [{"group": "x", "n": 3, "alpha": None}, {"group": "", "n": 10, "alpha": 0.25}]
    assert told("of.another.version", {"groups": groups}) == ["groups:", "group n alpha", "x 3", "10 0.25"]
