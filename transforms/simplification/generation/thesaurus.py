"""Generator `thesaurus`: the words of the target's senses.

The target is looked up in all thesauri by what it may be (readings.py): for each part of speech the
first reading that some thesaurus has. Which senses count is an option; `SENSES` has the choices.
All but `all` take one sense, of those that have another word.

A candidate's score is the number of senses that have it, its votes. Where there are vectors, senses
have a score: the cosine of the mean vector of the sentence's other words and that of the sense's
words. Ferres et al. (2017), on whose system the thesaurus method of ALEXSIS builds, choose a sense
by it. Senses come in the order of their scores, those without one last, so that a candidate's first
sense is the one that fits best. With `sense_votes` by cosine a sense counts (1 + cosine) / 2, or .5
where the cosine is not known, instead of 1.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import Member, ThesaurusSense
from lexbeam.transforms.simplification.generation.generator import Context, Source
from lexbeam.transforms.simplification.generation.readings import LemmaReading, kind_of, readings
from lexbeam.transforms.simplification.records import Instance, Proposal
from lexbeam.transforms.simplification.resources import VECTORS, by_language

if TYPE_CHECKING:
    from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors
    from lexbeam.transforms.lexicon.compiled.thesaurus_kind import Thesaurus

_WORD = re.compile(r"\w+")
_UNKNOWN = 0.5


class TargetSense(NamedTuple):
    """A sense of a target.

    Attributes:
        reading: the one that was looked up.
        sense: the sense.
        cosine: of its words and the sentence's; None: not known.
    """

    reading: LemmaReading
    sense: ThesaurusSense
    cosine: float | None = None

    @property
    def weight(self) -> float:
        """What it counts where senses are weighed by cosine, 0 to 1."""
        return _UNKNOWN if self.cosine is None else (1 + self.cosine) / 2


Choose = Callable[[Sequence[TargetSense], Instance, int], Sequence[TargetSense]]


def _all(senses: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return senses


def _with_others(senses: Sequence[TargetSense]) -> list[TargetSense]:
    """Return the senses that have a word other than the one that was looked up."""
    return [
        sense for sense in senses if any(member.text.lower() != sense.reading.lemma for member in sense.sense.members)
    ]


def _best(senses: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return sorted(_with_others(senses), key=_by_cosine)[:1]


def _by_cosine(sense: TargetSense) -> float:
    return float("inf") if sense.cosine is None else -sense.cosine


def _first(senses: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    return _with_others(senses)[:1]


def _random(senses: Sequence[TargetSense], instance: Instance, seed: int) -> Sequence[TargetSense]:
    senses = _with_others(senses)
    drawn = uniform([instance.instance_id], seed=seed, label="simplify/sense")[0]
    return [senses[int(drawn * len(senses))]] if senses else []


@dataclass(frozen=True)
class ThesaurusSenses(Entry):
    """A choice of senses: from those of a target, in the order of thesauri and their files, to those that count."""

    choose: Choose


SENSES: Registry[ThesaurusSenses] = Registry(
    {
        "all": ThesaurusSenses(_all, doc="every sense"),
        "best": ThesaurusSenses(_best, doc="the one that fits the sentence best, by vectors"),
        "first": ThesaurusSenses(_first, doc="the first one in the thesaurus"),
        "random": ThesaurusSenses(_random, doc="one drawn at random"),
    },
    what="choice of senses",
)


def propose_thesaurus(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the words of the senses of targets: one source."""
    senses = _senses(instances, context)
    choose = SENSES[context.options.senses].choose
    weighed = context.options.sense_votes == "cosine"
    seed = context.options.seed
    return [
        [
            proposals_of(choose(target_senses, instance, seed), weighed)
            for instance, target_senses in zip(instances, senses, strict=True)
        ]
    ]


def _senses(instances: Sequence[Instance], context: Context) -> list[list[TargetSense]]:
    """Return the senses of each target."""
    target_readings = [readings(instance, context.inflector_of(instance.language)) for instance in instances]
    if context.options.sense_pos == "target":
        target_readings = [
            [reading for reading in ordered if reading.upos == kind_of(instance.upos)]
            for instance, ordered in zip(instances, target_readings, strict=True)
        ]
    known = _looked_up(instances, target_readings, context)
    by_instance = []
    for instance, ordered in zip(instances, target_readings, strict=True):
        taken: dict[str | None, list[TargetSense]] = {}
        for reading in ordered:
            senses = known[instance.language].get(reading.lemma, ())
            if context.options.sense_pos == "target":
                senses = [sense for sense in senses if sense.pos in (None, reading.upos)]
            if senses and reading.upos not in taken:
                taken[reading.upos] = [TargetSense(reading, sense) for sense in senses]
        by_instance.append([sense for same_pos in taken.values() for sense in same_pos])
    return _with_cosines(instances, by_instance, context)


def _looked_up(
    instances: Sequence[Instance], target_readings: Sequence[Sequence[LemmaReading]], context: Context
) -> dict[str, dict[str, list[ThesaurusSense]]]:
    """Return the senses of distinct lemmas, by language."""
    lemmas: dict[str, dict[str, None]] = {}
    for instance, ordered in zip(instances, target_readings, strict=True):
        lemmas.setdefault(instance.language, {}).update({reading.lemma: None for reading in ordered})
    known: dict[str, dict[str, list[ThesaurusSense]]] = {}
    for language, words in lemmas.items():
        senses: dict[str, list[ThesaurusSense]] = {word: [] for word in words}
        for name in context.thesauri:
            thesaurus: Thesaurus | None = context.lexicon.find(name, language)  # type: ignore[assignment]
            if thesaurus is not None:
                array = pa.array(list(words), pa.string())
                for word, word_senses in zip(words, thesaurus.senses(array), strict=True):
                    senses[word] += word_senses
        known[language] = senses
    return known


def _with_cosines(
    instances: Sequence[Instance], by_instance: list[list[TargetSense]], context: Context
) -> list[list[TargetSense]]:
    """Return senses with their cosines, where there are vectors for the language."""
    known = list(by_instance)
    for places, vectors in by_language(context.lexicon, VECTORS.name, [instance.language for instance in instances]):
        contexts = [_context(instances[place]) for place in places]
        senses = [[_words(sense.sense) for sense in by_instance[place]] for place in places]
        for place, cosines in zip(places, sense_cosines(vectors, contexts, senses), strict=True):
            known[place] = [
                sense._replace(cosine=None if np.isnan(cosine) else cosine)
                for sense, cosine in zip(by_instance[place], cosines.tolist(), strict=True)
            ]
    return known


def _context(instance: Instance) -> list[str]:
    text = f"{instance.sentence[: instance.start]} {instance.sentence[instance.end :]}"
    return _WORD.findall(text.lower())


def _words(sense: ThesaurusSense) -> list[str]:
    return [word for member in sense.members if not member.placeholder for word in _WORD.findall(member.text.lower())]


def sense_cosines(
    vectors: "StaticVectors", contexts: Sequence[Sequence[str]], senses: Sequence[Sequence[Sequence[str]]]
) -> list[npt.NDArray[np.float64]]:
    """Return the cosines of texts and senses.

    Args:
        vectors: a resource of kind `vectors`.
        contexts: the words of each text.
        senses: for each text the words of each sense.

    Returns:
        For each text an array, shape (senses,): the cosine of the mean vectors of its words and of
        the sense's, repeats included; NaN where either has no vector or a zero one.
    """
    vocabulary = dict.fromkeys(
        word
        for words, text_senses in zip(contexts, senses, strict=True)
        for group in (words, *text_senses)
        for word in group
    )
    place = {word: number for number, word in enumerate(vocabulary)}
    matrix, known = vectors.vectors(pa.array(list(vocabulary), pa.string()))
    matrix = matrix.astype(np.float64)

    def centroid(words: Iterable[str]) -> npt.NDArray[np.float64]:
        rows = [place[word] for word in words if known[place[word]]]
        mean: npt.NDArray[np.float64] = matrix[rows].mean(axis=0) if rows else np.zeros(vectors.dim)
        return mean

    by_text = []
    for words, text_senses in zip(contexts, senses, strict=True):
        text = centroid(words)
        cosines = np.full(len(text_senses), np.nan)
        for number, sense in enumerate(text_senses):
            mean = centroid(sense)
            length = np.linalg.norm(text) * np.linalg.norm(mean)
            if length > 0:
                cosines[number] = np.clip(text @ mean / length, -1.0, 1.0)
        by_text.append(cosines)
    return by_text


_Key = tuple[str, str | None, bool]


class _Membership(NamedTuple):
    """A sense, its place in the list of senses, and the member of it that is proposed."""

    number: int
    sense: TargetSense
    member: Member


def proposals_of(senses: Sequence[TargetSense], weighed: bool = False) -> list[Proposal]:
    """Return the words of senses as proposals, the highest score first, ties in their order.

    A word counts once for each part of speech that it is to be inflected as; a placeholder counts
    separately.

    Args:
        senses: those that count.
        weighed: whether a sense counts its `weight` instead of 1.
    """
    gathered: dict[_Key, list[_Membership]] = {}
    for number, sense in enumerate(sorted(senses, key=_by_cosine)):
        for member in sense.sense.members:
            key = (member.text.lower(), sense.reading.upos, member.placeholder)
            gathered.setdefault(key, []).append(_Membership(number, sense, member))
    proposals = [_proposal(key, memberships, weighed) for key, memberships in gathered.items()]
    return sorted(proposals, key=lambda proposal: -proposal.score)


def _proposal(key: _Key, memberships: Sequence[_Membership], weighed: bool) -> Proposal:
    first = memberships[0]
    senses = {membership.number: membership.sense.weight if weighed else 1.0 for membership in memberships}
    return Proposal(
        text=first.member.text,
        score=sum(senses.values()),
        is_lemma=True,
        sense=first.sense.sense.id,
        votes=len(senses),
        relation="hypernym" if all(membership.member.hypernym for membership in memberships) else "synonym",
        reason="placeholder" if key[2] else None,
        upos=key[1],
        of=first.sense.reading.lemma,
    )
