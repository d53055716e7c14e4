"""What a generator is: instances in, proposals for each of them out; and the options that a setting may have."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, inflector_for
from lexbeam.transforms.lexicon.resources import Lexicon, ResourceAlias
from lexbeam.transforms.simplification.records import Instance, Proposal

# What resources are called; thesauri have a number behind their name.
THESAURUS = ResourceAlias("thesaurus_", "thesaurus")


class Context(NamedTuple):
    """What generators work with beside the instances.

    Attributes:
        lexicon: thesauri, vectors, WordNet and word lists.
        thesauri: names of the thesauri, in the order in which they are looked up.
        lists: names of the word lists; the first settles ties.
        inflector: makes forms of lemmas; None: lemmas stand as they are.
        encoders: masked language models, in their order.
        gold: by instance, people's substitutes except the target, for generator `gold`.
    """

    options: "GenerationOptions"
    lexicon: Lexicon = Lexicon()
    thesauri: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inflector: InflectorReference | None = None
    # Of `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoders: tuple[Any, ...] = ()
    gold: Mapping[str, Sequence[str]] = {}

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        return inflector_for(self.inflector, language)


# The proposals of each instance, in their order.
Source = Sequence[Sequence[Proposal]]

# A generator is one source, except that each masked language model is a source of its own.
Propose = Callable[[Sequence[Instance], Context], Sequence[Source]]


@dataclass(frozen=True)
class Generator(Entry):
    """A generator; its doc line is what its column of scores holds.

    Attributes:
        propose: gives proposals.
        adds: whether the raw scores of its sources share a unit, so that they are added.
        reasons: why some of its proposals do not go on, each with what it means.
    """

    propose: Propose
    adds: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict, kw_only=True)


# The rules of ALEXSIS.
PAPER = ("subword", "is_target", "accent_variant", "too_short", "prefix_of_target")
RELATIONS = ("synonym", "hypernym", "similar")
_GENERATORS = "lexbeam.transforms.simplification.generation.generators:GENERATORS"
_SENSES = "lexbeam.transforms.simplification.generation.sense_generators:SENSES"


def _dashed(name: str) -> str:
    """Return the name of a generator as the registry has it: `masked_lm` is `masked-lm`."""
    return name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class WordNetOptions:
    """Which words of WordNet are candidates."""

    wordnet_relations: tuple[str, ...] = option(
        RELATIONS[:2],
        help="words of the target's senses: their synonyms, their hypernyms one level up, or, of adjectives, those of "
        "similar senses",
        choices=RELATIONS,
    )
    wordnet_senses: str = option(
        "tag", help="senses of the target's part of speech, where it is known, or all", choices=("tag", "all")
    )


@dataclass(frozen=True, kw_only=True)
class MaskedOptions:
    """What masked language models read, and which of their words are candidates."""

    masked_top: int = option(80, help="how many words of a masked language model are looked at, the likeliest", least=1)
    masked_input: str = option(
        "pair",
        help="whether a model reads the sentence and then the one with the mask (pair), or only the latter (single)",
        choices=("pair", "single"),
    )
    masked_rules: tuple[str, ...] = option(
        PAPER,
        help="what drops words of a masked language model",
        choices="lexbeam.transforms.simplification.generation.masked_words:RULES",
    )
    masked_merge: str = option(
        "accents",
        help="which words of a masked language model are merged, their scores added",
        choices="lexbeam.transforms.simplification.generation.masked_words:MERGES",
    )


@dataclass(frozen=True, kw_only=True)
class GenerationOptions:
    """How candidates are generated."""

    generators: tuple[str, ...] = option(
        ("thesaurus",), help="what gives candidates", metavar="GENERATOR", stands_for=_dashed, choices=_GENERATORS
    )
    evidence: tuple[str, ...] = option(
        (),
        help="further generators, which only add to the score and votes of candidates that the others give",
        metavar="GENERATOR",
        stands_for=_dashed,
        choices=_GENERATORS,
    )
    combine: str = option("union", help="candidates of any generator, or of all", choices=("union", "intersection"))
    k: int = option(50, help="how many candidates of an instance are kept, those ranked highest", least=1)
    order: str = option(
        "score",
        help="what they are ranked by: the score of all generators together, the frequency, "
        "or the average of the ranks by each generator, frequency and cosine",
        choices=("score", "frequency", "average"),
    )
    least_share: float = option(
        0.0,
        help="least share of the highest score of a generator that a candidate must have by some generator",
        least=0,
        most=1,
    )
    unlisted: str = option(
        "keep",
        help="what happens to candidates that the first word list does not have, phrases among them",
        choices=("keep", "drop"),
    )
    senses: str = option(
        "all",
        help="the senses of a thesaurus whose words are candidates",
        choices=_SENSES,
        of=f"{_GENERATORS}=thesaurus",
    )
    sense_votes: str = option(
        "one",
        help="what a sense adds to the score of its words: one, or the cosine of its words and the sentence's",
        choices=("one", "cosine"),
        of=f"{_GENERATORS}=thesaurus",
    )
    sense_pos: str = option(
        "any",
        help="senses of any part of speech, or only those that fit the target's",
        choices=("any", "target"),
        of=f"{_GENERATORS}=thesaurus",
    )
    neighbours: int = option(10, help="nearest words by vectors", least=1, of=f"{_GENERATORS}=vectors")
    neighbours_of: str = option(
        "form",
        help="whether the vectors are of forms or of lemmas",
        choices=("form", "lemma"),
        of=f"{_GENERATORS}=vectors",
    )
    wordnet: WordNetOptions = embedded(WordNetOptions, group="WordNet", of=f"{_GENERATORS}=wordnet")
    masked: MaskedOptions = embedded(MaskedOptions, group="masked language models", of=f"{_GENERATORS}=masked-lm")
    antonyms: str = option(
        "bar", help="what happens to antonyms of the target, where WordNet is given", choices=("bar", "keep")
    )
    names: str = option(
        "protect", help="whether names, capitalised within a sentence, get candidates", choices=("protect", "replace")
    )
    seed: int = option(1, help="seed for random senses", of=f"{_SENSES}=random")

    @property
    def used_generators(self) -> tuple[str, ...]:
        """Those that give candidates, and those that are evidence."""
        return (*self.generators, *self.evidence)

    @property
    def gives_lemmas(self) -> bool:
        """Whether some generator gives lemmas, which then have to be inflected."""
        of_lemmas = {"thesaurus", "wordnet"}
        if self.neighbours_of == "lemma":
            of_lemmas.add("vectors")
        return not of_lemmas.isdisjoint(self.used_generators)
