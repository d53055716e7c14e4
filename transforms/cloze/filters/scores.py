"""Filters of the word itself: part of speech, concreteness, depth in WordNet.

The kind's own criterion does not abstain: of a word that nothing is known of nobody can say that it
is abstract. It fails without a value.
"""

from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.cloze.filters.base import ABSTAINS, FilterSetting, Verdicts
from transforms.cloze.filters.batches import PairBatch
from transforms.cloze.filters.lesk import contexts_of
from transforms.cloze.filters.nonspecificity import ContextTargets, deep_senses, sense_names
from transforms.cloze.word_resources import WORDNET
from transforms.lexicon.wordnet.lexnames import HYPERNYMS
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["PROPER_NOUNS", "TAGS", "Predictor", "abstractness", "nonspecificity", "pos"]

# Which parts of speech the words of a kind have.
TAGS = {
    "imperceptibility": ("NOUN", "VERB", "ADJ", "ADV"),
    "nonspecificity": ("NOUN", "VERB"),
    "intersection": ("NOUN", "VERB"),
}

PROPER_NOUNS = {
    "noun": "a proper noun counts as a noun",
    "common": "it does if WordNet has its form as a noun whose first sense is no instance",
    "reject": "it does not",
}


class Predictor(Protocol):
    """What predicts how concrete words are."""

    @property
    def below(self) -> float:
        """Words from this value on are too concrete, 0 to 1."""

    def scores(self, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> np.ndarray:
        """Return the concreteness of words, 0 (abstract) to 1, float64; NaN: not known."""

    def described(self) -> Any:
        """Return what a manifest says of it, plain values."""


def pos(batch: PairBatch, asked: np.ndarray, setting: FilterSetting, kind: str) -> Verdicts:
    """Ask that the part of speech is one of the kind's; the match is the part of speech.

    It abstains where there is no annotation.
    """
    upos = batch.summary.upos.take(pa.array(asked))
    own = pc.is_in(upos, value_set=pa.array(TAGS[kind], upos.type))
    passed = own.to_numpy(zero_copy_only=False).astype(np.int8)
    proper = pc.equal(upos, "PROPN").fill_null(False).to_numpy(zero_copy_only=False)
    if setting.propn == "noun":
        passed[proper] = 1
    elif setting.propn == "common":
        places = np.flatnonzero(proper)
        passed[places] = _common(batch, asked[places], setting)
    passed[upos.is_null().to_numpy(zero_copy_only=False)] = ABSTAINS
    return Verdicts(np.full(len(asked), np.nan), upos, passed)


def _common(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> np.ndarray:
    """Return whether WordNet has words as common nouns."""
    found = np.zeros(len(asked), bool)
    for rows, wordnet in _wordnets(batch, setting):
        mine = np.flatnonzero(np.isin(batch.summary.owners[asked], rows))
        forms = batch.summary.forms.take(pa.array(asked[mine]))
        senses = wordnet.first_sense(wordnet.morphy(forms, "n"), "n")
        instance = wordnet.related(wordnet.synset_of(senses), HYPERNYMS[1]).lengths() > 0
        found[mine] = (senses >= 0) & ~instance
    return found


def _wordnets(batch: PairBatch, setting: FilterSetting) -> list[tuple[np.ndarray, WordNet]]:
    """Return the rows of each language that has a WordNet, and that."""
    languages = batch.rows["language"].combine_chunks()
    found = setting.lexicon.by_language(WORDNET, languages)
    return [(rows, known) for rows, known in found if isinstance(known, WordNet)]


def abstractness(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Ask that the concreteness is below the threshold; the value is the concreteness."""
    predictor: Predictor = setting.abstractness
    rows = pa.array(asked)
    own = batch.summary
    values = np.asarray(predictor.scores(own.forms.take(rows), own.lemmas.take(rows), own.upos.take(rows)), float)
    passed = np.nan_to_num(values, nan=np.inf) < predictor.below
    return Verdicts(values, pa.nulls(len(asked), pa.large_string()), passed.astype(np.int8))


def nonspecificity(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Ask that the sense is less deep than the threshold; the value is the depth.

    The match is the sense, `person.n.1`.
    """
    values = np.full(len(asked), np.nan)
    names = pa.nulls(len(asked), pa.large_string())
    for rows, wordnet in _wordnets(batch, setting):
        mine = np.flatnonzero(np.isin(batch.summary.owners[asked], rows))
        senses, values[mine] = _senses(batch, asked[mine], setting, wordnet)
        places = np.full(len(asked), -1)
        places[mine] = np.arange(len(mine))
        own = sense_names(wordnet, senses).take(pa.array(places, mask=places < 0))
        names = pc.coalesce(names, own)
    passed = np.nan_to_num(values, nan=np.inf) < setting.depth_below
    return Verdicts(values, names, passed.astype(np.int8))


def _senses(
    batch: PairBatch, asked: np.ndarray, setting: FilterSetting, wordnet: WordNet
) -> tuple[np.ndarray, np.ndarray]:
    contexts = None
    if setting.sense == "lesk":
        texts = [batch.rows[f"{side}_forms"].combine_chunks() for side in ("summary", "passage")]
        contexts = contexts_of(wordnet, texts)
    rows = pa.array(asked)
    own = batch.summary
    targets = ContextTargets(own.forms.take(rows), own.lemmas.take(rows), own.upos.take(rows), own.owners[asked])
    return deep_senses(wordnet, contexts, targets, sense=setting.sense, depth=setting.depth)
