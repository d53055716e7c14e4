"""Layouts recognised by first rows; records staged."""

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.simplification.instances.instance_rows import marked
from lexbeam.transforms.simplification.instances.instances_read import layout_of, staged_rows

SENTENCE = 'He said "the old sea was vast.'
CWI = ["3KW", SENTENCE, "9", "12", "old", "10", "0", "2", "0", "1", "0.2"]
CASES = {
    "alexsis": [[SENTENCE, "vast", *["big"] * 25]] * 3,
    "tsar": [[SENTENCE, "vast", *["big"] * n] for n in (25, 3, 0)],
    "benchls": [[SENTENCE, "vast", "6", "1:big", "1:large", "4:huge", ""]],
    "cwi2018": [CWI] * 2,
    "easier": [["11;3;vast;The sea; it was vast, old; too.;big, large"], ["11;4;sea;The sea.;"]],
    "text": [["The [[old]] sea."], ["Nothing here."], ["A\ttab [[and]] a target."]],
}


@pytest.mark.parametrize("layout", CASES)
def test_each_layout_is_recognised(layout):
    assert layout_of("a.tsv", CASES[layout]) == layout


@pytest.mark.parametrize("layout", ["alexsis", "tsar", "benchls", "cwi2018"])
def test_a_broken_row_among_others_is_no_matter(layout):
    rows = [["nothing of the kind"], *CASES[layout] * 3]
    assert layout_of("a.tsv", rows) in {layout, "tsar"}


def test_headers_and_names():
    assert layout_of("a.tsv", [["Sentence", "start", "end"], ["x", "0", "1"]]) == "text"
    assert layout_of("tsar2022_en.tsv", CASES["alexsis"]) == "tsar"


@pytest.mark.parametrize("rows", [[["a plain sentence."]], [["id", "token"], ["1", "sea"]]])
def test_an_unknown_layout_is_an_error_that_shows_the_first_row(rows):
    with pytest.raises(LexbeamError, match=rf"b\.txt: .* {len(rows[0])} cells, '{rows[0][0]}'"):
        layout_of("b.txt", rows)


def test_a_delimiter_that_was_not_named_is_told():
    with pytest.raises(LexbeamError, match=r"or the `delimiter` ';'\. .* `columns`"):
        layout_of("b.csv", [["id;Sentence;target"], ["1;The sea.;sea"]])


def test_a_line_of_marked_words_has_bounded_text():
    def staged(words):
        return staged_rows(marked(" ".join(["[[word]]"] * words)), "first", ("en", None))

    assert len(staged(1800)) == 1800
    with pytest.raises(BadRecord) as caught:  # 8,000 words in 72 kB took 509 MB
        staged(8000)
    assert caught.value.reason == "too_large"
    assert "8000 targets in a sentence of 39999 characters" in caught.value.detail
    whole = marked("[[a]]" + " a" * 20_000)[0]
    places = tuple((at, at + 1) for at in range(0, 40_000, 2))
    with pytest.raises(BadRecord, match="20000 targets"):
        staged_rows([whole._replace(places=places)], "all", ("en", None))
    assert len(staged_rows([whole._replace(places=places)], "first", ("en", None))) == 1
