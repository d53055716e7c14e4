"""Features of WordNet (Fellbaum 1998): senses, depth, relations and classes of a word.

Words are looked up by their base forms, those of annotated lemmas first. Values of words that WordNet lacks
are null, except for the number of senses, which is 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    Values,
    ratio,
    sums,
)
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAMES, PARTS, RELATIONS, first_of_each

RESOURCE = "wordnet_"
_SOURCE = "WordNet (Fellbaum 1998)"
_PARTS = dict(zip(PARTS, ("nouns", "verbs", "adjectives", "adverbs"), strict=True))
# The classes of nouns, of which the first sense has one.
_CLASSES = tuple(name for name in LEXNAMES if name.startswith("noun."))


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
    columns: list[Feature] = []

    def add(name: str, doc: str, unit: str, range: str = "0 and up", whole: str = "mean") -> None:
        columns.append(Feature(f"wordnet_{name}", doc, range, unit, _SOURCE, whole, languages=("en",)))

    add("senses", "senses of all parts of speech", "senses")
    for name in _PARTS.values():
        add(f"senses_{name}", f"senses as {name}", "senses")
    add("count", "log10 of one more than how often its senses are tagged in WordNet's texts", "log10")
    add("entropy", "entropy of its senses, by how often each is tagged, and once more", "bits")
    add("depth_min", "mean over its senses of the shortest way to a root", "steps", "0 to 20")
    add("depth_max", "mean over its senses of the longest way to a root", "steps", "0 to 20")
    add("first_depth", "shortest way of the first sense to a root", "steps", "0 to 20")
    add("hypernyms", "hypernyms of all senses", "synsets")
    add("hyponyms", "hyponyms of all senses", "synsets")
    add("first_hyponyms", "hyponyms of the first sense", "synsets")
    add("synonyms", "other words of its synsets", "words")
    add("related", "pointers of any kind from its synsets and their words, by the number of synsets", "pointers")
    add("classes", "different lexicographer classes among its senses", "classes")
    add("definition", "characters of the first sense's definition", "code points")
    add(
        "class",
        "lexicographer class of the first sense, a code: its number in WordNet's lexnames",
        "code",
        "0 to 44",
        "last",
    )
    for name in _CLASSES:
        short = name.partition(".")[2].lower()
        add(f"in_{short}", f"share of its senses as a noun in class {name}", "share", "0 to 1")
    return columns


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    known: Any = setting.lexicon.find(RESOURCE, "en") if words.language == "en" else None
    if known is None:
        return {}
    base = _base_forms(words, known)
    count = len(base)
    senses = known.senses_of(base)
    owners = senses.owners()
    synsets = known.synset_of(senses.values)
    number = senses.lengths().astype(float)
    nothing = number == 0
    first_synset = np.full(count, MISSING)
    first_synset[~nothing] = synsets[senses.offsets[:-1][~nothing]]
    types = known.types(synsets)
    tagged = np.maximum(known.counts(senses.values), 0)
    hypernyms, hyponyms = known.hypernyms(synsets).lengths(), known.hyponyms(synsets).lengths()
    classes = _codes(known.lexnames(synsets))
    columns = {
        "senses": number,
        "count": np.log10(1 + sums(owners, count, tagged)),
        "entropy": _entropy(owners, tagged + 1.0, count),
        "depth_min": ratio(sums(owners, count, known.depth_min(synsets)), number),
        "depth_max": ratio(sums(owners, count, known.depth_max(synsets)), number),
        "first_depth": np.where(nothing, np.nan, known.depth_min(first_synset)),
        "hypernyms": sums(owners, count, hypernyms),
        "hyponyms": sums(owners, count, hyponyms),
        "first_hyponyms": known.hyponyms(first_synset).lengths().astype(float),
        "synonyms": pc.list_value_length(known.synonyms(base)).to_numpy(zero_copy_only=False).astype(float),
        "related": ratio(sums(owners, count, known.related(synsets, tuple(RELATIONS)).lengths()), number),
        "classes": sums(owners[first_of_each(owners, classes)], count),
        "definition": pc.utf8_length(known.definitions(first_synset))
        .fill_null(0)
        .to_numpy(zero_copy_only=False)
        .astype(float),
        "class": _codes(known.lexnames(first_synset)).astype(float),
    }
    for letter, name in _PARTS.items():
        # A satellite is an adjective, too.
        of_part = pc.is_in(types, pa.array([letter, "s"] if letter == "a" else [letter], types.type))
        columns[f"senses_{name}"] = sums(owners[of_part.to_numpy(zero_copy_only=False)], count)
    of_nouns = columns["senses_nouns"]
    for name in _CLASSES:
        inside = sums(owners, count, (classes == LEXNAMES.index(name)).astype(float))
        columns[f"in_{name.partition('.')[2].lower()}"] = ratio(inside, of_nouns)
    always = {"senses", *(f"senses_{name}" for name in _PARTS.values())}
    return {
        f"wordnet_{name}": values if name in always else np.where(nothing, np.nan, values)
        for name, values in columns.items()
    }


def _base_forms(words: DistinctWordForms, known: Any) -> pa.Array:
    """Return each word's base form in WordNet: its lemma's as its part of speech, else the form's, else as any.

    A lemma counts if it is annotated: *saw*, a verb whose lemma is *see*, is no saw.
    """
    annotated = pc.if_else(pc.is_valid(words.upos), words.lemmas, pa.scalar(None, words.lemmas.type))
    base = known.morphy(annotated, words.upos)
    left = pc.is_null(base)
    base = pc.replace_with_mask(base, left, known.morphy(words.forms.filter(left), words.upos.filter(left)))
    left = pc.is_null(base)
    other = pc.coalesce(known.morphy(words.forms.filter(left)), words.lower.filter(left))
    return pc.replace_with_mask(base, left, other)


def _codes(names: pa.Array) -> npt.NDArray[np.int64]:
    codes = pc.index_in(names, value_set=pa.array(LEXNAMES, names.type))
    return np.asarray(codes.fill_null(len(LEXNAMES)).to_numpy(zero_copy_only=False), np.int64)


def _entropy(owners: np.ndarray, weights: Floats, count: int) -> Floats:
    """Return the entropy of the weights of each owner, in bits."""
    total = sums(owners, count, weights)
    share = weights / total[owners]
    return sums(owners, count, -share * np.log2(share))


WORDNET = FeatureGroup(
    _columns, of_words=_of_words, needs="wordnet", doc="WordNet's senses, depth, relations and classes; English"
)
