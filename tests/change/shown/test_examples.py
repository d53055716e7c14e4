"""Example sentences, against all sentences that hold the word, found by brute force."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from corpora_making import document, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_making import HOSTILE, vectors
from panel_making import SLICES as PANEL_SLICES
from published import change_section, publish, scores

from lexbeam.transforms.change.shown import examples as module
from lexbeam.transforms.change.shown.examples import (
    CONTEXT,
    Concordance,
    Drawing,
    Token,
    cut,
    draw_examples,
    token_of,
    typicality,
    weighted,
)
from lexbeam.transforms.change.shown.panels import quotes
from lexbeam.transforms.change.view.slices import parse_slices
from lexbeam.transforms.change.view.words import ViewOptions, load_targets, normalise_word
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.corpora.document_reading import FetchedSentence
from lexbeam.transforms.embeddings.spaces import Space
from lexbeam.transforms.report.page import render
from lexbeam.transforms.report.panels import Note, UsesPanel

SLICES = parse_slices("1800-1803,1804-1809")
SIZES = [4, 0, 6, 5]  # of the sentences of the longest documents
FORMS = ViewOptions(unit="form")
SHIP = Token("ship", None, [])


def draw(corpora, token=SHIP, options=FORMS, slices=SLICES, seed=0, most=1000, each=1000):
    drawing = Drawing(most, "random", seed, each)
    return draw_examples(corpora, [token], options, slices, drawing)[0]


def brute(texts, word="ship"):
    """The examples of each slice, as bags; years are 1800 and the number of a document."""
    found = [Counter(), Counter()]
    for text in texts:
        for row in text.sentences:
            if word in row.forms and row.year < 1810:
                found[row.year > 1803][text.row.source, row.year, row.sentence] += 1
    return found


def bags(drawn):
    return [Counter((one.source, one.year, one.key.sentence) for one in examples) for examples in drawn]


@pytest.fixture
def texts():
    return [document(number, SIZES[: 1 + number % 5]) for number in range(12)]


@pytest.mark.parametrize("parts", [1, 3])
def test_all_sentences_are_found_in_their_slices(tmp_path, texts, parts):
    corpus = write_corpus(tmp_path, texts, parts=parts)
    assert bags(draw([corpus])) == brute(texts)
    assert min(map(len, brute(texts))) > 2


def test_fewer_are_the_first_of_all_whatever_the_parts(tmp_path, texts):
    one, three = (write_corpus(tmp_path / str(n), texts, parts=n) for n in (1, 3))
    whole = draw([one], seed=4)
    assert draw([three], seed=4, most=3) == [examples[:3] for examples in whole]
    assert draw([three], seed=4, slices=SLICES[1:]) == whole[1:]
    assert draw([three], seed=5) != whole
    assert bags(draw([three], seed=5)) == bags(whole)


def test_a_document_of_several_corpora_counts_once(tmp_path, texts):
    # Copies differ in their sources, and that of document 6 has other sentences.
    others = [document(n, SIZES[: 1 + n % 5], salt="x") for n in range(4, 8)]
    others[2] = document(6, [6, 6, 6], salt="x")
    corpora = [write_corpus(tmp_path / "a", texts, parts=2), write_corpus(tmp_path / "b", others, parts=3)]
    counting = {}
    for corpus, held in zip(corpora, (texts, others), strict=True):
        for part in corpus.parts["sentences"]:
            for text in held:
                if any(row["document_id"] == text.row.document_id for row in rows_of(part)):
                    name = text.row.document_id
                    counting[name] = min(counting.get(name, (part.sha256, text)), (part.sha256, text))
    assert {text.row.source[-5:] for _, text in counting.values()} >= {"x.txt"}
    expected = brute(text for _, text in counting.values())
    assert bags(draw(corpora)) == expected != brute(texts)
    assert draw(corpora[::-1], most=4) == draw(corpora, most=4)
    assert draw([corpora[0], corpora[0]]) == draw([corpora[0]])


def limited(ordered, most, each):
    """The first ones, so many of each document at most, by plain Python."""
    found = []
    for one in ordered:
        if sum(one.key.document_id == other.key.document_id for other in found) < each:
            found.append(one)
    return found[:most]


@settings(max_examples=8)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 3), st.sampled_from(["random", "date"]))
def test_of_a_document_no_more_are_taken_than_asked(tmp_path_factory, group, most, each, order):
    texts = [document(number, SIZES[: 1 + number % 5]) for number in range(12)]
    folder = tmp_path_factory.mktemp("limited")
    corpus = write_corpus(folder, texts, parts=2, group=group)

    def drawn(most, each):
        (found,) = draw_examples([corpus], [SHIP], FORMS, SLICES, Drawing(most, order, 3, each))
        return found

    whole = drawn(1000, 1000)
    assert drawn(most, each) == [limited(examples, most, each) for examples in whole]
    assert bags(whole) == brute(texts)
    if order == "date":
        assert all(one.year <= other.year for of in whole for one, other in pairwise(of))


def test_typical_uses_are_the_nearest_to_the_mean_of_all(tmp_path, texts):
    texts = [document(0, [1]), *texts[1:]]  # a sentence of one word
    corpus = write_corpus(tmp_path, texts, parts=2)
    generator = np.random.default_rng(4)
    words = ["Übersee", "𐐷", normalise_word("e\u0301", FORMS), "東京", "übersee"]
    known = {word: generator.normal(size=3) for word in words}
    asked = []

    def vectors(name, near):
        asked.append(name)
        return {word: known[word] for word in near if word in known}

    drawing = Drawing(1000, "typical", each=1000)
    (drawn,) = draw_examples([corpus], [SHIP], FORMS, SLICES, drawing, vectors)
    assert bags(drawn) == brute(texts)
    assert asked == [slice.name for slice in SLICES]
    rows = {(row.document_id, row.sentence): row for text in texts for row in text.sentences}
    for examples in drawn:
        contexts = []
        for one in examples:
            forms = [normalise_word(form, FORMS) for form in rows[one.key].forms]
            near = [known[form] for form in forms if form in known]
            mean = np.mean(near, axis=0) if near else None
            contexts.append(None if mean is None else mean / np.linalg.norm(mean))
        centre = np.mean([one for one in contexts if one is not None], axis=0)
        centre /= np.linalg.norm(centre)
        expected = [None if one is None else one @ centre for one in contexts]
        assert [one.typical for one in examples] == [
            None if value is None else pytest.approx(value) for value in expected
        ]
        values = [-2 if value is None else value for value in expected]
        assert values == pytest.approx(sorted(values, reverse=True))
    assert any(one.typical is None for one in drawn[0])


def test_of_very_many_uses_a_sample_is_compared(tmp_path, texts, monkeypatch):
    monkeypatch.setattr(module, "RESERVOIR", 3)
    corpora = [write_corpus(tmp_path / str(n), texts, parts=n) for n in (1, 3)]
    drawing = Drawing(1000, "typical", each=1000)
    one, three = (
        draw_examples([corpus], [SHIP], FORMS, SLICES, drawing, lambda name, near: {})[0] for corpus in corpora
    )
    assert one == three == [examples[:3] for examples in draw([corpora[0]])]


def test_author_title_and_source_come_along(tmp_path):
    text = document(0, [4])
    corpus = write_corpus(tmp_path, [text._replace(row=text.row._replace(author="Ann"))])
    ((example,), _) = draw([corpus])
    assert (example.author, example.title, example.source) == ("Ann", "title 0", "0.txt")
    whole = example.text.left + example.text.target + example.text.right
    assert whole == text.row.text.strip()


def rows_of(part):
    return [row for rows in module.read_rows([part.path]) for row in rows.to_pylist()]


def test_a_target_is_told_by_its_tag(tmp_path):
    (text,) = [document(1, [1, 1, 1])]
    tagged = [
        row._replace(forms=["Ship", "it"], lemmas=["ship", "it"], upos=[tag, "PRON"], starts=None, ends=None)
        for row, tag in zip(text.sentences, ["NOUN", "VERB", "NOUN"], strict=True)
    ]
    corpus = write_corpus(tmp_path, [text._replace(sentences=tagged)])
    lemmas = ViewOptions()
    targets = load_targets(["ship_nn"], lemmas)
    for word, number in (("ship_nn", 2), ("ship", 1), ("it", 3)):
        early, late = draw([corpus], token_of(word, targets), lemmas)
        assert len(early) == number
        assert {one.text.target for one in early} == {"Ship" if "ship" in word else "it"}
        assert late == []


def test_sentences_are_read_once_and_without_other_columns(tmp_path, texts):
    corpus = write_corpus(tmp_path, texts, parts=3)
    tokens = [SHIP, Token("東京", None, []), Token("absent", None, [])]
    with mock.patch.object(module, "read_rows", wraps=module.read_rows) as reading:
        drawn = draw_examples([corpus], tokens, FORMS, SLICES, Drawing(1000, each=1000))
    assert [bags(of) for of in drawn] == [brute(texts, token.word) for token in tokens]
    assert sorted(call.args[0][0] for call in reading.call_args_list) == sorted(
        part.path for part in corpus.parts["sentences"]
    )
    assert {tuple(call.args[1]) for call in reading.call_args_list} == {("document_id", "sentence", "year", "forms")}


def test_a_damaged_part_is_told(tmp_path, texts):
    corpus = write_corpus(tmp_path, texts, parts=1)
    (part,) = corpus.parts["documents"]
    Path(part.path).write_bytes(b"")
    with pytest.raises(LexbeamError, match="damaged"):
        draw([corpus])


def passage(text, sentence, with_text=True):
    """A sentence of a document with those beside it, as `fetch` gives it."""
    rows = text.sentences
    near = rows[max(0, sentence - 1) : sentence + 2]
    starts = [start for row in near for start in row.starts or ()]
    ends = [end for row in near for end in row.ends or ()]
    cut_text = text.row.text[min(starts) : max(ends)] if with_text else None
    before, after = rows[max(0, sentence - 1) : sentence], rows[sentence + 1 : sentence + 2]
    start = min(starts) if with_text else None
    return FetchedSentence(rows[sentence], tuple(before), tuple(after), cut_text, start)


@given(st.integers(0, 9), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_the_parts_are_the_text_with_single_spaces(number, sizes, data):
    text = document(number, sizes)
    sentence = data.draw(st.integers(0, len(sizes) - 1))
    place = data.draw(st.integers(0, sizes[sentence] - 1))
    found = cut(passage(text, sentence), place)
    assert found.target == text.sentences[sentence].forms[place]
    whole = " ".join(passage(text, sentence).text.split())
    assert found.left + found.target + found.right == whole
    without = passage(document(number, sizes, with_text=False), sentence, with_text=False)
    assert cut(without, place) == found  # the words of these texts have spaces between them


def test_what_stands_close_in_the_text_stays_close():
    text = document(0, [1])
    row = text.sentences[0]._replace(forms=["(", "ship", ")", "sails"], starts=[0, 1, 5, 8], ends=[1, 5, 6, 13])
    whole = FetchedSentence(row, (), (), "(ship)\n sails", 0)
    assert cut(whole, 1) == Concordance("(", "ship", ") sails")


def test_long_contexts_end_at_words():
    words = [f"word{n}" for n in range(200)]
    row = document(0, [1]).sentences[0]._replace(forms=words, starts=None, ends=None)
    found = cut(FetchedSentence(row), 100)
    assert found.target == "word100"
    assert CONTEXT - 10 < len(found.left) <= CONTEXT
    assert CONTEXT - 10 < len(found.right) <= CONTEXT
    assert found.left.split() == words[100 - len(found.left.split()) : 100]
    assert found.right.split() == words[101 : 101 + len(found.right.split())]


def test_lemmas_stand_in_where_there_are_no_forms():
    row = document(0, [1]).sentences[0]._replace(forms=None, lemmas=["the", "ship", "sail"], starts=None, ends=None)
    assert cut(FetchedSentence(row), 1) == Concordance("the ", "ship", " sail")


def test_vectors_are_of_unit_length_times_a_weight_that_falls_with_frequency():
    vectors = np.array([[3, 4], [0, 2], [5, 0]], np.float32)
    space = Space(["a", "b", "c"], np.array([1, 10, 100]), vectors, 1000)
    found = weighted(space, ["c", "a", "absent"])
    assert list(found) == ["a", "c"]
    np.testing.assert_allclose(found["a"], np.array([0.6, 0.8]) * 0.001 / (0.001 + 0.001))
    np.testing.assert_allclose(found["c"], np.array([1, 0]) * 0.001 / (0.001 + 0.1))


def test_the_use_among_its_like_is_the_most_typical():
    vectors = {"sea": np.array([1.0, 0.1]), "sail": np.array([1.0, -0.1]), "law": np.array([0, 1.0])}
    found = typicality([["sea", "sail"], ["law"], ["sail"], []], vectors)
    assert found[3] is None
    assert found[0] > found[2] > found[1]
    centre = np.mean([[1, 0], [0, 1], vectors["sail"] / np.sqrt(1.01)], axis=0)
    assert found[1] == pytest.approx(centre[1] / np.linalg.norm(centre))


def test_without_vectors_no_use_is_typical():
    assert typicality([["a"], []], {}) == [None, None]
    opposite = {"a": np.array([1.0]), "b": np.array([-1.0])}
    assert typicality([["a"], ["b"], ["a", "b"]], opposite) == [None, None, None]


def sentence(number, year, forms):
    text = " ".join(forms)
    starts = [len(" ".join(forms[:place])) + bool(place) for place in range(len(forms))]
    ends = [start + len(form) for start, form in zip(starts, forms, strict=True)]
    row = {
        "document_id": f"{number:064x}",
        "sentence": 0,
        "year": year,
        "lang": "en",
        "forms": forms,
        "lemmas": forms,
        "starts": starts,
        "ends": ends,
    }
    about = {
        "document_id": row["document_id"],
        "source": f"{number}.txt",
        "position": "",
        "lang": "en",
        "year": year,
        "author": "Ann",
        "title": HOSTILE,
        "text": text,
    }
    return row, about


@pytest.fixture
def quoted(tmp_path):
    """A snapshot with a corpus and its change, and one whose corpus is elsewhere."""

    def made(own=True, **section):
        both = [
            sentence(number, 1800 + 10 * number, ["The", "sea", f"is{number}", "wide", "."]) for number in range(10)
        ]
        words = ["the", "sea", "wide"]
        tables = {
            "scores": [[scores("sea", 0.5), scores("gone", None, target=True)]],
            "slices": PANEL_SLICES,
            "vectors": [vectors(name, words) for name in ("old", "new")],
            "sentences": [[row for row, _ in both]],
            "documents": [[about for _, about in both]],
        }
        reads = [{"table": "sentences", "section": "corpus" if own else None, "digest": "x"}]
        return publish(tmp_path, {"corpus": {}, "change": change_section(reads=reads, **section)}, tables)

    return made


def test_uses_are_quoted_by_slice_and_marked(quoted):
    (panel,) = quotes(quoted(), ())
    assert isinstance(panel, UsesPanel)
    rows = panel.rows.to_pylist()
    assert [row["slice"] for row in rows] == ["old"] * 4 + ["new"] * 4
    assert {row["word"] for row in rows} == {row["use"] for row in rows} == {"sea"}
    for row in rows:
        number = int(re.search(r"is(\d) wide", row["after"])[1])
        assert row["before"] == "The "
        assert row["from"] == f"Ann, {HOSTILE}, {1800 + 10 * number}"
        assert (number >= 5) == (row["slice"] == "new")
    assert HOSTILE not in render("Report", {"change": [panel]}).decode()


def test_where_the_corpus_is_not_found_a_note_says_so_and_the_log_says_where(quoted, caplog):
    (note,) = quotes(quoted(own=False), ())
    assert isinstance(note, Note)
    assert "Uses are not shown" in note.text
    assert "where the corpus was is not noted" in caplog.text
