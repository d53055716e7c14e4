"""Words for a person, from facts made by hand."""

import pytest
from published_making import publish, section

from pipelines.tables_shown import shown_lines
from transforms.change import word_shown
from transforms.change.word import LookOptions, WordOptions
from transforms.change.word_shown import tell_words, where


@pytest.mark.parametrize(
    ("author", "title", "told"),
    [
        ("Ann", "On Ships", "Ann, On Ships, 1801"), (None, "On Ships", "On Ships, 1801"),
        ("Ann", "", "Ann, 1801"), (None, None, "a.zip!x.txt, 1801"),
    ],
)  # fmt: skip
def test_the_source_is_told_only_where_author_and_title_are_missing(author, title, told):
    use = {"author": author, "title": title, "source": "a.zip!x.txt", "year": 1801}
    assert where(use) == told


FACTS = {
    "words": [
        {
            "word": "ship", "target": True, "upos": {"a": "NOUN", "b": "NOUN"},
            "counts": [
                {"slice": "a", "count": 9, "relative": 9e-5, "documents": 2, "vector": True},
                {"slice": "b", "count": 1, "relative": 1e-5, "documents": 1, "vector": False},
            ],
            "scores": [
                {
                    "slice_from": "a", "slice_to": "b", "alignment": "op", "measure": "cosine",
                    "score": None, "score_sd": None, "reason": "below_min_count_to",
                    "changed": None, "q_value": None,
                }
            ],
            "neighbours": [{"slice": "a", "neighbour": "sea", "cosine": 0.5, "seeds": 2}],
            "uses": [
                {
                    "slice": "a", "left": "the ", "target": "ship", "right": " sails",
                    "author": "Ann", "title": None, "source": "x", "year": 1801,
                }
            ],
        }
    ],
    "missing": [{"word": "shpi", "near": ["ship"]}, {"word": "zzz", "near": []}],
    "notes": [],
}  # fmt: skip


def lines(tmp_path, monkeypatch, facts, look):
    monkeypatch.setattr(word_shown, "facts_of", lambda snapshot, options: facts)
    snapshot = publish(tmp_path, section())
    blocks = tell_words(snapshot, WordOptions(word=("ship",), look=look))
    return "\n".join(shown_lines(blocks, width=0)).splitlines()


def test_what_is_missing_is_named_and_the_rest_is_told(tmp_path, monkeypatch):
    found = lines(tmp_path, monkeypatch, FACTS, LookOptions(order="date"))
    assert found[:2] == [
        "no word 'shpi' in the tables; did you mean ship?", "no word 'zzz' in the tables"
    ]  # fmt: skip
    assert "ship (target, NOUN)" in found
    assert "  a         9         90.0          2" in found
    assert "  b         1         10.0          1  no vector" in found
    assert any(line.endswith("too few uses in the later slice") for line in found)
    assert "nearest neighbours (mean cosine over 2 seeds):" in found
    assert "  a      sea 0.50" in found
    assert "uses, a (the earliest first; at most two of a document):" in found
    assert "  the [ship] sails  Ann, 1801" in found
    assert "uses, b: none" in found


def test_where_no_corpus_was_found_the_note_says_so_and_no_uses_are_denied(tmp_path, monkeypatch):
    word = {**FACTS["words"][0], "uses": []}
    facts = {"words": [word], "missing": [], "notes": ["the corpus is gone: name it by `corpus`"]}
    found = lines(tmp_path, monkeypatch, facts, LookOptions())
    assert found[-1] == "note: the corpus is gone: name it by `corpus`"
    assert not any(line.startswith("uses") for line in found)
