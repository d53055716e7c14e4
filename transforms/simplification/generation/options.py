"""Options of `lexbeam simplify generate` that a setting may have; see settings.py."""

from dataclasses import dataclass

from lexbeam.transforms.common.options.fields import embedded, option

# The rules of ALEXSIS.
PAPER = ("subword", "is_target", "accent_variant", "too_short", "prefix_of_target")
RELATIONS = ("synonym", "hypernym", "similar")
_GENERATORS = "lexbeam.transforms.simplification.generation.generators:GENERATORS"
_SENSES = "lexbeam.transforms.simplification.generation.thesaurus:SENSES"


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
        choices="lexbeam.transforms.simplification.generation.masked_cleaning:RULES",
    )
    masked_merge: str = option(
        "accents",
        help="which words of a masked language model are merged, their scores added",
        choices="lexbeam.transforms.simplification.generation.masked_cleaning:MERGES",
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
