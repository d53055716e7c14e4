"""The documents of the sample corpus: truth, language, reproducibility."""

import re
from collections import Counter

import numpy as np
import pytest

from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.sample import corpus as corpus_module
from lexbeam.transforms.sample import language
from lexbeam.transforms.sample.corpus import design_corpus, read_documents

FIRST_LATE = 1950


def sentences_of(text: str) -> list[list[str]]:
    """Sentences by an independent reading of the text: words, without full stops."""
    paragraphs = text.strip().split("\n\n")
    return [s.split() for p in paragraphs for s in re.split(r"\.(?: |$)", p) if s]


def lowered(sentence: list[str]) -> list[str]:
    return [sentence[0].lower(), *sentence[1:]]


@pytest.fixture(scope="module")
def corpus():
    return design_corpus(tokens=300_000, seed=7)


@pytest.fixture(scope="module")
def documents(corpus):
    return list(read_documents(corpus))


@pytest.fixture(scope="module")
def slices(documents):
    early = [s for d in documents if d.year < FIRST_LATE for s in sentences_of(d.text)]
    late = [s for d in documents if d.year >= FIRST_LATE for s in sentences_of(d.text)]
    return [[lowered(s) for s in early], [lowered(s) for s in late]]


@pytest.fixture(scope="module")
def counts(slices):
    return [Counter(word for sentence in side for word in sentence) for side in slices]


def test_counts_of_planted_words_are_those_of_the_plan(corpus, counts):
    for planted in corpus.planted:
        assert (counts[0][planted.word], counts[1][planted.word]) == (planted.early, planted.late)


def test_no_planted_word_stands_in_a_short_sentence(corpus, slices):
    words = {planted.word for planted in corpus.planted}
    short = [s for side in slices for s in side if len(s) < 10]
    assert short
    assert not any(words & set(sentence) for sentence in short)


def test_planted_words_stand_among_words_of_their_senses(corpus, slices):
    topic_of = {word: topic for topic, words in language.TOPICS.items() for word in words}
    for planted in corpus.planted:
        for side, uses in enumerate((planted.early, planted.late)):
            # The sense of a use: the topic that most words of the sentence belong to.
            seen = Counter(
                Counter(topics).most_common(1)[0][0]
                for sentence in slices[side]
                if (topics := [topic_of[word] for word in sentence if word in topic_of])
                for _ in range(sentence.count(planted.word))
            )
            for sense in planted.senses:
                meant = (sense.early, sense.late)[side] / uses
                assert seen[sense.topic] / seen.total() == pytest.approx(meant, abs=0.1)


def test_both_slices_have_the_words_asked_for(documents):
    for late in (False, True):
        words = sum(d.words for d in documents if (d.year >= FIRST_LATE) is late)
        assert 150_000 <= words < 150_030
    assert all(d.words == sum(map(len, sentences_of(d.text))) for d in documents)


def test_documents_are_of_like_size_and_spread_over_the_years(documents):
    sizes = np.array([d.words for d in documents])
    assert sizes.min() > 700
    assert sizes.max() < 2_300
    years = {d.year for d in documents}
    assert years == {*range(1800, 1850), *range(1950, 2000)}
    assert all(d.name.startswith(f"{d.year}_") for d in documents)
    assert len({d.name for d in documents}) == len(documents)


def test_sentences_have_10_to_30_words_but_for_a_few(slices):
    lengths = np.array([len(s) for side in slices for s in side])
    assert lengths.min() >= 4
    assert lengths.max() <= 30
    assert 0.02 < (lengths < 10).mean() < 0.1
    assert 15 < lengths.mean() < 18


def test_frequencies_are_zipfian(counts):
    frequency = np.array(sorted((counts[0] + counts[1]).values(), reverse=True))
    ranks = np.arange(1, len(frequency) + 1)
    middle = slice(9, 1_500)
    slope = np.polyfit(np.log(ranks[middle]), np.log(frequency[middle]), 1)[0]
    assert -1.3 < slope < -0.7


def test_topics_drift_within_bounds(counts):
    shares = [np.array([sum(side[w] for w in words) for words in language.TOPICS.values()]) for side in counts]
    ratio = shares[1] / shares[0]
    assert np.log(ratio).std() > 0.15
    assert ratio.min() > 0.25
    assert ratio.max() < 4


def test_function_words_have_their_places(slices):
    openers = Counter(sentence[0] for side in slices for sentence in side)
    assert set(openers) <= set(language.OPENERS)
    places: dict[str, list[float]] = {}
    for sentence in slices[0]:
        for i, word in enumerate(sentence):
            places.setdefault(word, []).append(i / (len(sentence) - 1))
    assert np.mean(places["again"]) > 0.95
    assert np.mean(places["if"]) < 0.1
    middle = [np.mean(places[word]) for word in ("his", "this", "that", "every", "any", "their")]
    assert max(middle) - min(middle) > 0.05


def test_a_name_never_opens_a_sentence(slices):
    capitals = {sentence[0] for side in slices for sentence in side} & set(map(str.lower, language.NAMES))
    assert not capitals


@pytest.mark.slow
def test_the_engine_leaves_every_word_and_sentence_as_it_is():
    engine = load_engine("builtin:en")
    for document in read_documents(design_corpus(tokens=40_000, seed=3)):
        expected = sentences_of(document.text)
        annotated = annotate_text(document.text, engine)
        assert [s.forms for s in annotated] == [[*words, "."] for words in expected]
        assert [s.lemmas for s in annotated] == [[*lowered(words), "."] for words in expected]
        for sentence in annotated:
            for form, upos in zip(sentence.forms, sentence.upos, strict=True):
                assert (upos == "PROPN") == (form in language.NAMES)


def test_the_same_seed_gives_the_same_documents_and_another_does_not():
    def read(seed):
        return list(read_documents(design_corpus(tokens=30_000, seed=seed)))

    assert read(5) == read(5)
    assert read(5) != read(6)


@pytest.mark.parametrize("seed", range(12))
def test_small_corpora_hold_all_their_uses(seed):
    corpus = design_corpus(tokens=30_000, seed=seed)
    found = Counter(
        word for document in read_documents(corpus) for sentence in sentences_of(document.text) for word in sentence
    )
    for planted in corpus.planted:
        assert found[planted.word] == planted.early + planted.late >= 16


def test_counts_are_exact_over_many_passages(monkeypatch):
    monkeypatch.setattr(corpus_module, "PASSAGE_WORDS", 40_000)
    corpus = design_corpus(tokens=500_000, seed=2)
    found = Counter()
    total = 0
    for document in read_documents(corpus):
        found.update(document.text.replace(".", "").split())
        total += document.words
    assert 500_000 <= total < 500_060
    assert {p.word: found[p.word] for p in corpus.planted} == {p.word: p.early + p.late for p in corpus.planted}


def test_large_corpora_have_no_more_than_16_000_documents():
    documents = read_documents(design_corpus(tokens=100_000_000, seed=1))
    first = next(documents)
    assert 6_250 * 0.5 < first.words < 6_250 * 1.5
