"""Generator `thesaurus`: the words of the target's senses.

The target is looked up by what it may be (readings.py), in all thesauri: of each part of speech
the first reading that some thesaurus has. Which senses count is an option; `SENSES` has the ways.
All but `all` take one sense, of those that have another word.

A candidate's score is the number of senses that have it, its votes. Where there are vectors, senses
have a score: the cosine of the mean vector of the sentence's other words and that of the sense's
words, by which Ferres et al. (2017) choose one, on whose system the thesaurus road of ALEXSIS
stands. Senses come in the order of their scores, those that have none last, so that a candidate's
first sense is the one that fits best. With `sense_votes` by cosine a sense counts (1 + cosine) / 2,
.5 where that is not known, instead of 1.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.draws.by_content import uniform
from transforms.lexicon.thesauri.reading import Member, ThesaurusSense
from transforms.simplification.generation.generator import VECTORS, Context, Source
from transforms.simplification.generation.readings import LemmaReading, kind_of, readings
from transforms.simplification.records import Instance, Proposal

__all__ = ["SENSES", "TargetSense", "proposals_of", "propose_thesaurus", "sense_cosines"]

_WORD = re.compile(r"\w+")
_UNKNOWN = 0.5


class TargetSense(NamedTuple):
    """A sense of a target.

    Attributes:
        reading: by which it was found.
        sense: the sense.
        cosine: of its words and the sentence's; None: not known.
    """

    reading: LemmaReading
    sense: ThesaurusSense
    cosine: float | None = None

    @property
    def weight(self) -> float:
        """What it counts by cosine, 0 to 1."""
        return _UNKNOWN if self.cosine is None else (1 + self.cosine) / 2


Choose = Callable[[Sequence[TargetSense], Instance, int], Sequence[TargetSense]]


def _all(found: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return found


def _with_others(found: Sequence[TargetSense]) -> list[TargetSense]:
    """Return the senses that have another word than the one that was looked up, if any has."""
    return [one for one in found if any(member.text.lower() != one.reading.lemma for member in one.sense.members)]


def _best(found: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return sorted(_with_others(found), key=_by_cosine)[:1]


def _by_cosine(found: TargetSense) -> float:
    return float("inf") if found.cosine is None else -found.cosine


def _first(found: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return _with_others(found)[:1]


def _random(found: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    found = _with_others(found)
    drawn = uniform([instance.instance_id], seed=seed, label="simplify/sense")[0]
    return [found[int(drawn * len(found))]] if found else []


# From the senses of a target, in the order of thesauri and of their files, to those that count.
SENSES: dict[str, Choose] = {"all": _all, "best": _best, "first": _first, "random": _random}


def propose_thesaurus(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the words of the senses of targets: one source."""
    found = _senses(instances, context)
    choose = SENSES[context.options.senses]
    weighed = context.options.sense_votes == "cosine"
    seed = context.options.seed
    return [
        [proposals_of(choose(own, instance, seed), weighed) for instance, own in zip(instances, found, strict=True)]
    ]


def _senses(instances: Sequence[Instance], context: Context) -> list[list[TargetSense]]:
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
        taken: dict[str | None, list[TargetSense]] = {}
        for reading in own:
            senses = known[instance.language].get(reading.lemma, ())
            if context.options.sense_pos == "target":
                senses = [one for one in senses if one.pos in (None, reading.upos)]
            if senses and reading.upos not in taken:
                taken[reading.upos] = [TargetSense(reading, one) for one in senses]
        found.append([one for some in taken.values() for one in some])
    return _with_cosines(instances, found, context)


def _looked_up(
    instances: Sequence[Instance], asked: Sequence[Sequence[LemmaReading]], context: Context
) -> dict[str, dict[str, list[ThesaurusSense]]]:
    """Return the senses of distinct lemmas, by language."""
    lemmas: dict[str, dict[str, None]] = {}
    for instance, own in zip(instances, asked, strict=True):
        lemmas.setdefault(instance.language, {}).update({one.lemma: None for one in own})
    known: dict[str, dict[str, list[ThesaurusSense]]] = {}
    for language, words in lemmas.items():
        senses: dict[str, list[ThesaurusSense]] = {word: [] for word in words}
        for name in context.thesauri:
            thesaurus: Any = context.lexicon.find(name, language)
            if thesaurus is not None:
                array = pa.array(list(words), pa.string())
                for word, more in zip(words, thesaurus.senses(array), strict=True):
                    senses[word] += more
        known[language] = senses
    return known


def _with_cosines(
    instances: Sequence[Instance], found: list[list[TargetSense]], context: Context
) -> list[list[TargetSense]]:
    """Return senses with their cosines, where there are vectors for the language."""
    known = list(found)
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
            known[place] = [
                one._replace(cosine=None if np.isnan(cosine) else cosine)
                for one, cosine in zip(found[place], cosines.tolist(), strict=True)
            ]
    return known


def _context(instance: Instance) -> list[str]:
    text = f"{instance.sentence[: instance.start]} {instance.sentence[instance.end :]}"
    return _WORD.findall(text.lower())


def _words(sense: ThesaurusSense) -> list[str]:
    return [word for member in sense.members if not member.placeholder for word in _WORD.findall(member.text.lower())]


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
        word for words, own in zip(contexts, senses, strict=True) for some in (words, *own) for word in some
    )
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


_Key = tuple[str, str | None, bool]


class _Having(NamedTuple):
    """A sense, its place in their list, and the member of it that is proposed."""

    number: int
    found: TargetSense
    member: Member


def proposals_of(senses: Sequence[TargetSense], weighed: bool = False) -> list[Proposal]:
    """Return the words of senses as proposals, the highest score first, ties as they come.

    A word counts once for each part of speech that it is to be inflected as; a placeholder is one
    of its own.

    Args:
        senses: those that count.
        weighed: whether a sense counts its `weight` and not 1.
    """
    gathered: dict[_Key, list[_Having]] = {}
    for number, found in enumerate(sorted(senses, key=_by_cosine)):
        for member in found.sense.members:
            key = (member.text.lower(), found.reading.upos, member.placeholder)
            gathered.setdefault(key, []).append(_Having(number, found, member))
    proposals = [_proposal(key, own, weighed) for key, own in gathered.items()]
    return sorted(proposals, key=lambda one: -one.score)


def _proposal(key: _Key, own: Sequence[_Having], weighed: bool) -> Proposal:
    first = own[0]
    senses = {one.number: one.found.weight if weighed else 1.0 for one in own}
    return Proposal(
        text=first.member.text,
        score=sum(senses.values()),
        is_lemma=True,
        sense=first.found.sense.id,
        votes=len(senses),
        relation="hypernym" if all(one.member.hypernym for one in own) else "synonym",
        reason="placeholder" if key[2] else None,
        upos=key[1],
        of=first.found.reading.lemma,
    )
