"""Nonspecificity: how deep in WordNet a noun or verb lies (section 3 of the paper).

The depth of a sense is the number of steps to a root, along hypernyms and what instances are
instances of; a root has 0. A word is nonspecific if its sense is less deep than 6.
Which sense that is, an entry of `SENSES` decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.lexicon.compiled.keys import MISSING
from lexbeam.transforms.lexicon.wordnet.lesk import Contexts, choose_senses, concatenated, first_senses
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

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

    They are those of its lemma, else of its form, each by its base form by Morphy: *saw* of *see* is no saw. Of other
    open classes, and where the part of speech is not known, those of the noun stand before those of the verb: taggers
    err, and filter `pos` sees to it that a kind has nouns and verbs. Closed classes have none: `a` is no nucleotide.
    """
    decided = pa.array([*(tag for tags in _TAGS.values() for tag in tags), *_CLOSED], targets.upos.type)
    undecided = pc.invert(pc.is_in(targets.upos, value_set=decided))
    by_letter = []
    for letter, tags in _TAGS.items():
        tagged = pc.is_in(targets.upos, value_set=pa.array(tags, targets.upos.type))
        rows = np.flatnonzero(pc.or_(tagged, undecided).to_numpy(zero_copy_only=False))
        taken = pa.array(rows)
        base = wordnet.morphy(targets.lemmas.take(taken), letter)
        base = or_else(base, targets.forms.take(taken), partial(wordnet.morphy, pos=letter))
        places = np.full(len(targets.forms), -1)
        places[rows] = np.arange(len(rows))
        base = base.take(pa.array(places, mask=places < 0))
        by_letter.append(wordnet.senses_of(base, letter))
    return concatenated(by_letter)


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


@dataclass(frozen=True)
class SenseChoice(Entry):
    """Which sense of a word counts.

    Attributes:
        choose: the sense of each target, `MISSING` where it has none.
        reads_contexts: whether it needs contexts.
    """

    choose: Callable[[SenseContext], np.ndarray]
    reads_contexts: bool = False


def _lesk(context: SenseContext) -> np.ndarray:
    assert context.contexts is not None
    targets = context.targets
    texts = [targets.forms, targets.lemmas]
    return choose_senses(context.wordnet, context.contexts, targets.contexts, texts, context.senses)


def _first(context: SenseContext) -> np.ndarray:
    return first_senses(context.senses)


def _any(context: SenseContext) -> np.ndarray:
    senses, depths = context.senses, context.depths
    chosen = np.full(len(senses.offsets) - 1, MISSING)
    known = senses.lengths() > 0
    if known.any():
        least = np.minimum.reduceat(depths, senses.offsets[:-1][known])
        owners = (np.cumsum(known) - 1)[senses.owners()]
        shallow = np.flatnonzero(depths == least[owners])
        _, first = np.unique(owners[shallow], return_index=True)
        chosen[known] = senses.values[shallow[first]]
    return chosen


SENSES: Registry[SenseChoice] = Registry(
    {
        "lesk": SenseChoice(_lesk, reads_contexts=True, doc="the one that adapted Lesk chooses in the context"),
        "first": SenseChoice(_first, doc="the first of the word's part of speech"),
        "any": SenseChoice(_any, doc="the least deep one; of several, the first"),
    },
    what="choice of senses",
)


def deep_senses(
    wordnet: WordNet, contexts: Contexts | None, targets: ContextTargets, *, sense: str = "lesk", depth: str = "max"
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sense of each target, and how deep it lies.

    Args:
        wordnet: where it is looked up.
        contexts: those of the targets, if the choice needs them.
        targets: the words.
        sense: an entry of `SENSES`.
        depth: `max`: the longest way to a root; `min`: the shortest.

    Returns:
        Senses, int64, `MISSING` where WordNet has no noun or verb; depths, float64, there NaN.
    """
    senses = senses_of(wordnet, targets)
    depths_of = wordnet.depth_max if depth == "max" else wordnet.depth_min
    depths = depths_of(wordnet.synset_of(senses.values))
    chosen = SENSES[sense].choose(SenseContext(wordnet, contexts, targets, senses, depths))
    deep = depths_of(wordnet.synset_of(chosen)).astype(np.float64)
    return chosen, np.where(chosen == MISSING, np.nan, deep)


def sense_names(wordnet: WordNet, senses: np.ndarray) -> pa.Array:
    """Return names of senses, `person.n.1`: word, part of speech, number; null where `MISSING`."""
    types = wordnet.types(wordnet.synset_of(senses))
    numbers = pa.array(wordnet.sense_numbers(senses), mask=senses == MISSING).cast(pa.string())
    dot = pa.scalar(".", pa.large_string())
    large = [part.cast(pa.large_string()) for part in (wordnet.written(senses), types, numbers)]
    return pc.binary_join_element_wise(*large, dot)
