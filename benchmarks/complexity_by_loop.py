"""Features of lexical complexity as a script computes them: a loop over rows, with cached look-ups.

What pandas, nltk, pyphen and wordfreq give, row by row; of a word everything is computed once and
kept, whatever the row. `complexity_features.py` compares what it computes with our columns, and
how long it takes. Nothing of `lexbeam.transforms.complexity` is used.
"""

import functools
import itertools
import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

NAN = float("nan")
VOWELS = frozenset("aeiouyæøœаеёиоуыэюяіїєαεηιουω")
NOUNS = (
    "Tops",
    "act",
    "animal",
    "artifact",
    "attribute",
    "body",
    "cognition",
    "communication",
    "event",
    "feeling",
    "food",
    "group",
    "location",
    "motive",
    "object",
    "person",
    "phenomenon",
    "plant",
    "possession",
    "process",
    "quantity",
    "relation",
    "shape",
    "state",
    "substance",
    "time",
)
PARTS = {"n": "nouns", "v": "verbs", "a": "adjectives", "r": "adverbs"}
TAGS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
FLAGS = ("capital_initial", "capital_all", "_known")

Values = dict[str, Any]


class LoopResources(NamedTuple):
    """What is read before the clock starts.

    Attributes:
        wordnet: nltk's reader.
        classes: the numbers of WordNet's lexicographer classes.
        hyphens: pyphen's patterns.
        zipf: wordfreq's function.
        languages: in which words are looked up besides.
        trigrams: log10 of the probability of a character after two others.
        least: of one that is not known.
        norms: lists, each of value and standard deviation by word.
        prefixes: that are taken off a word.
        suffixes: likewise.
    """

    wordnet: Any
    classes: Mapping[str, int]
    hyphens: Any
    zipf: Callable[..., float]
    languages: Sequence[str]
    trigrams: Mapping[str, float]
    least: float
    norms: Mapping[str, Mapping[str, tuple[float, float]]]
    prefixes: Sequence[str]
    suffixes: Sequence[str]


def by_loop(instances: pd.DataFrame, known: LoopResources) -> pd.DataFrame:
    """Return the features of instances; the caches are empty when it starts."""

    @functools.cache
    def zipf(word: str, language: str = "en") -> float:
        return known.zipf(word, language) or NAN

    @functools.cache
    def syllables(word: str) -> int:
        return len(known.hyphens.positions(word.lower())) + 1

    @functools.cache
    def of_word(word: str, lemma: str, upos: str | None) -> Values:
        return {
            "syllables": syllables(word),
            **_form(word, known),
            **_frequency(word, lemma, known.languages, zipf),
            **_norms(word, lemma, known.norms),
            **_wordnet(word, lemma, upos, known),
        }

    @functools.cache
    def of_token(token: str) -> tuple[Any, ...]:
        frequency = zipf(token)
        return (
            any(letter.isalpha() for letter in token),
            len(token),
            token[:1].isupper(),
            any(letter.isdecimal() for letter in token),
            syllables(token),
            frequency,
            not frequency >= 3,
            token.lower(),
        )

    rows = []
    for row in instances.itertuples(index=False):
        words = row.token.split() if row.kind == "mwe" else [row.token]
        at, end = row.position, row.position + row.tokens - 1
        first = of_word(words[0], row.lemmas[at], row.upos[at])
        if row.kind == "mwe":
            values = _both(first, of_word(words[-1], row.lemmas[end], row.upos[end]))
        else:
            values = dict(first)
        values.update(_context(row, [of_token(form) for form in row.forms]))
        rows.append(values)
    return pd.DataFrame(rows)


def _both(first: Values, last: Values) -> Values:
    values: Values = {}
    for name, value in first.items():
        other = last[name]
        if name.endswith(FLAGS):
            values[name] = value and other
        elif name == "wordnet_class":
            values[name] = other
        else:
            numbers = [number for number in (value, other) if number == number]
            values[name] = sum(numbers) / len(numbers) if numbers else NAN
        values[f"{name}_first"], values[f"{name}_last"] = value, other
    return values


def _form(word: str, known: LoopResources) -> Values:
    low = word.lower()
    bare = "".join(letter for letter in unicodedata.normalize("NFD", low) if not unicodedata.combining(letter))
    letters = [letter for letter in word if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    vowels = [letter in VOWELS for letter in bare]
    consonants = [letter.isalpha() and letter not in VOWELS for letter in bare]
    framed = f"__{low}_"
    chances = [known.trigrams.get(framed[at : at + 3], known.least) for at in range(len(low) + 1)]
    return {
        "length": len(word),
        "vowel_groups": sum(one for one, _ in itertools.groupby(vowels)),
        "vowel_share": sum(vowels) / max(len(letters), 1),
        "consonant_run": max((len(list(run)) for one, run in itertools.groupby(consonants) if one), default=0),
        "distinct_letters": len(set(low)) / max(len(low), 1),
        "doubled_letters": sum(a == b for a, b in itertools.pairwise(low)),
        "capitals": capitals,
        "capital_share": capitals / max(len(letters), 1),
        "capital_initial": word[:1].isupper(),
        "capital_all": bool(letters) and capitals == len(letters),
        "digits": sum(letter.isdecimal() for letter in word),
        "hyphens": sum(unicodedata.category(letter) == "Pd" for letter in word),
        "not_ascii": sum(letter.isalpha() and not letter.isascii() for letter in word),
        "affixes": _affixes(low, known),
        "trigram_mean": sum(chances) / len(chances),
        "trigram_min": min(chances),
    }


def _affixes(word: str, known: LoopResources) -> int:
    count = 0
    while ends := [end for end in known.suffixes if word.endswith(end) and len(word) > len(end) + 2]:
        word, count = word[: -max(map(len, ends))], count + 1
    while starts := [start for start in known.prefixes if word.startswith(start) and len(word) > len(start) + 3]:
        word, count = word[max(map(len, starts)) :], count + 1
    return count


def _frequency(word: str, lemma: str, languages: Sequence[str], zipf: Callable[..., float]) -> Values:
    low = word.lower()
    sizes = range(4, len(low)) if low.isalpha() and len(low) <= 40 else ()
    others = {language: zipf(word, language) for language in languages}
    heard = [value for value in others.values() if value == value]
    return {
        "zipf": zipf(word),
        "zipf_lemma": zipf(lemma),
        "zipf_prefix": _most(zipf(low[:size]) for size in sizes),
        "zipf_suffix": _most(zipf(low[-size:]) for size in sizes),
        **{f"zipf_{language}": value for language, value in others.items()},
        "zipf_elsewhere": sum(heard) / len(others),
        "languages": len(heard),
    }


def _most(values: Iterator[float]) -> float:
    return max((value for value in values if value == value), default=NAN)


def _norms(word: str, lemma: str, norms: Mapping[str, Mapping[str, tuple[float, float]]]) -> Values:
    values: Values = {}
    for name, listed in norms.items():
        spellings = (word, word.lower(), lemma, lemma.lower())
        value = next((listed[spelling] for spelling in spellings if spelling in listed), None)
        values[f"{name}_known"] = value is not None
        values[name], values[f"{name}_sd"] = value or (NAN, NAN)
    return values


def _wordnet(word: str, lemma: str, upos: str | None, known: LoopResources) -> Values:
    wordnet = known.wordnet
    low = word.lower()
    tag = TAGS.get(upos or "")
    tagged = (wordnet.morphy(lemma.lower(), tag) or wordnet.morphy(low, tag)) if tag else None
    base = tagged or wordnet.morphy(low) or low
    by_part = {part: _senses(wordnet, base, part) for part in PARTS}
    lemmas = [lemma for senses in by_part.values() for lemma in senses]
    values: Values = {"senses": len(lemmas)}
    values |= {f"senses_{name}": len(by_part[part]) for part, name in PARTS.items()}
    names = (
        "count",
        "entropy",
        "depth_min",
        "depth_max",
        "first_depth",
        "hypernyms",
        "hyponyms",
        "first_hyponyms",
        "synonyms",
        "related",
        "classes",
        "definition",
        "class",
    )
    if not lemmas:
        values |= dict.fromkeys([*names, *(f"in_{name.lower()}" for name in NOUNS)], NAN)
        return {f"wordnet_{name}": value for name, value in values.items()}
    synsets = [lemma.synset() for lemma in lemmas]
    counts = [lemma.count() for lemma in lemmas]
    shares = [(count + 1) / (sum(counts) + len(counts)) for count in counts]
    above = [len(synset.hypernyms()) + len(synset.instance_hypernyms()) for synset in synsets]
    below = [len(synset.hyponyms()) + len(synset.instance_hyponyms()) for synset in synsets]
    classes = [synset.lexname() for synset in synsets]
    nouns = len(by_part["n"])
    values |= {
        "count": math.log10(1 + sum(counts)),
        "entropy": -sum(share * math.log2(share) for share in shares),
        "depth_min": sum(synset.min_depth() for synset in synsets) / len(synsets),
        "depth_max": sum(synset.max_depth() for synset in synsets) / len(synsets),
        "first_depth": synsets[0].min_depth(),
        "hypernyms": sum(above),
        "hyponyms": sum(below),
        "first_hyponyms": below[0],
        "synonyms": len({name.lower() for synset in synsets for name in synset.lemma_names()} - {base}),
        "related": sum(map(_pointers, synsets)) / len(synsets),
        "classes": len(set(classes)),
        "definition": len(synsets[0].definition()),
        "class": known.classes[classes[0]],
        **{f"in_{name.lower()}": classes.count(f"noun.{name}") / nouns if nouns else NAN for name in NOUNS},
    }
    return {f"wordnet_{name}": value for name, value in values.items()}


def _pointers(synset: Any) -> int:
    """Return how many pointers of any kind a synset and its words have; nltk has no public name for all of them."""
    return sum(map(len, (*synset._pointers.values(), *synset._lemma_pointers.values())))


def _senses(wordnet: Any, base: str, part: str) -> list[Any]:
    senses = {}
    for lemma in wordnet.lemmas(base, part):
        if lemma.name().lower() == base:  # nltk looks for other base forms, too
            senses.setdefault(lemma.synset(), lemma)
    return list(senses.values())


def _context(row: Any, tokens: Sequence[tuple[Any, ...]]) -> Values:
    start, end = row.position, row.position + row.tokens
    others, words, outside = [], [], []
    before, behind = [], []
    for place, token in enumerate(tokens):
        inside = start <= place < end
        if not inside:
            outside.append(token[7])
        if not token[0]:
            continue
        words.append(token)
        if inside:
            continue
        others.append((place, token))
        (before if place < start else behind).append(token[5])
    near = [frequency for frequency in (*before[-2:], *behind[:2]) if frequency == frequency]
    number = len(others)
    heard = [token[5] for _, token in others if token[5] == token[5]]
    per_word = _mean([token[4] for token in words])
    upos = row.upos
    return {
        "sentence_tokens": len(tokens),
        "sentence_words": len(words),
        "sentence_length": len(row.sentence),
        "sentence_commas": sum(row.sentence.count(sign) for sign in ",;،、，；"),
        "sentence_word_length": _mean([token[1] for _, token in others]),
        "sentence_syllables": per_word,
        "sentence_ease": 206.835 - 1.015 * len(words) - 84.6 * per_word,
        "sentence_lix": len(words) + 100 * _mean([token[1] > 6 for token in words]),
        "sentence_grade": 4.71 * _mean([token[1] for token in words]) + 0.5 * len(words) - 21.43,
        "sentence_fog": 0.4 * (len(words) + 100 * _mean([token[4] >= 3 for token in words])),
        "sentence_zipf": _mean(heard),
        "sentence_zipf_min": min(heard, default=NAN),
        "sentence_rare": _mean([token[6] for _, token in others]),
        "near_zipf": _mean(near),
        "sentence_variety": len({token[7] for token in words}) / len(words) if words else NAN,
        "sentence_capitals": _mean([token[2] for _, token in others]),
        "sentence_digits": sum(token[3] for token in tokens),
        "sentence_nouns": (sum(upos[place] in ("NOUN", "PROPN") for place, _ in others) / number if number else NAN),
        "sentence_verbs": (sum(upos[place] in ("VERB", "AUX") for place, _ in others) / number if number else NAN),
        "target_place": start / len(tokens),
        "target_in_sentence": True,
        "target_repeated": outside.count(tokens[end - 1][7]),
        "target_proper": upos[end - 1] == "PROPN",
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else NAN
