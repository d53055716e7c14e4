"""The generators by name. One of a package of others would be a line here, too."""

from transforms.simplification.generator_gold import propose_gold
from transforms.simplification.generator_thesaurus import propose_thesaurus
from transforms.simplification.generator_vectors import propose_vectors
from transforms.simplification.generator_wordnet import propose_wordnet
from transforms.simplification.generators_base import Generator
from transforms.simplification.masked_lm import propose_masked

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
