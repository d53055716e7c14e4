"""The transforms in pipelines, against a plain count and a search through rows."""

import random

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from corpora_making import document, id_of, write_corpus

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.corpora.annotated_corpora import sentence_parts
from lexbeam.transforms.corpora.document_reading import SentenceKey, fetch, held
from lexbeam.transforms.corpora.ptransforms import FetchSentences, FindRepeated

# One worker, and two, which process bundles of their own.
RUNNERS = {
    "one bundle": ["--direct_num_workers=1"],
    "two bundles": ["--direct_num_workers=2", "--direct_running_mode=multi_threading"],
}
COLUMNS = ("lemmas",)


def pipeline(name):
    return beam.Pipeline(runner="FnApiRunner", options=PipelineOptions(RUNNERS[name]))


@pytest.fixture
def corpora(tmp_path):
    """Three corpora, some documents in two or three of them, each with lemmas of its own."""

    def texts(numbers, salt):
        return [document(number, [2] * (1 + number % 3), salt=salt) for number in numbers]

    return [
        write_corpus(tmp_path / "a", texts(range(8), "a"), parts=2),
        write_corpus(tmp_path / "b", texts(range(5, 12), "b"), parts=3),
        write_corpus(tmp_path / "c", texts(range(7, 14), "c"), parts=1),
    ]


def counted_in(corpora):
    """By document, the part where it counts, by a look at every sentence."""
    found = {}
    for corpus in corpora:
        for pair in corpus.pairs:
            for key in every_key():
                if dict(fetch(pair, [key], columns=[]))[key]:
                    held = found.setdefault(key.document_id, {})
                    held[pair.sentences.sha256] = pair
    return {name: pairs[min(pairs)] for name, pairs in found.items()}


def every_key():
    return [SentenceKey(id_of(number), 0) for number in range(14)]


@pytest.mark.parametrize("name", RUNNERS)
def test_repeated_documents_are_told_to_all_parts_but_one(corpora, name):
    counted = counted_in(corpora)
    expected = []
    for part in sentence_parts(corpora):
        names = [
            key.document_id
            for key in every_key()
            if counted[key.document_id].sentences.sha256 != part.sha256 and held(part, [key.document_id])
        ]
        if names:
            expected.append((part.sha256, sorted(names)))
    assert sum(len(names) for _, names in expected) == 8  # of 5, 6, 8 to 11 a copy, of 7 two
    with pipeline(name) as p:
        parts = p | "Parts" >> beam.Create(sentence_parts(corpora))
        assert_that(parts | "Find" >> FindRepeated(several=True), equal_to(expected))


def test_one_corpus_repeats_nothing_and_is_not_read(corpora):
    gone = [part._replace(path="/not/there") for part in sentence_parts(corpora[:1])]
    with pipeline("one bundle") as p:
        parts = p | "Parts" >> beam.Create(gone)
        assert_that(parts | "Find" >> FindRepeated(several=False), equal_to([]))


def keys_to_fetch():
    keys = [SentenceKey(id_of(n), sentence) for n in range(16) for sentence in range(4)]
    keys += [SentenceKey("no id", 0), SentenceKey("", 1), SentenceKey("f" * 32, 0)]
    keys += keys[5:25]  # some come twice
    random.Random(4).shuffle(keys)
    return keys


def check(name, corpora, expected, **options):
    keys = keys_to_fetch()
    with pipeline(name) as p:
        asked = p | "Keys" >> beam.Create(keys) | "Spread" >> beam.Reshuffle()
        found = asked | "Fetch" >> FetchSentences(corpora=corpora, columns=COLUMNS, **options)
        assert_that(found.fetched, equal_to(list(expected.items())), "Found")
        missing = sorted(set(keys) - set(expected))
        assert_that(found.missing, equal_to(missing), "Missing")
    assert expected
    assert missing


def expected_of(pairs, **options):
    """What a fetch from the right part finds, key by key."""
    found = {}
    for key in sorted(set(keys_to_fetch())):
        if key.document_id in pairs:
            ((_, passage),) = fetch(pairs[key.document_id], [key], columns=COLUMNS, **options)
            if passage is not None:
                found[key] = passage
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("one bundle", {}),
        ("two bundles", {"around": 1, "text": True}),
        pytest.param("one bundle", {"around": 1, "text": True}, marks=pytest.mark.soak),
        pytest.param("two bundles", {}, marks=pytest.mark.soak),
    ],
)
def test_sentences_come_from_the_copies_that_count(corpora, name, options):
    expected = expected_of(counted_in(corpora), **options)
    assert len({passage.sentence.lemmas[0][-1] for passage in expected.values()}) > 1
    check(name, corpora, expected, **options)


def test_the_order_of_corpora_does_not_count(corpora):
    check("one bundle", corpora[::-1], expected_of(counted_in(corpora)))


@pytest.mark.parametrize("name", RUNNERS)
def test_of_one_corpus_every_part_is_asked_once(corpora, name):
    expected = expected_of(counted_in(corpora[1:2]), around=2)
    check(name, corpora[1:2], expected, around=2)


def test_corpora_with_the_same_parts_are_as_one(corpora, tmp_path):
    same = write_corpus(
        tmp_path / "same", [document(number, [2] * (1 + number % 3), salt="b") for number in range(5, 12)], parts=3
    )
    check("one bundle", [corpora[1], same], expected_of(counted_in(corpora[1:2])))


def test_a_wrong_column_is_told_before_anything_runs(corpora):
    fetching = FetchSentences(corpora=corpora, columns=["lemma"])
    keys = beam.Pipeline() | beam.Create(every_key())
    with pytest.raises(UsageError, match="no column 'lemma'"):
        keys | fetching
