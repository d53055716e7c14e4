"""Sections of a manifest as lines.

How a report and its sections begin, from what is published.
"""

import pytest

from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.overview import page_head, section_head, section_lines
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.publish.snapshots import Snapshot

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


CHANGE_SECTION = {
    "environment": "e1",
    "options": {
        "dim": 50,
        "window": 10,
        "epochs": 5,
        "min-count": [5, 6],
        "seeds": [3],
        "slices": "1800-1850,every 20",
        "alignment": ["op", "cca"],
        "series": False,
        "null": 0,
    },
    "slices": [["old", 1800, 1849], ["new", 1850, 1899]],
}
CORPUS = {
    "options": {"inputs": ["a b.txt", "c"], "dates": "name:(\\d+)", "quoting": True},
    "documents": 1200,
    "documents_by_year": {"1800": 1, "-50": 2},
    "about": "Letters.",
}


@pytest.fixture
def snapshot(tmp_path):
    environments = {"e1": {"lexbeam": "1.2.3", "commit": "0123456789ab"}}
    sections = {"change": CHANGE_SECTION, "corpus": CORPUS, "of others": {}}
    return Snapshot(str(tmp_path), "made-up", "", {**sections, "environments": environments, "tables": {}})


def test_a_section_says_what_it_is_about_with_which_options_and_by_which_command(snapshot, tmp_path):
    head = section_head(snapshot, "change")
    assert head.title == "Change of usage: old (1800 to 1849), new (1850 to 1899)"
    facts = dict(head.facts)
    command = facts.pop("command, without paths")
    assert facts == {
        "dim": "50",
        "window": "10",
        "epochs": "5",
        "min count": "5, 6",
        "seeds": "3",
        "alignment": "op, cca",
        "null": "0",
        "made by": "Lexbeam 1.2.3 (0123456789ab)",
    }
    expected = "--dim 50 --min-count 5,6 --seeds 3 --slices '1800-1850,every 20' --no-series"
    words = command.strip("`").removeprefix(f"lexbeam change --out {tmp_path.name} ")
    assert sorted(words.split()) == sorted(expected.split())


def test_inputs_stand_before_options_and_a_version_that_is_not_known_is_left_out(snapshot, tmp_path):
    head = section_head(snapshot, "corpus")
    assert head.title == "Corpus: 1,200 documents, -50 to 1800"
    assert dict(head.facts) == {
        "dates": r"name:(\d+)",
        "command, without paths": rf"`lexbeam corpus 'a b.txt' c --out {tmp_path.name} --dates 'name:(\d+)'`",
    }


def test_the_page_says_which_folder_what_is_there_and_what_the_texts_are(snapshot, tmp_path):
    head = page_head(snapshot)
    assert head.title == f"{tmp_path.name}: corpus, change of usage"
    assert head.notes == ("Letters.",)
    sections = {
        section_of(words): {} for words in ("change", "corpus", "cloze pairs", "cloze options", "complexity load")
    }
    many = page_head(Snapshot(str(tmp_path), "made-up", "", {**sections, "tables": {}}))
    assert many.title == f"{tmp_path.name}: corpus, change of usage, labelled words in sentences and 2 more"
    assert many.notes == ()


def test_every_section_of_a_report_begins_with_what_a_reader_needs():
    wrong = {}
    for words in COMMANDS.ours():
        command = load(words)
        if type(command).report is Command.report:
            continue
        published = {entry.shown for entry in options_of(command.options).values() if entry.published}
        opening = command.opening
        if not opening.title or not opening.text.endswith(".") or set(opening.options) - published:
            wrong[words] = opening
    assert wrong == {}
