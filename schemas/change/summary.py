"""Table `change/summary`: one row is a word between two slices, with all that is known of it.

It is table `scores` turned: means over seeds alone, and what depends on an alignment in columns of
its own for each, named by it (`score_op`, `score_cca`). Frequency scores are not in it, for the
relative frequencies are.
"""

from collections.abc import Sequence

import pyarrow as pa

from schemas.change.spaces import DOCUMENTS, SLICE_PAIR, USES
from schemas.columns import Table, column, share, upos

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
        *SLICE_PAIR,
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether it is frequent and spread enough to be ranked"),
        upos(
            "upos",
            "part of speech that most of its tagged uses in both slices have, ties by alphabet; null without tags",
        ),
        share("upos_share", "share of its tagged uses that have it", nullable=True),
        *USES,
        column(
            "relative_change",
            pa.float64(),
            "relative_to / relative_from - 1; null where the earlier slice lacks the word",
            range="-1 and up",
            nullable=True,
        ),
        *DOCUMENTS,
        *(field for alignment in alignments for field in _of_alignment(alignment)),
    ]


# Name, type, doc and range of the columns of each alignment.
_OF_ALIGNMENT: list[tuple[str, pa.DataType, str, str | None]] = [
    ("score", pa.float64(), "cosine distance, mean over seeds", "0 to 2"),
    (
        "score_sd",
        pa.float64(),
        "training noise: sample standard deviation of the score over seeds; null where fewer than two have one",
        "0 and up",
    ),
    (
        "rank",
        pa.int32(),
        "place among the ranked words: by excess where there is a null, else "
        "by score, ties by alphabet; null without a score and for words not ranked",
        "1 and up",
    ),
    (
        "top50",
        pa.float64(),
        "share of the seeds in whose own ranking, by score, the word is among the first 50; null where the rank is",
        "0 to 1",
    ),
    (
        "null_mean",
        pa.float64(),
        "mean score where the pair's documents are dealt out at random; null without such deals",
        "0 to 2",
    ),
    ("null_sd", pa.float64(), "sample standard deviation of such scores", "0 and up"),
    ("null_high", pa.float64(), "score whose p_value is .05; null where that is", "0 and up"),
    ("excess", pa.float64(), "score less null_mean", "-2 to 2"),
    ("p_value", pa.float64(), "probability of such a score if usage did not differ", "0 to 1"),
    ("q_value", pa.float64(), "p_value adjusted for the number of ranked words and targets: usage differs", "0 to 1"),
    (
        "p_relative",
        pa.float64(),
        "probability of such a score if usage differed no more than that of the vocabulary at large",
        "0 to 1",
    ),
    (
        "q_relative",
        pa.float64(),
        "p_relative, adjusted likewise: usage differs more than that of the vocabulary at large",
        "0 to 1",
    ),
    ("significant", pa.bool_(), "whether q_value and q_relative are at most .05", None),
    ("changed", pa.bool_(), "whether the score is above the threshold, see table scores", None),
    ("reason", pa.string(), "why the score is null, see table scores", None),
]


def _of_alignment(alignment: str) -> list[pa.Field]:
    return [
        column(suffixed(name, alignment), type, f"{alignment}: {doc}", range=range, nullable=True)
        for name, type, doc, range in _OF_ALIGNMENT
    ]


SUMMARY = Table(
    name="change/summary",
    row="a word between two slices, with all that is known of it",
    key=("slice_from", "slice_to", "word"),
    columns=_columns,
    version="2",
)
