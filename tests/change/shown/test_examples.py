"""Example sentences, against all sentences that hold the word, found by brute force."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from corpora_making import document, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.change.shown import examples as module
from lexbeam.transforms.change.shown.examples import Drawing, Token, draw_examples, token_of
from lexbeam.transforms.change.view.slices import parse_slices
from lexbeam.transforms.change.view.words import ViewOptions, load_targets, normalise_word
from lexbeam.transforms.common.errors import LexbeamError

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
