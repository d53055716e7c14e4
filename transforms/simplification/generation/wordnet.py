"""Generator `wordnet`: synonyms and hypernyms of the senses of the target's lemma.

Of a target the senses of its lemma and part of speech count, most often used first; where WordNet
does not have the lemma as that, the base form that it finds for the target, and where it has not
that one either, both as any part of speech (taggers take participles for adjectives). A candidate's
score, and its votes, is the number of senses that have it, in their synset or in one above it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.wordnet.lexnames import PARTS, UPOS
from transforms.lexicon.wordnet.ragged import Ragged
from transforms.lexicon.wordnet.wordnet import WordNet
from transforms.simplification.generation.generator import WORDNET, Context, Source
from transforms.simplification.generation.wordnet_options import WordNetOptions
from transforms.simplification.records import Instance, Proposal

__all__ = ["propose_wordnet", "wordnet_proposals"]

# The part of speech of a type of synset.
_UPOS_OF = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}


class _Sense(NamedTuple):
    """A sense of a target.

    Attributes:
        key: its sense key.
        upos: its part of speech.
        lemma: the word of the target in it, in lower case, with spaces.
        used: how often it is tagged, and its number; the commoner sense is less.
        synonyms: the words of its synset.
        hypernyms: the words of those above it.
    """

    key: str
    upos: str
    lemma: str
    used: tuple[int, int]
    synonyms: tuple[str, ...]
    hypernyms: tuple[str, ...]


def wordnet_proposals(wordnet: WordNet, instances: Sequence[Instance], options: WordNetOptions) -> list[list[Proposal]]:
    """Return the words of the senses of targets, the highest score first, then by sense and place.

    Proposals are lemmas, with spaces for `_`; `upos` is the senses' part of speech where it is
    another than the target's, `of` the lemma of the target that has these senses.

    Args:
        wordnet: of the instances' language.
        instances: targets in their sentences.
        options: which relations, and which senses.
    """
    found: list[list[Proposal]] = []
    for instance, senses in zip(instances, _senses(wordnet, instances, options), strict=True):
        gathered: dict[tuple[str, str], list[tuple[_Sense, str, str]]] = {}
        for sense in sorted(senses, key=lambda one: one.used):
            for word, relation in _members(sense, options.wordnet_relations):
                if word.lower() != sense.lemma:
                    key = (word.lower(), sense.upos)
                    gathered.setdefault(key, []).append((sense, word, relation))
        own = [_proposal(instance, rows) for rows in gathered.values()]
        found.append(sorted(own, key=lambda one: -one.score))
    return found


def _members(sense: _Sense, relations: Iterable[str]) -> Iterator[tuple[str, str]]:
    for relation, words in (("synonym", sense.synonyms), ("hypernym", sense.hypernyms)):
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
        relation="synonym" if any(said == "synonym" for _, _, said in rows) else "hypernym",
        upos=None if same else first.upos,
        of=first.lemma,
    )


def _senses(wordnet: WordNet, instances: Sequence[Instance], options: WordNetOptions) -> list[list[_Sense]]:
    """Return the senses of each target, those of n before v, a and r."""
    tags = [UPOS.get(one.upos or "") if options.wordnet_senses == "tag" else None for one in instances]
    own = [(place, tag) for place, tag in enumerate(tags) if tag is not None]
    found: list[list[_Sense]] = [[] for _ in instances]
    _look_up(wordnet, instances, own, found)
    left = [(place, part) for place, some in enumerate(found) if not some for part in PARTS]
    _look_up(wordnet, instances, left, found)
    return found


def _look_up(
    wordnet: WordNet, instances: Sequence[Instance], asked: Sequence[tuple[int, str]], found: Sequence[list[_Sense]]
) -> None:
    """Add the senses of targets, each as a part of speech.

    They are those of the lemma, or of the base form that WordNet finds for the target.
    """
    tags = pa.array([tag for _, tag in asked], pa.string())
    forms = [instances[place].target.lower() for place, _ in asked]
    given = [instances[place].lemma or form for (place, _), form in zip(asked, forms, strict=True)]
    known = (wordnet.polysemy(pa.array(given, pa.string()), tags) > 0).tolist()
    bases = wordnet.morphy(pa.array(forms, pa.string()), tags).to_pylist()
    words = [lemma if there else base for lemma, there, base in zip(given, known, bases, strict=True)]
    senses = _described(wordnet, wordnet.senses_of(pa.array(words, pa.string()), tags))
    for (place, _), some in zip(asked, senses, strict=True):
        found[place] += some


def _described(wordnet: WordNet, asked: Ragged) -> list[list[_Sense]]:
    synsets = wordnet.synset_of(asked.values)
    above = wordnet.hypernyms(synsets)
    words_above = wordnet.words_in(above.values).to_pylist()
    columns: list[Any] = [
        wordnet.sense_keys(asked.values).to_pylist(),
        wordnet.types(synsets).to_pylist(),
        wordnet.lemmas(asked.values).to_pylist(),
        np.where(wordnet.counts(asked.values) == MISSING, 0, wordnet.counts(asked.values)).tolist(),
        wordnet.sense_numbers(asked.values).tolist(),
        wordnet.words_in(synsets).to_pylist(),
        above.offsets[:-1].tolist(),
        above.offsets[1:].tolist(),
    ]
    senses = [
        _Sense(
            key,
            _UPOS_OF[type],
            lemma.replace("_", " "),
            (-count, number),
            tuple(words),
            tuple(word for some in words_above[start:end] for word in some),
        )
        for key, type, lemma, count, number, words, start, end in zip(*columns, strict=True)
    ]
    return [
        senses[start:end] for start, end in zip(asked.offsets[:-1].tolist(), asked.offsets[1:].tolist(), strict=True)
    ]


def propose_wordnet(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the words of the senses of targets: one source."""
    found: list[list[Proposal]] = [[] for _ in instances]
    languages = pa.array([one.language for one in instances], pa.string())
    for rows, wordnet in context.lexicon.by_language(WORDNET.name, languages):
        if wordnet is None:
            continue
        opened: Any = wordnet
        own = wordnet_proposals(opened, [instances[row] for row in rows], context.options.wordnet)
        for row, proposals in zip(rows.tolist(), own, strict=True):
            found[row] = proposals
    return [found]
