"""The generators by name, each with a column of scores, in this order; the small ones stand here.

Generator `vectors` gives the nearest words of the target by static vectors. Generator `gold` gives people's
substitutes, so that rankers can be evaluated alone, as in ALEXSIS: those are the answer, so figures of a setting
that has it say something of its rankers, and of nothing else.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.simplification.generation.generator import Context, Generator, Source
from lexbeam.transforms.simplification.generation.masked_cleaning import MERGED, RULES
from lexbeam.transforms.simplification.generation.masked_lm import propose_masked
from lexbeam.transforms.simplification.generation.thesaurus import propose_thesaurus
from lexbeam.transforms.simplification.generation.wordnet import propose_wordnet
from lexbeam.transforms.simplification.records import Instance, Proposal
from lexbeam.transforms.simplification.resources import VECTORS, by_language

if TYPE_CHECKING:
    from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors


def propose_vectors(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the nearest words of targets with their cosines: one source.

    Vectors of forms are looked up by the target as it stands, else by its lemma, and their neighbours stay as they
    are; vectors of lemmas are looked up by the lemma, and their neighbours are lemmas, to be inflected.
    """
    options = context.options
    proposals: list[list[Proposal]] = [[] for _ in instances]
    for rows, vectors in by_language(context.lexicon, VECTORS.name, [instance.language for instance in instances]):
        words = _query_words([instances[row] for row in rows], vectors, options.neighbours_of)
        near = _nearest(vectors, words, options.neighbours)
        for row, word in zip(rows, words, strict=True):
            proposals[row] = [
                Proposal(text, cosine, options.neighbours_of == "lemma") for text, cosine in near.get(word, ())
            ]
    return [proposals]


def _query_words(instances: Sequence[Instance], vectors: "StaticVectors", of: str) -> list[str]:
    lemmas = [instance.lemma or instance.target.lower() for instance in instances]
    if of == "lemma":
        return lemmas
    forms = [instance.target for instance in instances]
    known = vectors.rows(pa.array(forms, pa.string())) != MISSING
    return [form if is_known else lemma for form, lemma, is_known in zip(forms, lemmas, known.tolist(), strict=True)]


def _nearest(vectors: "StaticVectors", words: Sequence[str], k: int) -> dict[str, list[tuple[str, float]]]:
    near = vectors.nearest(pc.unique(pa.array(words, pa.string())), k)
    neighbours: dict[str, list[tuple[str, float]]] = {}
    for word, neighbour, cosine in zip(
        *(near[name].to_pylist() for name in ("word", "neighbour", "cosine")), strict=True
    ):
        neighbours.setdefault(word, []).append((neighbour, cosine))
    return neighbours


def propose_gold(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the substitutes of targets other than the target itself: one source.

    All have the same score, so that later stages do not learn how many people gave one.
    """
    return [
        [[Proposal(text, 1.0, False) for text in context.gold.get(instance.instance_id, ())] for instance in instances]
    ]


GENERATORS: Registry[Generator] = Registry(
    {
        "thesaurus": Generator(
            propose_thesaurus,
            needs="thesaurus",
            doc="senses of thesauri that have the candidate, weighed by how well they fit the sentence where there are "
            "vectors",
            reasons={"placeholder": "it is no word of the language, but stands for a translation that is missing"},
        ),
        "wordnet": Generator(
            propose_wordnet, needs="wordnet", doc="senses of WordNet that have the candidate as a synonym or hypernym"
        ),
        "vectors": Generator(propose_vectors, needs="vectors", doc="cosine of static vectors of target and candidate"),
        "masked-lm": Generator(
            propose_masked,
            needs="model",
            adds=True,
            doc="probability of the candidate in the target's place; several models': the sum",
            reasons={
                **{name: rule.doc for name, rule in RULES.items() if name != "none"},
                MERGED: "another spelling of it has a higher score, and takes its score over",
            },
        ),
        "gold": Generator(propose_gold, doc="1 for what people gave: for the evaluation of rankers alone"),
    },
    what="generator",
    group="lexbeam.generators",
)
