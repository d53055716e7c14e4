"""Tables `scores`, `change/nulls`, `change/pairs`: words between two slices, real and dealt, and pairs of slices."""

from collections.abc import Sequence

import pyarrow as pa

from lexbeam.schemas.change.spaces import DOCUMENTS, NO_MAP, SLICE_PAIR, USES
from lexbeam.schemas.columns import Table, column, reason, share

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
        column("alignment", pa.string(), "method; none where the measure takes no aligned vectors"),
        column("measure", pa.string(), "what is measured"),
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
        column("null_unit", pa.string(), "what null pairs deal out", range="document, author, sentence", nullable=True),
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
        column("alignment", pa.string(), "method; none where the measure takes no aligned vectors"),
        column("measure", pa.string(), "what is measured"),
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
        column("alignment", pa.string(), "method; none where the measure takes no aligned vectors"),
        column("measure", pa.string(), "what is measured"),
        column("seeds", pa.int32(), "seeds that the scores rest on", range="1 and up"),
        column("ranked", pa.int64(), "ranked words with a score"),
        column(
            "null_unit",
            pa.string(),
            "what null pairs deal out; null without them",
            range="document, author, sentence",
            nullable=True,
        ),
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
