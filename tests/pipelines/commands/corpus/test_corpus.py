import shlex

import pytest

from lexbeam.pipelines.commands.corpus.corpus import corpus_summary
from lexbeam.transforms.common.publish.snapshots import Snapshot

YEARS = {str(year): 1 for year in (*range(1800, 1830), *range(1900, 1930))}


def told(documents=YEARS, out="results", number=60, columns=("forms", "lemmas", "upos"), about=None, said=(), **more):
    corpus = {
        **dict(said),
        **({"about": about} if about else {}),
        "records": number,
        "rejected": 0,
        "rejects": {},
        "documents": number,
        "sentences": 9,
        "tokens": 10 * number,
        "documents_by_year": documents,
        "columns": list(columns),
        "tokens_by_year": {year: 10 * n for year, n in documents.items()},
    }
    snapshot = Snapshot(out, "name", "folder", {"corpus": corpus, "tables": {}, **more})
    return list(corpus_summary(snapshot))


def test_ends_with_the_next_command():
    lines = told()
    assert lines[0] == "60 input records: 60 documents, 0 rejects"
    assert lines[1] == "9 sentences, 600 tokens, years 1800 to 1929"
    assert "tokens per decade" in lines[2]
    assert len(lines) == 3 + 6 + 2
    assert "1800-1829 (30 documents, 300 tokens) and 1900-1929" in lines[-2]
    assert lines[-1] == "next: lexbeam change results --slices 1800-1829,1900-1929 --null 5"


def test_begins_with_what_the_texts_are():
    lines = told(about="Letters of " + "a long-winded author " * 8)
    assert lines[0].startswith("about the texts: Letters of a long-winded")
    number = len(lines) - len(told())
    assert number > 1
    assert max(map(len, lines[:number])) <= 100
    assert lines[number:] == told()


@pytest.mark.parametrize("out", ["my results", "it's", "-x", "a;rm b", "$HOME"])
def test_the_command_may_be_pasted_whatever_the_folder_is_called(out):
    words = shlex.split(told(out=out)[-1].removeprefix("next: "))
    assert words[:2] == ["lexbeam", "change"]
    assert words[2] == (out if out != "-x" else "./-x")
    assert words[3:] == ["--slices", "1800-1829,1900-1929", "--null", "5"]


def test_a_corpus_without_lemmas_is_trained_on_forms():
    assert told(columns=["forms", "upos"])[-1].endswith("--unit form")


def test_without_parts_of_speech_it_offers_to_leave_out_the_most_frequent_words():
    *before, offer = told(columns=["forms", "lemmas"])
    assert before == told()
    assert "--rank-stop-words 100" in offer


def test_without_dates_it_says_what_is_needed():
    lines = told(documents={})
    assert "needs dates" in lines[-1]
    assert "`dates`" in lines[-1]
    assert len(lines) == 3


def test_documents_without_a_date_stand_beside_the_others():
    assert told(number=63)[9] == "  without a date: 30 (3)"


def test_where_slices_cannot_be_proposed_it_says_why():
    lines = told(documents={"1800": 5, "1900": 5}, number=10)
    assert lines[-1] == (
        "no slices for `lexbeam change` can be proposed: only 10 documents have a date, and each slice needs 10"
    )


def test_nothing_is_proposed_where_change_is_published_already():
    assert not [line for line in told(change={"parts": {}}) if "slices" in line or "next" in line]


def test_words_that_line_ends_cut_are_told_until_they_are_joined():
    notes = {"words cut at line ends": 3}
    assert any(
        "stay in two: `hyphens` join" in line for line in told(said={"notes": notes, "options": {"hyphens": "keep"}})
    )
    assert not any("stay in two" in line for line in told(said={"notes": notes, "options": {"hyphens": "join"}}))
