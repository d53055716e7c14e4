"""Counts, dispersion and association against plain loops over a small corpus."""

import math
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from featured import computed, instance, instances, setting_with
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.complexity.features.base import CorpusCounts
from lexbeam.transforms.complexity.features.corpus_counts import (
    FORM,
    LEMMA,
    PHRASE,
    association,
    combined,
    counted,
    wanted_of,
)

TARGETS = [instance("Sea", "The Sea"), instance("gene b"), instance("a b c"), instance("sings")]
WORDS = ["sea", "Sea", "gene", "b", "a", "c", "sing", "x"]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=4)


def table_of(documents):
    rows = [
        {"document_id": f"d{n}", "forms": words, "lemmas": [word.lower() for word in words]}
        for n, sentences in enumerate(documents)
        for words in sentences
    ]
    names = pa.list_(pa.string())
    schema = pa.schema([("document_id", pa.string()), ("forms", names), ("lemmas", names)])
    return pa.Table.from_pylist(rows, schema)


def brute(documents):
    """Uses by kind and text, in each document that has sentences."""
    held = [document for document in documents if document]
    found = defaultdict(Counter)
    for n, document in enumerate(held):
        for words in document:
            low = [word.lower() for word in words]
            for word in low:
                found[LEMMA, word][n] += 1
                found[FORM, word][n] += 1
            for size in (2, 3):
                for at in range(len(low) - size + 1):
                    found[PHRASE, " ".join(low[at : at + size])][n] += 1
    tokens = [sum(map(len, document)) for document in held]
    return found, tokens


@settings(max_examples=30)
@given(st.lists(SENTENCES, max_size=5), st.integers(0, 5), st.integers(1, 4))
def test_counts_by_brute_force(documents, cut, batch):
    wanted = wanted_of(instances(*TARGETS))
    asked = set(map(tuple, zip(*wanted.to_pydict().values(), strict=True)))
    assert asked == {
        (FORM, "sea"),
        (FORM, "gene"),
        (FORM, "b"),
        (FORM, "a"),
        (FORM, "c"),
        (FORM, "sings"),
        (LEMMA, "sea"),
        (LEMMA, "gene"),
        (LEMMA, "b"),
        (LEMMA, "a"),
        (LEMMA, "c"),
        (LEMMA, "sing"),
        (PHRASE, "gene b"),
        (PHRASE, "a b c"),
    }
    parts = [documents[:cut], documents[cut:]]
    names = [0, len(parts[0])]
    found, tokens, number = [], 0, 0
    for part, _ in zip(parts, names, strict=True):
        whole = table_of(part)
        slices = [whole.slice(n, batch) for n in range(0, len(whole), batch)]
        rows, own, held = counted(slices, wanted)
        found.append(rows)
        tokens, number = tokens + own, number + held
    table = combined(pa.concat_tables(found), tokens)
    uses, sizes = brute(documents)
    assert (tokens, number) == (sum(sizes), len(sizes))
    expected = {key: own for key, own in uses.items() if key in asked}
    told = {(row["kind"], row["text"]): row for row in table.to_pylist()}
    assert set(told) == set(expected)
    for key, own in expected.items():
        gaps = sum(abs(own[n] / own.total() - size / tokens) for n, size in enumerate(sizes))
        assert told[key]["uses"] == own.total()
        assert told[key]["documents"] == len(own)
        assert told[key]["dispersion"] == pytest.approx(gaps / 2, abs=1e-12)


def test_a_corpus_without_lemmas():
    rows = table_of([[["sea"]]])
    nothing = pa.nulls(1, pa.list_(pa.string()))
    found, *_ = counted([rows.set_column(2, "lemmas", nothing)], wanted_of(instances(*TARGETS)))
    assert found.to_pylist() == [{"kind": FORM, "text": "sea", "uses": 1, "tokens": 1}]


def test_association_by_hand():
    pmi, likelihood = association(*(np.array([float(n), 0.0]) for n in (8, 10, 20)), 1000)
    assert pmi[0] == pytest.approx(math.log2(8 * 1000 / (10 * 20)))
    cells = [(8, 10 * 20), (2, 10 * 980), (12, 990 * 20), (978, 990 * 980)]
    assert likelihood[0] == pytest.approx(2 * sum(n * math.log(n * 1000 / e) for n, e in cells))
    assert math.isnan(pmi[1])
    assert math.isnan(likelihood[1])
    apart = association(*(np.array([n]) for n in (0.0, 100.0, 100.0)), 1000)
    assert apart.likelihood[0] < 0


def test_features_of_counts(tmp_path):
    documents = [[["Sea", "gene", "b"], ["gene", "b"]], [["x"] * 5]]
    rows, tokens, number = counted([table_of(documents)], wanted_of(instances(*TARGETS)))
    setting = setting_with(tmp_path, use=("corpus",))
    setting = setting._replace(counts=CorpusCounts(combined(rows, tokens), tokens, number))
    sea, gene, _, sings = computed(setting, *TARGETS)
    assert sea["corpus_zipf"] == pytest.approx(math.log10(1e9 / 10))
    assert (sea["corpus_documents"], sea["corpus_dispersion"]) == (0.5, pytest.approx(0.5))
    assert sea["phrase_pmi"] is None
    assert gene["phrase_corpus_zipf"] == pytest.approx(math.log10(3e9 / 10))
    assert gene["phrase_pmi"] == pytest.approx(math.log2(2 * 10 / 4))
    assert gene["corpus_zipf_last"] == pytest.approx(math.log10(2e9 / 10))
    assert (sings["corpus_zipf"], sings["corpus_documents"]) == (None, 0)
