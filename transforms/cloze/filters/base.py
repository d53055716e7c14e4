"""What a filter is: a question about words of summaries, many at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.filters.batches import PairBatch
from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.inflection.models import InflectorReference
from lexbeam.transforms.lexicon.resources import Lexicon

PASSES, FAILS, ABSTAINS = 1, 0, -1


class Predictor(Protocol):
    """What predicts how concrete words are."""

    @property
    def below(self) -> float:
        """Words from this value on are too concrete, 0 to 1."""

    @property
    def language(self) -> str | None:
        """The language of its words; None: not known, and words of every language are scored."""

    def scores(self, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> np.ndarray:
        """Return the concreteness of words, 0 (abstract) to 1, float64; NaN: not known."""

    def listed(self, forms: pa.Array, lemmas: pa.Array) -> np.ndarray:
        """Return which words it knows; of others it knows the letters alone."""

    def described(self) -> Mapping[str, object]:
        """Return what the manifest notes of it, plain values."""


class FilterSetting(NamedTuple):
    """What filters are evaluated with.

    Attributes:
        lexicon: resources `WORDNET` and `VECTORS` of `word_resources`.
        sense: an entry of `nonspecificity.SENSES`.
        depth: `max` or `min`.
        depth_below: words of this depth, or deeper, are too specific.
        propn: what becomes of proper nouns, an entry of `scores.PROPER_NOUNS`.
        inflector: what knows the forms of words beside WordNet.
        relation_match: `surface` or `lemma`: what of passage words is compared.
        relation_senses: `all`, or those of the `tag`.
        abstractness: what predicts concreteness.
        abstract_also: of `NEVER_ABSTRACT`, what may be abstract all the same.
        encoder: what encodes words in their sentences.
        thresholds: `static` and `contextual`: cosines from which on a word is too similar.
    """

    lexicon: Lexicon
    sense: str = "lesk"
    depth: str = "max"
    depth_below: float = 6.0
    propn: str = "noun"
    inflector: InflectorReference | None = None
    relation_match: str = "surface"
    relation_senses: str = "all"
    abstractness: Predictor | None = None
    abstract_also: tuple[str, ...] = ()
    # An `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoder: Any = None
    thresholds: Mapping[str, float] = {}


class Verdicts(NamedTuple):
    """The verdicts of a filter on words.

    Attributes:
        values: what is compared with the threshold, or how many words offend; NaN: none.
        matches: the sense, or the first word that offends; null: none.
        passed: `PASSES`, `FAILS` or `ABSTAINS`, int8.
    """

    values: np.ndarray
    matches: pa.Array
    passed: np.ndarray


# From a batch, tokens of its summaries, rising, and the setting, to verdicts on these tokens.
Evaluate = Callable[[PairBatch, np.ndarray, FilterSetting], Verdicts]


@dataclass(frozen=True)
class ClozeFilter(Entry):
    """A filter; its doc line is what holds of a word that it lets through.

    Attributes:
        evaluate: from a batch, tokens of its summaries and the setting, the verdicts on these tokens.
        by_kind: whether verdicts depend on the kind; `evaluate` then takes `kind`.
    """

    evaluate: Callable[..., Verdicts]
    by_kind: bool = False


def nothing(count: int) -> Verdicts:
    """Return the verdicts of a filter that abstains from all words."""
    return Verdicts(np.full(count, np.nan), pa.nulls(count, pa.large_string()), np.full(count, ABSTAINS, np.int8))


def counted(count: int, asked: np.ndarray, tokens: np.ndarray, words: pa.Array, lengths: np.ndarray | None) -> Verdicts:
    """Return the verdicts of a filter that counts words that offend.

    Args:
        count: how many words there are.
        asked: the word that each hit is of, rising; the tokens of a word rise, too.
        tokens: the offending token of each hit.
        words: all tokens.
        lengths: of each hit, how many tokens offend together; None: one each.
    """
    values = np.bincount(asked, minlength=count).astype(np.float64)
    owners, first = np.unique(asked, return_index=True)
    matches: list[str | None] = [None] * count
    for owner, place in zip(owners.tolist(), first.tolist(), strict=True):
        token = int(tokens[place])
        length = 1 if lengths is None else int(lengths[place])
        matches[owner] = " ".join(words.slice(token, length).to_pylist())
    return Verdicts(values, pa.array(matches, pa.large_string()), (values == 0).astype(np.int8))
