"""Generator `wordnet`: synonyms, hypernyms and similar words of the senses of the target's lemma.

The senses of a target's lemma and part of speech count, the most often used first; where WordNet
lacks that lemma, those of the base form that it finds for the target; where it lacks this one too,
both as any part of speech (taggers take participles for adjectives). A candidate's score, and its
number of votes, is the number of senses that have it, in their synset, in one above it, or in a similar one: of an
adjective that stands beside an antonym (*big*) those that are like it (*huge*), and of these that one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.resources import WORDNET
from lexbeam.transforms.lexicon.wordnet.ragged import PARTS, SIMILAR, UPOS, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.simplification.generation.generator import Context, Source
from lexbeam.transforms.simplification.generation.options import RELATIONS, WordNetOptions
from lexbeam.transforms.simplification.records import Instance, Proposal
from lexbeam.transforms.simplification.resources import by_language

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
    for instance, senses in zip(instances, _senses(wordnet, instances, options), strict=True):
        gathered: dict[tuple[str, str], list[tuple[_Sense, str, str]]] = {}
        for sense in sorted(senses, key=lambda sense: sense.used):
            for word, relation in _members(sense, options.wordnet_relations):
                if word.lower() != sense.lemma:
                    key = (word.lower(), sense.upos)
                    gathered.setdefault(key, []).append((sense, word, relation))
        proposals = [_proposal(instance, rows) for rows in gathered.values()]
        by_instance.append(sorted(proposals, key=lambda proposal: -proposal.score))
    return by_instance


def _members(sense: _Sense, relations: Iterable[str]) -> Iterator[tuple[str, str]]:
    related = (("synonym", sense.synonyms), ("hypernym", sense.hypernyms), ("similar", sense.similar))
    for relation, words in related:
        if relation in relations:
            for word in words:
                yield word.replace("_", " "), relation


def _proposal(instance: Instance, rows: Sequence[tuple[_Sense, str, str]]) -> Proposal:
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


def _senses(wordnet: WordNet, instances: Sequence[Instance], options: WordNetOptions) -> list[list[_Sense]]:
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
