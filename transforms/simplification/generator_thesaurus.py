"""Generator `thesaurus`: the words of the target's senses.

The target is looked up by what it may be (readings.py), in all thesauri: of each part of speech
the first reading that some thesaurus has. Which senses count is an option; `SENSES` has the ways.

A sense weighs 1, or, where there are vectors, (1 + c) / 2, where c is the cosine of the mean vector
of the sentence's other words and that of the sense's words; .5 where one of them has no vector. So
senses are chosen by Ferres et al. (2017), on whose system the thesaurus road of ALEXSIS stands. A
candidate's score is the sum of the weights of the senses that have it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.draws import uniform
from transforms.lexicon.thesauri.reading import Sense
from transforms.simplification.generators_base import VECTORS, Context, Source
from transforms.simplification.readings import Reading, kind_of, readings
from transforms.simplification.records import Instance, Proposal

__all__ = ["SENSES", "Found", "proposals_of", "propose_thesaurus", "sense_cosines"]

_WORD = re.compile(r"\w+")
_UNKNOWN = 0.5


class Found(NamedTuple):
    """A sense of a target.

    Attributes:
        reading: by which it was found.
        sense: the sense.
        weight: what it counts, 0 to 1.
    """

    reading: Reading
    sense: Sense
    weight: float = 1.0


Choose = Callable[[Sequence[Found], Instance, int], Sequence[Found]]


def _all(found: Sequence[Found], instance: Instance, seed: int) -> Sequence[Found]:
    return found


def _best(found: Sequence[Found], instance: Instance, seed: int) -> Sequence[Found]:
    return sorted(found, key=lambda one: -one.weight)[:1]


def _first(found: Sequence[Found], instance: Instance, seed: int) -> Sequence[Found]:
    return found[:1]


def _random(found: Sequence[Found], instance: Instance, seed: int) -> Sequence[Found]:
    drawn = uniform([instance.instance_id], seed=seed, label="simplify/sense")[0]
    return [found[int(drawn * len(found))]] if found else []


# From the senses of a target, in the order of thesauri and of their files, to those that count.
SENSES: dict[str, Choose] = {"all": _all, "best": _best, "first": _first, "random": _random}


def propose_thesaurus(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the words of the senses of targets: one source."""
    found = _senses(instances, context)
    choose = SENSES[context.options.senses]
    seed = context.options.seed
    return [
        [
            proposals_of(choose(own, instance, seed))
            for instance, own in zip(instances, found, strict=True)
        ]
    ]


def _senses(instances: Sequence[Instance], context: Context) -> list[list[Found]]:
    """Return the senses of each target."""
    asked = [readings(one, context.inflector_of(one.language)) for one in instances]
    if context.options.sense_pos == "target":
        asked = [
            [one for one in own if one.upos == kind_of(instance.upos)]
            for instance, own in zip(instances, asked, strict=True)
        ]
    known = _looked_up(instances, asked, context)
    found = []
    for instance, own in zip(instances, asked, strict=True):
        taken: dict[str | None, list[Found]] = {}
        for reading in own:
            senses = known[instance.language].get(reading.lemma, ())
            if context.options.sense_pos == "target":
                senses = [one for one in senses if one.pos in (None, reading.upos)]
            if senses and reading.upos not in taken:
                taken[reading.upos] = [Found(reading, one) for one in senses]
        found.append([one for some in taken.values() for one in some])
    return _weighed(instances, found, context)


def _looked_up(
    instances: Sequence[Instance], asked: Sequence[Sequence[Reading]], context: Context
) -> dict[str, dict[str, list[Sense]]]:
    """Return the senses of distinct lemmas, by language."""
    lemmas: dict[str, dict[str, None]] = {}
    for instance, own in zip(instances, asked, strict=True):
        lemmas.setdefault(instance.language, {}).update({one.lemma: None for one in own})
    known: dict[str, dict[str, list[Sense]]] = {}
    for language, words in lemmas.items():
        senses: dict[str, list[Sense]] = {word: [] for word in words}
        for name in context.thesauri:
            thesaurus: Any = context.lexicon.find(name, language)
            if thesaurus is not None:
                array = pa.array(list(words), pa.string())
                for word, more in zip(words, thesaurus.senses(array), strict=True):
                    senses[word] += more
        known[language] = senses
    return known


def _weighed(
    instances: Sequence[Instance], found: list[list[Found]], context: Context
) -> list[list[Found]]:
    """Return senses with their weights, where there are vectors for the language."""
    weighed = list(found)
    by_language: dict[str, list[int]] = {}
    for place, instance in enumerate(instances):
        by_language.setdefault(instance.language, []).append(place)
    for language, places in by_language.items():
        vectors: Any = context.lexicon.find(VECTORS.name, language)
        if vectors is None:
            continue
        contexts = [_context(instances[place]) for place in places]
        senses = [[_words(one.sense) for one in found[place]] for place in places]
        for place, cosines in zip(places, sense_cosines(vectors, contexts, senses), strict=True):
            weighed[place] = [
                one._replace(weight=_UNKNOWN if np.isnan(cosine) else (1 + cosine) / 2)
                for one, cosine in zip(found[place], cosines.tolist(), strict=True)
            ]
    return weighed


def _context(instance: Instance) -> list[str]:
    text = f"{instance.sentence[: instance.start]} {instance.sentence[instance.end :]}"
    return _WORD.findall(text.lower())


def _words(sense: Sense) -> list[str]:
    return [
        word
        for member in sense.members
        if not member.placeholder
        for word in _WORD.findall(member.text.lower())
    ]


def sense_cosines(
    vectors: Any, contexts: Sequence[Sequence[str]], senses: Sequence[Sequence[Sequence[str]]]
) -> list[npt.NDArray[np.float64]]:
    """Return the cosines of texts and senses.

    Args:
        vectors: a resource of kind `vectors`.
        contexts: the words of each text.
        senses: for each text the words of each sense.

    Returns:
        For each text an array, shape (senses,): the cosine of the mean vectors of its words and of
        the sense's, repeats and all; NaN where either has no vector or one of zeros.
    """
    every = dict.fromkeys(
        word for words, own in zip(contexts, senses, strict=True) for some in (words, *own)
        for word in some
    )  # fmt: skip
    place = {word: number for number, word in enumerate(every)}
    matrix, known = vectors.vectors(pa.array(list(every), pa.string()))
    matrix = matrix.astype(np.float64)

    def centroid(words: Iterable[str]) -> npt.NDArray[np.float64]:
        rows = [place[word] for word in words if known[place[word]]]
        mean: npt.NDArray[np.float64] = matrix[rows].mean(axis=0) if rows else np.zeros(vectors.dim)
        return mean

    found = []
    for words, own in zip(contexts, senses, strict=True):
        text = centroid(words)
        cosines = np.full(len(own), np.nan)
        for number, sense in enumerate(own):
            mean = centroid(sense)
            length = np.linalg.norm(text) * np.linalg.norm(mean)
            if length > 0:
                cosines[number] = np.clip(text @ mean / length, -1.0, 1.0)
        found.append(cosines)
    return found


def proposals_of(senses: Sequence[Found]) -> list[Proposal]:
    """Return the words of senses as proposals, the highest score first, ties as they come.

    A word counts once for each part of speech that it is to be inflected as; a placeholder is one
    of its own.
    """
    gathered: dict[tuple[str, str | None, bool], list[tuple[Found, bool, str]]] = {}
    for found in sorted(senses, key=lambda one: -one.weight):
        for member in found.sense.members:
            key = (member.text.lower(), found.reading.upos, member.placeholder)
            gathered.setdefault(key, []).append((found, member.hypernym, member.text))
    proposals = [_proposal(key, own) for key, own in gathered.items()]
    return sorted(proposals, key=lambda one: -one.score)


def _proposal(
    key: tuple[str, str | None, bool], own: Sequence[tuple[Found, bool, str]]
) -> Proposal:
    first, _, text = own[0]
    votes: Mapping[str, Found] = {found.sense.id: found for found, _, _ in own}
    return Proposal(
        text=text,
        score=sum(found.weight for found in votes.values()),
        is_lemma=True,
        sense=first.sense.id,
        votes=len(votes),
        relation="hypernym" if all(wider for _, wider, _ in own) else "synonym",
        reason="placeholder" if key[2] else None,
        upos=key[1],
        of=first.reading.lemma,
    )
