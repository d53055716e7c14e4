"""Nonspecificity: how deep in WordNet a noun or verb lies (section 3 of the paper).

The depth of a sense is the number of steps to a root, along hypernyms and what instances are
instances of; a root has 0. A word is nonspecific if its sense is less deep than 6.
Which sense that is:

    lesk     the one that adapted Lesk chooses in the context, see `lesk.py`
    first    the first of the word's part of speech
    any      the least deep one; of several, the first
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.cloze.filters.lesk import Contexts, choose_senses
from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.wordnet.ragged import Ragged
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["DEPTHS", "SENSES", "ContextTargets", "deep_senses", "or_else", "sense_names", "senses_of"]

DEPTHS = ("max", "min")

_TAGS = {"n": ("NOUN", "PROPN"), "v": ("VERB", "AUX")}
_CLOSED = ("ADP", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ", "SYM")


class ContextTargets(NamedTuple):
    """Words in their contexts, those of one context next to one another.

    Attributes:
        forms: as they stand; without nulls.
        lemmas: those of the annotation, null where it has none.
        upos: universal parts of speech; null: not known.
        contexts: numbers of contexts, rising.
    """

    forms: pa.Array
    lemmas: pa.Array
    upos: pa.Array
    contexts: np.ndarray


def or_else(words: pa.Array, others: pa.Array, made: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Return words, where they are null what is made of others; each is large_string."""
    missing = np.flatnonzero(words.is_null().to_numpy(zero_copy_only=False))
    if not len(missing):
        return words
    more = made(others.take(pa.array(missing)))
    places = np.full(len(words), -1)
    places[missing] = np.arange(len(missing))
    return pc.coalesce(words, more.take(pa.array(places, mask=places < 0)))


def senses_of(wordnet: WordNet, targets: ContextTargets) -> Ragged:
    """Return the senses of each target as a noun or verb.

    They are those of its base form by Morphy, else of its lemma. Of other open classes, and where
    the part of speech is not known, those of the noun stand before those of the verb: taggers err,
    and that a kind wants nouns and verbs is what filter `pos` asks. Closed classes have none: `a`
    is no nucleotide.
    """
    own_tags = pa.array([*(tag for tags in _TAGS.values() for tag in tags), *_CLOSED], targets.upos.type)
    other = pc.invert(pc.is_in(targets.upos, value_set=own_tags))
    found = []
    for letter, tags in _TAGS.items():
        tagged = pc.is_in(targets.upos, value_set=pa.array(tags, targets.upos.type))
        rows = np.flatnonzero(pc.or_(tagged, other).to_numpy(zero_copy_only=False))
        own = pa.array(rows)
        base = wordnet.morphy(targets.forms.take(own), letter)
        base = or_else(base, targets.lemmas.take(own), partial(wordnet.morphy, pos=letter))
        places = np.full(len(targets.forms), -1)
        places[rows] = np.arange(len(rows))
        base = base.take(pa.array(places, mask=places < 0))
        found.append(wordnet.senses_of(base, letter))
    owners = np.concatenate([one.owners() for one in found])
    order = np.argsort(owners, kind="stable")
    values = np.concatenate([one.values for one in found])[order]
    return Ragged(found[0].offsets + found[1].offsets, values)


class SenseContext(NamedTuple):
    """What a sense is chosen from.

    Attributes:
        wordnet: where senses are from.
        contexts: those of the targets, where they are read.
        targets: the words.
        senses: those of each target.
        depths: of each of `senses.values`.
    """

    wordnet: WordNet
    contexts: Contexts | None
    targets: ContextTargets
    senses: Ragged
    depths: np.ndarray


def _lesk(asked: SenseContext) -> np.ndarray:
    assert asked.contexts is not None
    texts = [asked.targets.forms, asked.targets.lemmas]
    return choose_senses(asked.wordnet, asked.contexts, asked.targets.contexts, texts, asked.senses)


def _first(asked: SenseContext) -> np.ndarray:
    senses = asked.senses
    chosen = np.full(len(senses.offsets) - 1, MISSING)
    some = senses.lengths() > 0
    chosen[some] = senses.values[senses.offsets[:-1][some]]
    return chosen


def _any(asked: SenseContext) -> np.ndarray:
    senses, depths = asked.senses, asked.depths
    chosen = np.full(len(senses.offsets) - 1, MISSING)
    some = senses.lengths() > 0
    if some.any():
        least = np.minimum.reduceat(depths, senses.offsets[:-1][some])
        owners = (np.cumsum(some) - 1)[senses.owners()]
        shallow = np.flatnonzero(depths == least[owners])
        _, first = np.unique(owners[shallow], return_index=True)
        chosen[some] = senses.values[shallow[first]]
    return chosen


# Which sense of a word counts; only `lesk` reads contexts.
SENSES: dict[str, Callable[[SenseContext], np.ndarray]] = {"lesk": _lesk, "first": _first, "any": _any}


def deep_senses(
    wordnet: WordNet, contexts: Contexts | None, targets: ContextTargets, *, sense: str = "lesk", depth: str = "max"
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sense of each target, and how deep it lies.

    Args:
        wordnet: where it is looked up.
        contexts: those of the targets; only `lesk` needs them.
        targets: the words.
        sense: one of `SENSES`.
        depth: `max`: the longest way to a root; `min`: the shortest.

    Returns:
        Senses, int64, `MISSING` where WordNet has no noun or verb; depths, float64, there NaN.
    """
    senses = senses_of(wordnet, targets)
    depths_of = wordnet.depth_max if depth == "max" else wordnet.depth_min
    depths = depths_of(wordnet.synset_of(senses.values))
    chosen = SENSES[sense](SenseContext(wordnet, contexts, targets, senses, depths))
    deep = depths_of(wordnet.synset_of(chosen)).astype(np.float64)
    return chosen, np.where(chosen == MISSING, np.nan, deep)


def sense_names(wordnet: WordNet, senses: np.ndarray) -> pa.Array:
    """Return names of senses, `person.n.1`: word, part of speech, number; null where `MISSING`."""
    types = wordnet.types(wordnet.synset_of(senses))
    numbers = pa.array(wordnet.sense_numbers(senses), mask=senses == MISSING).cast(pa.string())
    dot = pa.scalar(".", pa.large_string())
    large = [part.cast(pa.large_string()) for part in (wordnet.written(senses), types, numbers)]
    return pc.binary_join_element_wise(*large, dot)
