"""Options of generator `masked-lm`."""

from dataclasses import dataclass

from transforms.common.options.fields import option

__all__ = ["INPUTS", "PAPER", "MaskedOptions"]

INPUTS = ("pair", "single")
# The rules of ALEXSIS.
PAPER = ("subword", "is_target", "accent_variant", "too_short", "prefix_of_target")


@dataclass(frozen=True, kw_only=True)
class MaskedOptions:
    """What masked language models are asked, and which of their words are candidates."""

    masked_top: int = option(80, help="words of a masked language model that are looked at, the most probable", least=1)
    masked_input: str = option(
        "pair",
        help="whether the sentence stands before the one with the mask (pair), or this one alone is read (single)",
        choices=INPUTS,
    )
    masked_rules: tuple[str, ...] = option(
        PAPER,
        help="why words of a masked language model are dropped; none: for nothing",
        choices="transforms.simplification.generation.masked_cleaning:RULES",
    )
    masked_merge: str = option(
        "accents",
        help="which words of a masked language model become one, their scores added: "
        "those that differ in accents or capitals alone, or in capitals",
        choices="transforms.simplification.generation.masked_cleaning:MERGES",
    )
