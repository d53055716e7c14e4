"""Table `change/summary`: one row is a word between two slices, with all that is known of it.

It is table `scores` turned: means over seeds alone, and what depends on alignment and measure in columns of
its own for each, named by the alignment, for cosine distance (`score_op`, `score_cca`), or by measure and alignment
(`score_euclidean_op`, `score_lnd`). Scores of counts are not in it, for the relative frequencies are.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.change.scores import of_threshold
from lexbeam.schemas.change.spaces import DOCUMENTS, SLICE_PAIR, USES
from lexbeam.schemas.columns import Table, column, share, upos

UPOS = "UPOS of Universal Dependencies 2"


class SummedKind(NamedTuple):
    """An alignment and a measure, with columns of their own.

    Attributes:
        alignment: `none` for a measure that needs none.
        measure: its name.
        suffix: of the columns.
        doc: what the measure is.
        range: the values that it takes, for people.
    """

    alignment: str
    measure: str
    suffix: str
    doc: str
    range: str


class SummaryColumns(NamedTuple):
    """What the table has columns of: alignments and measures, and thresholds by name."""

    kinds: tuple[SummedKind, ...]
    thresholds: tuple[str, ...] = ("mean",)


def suffixed(name: str, suffix: str) -> str:
    """Return the name of a column of an alignment and measure.

    >>> suffixed("score", "cca_reversed")
    'score_cca_reversed'
    """
    return f"{name}_{suffix}"


_COSINES = SummedKind("op", "cosine", "op", "1 - cos of a word's aligned vectors", "0 to 2")


def _columns(kinds: Sequence[SummedKind] = (_COSINES,), thresholds: Sequence[str] = ("mean",)) -> list[pa.Field]:
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
        *(field for kind in kinds for field in _of_kind(kind, thresholds)),
    ]


# Name, type, doc and range of the columns of each alignment and measure; of scores the measure tells these.
_OF_KIND: list[tuple[str, pa.DataType, str, str | None]] = [
    ("score", pa.float64(), "{doc}, mean over seeds", "{range}"),
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
        "{range}",
    ),
    ("null_sd", pa.float64(), "sample standard deviation of such scores", "0 and up"),
    ("null_high", pa.float64(), "score whose p_value is .05; null where that is", "0 and up"),
    ("excess", pa.float64(), "score less null_mean", None),
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
    ("reason", pa.string(), "why the score is null, see table scores", None),
]


def _of_kind(kind: SummedKind, thresholds: Sequence[str]) -> list[pa.Field]:
    label = f"{kind.alignment}, {kind.measure}"
    return [
        column(
            suffixed(name, kind.suffix),
            type,
            f"{label}: {doc.format(doc=kind.doc)}",
            range=None if range is None else range.format(range=kind.range),
            nullable=True,
        )
        for name, type, doc, range in (*_OF_KIND, *map(_class, thresholds, repeat(thresholds)))
    ]


def _class(name: str, thresholds: Sequence[str]) -> tuple[str, pa.DataType, str, str | None]:
    value, changed = (of_threshold(what, name, thresholds) for what in ("threshold", "changed"))
    return changed, pa.bool_(), f"whether the score is above {value}, see table scores", None


SUMMARY = Table(
    name="change/summary",
    row="a word between two slices, with all that is known of it",
    key=("slice_from", "slice_to", "word"),
    texts=("word",),
    columns=_columns,
    version="2",
)
