"""Features of the sentence: its length, its other words, where in it the target stands.

The other words are the tokens that have a letter and are not of the target.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.complexity.features.base import (
    FLAG,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    known_tags,
    numbers,
    sums,
)
from transforms.complexity.features.form import vowel_groups
from transforms.complexity.features.frequency import zipf_of
from transforms.lexicon.compiled.casing import coded
from transforms.lexicon.hyphenation import syllables

__all__ = ["CONTEXT", "EASE"]

RARE = 3.0  # Zipf; a word less frequent than once in a million
_NEAR = 2  # words to each side
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
        Feature("sentence_zipf", "mean frequency of the other words that are known", "0 to 9", zipf, wordfreq),
        Feature("sentence_zipf_min", "the least of these", "0 to 9", zipf, wordfreq),
        Feature(
            "sentence_rare",
            "share of the other words that are used less than once in a million words, or are not known",
            "0 to 1",
            share,
            wordfreq,
        ),
        Feature("near_zipf", "mean frequency of the two words before and the two behind", "0 to 9", zipf, wordfreq),
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
    # One more column to tell languages apart: a form is looked up once in each.
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
    """Return what is known of distinct forms."""
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


def _measured(batch: InstanceBatch, tokens: _Tokens, facts: dict[str, np.ndarray], sizes: np.ndarray) -> dict[str, Any]:
    count = batch.rows.num_rows
    owners = tokens.owners
    of = {name: values[tokens.codes] for name, values in facts.items()}
    start = numbers(batch.rows["position"])
    size = numbers(batch.rows["tokens"])
    begin, end = start[owners], (start + size)[owners]
    inside = (tokens.place >= begin) & (tokens.place < end)  # false for NaN
    other = of["word"] & ~inside

    def mean(values: Floats, mask: np.ndarray) -> Floats:
        number = sums(owners[mask], count)
        total = sums(owners[mask], count, values[mask])
        return np.divide(total, number, out=np.full(count, np.nan), where=number > 0)

    seen = other & ~np.isnan(of["zipf"])
    least = np.full(count, np.inf)
    np.minimum.at(least, owners[seen], of["zipf"][seen])
    rare = ~(of["zipf"] >= RARE)
    near = seen & (tokens.place >= begin - _NEAR) & (tokens.place < end + _NEAR)
    words = sums(owners[of["word"]], count)
    pairs = owners[of["word"]] * (len(facts["word"]) + 1) + of["lower"][of["word"]]
    different = sums(np.unique(pairs) // (len(facts["word"]) + 1), count)
    placed = ~np.isnan(start)
    head = np.full(count, -1)
    last = inside & (tokens.place == end - 1)
    head[owners[last]] = of["lower"][last]
    tags, upos = _tags(batch.rows["upos"], sizes)
    annotated = pc.is_valid(batch.rows["upos"]).to_numpy(zero_copy_only=False).astype(bool)
    proper = np.full(count, np.nan)
    proper[annotated & placed] = 0.0
    proper[owners[last & _in(tags, "PROPN")[upos]]] = 1.0
    shares = {
        name: np.where(annotated, mean(_in(tags, *own).astype(float)[upos], other), np.nan)
        for name, own in (("nouns", ("NOUN", "PROPN")), ("verbs", ("VERB", "AUX")))
    }
    return {
        "sentence_tokens": sizes.astype(float),
        "sentence_words": words,
        "sentence_word_length": mean(of["length"], other),
        "sentence_syllables": mean(of["syllables"], of["word"]),
        "sentence_zipf": mean(of["zipf"], seen),
        "sentence_zipf_min": np.where(np.isinf(least), np.nan, least),
        "sentence_rare": mean(rare.astype(float), other),
        "near_zipf": mean(of["zipf"], near),
        "sentence_variety": np.divide(different, words, out=np.full(count, np.nan), where=words > 0),
        "sentence_capitals": mean(of["capital"].astype(float), other),
        "sentence_digits": sums(owners[of["digit"]], count),
        "sentence_nouns": shares["nouns"],
        "sentence_verbs": shares["verbs"],
        "target_place": np.divide(start, sizes, out=np.full(count, np.nan), where=sizes > 0),
        "target_in_sentence": placed,
        "target_repeated": sums(owners[~inside & (of["lower"] == head[owners])], count),
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
