"""The generators by name. One of a package of others would be a line here, too."""

from transforms.simplification.generation.generator import Generator
from transforms.simplification.generation.gold import propose_gold
from transforms.simplification.generation.masked_lm import propose_masked
from transforms.simplification.generation.thesaurus import propose_thesaurus
from transforms.simplification.generation.vectors import propose_vectors
from transforms.simplification.generation.wordnet import propose_wordnet

__all__ = ["GENERATORS", "column_of"]

GENERATORS: dict[str, Generator] = {
    "thesaurus": Generator(propose_thesaurus, needs="thesaurus"),
    "wordnet": Generator(propose_wordnet, needs="wordnet"),
    "vectors": Generator(propose_vectors, needs="vectors"),
    "masked-lm": Generator(propose_masked, needs="model", adds=True),
    "gold": Generator(propose_gold),
}


def column_of(generator: str) -> str:
    """Return the name that a generator has in tables: `masked-lm` is `masked_lm`."""
    return generator.replace("-", "_")
