"""Table `change/summary`: one row is a word between two slices, with all that is known of it.

It is table `scores` turned: means over seeds alone, and what depends on an alignment in columns of
its own for each, named by it (`score_op`, `score_cca`). Frequency scores are not in it, for the
relative frequencies are.
"""

from collections.abc import Sequence

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["SUMMARY", "suffixed"]

UPOS = "UPOS of Universal Dependencies 2"


def suffixed(name: str, alignment: str) -> str:
    """Return the name of a column of an alignment; dashes become underscores.

    >>> suffixed("score", "cca-reversed")
    'score_cca_reversed'
    """
    return f"{name}_{alignment.replace('-', '_')}"


def _columns(alignments: Sequence[str] = ("op",)) -> list[pa.Field]:
    return [
        column("word", pa.string(), "word of the training view"),
        column("slice_from", pa.string(), "earlier slice"),
        column("slice_to", pa.string(), "later slice"),
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether it is frequent and spread enough to be ranked"),
        column(
            "upos", pa.string(), "part of speech that most of its tagged uses in both slices have, "
            "ties by alphabet; null without tags", range=UPOS, nullable=True,
        ),
        column(
            "upos_share", pa.float64(), "share of its tagged uses that have it", range="0 to 1",
            nullable=True,
        ),
        column("count_from", pa.int64(), "uses in the earlier slice", unit="uses"),
        column("count_to", pa.int64(), "uses in the later slice", unit="uses"),
        column("relative_from", pa.float64(), "uses over all tokens, earlier", range="0 to 1"),
        column("relative_to", pa.float64(), "uses over all tokens, later", range="0 to 1"),
        column(
            "relative_change", pa.float64(), "relative_to / relative_from - 1; null where the "
            "earlier slice lacks the word", range="-1 and up", nullable=True,
        ),
        column("documents_from", pa.int64(), "documents using it in the earlier slice"),
        column("documents_to", pa.int64(), "documents using it in the later slice"),
        *(field for alignment in alignments for field in _of_alignment(alignment)),
    ]  # fmt: skip


def _of_alignment(alignment: str) -> list[pa.Field]:
    by = f"by {alignment}"
    return [
        _of(alignment, "score", pa.float64(), f"cosine distance {by}, mean over seeds", "0 to 2"),
        _of(alignment, "score_sd", pa.float64(), f"training noise: sample standard deviation of "
            f"score {by} over seeds; null where fewer than two have one", "0 and up"),
        _of(alignment, "rank", pa.int32(), f"place among the ranked words {by}: by excess where "
            "there is a null, then by score, then by alphabet; null for words not ranked or "
            "without a score", "1 and up"),
        _of(alignment, "top50", pa.float64(), f"share of the seeds in whose own ranking {by} it is "
            "among the first 50, by score; null where the rank is", "0 to 1"),
        _of(alignment, "null_mean", pa.float64(), f"mean score {by} where the pair's documents are "
            "dealt out at random; null without such deals", "0 to 2"),
        _of(alignment, "null_sd", pa.float64(), f"sample standard deviation of such scores {by}",
            "0 and up"),
        _of(alignment, "excess", pa.float64(), f"score less null_mean {by}", "-2 to 2"),
        _of(alignment, "p_value", pa.float64(), "probability of such a score if usage did not "
            f"differ {by}", "0 to 1"),
        _of(alignment, "q_value", pa.float64(), f"p_value {by}, adjusted for the number of ranked "
            "words: usage differs", "0 to 1"),
        _of(alignment, "p_relative", pa.float64(), "probability of such a score if usage differed "
            f"no more than that of the vocabulary at large {by}", "0 to 1"),
        _of(alignment, "q_relative", pa.float64(), f"p_relative {by}, adjusted likewise: usage "
            "differs more than the vocabulary at large", "0 to 1"),
        _of(alignment, "significant", pa.bool_(), f"whether q_value and q_relative {by} are at "
            "most .05"),
        _of(alignment, "changed", pa.bool_(), f"whether the score {by} is above the threshold, see "
            "table scores"),
        _of(alignment, "reason", pa.string(), f"why the score {by} is null, see table scores"),
    ]  # fmt: skip


def _of(
    alignment: str, name: str, type: pa.DataType, doc: str, range: str | None = None
) -> pa.Field:
    return column(suffixed(name, alignment), type, doc, range=range, nullable=True)


SUMMARY = Table(
    name="change/summary",
    row="a word between two slices, with all that is known of it",
    key=("slice_from", "slice_to", "word"),
    columns=_columns,
)
