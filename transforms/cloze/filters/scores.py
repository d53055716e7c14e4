"""Filters of the word by itself: part of speech, concreteness, depth in WordNet.

The criterion of a kind does not abstain: a word of which nothing is known cannot be said to be abstract, and fails
without a value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.filters.base import ABSTAINS, FilterSetting, Verdicts
from lexbeam.transforms.cloze.filters.base_forms import are_participles
from lexbeam.transforms.cloze.filters.batches import PairBatch
from lexbeam.transforms.cloze.filters.never_abstract import NEVER_ABSTRACT, function_words, names
from lexbeam.transforms.cloze.filters.nonspecificity import SENSES, ContextTargets, deep_senses, sense_names
from lexbeam.transforms.cloze.word_resources import WORDNET, are_of
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.lexicon.wordnet.lesk import contexts_of
from lexbeam.transforms.lexicon.wordnet.lexnames import HYPERNYMS
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

# Which parts of speech the words of a kind have.
TAGS = {
    "imperceptibility": ("NOUN", "VERB", "ADJ", "ADV"),
    "nonspecificity": ("NOUN", "VERB"),
    "intersection": ("NOUN", "VERB"),
}


def pos(batch: PairBatch, asked: np.ndarray, setting: FilterSetting, kind: str) -> Verdicts:
    """Let a word through if its part of speech is one of the kind's; the match is the part of speech.

    A participle that is tagged as an adjective is a verb. It abstains where there is no annotation.
    """
    upos = batch.summary.upos.take(pa.array(asked))
    of_kind = pc.is_in(upos, value_set=pa.array(TAGS[kind], upos.type))
    passed = of_kind.to_numpy(zero_copy_only=False).astype(np.int8)
    proper = pc.equal(upos, "PROPN").fill_null(False).to_numpy(zero_copy_only=False)
    passed[proper] = PROPER_NOUNS[setting.propn].are_nouns(batch, asked[proper], setting)
    if "VERB" in TAGS[kind] and "ADJ" not in TAGS[kind]:
        adjectives = _are_adjectives(upos)
        passed[adjectives] = are_participles(batch, asked[adjectives], setting)
    passed[upos.is_null().to_numpy(zero_copy_only=False)] = ABSTAINS
    return Verdicts(np.full(len(asked), np.nan), upos, passed)


def _are_adjectives(upos: pa.Array) -> np.ndarray:
    return np.asarray(pc.equal(upos, "ADJ").fill_null(False).to_numpy(zero_copy_only=False))


@dataclass(frozen=True)
class ProperNouns(Entry):
    """What becomes of proper nouns.

    Attributes:
        are_nouns: from a batch, tokens of its summaries that are proper nouns, and the setting, which count as nouns.
    """

    are_nouns: Callable[[PairBatch, np.ndarray, FilterSetting], np.ndarray]


def _all(_: PairBatch, asked: np.ndarray, __: FilterSetting) -> np.ndarray:
    return np.ones(len(asked), bool)


def _none(_: PairBatch, asked: np.ndarray, __: FilterSetting) -> np.ndarray:
    return np.zeros(len(asked), bool)


def _common(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> np.ndarray:
    """Return which words WordNet has as common nouns."""
    common = np.zeros(len(asked), bool)
    for rows, wordnet in _wordnets(batch, setting):
        mine = np.flatnonzero(np.isin(batch.summary.owners[asked], rows))
        forms = batch.summary.forms.take(pa.array(asked[mine]))
        senses = wordnet.first_sense(wordnet.morphy(forms, "n"), "n")
        instance = wordnet.related(wordnet.synset_of(senses), HYPERNYMS[1]).lengths() > 0
        common[mine] = (senses >= 0) & ~instance
    return common


PROPER_NOUNS: Registry[ProperNouns] = Registry(
    {
        "noun": ProperNouns(_all, doc="a proper noun counts as a noun"),
        "common": ProperNouns(
            _common, doc="it does if WordNet has its form as a noun whose first sense is no instance"
        ),
        "reject": ProperNouns(_none, doc="it does not"),
    },
    what="treatment of proper nouns",
)


def _wordnets(batch: PairBatch, setting: FilterSetting) -> list[tuple[np.ndarray, WordNet]]:
    """Return the rows of each language that has a WordNet, with that WordNet."""
    languages = batch.rows["language"].combine_chunks()
    by_language = setting.lexicon.by_language(WORDNET, languages)
    return [(rows, wordnet) for rows, wordnet in by_language if isinstance(wordnet, WordNet)]


def abstractness(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if its concreteness is below the threshold; the value is the concreteness.

    Words of another language than the predictor's fail without a value. What `NEVER_ABSTRACT` has fails whatever its
    value, unless the setting lets it be abstract; the match names it.
    """
    predictor = setting.abstractness
    assert predictor is not None
    rows, summary = pa.array(asked), batch.summary
    words = summary.forms.take(rows), summary.lemmas.take(rows), summary.upos.take(rows)
    own = are_of(batch.rows["language"].combine_chunks(), predictor.language)[summary.owners[asked]]
    values = np.where(own, predictor.scores(*words), np.nan)
    never = {
        "names": names(batch, asked),
        "unlisted": ~predictor.listed(*words[:2]),
        "function-words": function_words(batch, asked),
    }
    matches = pa.nulls(len(asked), pa.large_string())
    for name, what in NEVER_ABSTRACT.items():
        if name not in setting.abstract_also:
            matches = pc.coalesce(matches, pa.array([what if one else None for one in never[name]], matches.type))
    possible = matches.is_null().to_numpy(zero_copy_only=False)
    passed = possible & (np.nan_to_num(values, nan=np.inf) < predictor.below)
    return Verdicts(values, matches, passed.astype(np.int8))


def nonspecificity(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if its sense is less deep than the threshold; the value is the depth.

    The match is the sense, `person.n.1`. A participle that is tagged as an adjective is a verb, as for `pos`: *left*
    is no place, and *meeting* no gathering.
    """
    values = np.full(len(asked), np.nan)
    names = pa.nulls(len(asked), pa.large_string())
    for rows, wordnet in _wordnets(batch, setting):
        mine = np.flatnonzero(np.isin(batch.summary.owners[asked], rows))
        senses, values[mine] = _senses(batch, asked[mine], setting, wordnet)
        places = np.full(len(asked), -1)
        places[mine] = np.arange(len(mine))
        names = pc.coalesce(names, sense_names(wordnet, senses).take(pa.array(places, mask=places < 0)))
    passed = np.nan_to_num(values, nan=np.inf) < setting.depth_below
    return Verdicts(values, names, passed.astype(np.int8))


def _senses(
    batch: PairBatch, asked: np.ndarray, setting: FilterSetting, wordnet: WordNet
) -> tuple[np.ndarray, np.ndarray]:
    contexts = None
    if SENSES[setting.sense].reads_contexts:
        texts = [batch.rows[f"{side}_forms"].combine_chunks() for side in ("summary", "passage")]
        contexts = contexts_of(wordnet, texts)
    rows = pa.array(asked)
    summary = batch.summary
    upos = summary.upos.take(rows)
    participles = _are_adjectives(upos)
    participles[participles] = are_participles(batch, asked[participles], setting)
    upos = pc.if_else(pa.array(participles), "VERB", upos)
    targets = ContextTargets(summary.forms.take(rows), summary.lemmas.take(rows), upos, summary.owners[asked])
    return deep_senses(wordnet, contexts, targets, sense=setting.sense, depth=setting.depth)
