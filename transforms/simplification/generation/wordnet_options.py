"""Options of generator `wordnet`."""

from dataclasses import dataclass

from transforms.common.options.fields import option

__all__ = ["RELATIONS", "SENSES_OF", "WordNetOptions"]

RELATIONS = ("synonym", "hypernym")
SENSES_OF = ("tag", "all")


@dataclass(frozen=True, kw_only=True)
class WordNetOptions:
    """Which words of WordNet are candidates."""

    wordnet_relations: tuple[str, ...] = option(
        RELATIONS,
        help="words of the target's senses: their synonyms, or their hypernyms one level up",
        choices=RELATIONS,
    )
    wordnet_senses: str = option(
        "tag", help="senses of the target's part of speech, where it is known, or all", choices=SENSES_OF
    )
