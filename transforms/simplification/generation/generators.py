"""The generators by name; each has a column of scores, in this order."""

from transforms.common.code.registry import Registry
from transforms.simplification.generation.generator import Generator
from transforms.simplification.generation.gold import propose_gold
from transforms.simplification.generation.masked_lm import propose_masked
from transforms.simplification.generation.thesaurus import propose_thesaurus
from transforms.simplification.generation.vectors import propose_vectors
from transforms.simplification.generation.wordnet import propose_wordnet

__all__ = ["GENERATORS"]

GENERATORS: Registry[Generator] = Registry(
    {
        "thesaurus": Generator(
            propose_thesaurus,
            needs="thesaurus",
            doc="senses of thesauri (MyThes, tab files) that have the candidate, weighed by how well they fit the "
            "sentence where there are vectors",
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
        ),
        "gold": Generator(propose_gold, doc="1 for what people gave: for the evaluation of rankers alone"),
    },
    what="generator",
    group="lexbeam.generators",
)
