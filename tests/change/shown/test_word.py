"""Words for a person, from facts made by hand."""

import pyarrow as pa
import pytest
from published_making import publish, section

from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.transforms.change.shown import word
from lexbeam.transforms.change.shown.word import WordOptions, WordViewOptions, tell_words, where


@pytest.mark.parametrize(
    ("author", "title", "told"),
    [
        ("Ann", "On Ships", "Ann, On Ships, 1801"),
        (None, "On Ships", "On Ships, 1801"),
        ("Ann", "", "Ann, 1801"),
        (None, None, "a.zip!x.txt, 1801"),
    ],
)
def test_the_source_is_told_only_where_author_and_title_are_missing(author, title, told):
    use = {"author": author, "title": title, "source": "a.zip!x.txt", "year": 1801}
    assert where(use) == told


FACTS = {
    "words": [
        {
            "word": "ship",
            "target": True,
            "upos": {"a": "NOUN", "b": "NOUN"},
            "counts": [
                {"slice": "a", "count": 9, "relative": 9e-5, "documents": 2, "vector": True},
                {"slice": "b", "count": 1, "relative": 1e-5, "documents": 1, "vector": False},
            ],
            "scores": [
                {
                    "slice_from": "a",
                    "slice_to": "b",
                    "alignment": "op",
                    "measure": "cosine",
                    "score": None,
                    "score_sd": None,
                    "reason": "below_min_count_to",
                    "changed": None,
                    "q_value": None,
                }
            ],
            "neighbours": [{"slice": "a", "neighbour": "sea", "cosine": 0.5, "seeds": 2}],
            "uses": [
                {
                    "slice": "a",
                    "left": "the ",
                    "target": "ship",
                    "right": " sails",
                    "author": "Ann",
                    "title": None,
                    "source": "x",
                    "year": 1801,
                }
            ],
        }
    ],
    "missing": [{"word": "shpi", "near": ["ship"]}, {"word": "zzz", "near": []}],
    "notes": [],
}


SLICES = pa.table(
    {"slice": ["a", "b"], "min_count": [5, 20], "sentences_short": [1200, 34], "sentences_sampled_out": [0, 0]}
)
WHY = (
    "  the tables have lemmas with at least 5 (in a) or 20 (in b) uses in a slice (`min_count`); "
    "words of sentences with fewer than 10 tokens are not counted (`min_sentence` "
    "leaves out 1,234 sentences)"
)


def lines(tmp_path, monkeypatch, facts, look, **tables):
    monkeypatch.setattr(word, "facts_of", lambda snapshot, options: facts)
    snapshot = publish(tmp_path, section(view={"unit": "lemma", "min_sentence": 10}), slices=SLICES, **tables)
    blocks = tell_words(snapshot, WordOptions(word=("ship",), look=look))
    return "\n".join(shown_lines(blocks, width=0)).splitlines()


def test_what_is_missing_is_named_and_the_rest_is_told(tmp_path, monkeypatch):
    found = lines(tmp_path, monkeypatch, FACTS, WordViewOptions(order="date"))
    assert found[:3] == ["no word 'shpi' in the tables; did you mean ship?", "no word 'zzz' in the tables", WHY]
    assert "ship (target, NOUN)" in found
    assert "  a         9         90.0          2" in found
    assert "  b         1         10.0          1  no vector" in found
    assert any(line.endswith("too few uses in the later slice") for line in found)
    assert "nearest neighbours (mean cosine over 2 seeds):" in found
    assert "  a      sea 0.50" in found
    assert "uses, a (the earliest first; at most two of a document):" in found
    assert "  the [ship] sails  Ann, 1801" in found
    assert "uses, b: none" in found


def test_a_word_of_neither_slice_is_told_so(tmp_path, monkeypatch):
    word = FACTS["words"][0]
    none = [{**row, "count": 0} for row in word["counts"]]
    scores = [{**word["scores"][0], "reason": "absent_from"}]
    facts = {**FACTS, "words": [{**word, "counts": none, "scores": scores}], "missing": []}
    found = lines(tmp_path, monkeypatch, facts, WordViewOptions())
    assert any(line.endswith("the word occurs in neither slice") for line in found)
    facts["words"][0]["counts"] = [{**none[0]}, {**none[1], "count": 3}]
    found = lines(tmp_path / "2", monkeypatch, facts, WordViewOptions())
    assert any(line.endswith("does not occur in the earlier slice") for line in found)


def test_where_no_corpus_was_found_the_note_says_so_and_no_uses_are_denied(tmp_path, monkeypatch):
    word = {**FACTS["words"][0], "uses": []}
    facts = {"words": [word], "missing": [], "notes": ["the corpus is gone: name it by `corpus`"]}
    found = lines(tmp_path, monkeypatch, facts, WordViewOptions())
    assert found[-1] == "note: the corpus is gone: name it by `corpus`"
    assert not any(line.startswith("uses") for line in found)


def test_what_metadata_say_of_the_slices_is_told_beside_a_word(tmp_path, monkeypatch):
    row = {"slice_from": "a", "slice_to": "b", "alignment": "op", "measure": "cosine", "null_runs": 3}
    pairs = pa.Table.from_pylist([row | {"source_distance": 1.0, "source": "sport/#", "source_to": 1.0}])
    found = lines(tmp_path, monkeypatch, FACTS, WordViewOptions(), change__pairs=pairs)
    assert any(line.startswith("warning: a to b: 100 % of the tokens are of another source") for line in found)
