"""Generators `thesaurus` and `wordnet`: the words of the target's senses.

In thesauri the target is looked up by what it may be (`target_forms.readings`): for each part of speech the
first reading that some thesaurus has. Which senses count is an option; `SENSES` has the choices.
All but `all` take one sense, of those that have another word.

A candidate's score is the number of senses that have it, its votes. Where there are vectors, senses
have a score: the cosine of the mean vector of the sentence's other words and that of the sense's
words. Ferres et al. (2017), on whose system the thesaurus method of ALEXSIS builds, choose a sense
by it. Senses come in the order of their scores, those without one last, so that a candidate's first
sense is the one that fits best. With `sense_votes` by cosine a sense counts (1 + cosine) / 2, or .5
where the cosine is not known, instead of 1.

`wordnet` gives synonyms, hypernyms and similar words. The senses of a target's lemma and part of speech count, the most
often used first; where WordNet lacks that lemma, those of the base form that it finds for the target; where it lacks
this one too, both as any part of speech (taggers take participles for adjectives). A candidate's score, and its number
of votes, is the number of senses that have it, in their synset, in one above it, or in a similar one: of an adjective
that stands beside an antonym (*big*) those that are like it (*huge*), and of these that one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import Member, ThesaurusSense
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.resources import WORDNET
from lexbeam.transforms.lexicon.wordnet.ragged import PARTS, SIMILAR, UPOS, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.simplification.generation.generator import RELATIONS, Context, Source, WordNetOptions
from lexbeam.transforms.simplification.generation.target_forms import LemmaReading, kind_of, readings
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


# The part of speech of a type of synset.
_UPOS_OF = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}


class _Sense(NamedTuple):
    """A sense of a target.

    Attributes:
        key: its sense key.
        upos: its part of speech.
        lemma: the word of the target in it, in lower case, with spaces.
        used: sorts the commoner sense first: how often it is tagged, negative, and its number.
        synonyms: the words of its synset.
        hypernyms: the words of those above it.
        similar: the words of those like it.
    """

    key: str
    upos: str
    lemma: str
    used: tuple[int, int]
    synonyms: tuple[str, ...]
    hypernyms: tuple[str, ...]
    similar: tuple[str, ...]


def wordnet_proposals(wordnet: WordNet, instances: Sequence[Instance], options: WordNetOptions) -> list[list[Proposal]]:
    """Return the words of the senses of targets, the highest score first, then by sense and place.

    Proposals are lemmas, with spaces for `_`; `upos` is the senses' part of speech where it differs
    from the target's, `of` the lemma of the target that has these senses.

    Args:
        wordnet: of the instances' language.
        instances: targets in their sentences.
        options: which relations, and which senses.
    """
    by_instance: list[list[Proposal]] = []
    for instance, senses in zip(instances, _synsets(wordnet, instances, options), strict=True):
        gathered: dict[tuple[str, str], list[tuple[_Sense, str, str]]] = {}
        for sense in sorted(senses, key=lambda sense: sense.used):
            for word, relation in _members(sense, options.wordnet_relations):
                if word.lower() != sense.lemma:
                    key = (word.lower(), sense.upos)
                    gathered.setdefault(key, []).append((sense, word, relation))
        proposals = [_synset_proposal(instance, rows) for rows in gathered.values()]
        by_instance.append(sorted(proposals, key=lambda proposal: -proposal.score))
    return by_instance


def _members(sense: _Sense, relations: Iterable[str]) -> Iterator[tuple[str, str]]:
    related = (("synonym", sense.synonyms), ("hypernym", sense.hypernyms), ("similar", sense.similar))
    for relation, words in related:
        if relation in relations:
            for word in words:
                yield word.replace("_", " "), relation


def _synset_proposal(instance: Instance, rows: Sequence[tuple[_Sense, str, str]]) -> Proposal:
    first, text, _ = rows[0]
    votes = len({sense.key for sense, _, _ in rows})
    same = instance.upos is not None and UPOS.get(instance.upos) == UPOS[first.upos]
    return Proposal(
        text=text,
        score=float(votes),
        is_lemma=True,
        sense=first.key,
        votes=votes,
        relation=next(name for name in RELATIONS if any(relation == name for _, _, relation in rows)),
        upos=None if same else first.upos,
        of=first.lemma,
    )


def _synsets(wordnet: WordNet, instances: Sequence[Instance], options: WordNetOptions) -> list[list[_Sense]]:
    """Return the senses of each target: nouns before verbs, adjectives and adverbs."""
    tags = [UPOS.get(instance.upos or "") if options.wordnet_senses == "tag" else None for instance in instances]
    tagged = [(place, tag) for place, tag in enumerate(tags) if tag is not None]
    by_instance: list[list[_Sense]] = [[] for _ in instances]
    _look_up(wordnet, instances, tagged, by_instance)
    left = [(place, part) for place, senses in enumerate(by_instance) if not senses for part in PARTS]
    _look_up(wordnet, instances, left, by_instance)
    return by_instance


def _look_up(
    wordnet: WordNet,
    instances: Sequence[Instance],
    queries: Sequence[tuple[int, str]],
    by_instance: Sequence[list[_Sense]],
) -> None:
    """Add the senses that targets have as a part of speech.

    They are those of the lemma, or of the base form that WordNet finds for the target.
    """
    tags = pa.array([tag for _, tag in queries], pa.string())
    forms = [instances[place].target.lower() for place, _ in queries]
    lemmas = [instances[place].lemma or form for (place, _), form in zip(queries, forms, strict=True)]
    known = (wordnet.polysemy(pa.array(lemmas, pa.string()), tags) > 0).tolist()
    bases = wordnet.morphy(pa.array(forms, pa.string()), tags).to_pylist()
    words = [lemma if is_known else base for lemma, is_known, base in zip(lemmas, known, bases, strict=True)]
    senses = _described(wordnet, wordnet.senses_of(pa.array(words, pa.string()), tags))
    for (place, _), target_senses in zip(queries, senses, strict=True):
        by_instance[place] += target_senses


def _described(wordnet: WordNet, sense_ids: Ragged) -> list[list[_Sense]]:
    synsets = wordnet.synset_of(sense_ids.values)
    above, similar = wordnet.hypernyms(synsets), wordnet.related(synsets, SIMILAR)
    columns = (
        wordnet.sense_keys(sense_ids.values).to_pylist(),
        wordnet.types(synsets).to_pylist(),
        wordnet.lemmas(sense_ids.values).to_pylist(),
        np.where(wordnet.counts(sense_ids.values) == MISSING, 0, wordnet.counts(sense_ids.values)).tolist(),
        wordnet.sense_numbers(sense_ids.values).tolist(),
        wordnet.words_in(synsets).to_pylist(),
        _words_of(wordnet, above),
        _words_of(wordnet, similar),
    )
    senses = [
        _Sense(key, _UPOS_OF[type], lemma.replace("_", " "), (-count, number), tuple(words), words_above, words_like)
        for key, type, lemma, count, number, words, words_above, words_like in zip(*columns, strict=True)
    ]
    return [
        senses[start:end]
        for start, end in zip(sense_ids.offsets[:-1].tolist(), sense_ids.offsets[1:].tolist(), strict=True)
    ]


def _words_of(wordnet: WordNet, related: Ragged) -> list[tuple[str, ...]]:
    """Return the words of the synsets that are related to each."""
    words = wordnet.words_in(related.values).to_pylist()
    return [
        tuple(word for synset_words in words[start:end] for word in synset_words)
        for start, end in zip(related.offsets[:-1].tolist(), related.offsets[1:].tolist(), strict=True)
    ]


def propose_wordnet(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the words of the senses of targets: one source."""
    by_instance: list[list[Proposal]] = [[] for _ in instances]
    for rows, wordnet in by_language(context.lexicon, WORDNET.name, [instance.language for instance in instances]):
        lists = wordnet_proposals(wordnet, [instances[row] for row in rows], context.options.wordnet)
        for row, proposals in zip(rows, lists, strict=True):
            by_instance[row] = proposals
    return [by_instance]
