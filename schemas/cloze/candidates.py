"""Table `cloze/candidates`: words of summaries that may become answers, with each filter's verdict."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import ARTICLE_ID, KIND, PAIR_ID
from lexbeam.schemas.columns import Table, column, entries_of, reason


def _verdicts(filters: Mapping[str, str]) -> Iterable[pa.Field]:
    for name, doc in filters.items():
        yield column(
            f"{name}_value",
            pa.float64(),
            f"{name}: what is compared with the threshold, or how "
            "many words offend; null where it is not evaluated or abstains",
            nullable=True,
        )
        yield column(
            f"{name}_match",
            pa.string(),
            f"{name}: the sense, the part of speech, why it is never abstract, or the first word that offends",
            nullable=True,
        )
        yield column(
            f"{name}_passed",
            pa.bool_(),
            f"{name}: whether {doc}; null where it is not evaluated or abstains",
            nullable=True,
        )


def _candidates() -> list[pa.Field]:
    filters = entries_of("lexbeam.transforms.cloze.filters.registry:FILTERS")
    return [
        column(
            "question_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of that of pair and token",
        ),
        KIND,
        PAIR_ID,
        ARTICLE_ID,
        column("sentence", pa.int32(), "sentence of the summary", range="0 and up"),
        column("token", pa.int32(), "place among the summary's tokens", range="0 and up"),
        column("form", pa.string(), "the word as it stands"),
        column("lemma", pa.string(), "its lemma", nullable=True),
        column("upos", pa.string(), "its part of speech", nullable=True),
        column("target", pa.bool_(), "whether the input has it as a target of this kind"),
        *_verdicts(filters),
        column("passed", pa.bool_(), "whether it passes all filters that were evaluated"),
        reason("the first filter, in order, that rejects it; null where none does", filters),
    ]


CANDIDATES = Table(
    name="cloze/candidates",
    row="a word of a summary, asked for a kind",
    key=("question_id", "kind"),
    texts=("form", "lemma", "*_match"),
    columns=_candidates,
)
