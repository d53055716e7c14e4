"""Options of `lexbeam simplify select` that a setting may say; see settings.py."""

from dataclasses import dataclass

from transforms.common.options.fields import option

__all__ = ["POS_PHRASES", "SelectionOptions"]

POS_PHRASES = ("pass", "head")
_FILTERS = "transforms.simplification.selection.filters:FILTERS"


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Which candidates go on."""

    filters: tuple[str, ...] = option(
        ("morphology",), help="what candidates must pass, in this order", metavar="FILTER", choices=_FILTERS
    )
    same_pos: tuple[str, ...] = option(
        ("VERB=AUX", "NOUN=PROPN"),
        help="parts of speech that filter pos takes for one",
        metavar="UPOS=UPOS",
        of=f"{_FILTERS}=pos",
    )
    pos_phrases: str = option(
        "pass",
        help="phrases in filter pos: passed, with the note pos_unchecked, or judged by their head",
        choices=POS_PHRASES,
        of=f"{_FILTERS}=pos",
    )
    least_similarity: float = option(
        0.2,
        help="least cosine to the target, of filter similarity; what has no vector passes",
        least=-1,
        most=1,
        of=f"{_FILTERS}=similarity",
    )
    least_ngram: float = option(
        0.1, help="least fit with the words before and after, of filter ngram", least=0, of=f"{_FILTERS}=ngram"
    )
