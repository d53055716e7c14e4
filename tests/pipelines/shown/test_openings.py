"""How a report and its sections begin, from what is published."""

import pytest

from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.overview import page_head, section_head
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.publish.snapshots import Snapshot

CHANGE = {
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
    sections = {"change": CHANGE, "corpus": CORPUS, "of others": {}}
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
    nothing = load("show").report
    wrong = {}
    for words in COMMANDS.ours():
        command = load(words)
        if command.report is nothing:
            continue
        published = {entry.shown for entry in options_of(command.options).values() if entry.published}
        opening = command.opening
        if not opening.title or not opening.text.endswith(".") or set(opening.options) - published:
            wrong[words] = opening
    assert wrong == {}
