"""Options of `lexbeam simplify select` that a setting may have; see settings.py."""

from dataclasses import dataclass

from lexbeam.transforms.common.options.fields import option

_FILTERS = "lexbeam.transforms.simplification.selection.filters:FILTERS"


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Which candidates go on."""

    filters: tuple[str, ...] = option(
        ("morphology",), help="the filters that candidates must pass, in this order", metavar="FILTER", choices=_FILTERS
    )
    same_pos: tuple[str, ...] = option(
        ("VERB=AUX", "NOUN=PROPN"),
        help="pairs of parts of speech that filter pos does not distinguish",
        metavar="UPOS=UPOS",
        of=f"{_FILTERS}=pos",
    )
    pos_phrases: str = option(
        "pass",
        help="what filter pos does with phrases: pass them, with the note pos_unchecked, or judge them by their head",
        choices=("pass", "head"),
        of=f"{_FILTERS}=pos",
    )
    least_similarity: float = option(
        0.2,
        help="least cosine to the target for filter similarity; candidates without a vector pass",
        least=-1,
        most=1,
        of=f"{_FILTERS}=similarity",
    )
    least_context: float = option(
        0.35,
        help="least cosine of target and candidate, each in the sentence, for filter context; each model has its own",
        least=-1,
        most=1,
        of=f"{_FILTERS}=context",
    )
    most_sense: int = option(
        4,
        help="number of a candidate's last sense, in WordNet's order, that filter rare-senses lets pass",
        least=1,
        of=f"{_FILTERS}=rare-senses",
    )
    least_ngram: float = option(
        0.1, help="least fit with the words before and after for filter ngram", least=0, of=f"{_FILTERS}=ngram"
    )
    least_bigram: float = option(
        0.02,
        help="least share of a part of speech beside a word for filter bigrams",
        least=0,
        most=1,
        of=f"{_FILTERS}=bigrams",
    )
