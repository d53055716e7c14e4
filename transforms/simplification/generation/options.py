"""Options of `lexbeam simplify generate` that a setting may say; see settings.py."""

from dataclasses import dataclass

from transforms.common.options.fields import embedded, option
from transforms.simplification.generation.masked_options import MaskedOptions
from transforms.simplification.generation.wordnet_options import WordNetOptions

__all__ = ["COMBINE", "NEIGHBOURS", "ORDERS", "SENSE_POS", "SENSE_VOTES", "GenerationOptions", "dashed"]

COMBINE = ("union", "intersection")
ORDERS = ("score", "frequency", "average")
NEIGHBOURS = ("form", "lemma")
SENSE_POS = ("any", "target")
SENSE_VOTES = ("one", "cosine")

_GENERATORS = "transforms.simplification.generation.generators:GENERATORS"
_SENSES = "transforms.simplification.generation.thesaurus:SENSES"


def dashed(name: str) -> str:
    """Return the name of a generator as the registry has it: `masked_lm` is `masked-lm`."""
    return name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class GenerationOptions:
    """How candidates are generated."""

    generators: tuple[str, ...] = option(
        ("thesaurus",), help="what gives candidates", metavar="GENERATOR", stands_for=dashed, choices=_GENERATORS
    )
    evidence: tuple[str, ...] = option(
        (),
        help="further generators that add to score and votes of candidates which the others "
        "give, and give none themselves",
        metavar="GENERATOR",
        stands_for=dashed,
        choices=_GENERATORS,
    )
    combine: str = option("union", help="candidates of any generator, or those that all give", choices=COMBINE)
    k: int = option(50, help="candidates that are kept of an instance, those of the highest rank", least=1)
    order: str = option(
        "score",
        help="what they are ranked by: the score of all generators together, the "
        "frequency, or the average of the ranks by each generator, frequency and cosine",
        choices=ORDERS,
    )
    senses: str = option(
        "all",
        help="whose words are candidates: of all senses of a thesaurus, the best one by "
        "vectors, the first, or a random one",
        choices=_SENSES,
        of=f"{_GENERATORS}=thesaurus",
    )
    sense_votes: str = option(
        "one",
        help="what a sense counts for its words: one, or, by vectors, the cosine of its words and the sentence's",
        choices=SENSE_VOTES,
        of=f"{_GENERATORS}=thesaurus",
    )
    sense_pos: str = option(
        "any",
        help="senses of any part of speech, or not those that have another one than the target",
        choices=SENSE_POS,
        of=f"{_GENERATORS}=thesaurus",
    )
    neighbours: int = option(10, help="nearest words by vectors", least=1, of=f"{_GENERATORS}=vectors")
    neighbours_of: str = option(
        "form", help="whether the vectors are of forms or of lemmas", choices=NEIGHBOURS, of=f"{_GENERATORS}=vectors"
    )
    wordnet: WordNetOptions = embedded(WordNetOptions, group="WordNet", of=f"{_GENERATORS}=wordnet")
    masked: MaskedOptions = embedded(MaskedOptions, group="masked language models", of=f"{_GENERATORS}=masked-lm")
    antonyms: str = option(
        "bar", help="what becomes of antonyms of the target, where WordNet is given", choices=("bar", "keep")
    )
    names: str = option(
        "protect",
        help="whether names, capitalised though no sentence begins with them, get candidates",
        choices=("protect", "replace"),
    )
    seed: int = option(1, help="of random senses", of=f"{_SENSES}=random")

    @property
    def gives_lemmas(self) -> bool:
        """Whether some generator gives lemmas, which are to be inflected."""
        of_lemmas = {"thesaurus", "wordnet"}
        if self.neighbours_of == "lemma":
            of_lemmas.add("vectors")
        return not of_lemmas.isdisjoint((*self.generators, *self.evidence))
