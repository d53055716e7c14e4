"""Filters of the word by itself: part of speech, concreteness, depth in WordNet.

The criterion of a kind does not abstain: a word of which nothing is known cannot be said to be abstract, and fails
without a value.

**Concreteness.** Some words are no abstract answer, however low their concreteness: names, unlisted words, function
words. The authors of ReCAM chose none of them: of the 1,000 targets of the imperceptibility trial file 2 are tagged as
proper nouns, 3 more stand with a capital within a sentence, and 6 are function words. Of a word that a model of
concreteness does not list it knows the letters alone, which say little: its value lies near the mean, and so near the
threshold.

**Nonspecificity** is how deep in WordNet a noun or verb lies (section 3 of the paper). The depth of a sense is the
number of steps to a root, along hypernyms and what instances are instances of; a root has 0. A word is nonspecific if
its sense is less deep than 6. Which sense that is, an entry of `SENSES` decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.filters.cloze_filter import ABSTAINS, FilterSetting, PairBatch, Verdicts, are_participles
from lexbeam.transforms.cloze.word_resources import WORDNET, are_of, tags_of
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.wordnet.lesk import (
    CLOSED_ADVERBS,
    STOP_WORDS,
    choose_senses,
    concatenated,
    contexts_of,
    first_senses,
)
from lexbeam.transforms.lexicon.wordnet.ragged import HYPERNYMS, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

# What an option calls them, and what a match does.
NEVER_ABSTRACT = {"names": "name", "unlisted": "unlisted", "function-words": "function word"}

_CAPITAL = r"^\p{Lu}"
_ENGLISH = ("en",)
_NOUNS_HAVE_CAPITALS = ("de", "lb")
_LIGHT = ("be", "do", "have")
_CLOSED = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ")


def names(batch: PairBatch, asked: np.ndarray) -> np.ndarray:
    """Return which words are names, or part of one: proper nouns, and words with a capital within a sentence.

    A capital says nothing behind a mark, in a summary more than half of whose words have one (a headline in title
    case), and in German, where nouns have capitals.
    """
    rows, summary = pa.array(asked), batch.summary
    proper = _flags(pc.equal(summary.upos.take(rows), "PROPN"))
    capital = _flags(pc.match_substring_regex(summary.forms, _CAPITAL))
    within = np.zeros(len(capital), bool)
    within[1:] = summary.words[:-1] & (summary.owners[1:] == summary.owners[:-1])
    pairs = len(summary.bounds) - 1
    words = np.bincount(summary.owners[within & summary.words], minlength=pairs)
    capitals = np.bincount(summary.owners[within & capital], minlength=pairs)
    says_nothing = (2 * capitals > words) | _of_language(batch, _NOUNS_HAVE_CAPITALS)
    part = within & capital & ~says_nothing[summary.owners]
    return np.asarray(proper | part[asked])


def function_words(batch: PairBatch, asked: np.ndarray) -> np.ndarray:
    """Return which words are function words: of a closed class, in any language, or listed ones.

    Of English ones no nouns, and of verbs *be, do* and *have* alone; of other languages adverbs alone, for *solo* and
    *ganz* are adjectives, too.
    """
    rows, summary = pa.array(asked), batch.summary
    upos, lemmas = summary.upos.take(rows), pc.utf8_lower(summary.lemmas.take(rows))
    closed = _flags(pc.is_in(upos, value_set=pa.array(_CLOSED, upos.type)))
    words = pa.array(STOP_WORDS, pa.large_string())
    listed = _flags(pc.is_in(pc.utf8_lower(summary.forms.take(rows)), value_set=words))
    listed |= _flags(pc.is_in(lemmas, value_set=words))
    content = _flags(pc.is_in(upos, value_set=pa.array(["NOUN", "PROPN", "VERB"], upos.type)))
    light = _flags(pc.equal(upos, "VERB")) & _flags(pc.is_in(lemmas, value_set=pa.array(_LIGHT, lemmas.type)))
    english = _of_language(batch, _ENGLISH)[summary.owners[asked]]
    return np.asarray(closed | (listed & ~content | light) & english | _closed_adverbs(batch, rows))


def _closed_adverbs(batch: PairBatch, asked: pa.Array) -> np.ndarray:
    """Return which words are adverbs, or not tagged, and of a closed class in their language."""
    summary = batch.summary
    upos, forms = summary.upos.take(asked), straight_words(pc.utf8_lower(summary.forms.take(asked)))
    adverbs = np.asarray(pc.equal(upos, "ADV").fill_null(True).to_numpy(zero_copy_only=False), bool)
    owners = summary.owners[asked.to_numpy()]
    found = np.zeros(len(forms), bool)
    for language, words in CLOSED_ADVERBS.items():
        if (own := _of_language(batch, (language,))[owners]).any():
            found |= own & _flags(pc.is_in(forms, value_set=pa.array(words, forms.type)))
    return np.asarray(found & adverbs)


def _of_language(batch: PairBatch, tags: tuple[str, ...]) -> np.ndarray:
    languages = tags_of(batch.rows["language"].combine_chunks())
    return _flags(pc.is_in(languages, value_set=pa.array(tags, languages.type)))


def _flags(values: pa.Array) -> np.ndarray:
    return np.asarray(values.fill_null(False).to_numpy(zero_copy_only=False), bool)


DEPTHS = ("max", "min")

_TAGS = {"n": ("NOUN", "PROPN"), "v": ("VERB", "AUX")}
_WITHOUT_SENSES = ("ADP", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ", "SYM")


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
    decided = pa.array([*(tag for tags in _TAGS.values() for tag in tags), *_WITHOUT_SENSES], targets.upos.type)
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
    contexts: Ragged | None
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
    wordnet: WordNet, contexts: Ragged | None, targets: ContextTargets, *, sense: str = "lesk", depth: str = "max"
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
