"""Sentences by key, against a search through plain rows."""

import pytest
from corpora_making import GAP, document, documents, id_of, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.corpora.annotated_corpora import place_of
from lexbeam.transforms.corpora.document_reading import (
    FetchedSentence,
    SentenceKey,
    copies,
    document_ids,
    fetch,
    fetch_documents,
    held,
)

COLUMNS = ("forms", "year", "starts")
KEYS = st.builds(
    SentenceKey,
    st.one_of(st.integers(0, 6).map(id_of), st.sampled_from(["", "zz", "f" * 32])),
    st.integers(-2, 8) | st.sampled_from([1 << 31, 1 << 40, -(1 << 40)]),
)


def searched(texts, key, around, with_text, columns=COLUMNS):
    """What a key stands for, by a look at every sentence."""
    texts = [text for text in texts if text.row.document_id == key.document_id]
    if not texts or not 0 <= key.sentence < len(texts[0].sentences):
        return None
    (text,) = texts
    first = max(key.sentence - around, 0)
    window = text.sentences[first : key.sentence + around + 1]
    asked = {"document_id", "sentence", *columns, *(("starts", "ends") if with_text else ())}
    rows = [row._replace(**dict.fromkeys(set(row._fields) - asked)) for row in window]
    place = key.sentence - first
    passage = FetchedSentence(rows[place], tuple(rows[:place]), tuple(rows[place + 1 :]))
    told = GAP.join(" ".join(row.forms) for row in window).strip()
    if not with_text or text.row.text is None or not told:
        return passage
    start = next(row.starts[0] for row in window if row.starts)
    return passage._replace(text=told, start=start)


@settings(max_examples=50)
@given(documents(), st.lists(KEYS, max_size=12), st.integers(0, 3), st.booleans(), st.integers(1, 6))
def test_what_is_fetched_is_what_a_search_finds(tmp_path_factory, texts, keys, around, with_text, group):
    (pair,) = write_corpus(tmp_path_factory.mktemp("c"), texts, parts=1, group=group).pairs
    found = list(fetch(pair, iter(keys), columns=COLUMNS, around=around, text=with_text))
    assert [key for key, _ in found] == sorted(set(keys))
    for key, passage in found:
        assert passage == searched(texts, key, around, with_text)
        if passage is not None and passage.text is not None:
            whole = next(t.row.text for t in texts if t.row.document_id == key.document_id)
            assert whole[passage.start :].startswith(passage.text)


def test_every_sentence_is_found(tmp_path):
    texts = [document(number, [2] * 6) for number in range(5)]
    (pair,) = write_corpus(tmp_path, texts, parts=1, group=4).pairs
    keys = [SentenceKey(id_of(number), sentence) for number in range(5) for sentence in range(6)]
    found = dict(fetch(pair, keys, columns=["forms"], around=1, text=True))
    assert found == {key: searched(texts, key, 1, True, ["forms"]) for key in keys}
    assert all(passage and passage.text for passage in found.values())
    assert {len(passage.before) for passage in found.values()} == {0, 1}


def test_without_text_the_documents_are_not_read(tmp_path):
    (pair,) = write_corpus(tmp_path, [document(0, [1])], parts=1).pairs
    gone = pair._replace(documents=pair.documents._replace(path="/not/there"))
    ((_, passage),) = fetch(gone, [SentenceKey(id_of(0), 0)], columns=["forms"])
    assert passage.sentence.forms
    assert passage.text is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["form"]}, "no column 'form': it has document_id, sentence"),
        ({"columns": [], "around": -1}, "around must be 0 or more sentences, not -1"),
    ],
)
def test_what_cannot_be_asked_for_is_told(tmp_path, options, message):
    (pair,) = write_corpus(tmp_path, [], parts=1).pairs
    with pytest.raises(UsageError, match=message):
        list(fetch(pair, [], **options))


@settings(max_examples=40)
@given(documents(), st.lists(st.integers(0, 8).map(id_of) | st.just("q")))
def test_a_part_holds_the_documents_that_have_sentences_in_it(tmp_path_factory, texts, asked):
    (pair,) = write_corpus(tmp_path_factory.mktemp("c"), texts, parts=1).pairs
    there = {text.row.document_id for text in texts if text.sentences}
    assert held(pair.sentences, asked) == sorted(there & set(asked))


def test_documents_are_fetched_from_the_parts_that_may_hold_them(tmp_path):
    texts = [document(number, [1]) for number in range(20)]
    corpus = write_corpus(tmp_path, texts, parts=4)
    asked = [id_of(3), id_of(3), "no id", id_of(99)]
    places = {place_of(name, 4) for name in asked}
    assert places != {0, 1, 2, 3}
    for place in {0, 1, 2, 3} - places:  # these are not even opened
        path = corpus.pairs[place].documents.path
        (tmp_path / path).unlink()
    (found,) = fetch_documents(corpus, asked, columns=["source"])
    assert (found.document_id, found.source, found.text) == (id_of(3), "3.txt", None)


@settings(max_examples=40)
@given(documents(), st.integers(1, 4))
def test_documents_of_a_part_are_named_once(tmp_path_factory, texts, group):
    (pair,) = write_corpus(tmp_path_factory.mktemp("c"), texts, parts=1, group=group).pairs
    with_sentences = {text.row.document_id for text in texts if text.sentences}
    assert document_ids(pair.sentences) == sorted(with_sentences)
    assert document_ids(pair.documents) == sorted(text.row.document_id for text in texts)


@given(st.sets(st.text("0123456789abcdef", min_size=4, max_size=4), min_size=1), st.randoms())
def test_a_document_counts_in_one_part_whatever_the_order(parts, random):
    shuffled = sorted(parts)
    random.shuffle(shuffled)
    first, rest = copies(shuffled)
    assert (first, rest) == copies(sorted(parts))
    assert {first, *rest} == parts
    assert first not in rest
    assert len(rest) == len(parts) - 1
