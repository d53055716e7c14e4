"""Filters that look for the word itself: repeated in the summary, or standing in the passage."""

import numpy as np

from transforms.cloze.filters.base import FilterSetting, Verdicts, counted
from transforms.cloze.filters.batches import PairBatch, TokenPlaces, unique_hits

__all__ = ["lemma", "repeated"]


def _equal(batch: PairBatch, asked: np.ndarray, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Return words and tokens of a side that have the same form, or the same lemma."""
    own, other = batch.summary, getattr(batch, side)
    size = len(batch.folded)
    owners = own.owners[asked]
    by_form = TokenPlaces(other.folded, other.owners, size).find(owners, own.folded[asked])
    by_lemma = TokenPlaces(other.lemma, other.owners, size).find(owners, own.lemma[asked])
    places = np.concatenate([by_form[0], by_lemma[0]])
    return unique_hits(places, np.concatenate([by_form[1], by_lemma[1]]))


def lemma(batch: PairBatch, asked: np.ndarray, _: FilterSetting) -> Verdicts:
    """Ask that no word of the passage has the form or the lemma of the word, whatever its tag.

    Case does not count. The value is the number of such words.
    """
    places, tokens = _equal(batch, asked, "passage")
    return counted(len(asked), places, tokens, batch.passage.forms, None)


def repeated(batch: PairBatch, asked: np.ndarray, _: FilterSetting) -> Verdicts:
    """Ask that no other word of the summary has the form or the lemma of the word.

    The value is the number of such words.
    """
    places, tokens = _equal(batch, asked, "summary")
    other = tokens != asked[places]
    return counted(len(asked), places[other], tokens[other], batch.summary.forms, None)
