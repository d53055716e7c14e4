"""Features of the sentence: its length, its other words, where in it the target stands; its syntax and entities.

The other words are the tokens that have a letter and are not of the target.

Those of syntax and entities, if the instances have these layers, describe the target's last token, the head of most
expressions. Relations are named as in Universal Dependencies, or as spaCy's models of English have them.
"""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    FLAG,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    item_at,
    known_tags,
    numbers,
    ratio,
    sums,
)
from lexbeam.transforms.complexity.features.word_forms import zipf_of
from lexbeam.transforms.lexicon.compiled.word_keys import coded
from lexbeam.transforms.lexicon.letters import syllables, vowel_groups

RARE = 3.0  # Zipf; a word less frequent than once in a million
_NEAR = 2  # words to each side
_LONG, _MANY = 6, 3  # characters that a long word has more of; syllables of a hard word
# Readability, by language: constant, words of the sentence, syllables of a word. Flesch (1948),
# Amstad (1978), Fernandez Huerta (1959), Franchina and Vacca (1972), Kandel and Moles (1958).
EASE = {
    "en": (206.835, 1.015, 84.6),
    "de": (180.0, 1.0, 58.5),
    "es": (206.84, 1.02, 60.0),
    "it": (217.0, 1.3, 60.0),
    "fr": (207.0, 1.015, 73.6),
}


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    tokens, zipf, share = "tokens", "Zipf", "share"
    wordfreq = "wordfreq (Speer 2022)"
    return (
        Feature("sentence_tokens", "tokens of the sentence", "1 and up", tokens),
        Feature("sentence_words", "tokens that have a letter", "0 and up", tokens),
        Feature("sentence_length", "characters of the sentence", "0 and up", "code points"),
        Feature("sentence_commas", "commas and semicolons", "0 and up", "marks"),
        Feature("sentence_word_length", "mean length of the other words", "1 and up", "code points"),
        Feature(
            "sentence_syllables",
            "mean number of syllables of the words, as hyphenated",
            "1 and up",
            "syllables",
            "pyphen",
        ),
        Feature(
            "sentence_ease",
            "reading ease with the sentence as the text",
            "any number",
            "points",
            "Flesch (1948), and those who fitted it to other languages",
            languages=tuple(EASE),
        ),
        Feature(
            "sentence_lix",
            "LIX with the sentence as the text: words, and words of over six characters in a hundred",
            "1 and up",
            "points",
            "Björnsson (1968)",
        ),
        Feature(
            "sentence_grade",
            "automated readability index, likewise: by characters of a word and words",
            "any number",
            "school years",
            "Smith and Senter (1967)",
            languages=("en",),
        ),
        Feature(
            "sentence_fog",
            "fog index, likewise: by words, and those of three syllables or more",
            "0 and up",
            "school years",
            "Gunning (1952)",
            languages=("en",),
        ),
        Feature("sentence_zipf", "mean frequency of the other words that are known", "0 to 9", zipf, wordfreq),
        Feature("sentence_zipf_min", "the least of these", "0 to 9", zipf, wordfreq),
        Feature(
            "sentence_rare",
            "share of the other words that are used less than once in a million words, or are not known",
            "0 to 1",
            share,
            wordfreq,
        ),
        Feature(
            "near_zipf",
            "mean frequency of those that are known of the two words before and the two behind, marks left out",
            "0 to 9",
            zipf,
            wordfreq,
        ),
        Feature("sentence_variety", "different words by words, in lower case", "0 to 1", share),
        Feature("sentence_capitals", "share of the other words that begin with a capital", "0 to 1", share),
        Feature("sentence_digits", "tokens that have a digit", "0 and up", tokens),
        Feature("sentence_nouns", "share of nouns among the other words", "0 to 1", share, "annotation"),
        Feature("sentence_verbs", "share of verbs, likewise", "0 to 1", share, "annotation"),
        Feature("target_place", "tokens before the target, by tokens of the sentence", "0 to 1", share),
        Feature("target_in_sentence", "whether the target is a token of the sentence", "0 or 1", FLAG, whole="both"),
        Feature(
            "target_repeated", "other tokens of the sentence with the target's last word's form", "0 and up", tokens
        ),
        Feature("target_proper", "whether its last word is tagged as a name", "0 or 1", FLAG, "annotation"),
    )


class _Tokens(NamedTuple):
    """The tokens of all sentences, one after the other.

    Attributes:
        owners: the instance of each token.
        codes: the place of each token's form among the distinct ones.
        place: its place in the sentence.
    """

    owners: np.ndarray
    codes: np.ndarray
    place: np.ndarray


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    rows = batch.rows
    count = rows.num_rows
    forms = rows["forms"].combine_chunks()
    lengths = numbers(pc.list_value_length(forms))
    there = ~np.isnan(lengths)
    sizes = np.where(there, lengths, 0).astype(np.int64)
    # A form is looked up once in each language.
    owners = np.repeat(np.arange(count), sizes)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tags, language = coded(pc.fill_null(known_tags(rows["language"]), ""))
    known = tags.to_pylist()
    texts, codes = coded(pc.list_flatten(forms))
    together = language[owners] * len(texts) + codes
    seen = np.zeros(len(known) * len(texts), bool)
    seen[together] = True
    pairs = np.flatnonzero(seen)
    codes = (np.cumsum(seen) - 1)[together]
    which = pairs // max(len(texts), 1)
    distinct = texts.take(pa.array(pairs % max(len(texts), 1)))
    facts = _facts(distinct, which, known, setting)
    tokens = _Tokens(owners, codes, place)
    measured = _measured(batch, tokens, facts, sizes)
    ease = np.full(count, np.nan)
    for tag, (constant, of_words, of_syllables) in EASE.items():
        of_tag = language == known.index(tag) if tag in known else np.zeros(count, bool)
        value = constant - of_words * measured["sentence_words"] - of_syllables * measured["sentence_syllables"]
        ease[of_tag] = value[of_tag]
    measured["sentence_ease"] = ease
    english = language == known.index("en") if "en" in known else np.zeros(count, bool)
    for name in ("sentence_grade", "sentence_fog"):
        measured[name] = np.where(english, measured[name], np.nan)
    text = numbers(pc.utf8_length(rows["sentence"]))
    commas = numbers(pc.count_substring_regex(rows["sentence"], "[,;،、，；]"))
    nothing = ~there
    whole = {"sentence_length": text, "sentence_commas": commas}
    masked = {
        name: values if values.dtype == bool else np.where(nothing, np.nan, values) for name, values in measured.items()
    }
    return {**masked, **whole}


def _facts(
    distinct: pa.Array, which: np.ndarray, known: Sequence[str], setting: FeatureSetting
) -> dict[str, np.ndarray]:
    """Return the facts of distinct forms."""
    texts = distinct.to_pylist()
    zipf = np.full(len(texts), np.nan)
    for number, tag in enumerate(known):
        of_tag = np.flatnonzero(which == number)
        zipf[of_tag] = zipf_of(distinct.take(pa.array(of_tag)), tag or None, setting)
    tags = [known[number] or None for number in which.tolist()]
    values = itertools.chain.from_iterable(map(_of_token, texts, tags))
    rows = np.fromiter(values, float, len(texts) * len(_FACTS)).reshape(-1, len(_FACTS))
    facts = dict(zip(_FACTS, rows.T, strict=True))
    flags = {name: facts[name] > 0 for name in ("word", "capital", "digit")}
    return {**facts, **flags, "zipf": zipf, "lower": coded(pc.utf8_lower(distinct))[1]}


_FACTS = ("word", "length", "capital", "digit", "syllables")


@functools.lru_cache(1 << 16)
def _of_token(text: str, tag: str | None) -> tuple[float, ...]:
    plain = text.isalpha()
    count = syllables(text, tag)
    return (
        plain or any(map(str.isalpha, text)),
        len(text),
        text[:1].isupper(),
        not plain and any(map(str.isdecimal, text)),
        max(vowel_groups(text), 1) if math.isnan(count) else count,
    )


class _Words(NamedTuple):
    """Facts of all tokens, and where they stand.

    Attributes:
        sentences: how many there are.
        owners: the instance of each token.
        facts: by name, what `_facts` says of each token.
        begin, end: the target's tokens in the sentence of each token; NaN where it is none.
        place: of each token in its sentence.
    """

    sentences: int
    owners: np.ndarray
    facts: Mapping[str, np.ndarray]
    begin: Floats
    end: Floats
    place: np.ndarray

    @property
    def inside(self) -> np.ndarray:
        """Whether a token is of the target."""
        return np.asarray((self.place >= self.begin) & (self.place < self.end))  # false for NaN

    def numbered(self, mask: np.ndarray) -> np.ndarray:
        """Return how many tokens of a mask stand before each token in its sentence."""
        before = np.cumsum(mask) - mask
        return np.asarray(before - before[np.arange(len(mask)) - self.place.astype(np.int64)])

    def total(self, mask: np.ndarray, values: np.ndarray | None = None) -> Floats:
        """Return the sum of values, or the number of tokens, of each sentence."""
        return sums(self.owners[mask], self.sentences, None if values is None else values[mask])

    def mean(self, values: np.ndarray, mask: np.ndarray) -> Floats:
        """Return the mean of values of each sentence; NaN without any."""
        return ratio(self.total(mask, values), self.total(mask))


def _measured(
    batch: InstanceBatch, tokens: _Tokens, facts: dict[str, np.ndarray], sizes: np.ndarray
) -> dict[str, np.ndarray]:
    start = numbers(batch.rows["position"])
    ends = start + numbers(batch.rows["tokens"])
    words = _Words(
        batch.rows.num_rows,
        tokens.owners,
        {name: values[tokens.codes] for name, values in facts.items()},
        start[tokens.owners],
        ends[tokens.owners],
        tokens.place,
    )
    return {
        "sentence_tokens": sizes.astype(float),
        "sentence_digits": words.total(words.facts["digit"]),
        "target_place": ratio(start, sizes.astype(float)),
        **_of_words(words, len(facts["word"])),
        **_of_tags(batch.rows["upos"], words, sizes, ~np.isnan(start)),
    }


def _of_words(words: _Words, distinct: int) -> dict[str, np.ndarray]:
    """Return what the words of sentences are, and how often the target's last word is among them."""
    facts = words.facts
    is_word, zipf, lower = facts["word"], facts["zipf"], facts["lower"]
    other = is_word & ~words.inside
    seen = other & ~np.isnan(zipf)
    least = np.full(words.sentences, np.inf)
    np.minimum.at(least, words.owners[seen], zipf[seen])
    before = words.total(is_word & (words.place < words.begin))[words.owners]
    until = words.total(is_word & (words.place < words.end))[words.owners]
    ordinal = words.numbered(is_word)
    placed = seen & ~np.isnan(words.begin)
    near = placed & (ordinal >= before - _NEAR) & (ordinal < until + _NEAR)
    pairs = words.owners[is_word] * (distinct + 1) + lower[is_word]
    different = sums(np.unique(pairs) // (distinct + 1), words.sentences)
    last = words.inside & (words.place == words.end - 1)
    head = np.full(words.sentences, -1)
    head[words.owners[last]] = lower[last]
    number = words.total(is_word)
    return {
        "sentence_lix": number + 100 * words.mean((facts["length"] > _LONG).astype(float), is_word),
        "sentence_grade": 4.71 * words.mean(facts["length"], is_word) + 0.5 * number - 21.43,
        "sentence_fog": 0.4 * (number + 100 * words.mean((facts["syllables"] >= _MANY).astype(float), is_word)),
        "sentence_words": number,
        "sentence_word_length": words.mean(facts["length"], other),
        "sentence_syllables": words.mean(facts["syllables"], is_word),
        "sentence_zipf": words.mean(zipf, seen),
        "sentence_zipf_min": np.where(np.isinf(least), np.nan, least),
        "sentence_rare": words.mean((~(zipf >= RARE)).astype(float), other),
        "near_zipf": words.mean(zipf, near),
        "sentence_variety": ratio(different, number),
        "sentence_capitals": words.mean(facts["capital"].astype(float), other),
        "target_repeated": words.total(~words.inside & (lower == head[words.owners])),
    }


def _of_tags(column: pa.ChunkedArray, words: _Words, sizes: np.ndarray, placed: np.ndarray) -> dict[str, np.ndarray]:
    """Return what parts of speech say of the other words, and of the target."""
    tags, upos = _tags(column, sizes)
    annotated = pc.is_valid(column).to_numpy(zero_copy_only=False).astype(bool)
    other = words.facts["word"] & ~words.inside
    last = words.inside & (words.place == words.end - 1)
    proper = np.full(words.sentences, np.nan)
    proper[annotated & placed] = 0.0
    proper[words.owners[last & _in(tags, "PROPN")[upos]]] = 1.0
    return {
        **{
            f"sentence_{name}": np.where(annotated, words.mean(_in(tags, *wanted).astype(float)[upos], other), np.nan)
            for name, wanted in (("nouns", ("NOUN", "PROPN")), ("verbs", ("VERB", "AUX")))
        },
        "target_in_sentence": placed,
        "target_proper": proper,
    }


def _tags(column: pa.ChunkedArray, sizes: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return parts of speech, and which of them each token has; the last one is none."""
    annotated = pc.is_valid(column).to_numpy(zero_copy_only=False).astype(bool)
    distinct, codes = coded(pc.list_flatten(column))
    tags = np.full(int(sizes.sum()), len(distinct))
    tags[np.repeat(annotated, sizes)] = codes
    return [*distinct.to_pylist(), ""], tags


def _in(tags: Sequence[str], *wanted: str) -> np.ndarray:
    return np.array([tag in wanted for tag in tags], bool)


CONTEXT = FeatureGroup(
    _columns, of_instances=_of_instances, doc="the sentence: its length, its other words, where the target stands"
)


_ROLES = {
    "subject": ("nsubj", "csubj", "nsubjpass", "csubjpass"),
    "object": ("obj", "dobj", "iobj", "dative"),
    "oblique": ("obl", "pobj"),
    "modifier": ("amod", "compound", "nmod", "appos", "poss"),
    "root": ("root", "ROOT"),
}


def _layer_columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, layer: str, unit: str = FLAG, range: str = "0 or 1") -> Feature:
        return Feature(name, doc, range, unit, f"annotation: layer {layer}", layer=layer)

    return (
        *(
            of(f"target_{role}", f"whether it is a {role} ({', '.join(names)}, with or without a subtype)", "deprels")
            for role, names in _ROLES.items()
        ),
        of("target_depth", "steps along heads to the root of the sentence", "heads", "steps", "0 and up"),
        of("target_dependents", "tokens whose head it is", "heads", "tokens", "0 and up"),
        of("target_entity", "whether it is in a named entity", "entities"),
        of("sentence_entities", "named entities of the sentence", "entities", "entities", "0 and up"),
    )


def _of_layers(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    rows = batch.rows
    place = numbers(rows["position"]) + numbers(rows["tokens"]) - 1
    columns: dict[str, np.ndarray] = {}
    if "deprels" in rows.column_names:
        labels = item_at(rows["deprels"], place)
        names = pc.replace_substring_regex(labels, ":.*", "")
        for role, wanted in _ROLES.items():
            has_role = pc.is_in(names, value_set=pa.array(wanted, names.type))
            columns[f"target_{role}"] = _flag(has_role, pc.is_valid(labels))
    if "entities" in rows.column_names:
        labels = item_at(rows["entities"], place)
        columns["target_entity"] = _flag(pc.not_equal(labels, "O"), pc.is_valid(labels))
        lists = rows["entities"].combine_chunks()
        begins = pc.starts_with(pc.list_flatten(lists), "B-").fill_null(False)
        owners = pc.list_parent_indices(lists).to_numpy()
        counts = np.bincount(owners, begins.to_numpy(zero_copy_only=False), len(lists))
        there = pc.is_valid(lists).to_numpy(zero_copy_only=False).astype(bool)
        columns["sentence_entities"] = np.where(there, counts, np.nan)
    if "heads" in rows.column_names:
        columns["target_depth"], columns["target_dependents"] = _of_heads(rows["heads"], place)
    return columns


def _flag(values: pa.Array, known: pa.Array) -> Floats:
    flags = values.fill_null(False).to_numpy(zero_copy_only=False).astype(float)
    return np.where(known.to_numpy(zero_copy_only=False).astype(bool), flags, np.nan)


def _of_heads(column: pa.ChunkedArray, place: Floats) -> tuple[Floats, Floats]:
    """Return the steps from a token to the root, and how many tokens have it as their head."""
    lists = column.combine_chunks()
    sizes = np.nan_to_num(numbers(pc.list_value_length(lists))).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    heads = np.nan_to_num(numbers(pc.list_flatten(lists))).astype(np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    there = (place >= 0) & (place < sizes)
    target = np.where(there, place, 0).astype(np.int64)
    dependents = np.bincount(owners, heads - 1 == target[owners], len(sizes))
    depth, at = np.zeros(len(sizes)), target.copy()
    left = np.flatnonzero(there)
    while len(left):
        head = heads[starts[left] + at[left]]
        on = (head > 0) & (depth[left] < sizes[left])  # heads of a circle would lead on for ever
        left, head = left[on], head[on]
        depth[left] += 1
        at[left] = np.minimum(head - 1, sizes[left] - 1)
    return np.where(there, depth, np.nan), np.where(there, dependents, np.nan)


SYNTAX = FeatureGroup(
    _layer_columns,
    of_instances=_of_layers,
    doc="role, depth and entity, where the instances have heads, deprels, entities",
)
