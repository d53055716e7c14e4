"""Features of a named reference corpus: uses, documents and dispersion of words, association.

Counts in the instances themselves are not a feature: they mirror how instances were chosen.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
)
from lexbeam.transforms.complexity.features.corpus_counts import FORM, LEMMA, PHRASE, phrase_of


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, range: str, unit: str, source: str = "the corpus", each: bool = True) -> Feature:
        return Feature(name, doc, range, unit, source, each=each, needs_corpus=True)

    zipf, share = "Zipf", "share"
    return (
        of("corpus_zipf", "log10 of uses in 10^9 tokens of the corpus; null without any", "0 to 9", zipf),
        of("corpus_zipf_lemma", "the same of its lemma, where the corpus has lemmas", "0 to 9", zipf),
        of(
            "corpus_documents",
            "share of the corpus's documents that have the word",
            "0 to 1",
            share,
            "contextual diversity (Adelman et al. 2006)",
        ),
        of("corpus_dispersion", "deviation of proportions over documents, 0: even", "0 to 1", share, "Gries (2008)"),
        of(
            "phrase_corpus_zipf",
            "log10 of an expression's uses in 10^9 tokens, one added to its uses",
            "0 to 9",
            zipf,
            each=False,
        ),
        of("phrase_corpus_documents", "share of documents that have the expression", "0 to 1", share, each=False),
        of(
            "phrase_pmi",
            "pointwise mutual information of its first and last word, as far as they stand together in it",
            "any number",
            "bits",
            "Church and Hanks (1990)",
            each=False,
        ),
        of(
            "phrase_likelihood",
            "signed square root of the log-likelihood ratio of the same",
            "any number",
            "root of G2",
            "Dunning (1993)",
            each=False,
        ),
    )


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    counts = setting.counts
    assert counts is not None  # the group needs a corpus
    uses, documents, dispersion = counts.look_up(FORM, words.lower)
    lemmas, _, _ = counts.look_up(LEMMA, pc.utf8_lower(words.lemmas))
    return {
        "corpus_zipf": _zipf(uses, counts.tokens),
        "corpus_zipf_lemma": _zipf(lemmas, counts.tokens),
        "corpus_documents": documents / max(counts.documents, 1),
        "corpus_dispersion": dispersion,
    }


def _zipf(uses: Floats, tokens: int) -> Floats:
    with np.errstate(divide="ignore"):
        zipf = np.log10(uses / max(tokens, 1)) + 9
    return np.where(uses > 0, zipf, np.nan)


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    counts = setting.counts
    assert counts is not None  # the group needs a corpus
    tokens = batch.rows["token"].to_pylist()
    phrases = pa.array([phrase_of(text) for text in tokens], pa.large_string())
    uses, documents, _ = counts.look_up(PHRASE, phrases)
    lower = pa.concat_arrays([words.lower for words in batch.words])
    words, _, _ = counts.look_up(FORM, lower)
    associated = association(uses, words[batch.first], words[batch.last], counts.tokens)
    values = {
        "phrase_corpus_zipf": _zipf(uses + 1, counts.tokens),
        "phrase_corpus_documents": documents / max(counts.documents, 1),
        "phrase_pmi": associated.pmi,
        "phrase_likelihood": np.sign(associated.likelihood) * np.sqrt(np.abs(associated.likelihood)),
    }
    return {name: np.where(batch.mwe, column, np.nan) for name, column in values.items()}


class Association(NamedTuple):
    """How strongly two words are associated: pointwise mutual information, log-likelihood ratio."""

    pmi: Floats
    likelihood: Floats


def association(both: Floats, first: Floats, last: Floats, tokens: int) -> Association:
    """Return how much more often words occur together than by chance.

    The pairs of a corpus are taken to be as many as its tokens. Pointwise mutual information is
    log2(both * N / (first * last)) (Church and Hanks 1990), NaN where they never stand together.
    The log-likelihood ratio is G2 of the table of two by two (Dunning 1993), negative where they
    stand together less often than by chance.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log2(both * tokens / (first * last))
    cells = np.array([both, first - both, last - both, tokens - first - last + both])
    cells = np.maximum(cells, 0)
    rows, columns = cells[0] + cells[1], cells[0] + cells[2]
    total = np.maximum(cells.sum(axis=0), 1)
    expected = (
        np.array(
            [rows * columns, rows * (total - columns), (total - rows) * columns, (total - rows) * (total - columns)]
        )
        / total
    )
    ratio = np.divide(cells, expected, out=np.ones_like(cells), where=(cells > 0) & (expected > 0))
    g2 = 2 * (cells * np.log(ratio)).sum(axis=0)
    known = (first > 0) & (last > 0)
    return Association(
        np.where(both > 0, pmi, np.nan), np.where(known, np.where(cells[0] >= expected[0], g2, -g2), np.nan)
    )


CORPUS = FeatureGroup(
    _columns,
    of_words=_of_words,
    of_instances=_of_instances,
    needs="corpus",
    doc="a reference corpus: uses, documents, dispersion, association",
)
