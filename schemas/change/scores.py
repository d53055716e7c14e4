"""Tables `scores`, `change/nulls`, `change/pairs`: words between two slices, real and dealt, and pairs of slices.

Table `change/summary`: one row is a word between two slices, with all that is known of it.

It is table `scores` turned: means over seeds alone, and what depends on alignment and measure in columns of
its own for each, named by the alignment, for cosine distance (`score_op`, `score_cca`), or by measure and alignment
(`score_euclidean_op`, `score_lnd`). Scores of counts are not in it, for the relative frequencies are.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.change.spaces import DOCUMENTS, NO_MAP, SLICE_PAIR, USES, dealt_unit, most_upos
from lexbeam.schemas.columns import Table, column, reason, share

_MEASURED = (
    column("alignment", pa.string(), "method; none where the measure takes no aligned vectors"),
    column("measure", pa.string(), "what is measured"),
)

# In order of precedence: the first that holds is given.
NULL_REASONS = {
    "absent_from": "the word does not occur in the earlier slice",
    "absent_to": "the word does not occur in the later slice",
    "below_min_count_from": "too few uses in the earlier slice",
    "below_min_count_to": "too few uses in the later slice",
    "one_vector": "the alignment has one vector for both slices of words that are no targets",
    **NO_MAP,
    "too_few_shared": "too few shared words to fit the alignment, or for a graph or topics",
    "too_few_neighbours": "a slice has fewer words than a neighbourhood",
    "too_few_pivots": "the slices share fewer than twice as many words as there are to be pivots",
    "zero_vector": "a vector of length zero has no direction, as that of a word without contexts",
    "no_reference": "no target, or no ranked word, has all the scores that the measure is made of",
    "undefined": "the measure has no value for this word, as where no neighbour is in both spaces",
}

# Why there is no threshold.
NO_THRESHOLD = {
    "too_few_words": "fewer words with a score than it needs: of targets, perhaps none was named",
    "all_equal": "all scores are equal",
    "votes": "each seed has one of its own, and most seeds decide",
    "undefined": "it has no value for these scores",
}


def of_threshold(what: str, name: str, thresholds: Sequence[str]) -> str:
    """Return the name of a column of a threshold: the first of a run has columns without suffix.

    >>> of_threshold("changed", "gamma", ["mean", "gamma"]), of_threshold("changed", "mean", ["mean", "gamma"])
    ('changed_gamma', 'changed')
    """
    return what if name == thresholds[0] else f"{what}_{name.replace('-', '_')}"


def _classes(thresholds: Sequence[str]) -> list[pa.Field]:
    fields = []
    for name in thresholds:
        value, changed = (of_threshold(what, name, thresholds) for what in ("threshold", "changed"))
        which = "the first threshold of the run" if name == thresholds[0] else f"threshold {name}"
        fields += [
            column(
                value,
                pa.float64(),
                f"{which}, see `change/pairs` for why there may be none; null for single seeds",
                nullable=True,
            ),
            column(
                changed,
                pa.bool_(),
                f"whether the score is above {value}, or with `votes` that of more than half of the seeds above their "
                "own; null without one, and for null scores",
                nullable=True,
            ),
        ]
    return fields


def _columns(thresholds: Sequence[str] = ("mean",)) -> list[pa.Field]:
    return [
        column("word", pa.string(), "word of the training view"),
        column("target", pa.bool_(), "whether it stands in the targets file"),
        *SLICE_PAIR,
        column("seed", pa.int32(), "training seed; null: the mean over all seeds", nullable=True),
        *_MEASURED,
        column("score", pa.float64(), "the measure's value", nullable=True),
        column(
            "score_sd",
            pa.float64(),
            "sample standard deviation over seeds; null for single seeds and where fewer than two have a score",
            range="0 and up",
            nullable=True,
        ),
        column("seeds", pa.int32(), "seeds that the score rests on", range="0 and up"),
        reason("why the score is null", NULL_REASONS),
        *_classes(thresholds),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        *USES,
        *DOCUMENTS,
        column(
            "null_mean",
            pa.float64(),
            "mean score of the null pairs that score the word, whose "
            "documents are dealt out anew; this and what follows is null without null pairs and "
            "for single seeds",
            range="0 and up",
            nullable=True,
        ),
        column(
            "null_sd",
            pa.float64(),
            "sample standard deviation of these scores; null for fewer than two",
            range="0 and up",
            nullable=True,
        ),
        column(
            "null_high",
            pa.float64(),
            "score whose p_value is .05, or the measure's greatest if that is less: upper end of the one-sided 95 % "
            "interval of chance; null where p_value is",
            range="0 and up",
            nullable=True,
        ),
        column("null_runs", pa.int32(), "null pairs that score the word", range="0 and up", nullable=True),
        dealt_unit("pairs"),
        column("excess", pa.float64(), "score - null_mean", nullable=True),
        share(
            "p_value",
            "probability of a score as high by chance; null for words that are neither ranked nor targets",
            nullable=True,
        ),
        share(
            "q_value",
            "p_value by Benjamini and Hochberg: usage differs; null where no finding is possible",
            nullable=True,
        ),
        share(
            "p_relative",
            "probability of a score as high if usage differed no more than that of the vocabulary at large",
            nullable=True,
        ),
        share(
            "q_relative",
            "p_relative by Benjamini and Hochberg: usage differs more than the vocabulary at large",
            nullable=True,
        ),
        column(
            "significant",
            pa.bool_(),
            "whether q_value and q_relative are up to .05; null where they are",
            nullable=True,
        ),
    ]


SCORES = Table(
    name="scores",
    row="a word between two slices",
    key=("slice_from", "slice_to", "alignment", "measure", "word", "seed"),
    texts=("word",),
    columns=_columns,
    version="4",
)

NULLS = Table(
    name="change/nulls",
    row="a word that a null pair scores",
    key=("slice_from", "slice_to", "alignment", "measure", "word", "null"),
    texts=("word",),
    columns=[
        *SLICE_PAIR,
        *_MEASURED,
        column("word", pa.string(), "word of the training view, whether or not the real pair shares it"),
        column("null", pa.int32(), "number of the null pair", range="1 and up"),
        column("score", pa.float64(), "the measure's value between the slices as dealt"),
        column("ranked", pa.bool_(), "whether the word is frequent and spread enough in both to be ranked"),
        column("uses", pa.int64(), "uses in the dealt slice that has fewer", unit="uses"),
        column("documents", pa.int64(), "documents that use it, in the dealt slice that has fewer"),
        column("slice_documents", pa.int64(), "documents of the smaller dealt slice"),
    ],
)

# Why no finding is possible, in order of precedence.
FINDINGS = {
    "no_null": "no null pairs were made, so nothing says what chance gives",
    "too_few_clusters": "fewer than 10 documents or authors on a side",
    "too_few_words": "fewer than 100 ranked words with a score",
}


def _mixture(name: str, what: str) -> list[pa.Field]:
    none = "null if no document has one"
    return [
        share(
            f"{name}_distance",
            f"how far the slices differ in {name}, by tokens: 0 for the same mixture, 1 for nothing in common; {none}",
            nullable=True,
        ),
        column(name, pa.string(), f"{what} whose shares differ most; empty for documents without one", nullable=True),
        share(f"{name}_from", "its share of the earlier slice's tokens", nullable=True),
        share(f"{name}_to", "its share of the later slice's tokens", nullable=True),
    ]


def _cuts(thresholds: Sequence[str]) -> list[pa.Field]:
    fields = []
    for name in thresholds:
        value, why = (of_threshold(what, name, thresholds) for what in ("threshold", "threshold_reason"))
        which = "the first threshold of the run" if name == thresholds[0] else f"threshold {name}"
        fields += [
            column(value, pa.float64(), f"{which}, above which a score counts as change", nullable=True),
            column(why, pa.string(), f"why {value} is null", range=", ".join(NO_THRESHOLD), nullable=True),
        ]
    return fields


def frequency_rhos(over: str) -> list[pa.Field]:
    """Return the columns of how scores of some words go with frequency and with its change."""
    docs = {
        "spearman_from": f"Spearman's correlation of score and log count in the earlier slice, over {over}",
        "spearman_to": "the same correlation in the later slice",
        "spearman_growth": f"Spearman's correlation of score and log(later / earlier relative frequency), over {over}",
        "spearman_change": "the same with the size of this logarithm, be it growth or decline",
    }
    return [column(name, pa.float64(), doc, range="-1 to 1", nullable=True) for name, doc in docs.items()]


def _pair_columns(thresholds: Sequence[str] = ("mean",)) -> list[pa.Field]:
    return [
        *SLICE_PAIR,
        *_MEASURED,
        column("seeds", pa.int32(), "seeds that the scores rest on", range="1 and up"),
        column("ranked", pa.int64(), "ranked words with a score"),
        dealt_unit("pairs", "; null without them"),
        column("null_runs", pa.int32(), "null pairs", range="0, or 3 and up"),
        column(
            "clusters_from",
            pa.int64(),
            "documents, authors or sentences that can be dealt in the earlier slice",
            nullable=True,
        ),
        column("clusters_to", pa.int64(), "the same of the later slice", nullable=True),
        column(
            "low_power",
            pa.bool_(),
            "whether a side has fewer than 20 of these, so that most changes go unnoticed",
            nullable=True,
        ),
        column(
            "finding",
            pa.string(),
            "why no finding is possible; null where one is",
            range=", ".join(FINDINGS),
            nullable=True,
        ),
        column(
            "shift",
            pa.float64(),
            "how far the vocabulary at large has moved: median of the ranked words' standardised scores",
            unit="standard deviations of chance",
            nullable=True,
        ),
        share("share_differs", "share of the ranked words with q_value up to .05", nullable=True),
        share("share_relative", "share of the ranked words with q_relative up to .05", nullable=True),
        share("share_significant", "share of the ranked words with both up to .05", nullable=True),
        *frequency_rhos("ranked words"),
        *_cuts(thresholds),
        *_mixture("genre", "genre"),
        *_mixture("source", "folder or file of sources, digits as #"),
        column("authors_from", pa.int64(), "authors in the earlier slice", nullable=True),
        column("authors_to", pa.int64(), "authors in the later slice", nullable=True),
        column("authors_both", pa.int64(), "authors who wrote in both slices", nullable=True),
        column("unsigned", pa.int64(), "documents of both slices without an author", nullable=True),
        share("author_share_from", "share of the earlier slice's tokens that one author has at most", nullable=True),
        share("author_share_to", "the same of the later slice", nullable=True),
        share(
            "author_both_from",
            "share of the earlier slice's tokens with a known author that are by authors who wrote in both slices",
            nullable=True,
        ),
        share("author_both_to", "the same of the later slice", nullable=True),
        column(
            "length_from",
            pa.float64(),
            "median tokens of a document in the earlier slice",
            unit="tokens",
            nullable=True,
        ),
        column(
            "length_to", pa.float64(), "median tokens of a document in the later slice", unit="tokens", nullable=True
        ),
    ]


PAIRS = Table(
    name="change/pairs",
    row="a pair of slices by an alignment and a measure",
    key=("slice_from", "slice_to", "alignment", "measure"),
    texts=("genre",),
    columns=_pair_columns,
    version="5",
)


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


def _summary_columns(
    kinds: Sequence[SummedKind] = (_COSINES,), thresholds: Sequence[str] = ("mean",)
) -> list[pa.Field]:
    return [
        column("word", pa.string(), "word of the training view"),
        *SLICE_PAIR,
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether it is frequent and spread enough to be ranked"),
        most_upos("both slices"),
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
    columns=_summary_columns,
    version="2",
)


NO_SCORE = "no_score"  # the system gives none to any word

# Why there is no correlation with frequency.
NO_RHO = {
    NO_SCORE: "the system has no scores",
    "too_few_words": "fewer than two of the words have a score",
    "all_equal": "all scores are equal",
    "same_frequency": "all words are as frequent in the slice, or have become as much more or less frequent",
}

_KIND = (
    column(
        "alignment",
        pa.string(),
        "method; none where the measure takes no aligned vectors, null without a measure",
        nullable=True,
    ),
    column("measure", pa.string(), "what is measured; null for ensembles, and without scores", nullable=True),
)
_THRESHOLD = (
    column("threshold", pa.string(), "name of the threshold; null for a system without one", nullable=True),
    column("threshold_value", pa.float64(), "score above which a word has changed", nullable=True),
    column(
        "threshold_reason", pa.string(), "why a threshold has no value", range=", ".join(NO_THRESHOLD), nullable=True
    ),
)

SYSTEM_SCORES = Table(
    name="change/systems",
    row="a word between two slices by a system",
    key=("slice_from", "slice_to", "system", "word"),
    texts=("word",),
    columns=[
        column("system", pa.string(), "name of the system"),
        column("word", pa.string(), "word of the training view"),
        *SLICE_PAIR,
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        *_KIND,
        column("score", pa.float64(), "the measure's value, mean over seeds", nullable=True),
        reason("why the score is null", [*NULL_REASONS, NO_SCORE]),
        *_THRESHOLD,
        column(
            "changed", pa.bool_(), "whether the word has changed, the system says; null where it cannot", nullable=True
        ),
        share(
            "q_value",
            "see table scores: usage differs; null for ensembles, of which `null_changed` of change/controls tells "
            "what chance gives",
            nullable=True,
        ),
        share(
            "q_relative",
            "see table scores: usage differs more than the vocabulary at large; null for ensembles",
            nullable=True,
        ),
        *USES,
    ],
    version="2",
)

SYSTEM_CONTROLS = Table(
    name="change/controls",
    row="a pair of slices by a system, over its ranked words or its targets",
    key=("slice_from", "slice_to", "system", "over"),
    columns=[
        *SLICE_PAIR,
        column("system", pa.string(), "name of the system"),
        column("over", pa.string(), "which words the row is about", range="ranked, targets"),
        *_KIND,
        *_THRESHOLD,
        column("words", pa.int64(), "these words"),
        column("scored", pa.int64(), "those with a score"),
        column("classed", pa.int64(), "those with a class"),
        column("changed", pa.int64(), "those that are called changed"),
        share("share_changed", "changed over classed; null without classes", nullable=True),
        share(
            "null_changed",
            "the same of null pairs, whose documents or sentences are dealt out anew: mean over those with classes; "
            "null without. Each has ranked words of its own, and classes by a threshold of its own scores, which are "
            "of the first seed alone, so that `votes` counts for nothing",
            nullable=True,
        ),
        column("null_runs", pa.int32(), "null pairs with classes", range="0 and up"),
        *frequency_rhos("these words"),
        column(
            "spearman_reason",
            pa.string(),
            "why there is no correlation, or not all four",
            range=", ".join(NO_RHO),
            nullable=True,
        ),
    ],
)
