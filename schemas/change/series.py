"""Tables of series of three or more slices: `change/series` and `change/points`.

Distances are of two kinds. Those of a *pair* are by the alignment `op` of the two slices, as in
table `scores`. Those in the *common* space are by iterated Procrustes: the unit vectors of the
words that all slices share are rotated onto their common mean, again and again, until it stays
where it is. Spaces that share their dimensions are neither aligned nor rotated (`none`); of those whose
dimensions are words, the words of both slices, or of all, are taken (`column-intersection`).
"""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, share, upos

UPOS = "UPOS of Universal Dependencies 2"

# Each distance of a word in a slice, in the order of the columns.
DISTANCES = {
    "pair_previous": "to the slice before, aligned with it alone",
    "pair_first": "to the first slice, aligned with it alone",
    "pair_last": "to the last slice, aligned with it alone",
    "common_previous": "to the slice before, in the common space of all slices",
    "common_first": "to the first slice, in the common space of all slices",
    "common_last": "to the last slice, in the common space of all slices",
}


def _of_distance(name: str, doc: str) -> list[pa.Field]:
    number = pa.float64()
    return [
        column(
            name,
            number,
            f"cosine distance {doc}, mean over seeds; null for a slice to itself",
            range="0 to 2",
            nullable=True,
        ),
        column(
            f"{name}_null_mean",
            number,
            "mean of the same distance in null series that hold the word; null without them",
            range="0 to 2",
            nullable=True,
        ),
        column(
            f"{name}_null_sd",
            number,
            "sample standard deviation of the same; null for fewer than two",
            range="0 and up",
            nullable=True,
        ),
        column(
            f"{name}_null_high",
            number,
            "upper end of the one-sided 95 % interval of the same; null for words that are neither ranked nor targets",
            range="0 to 2",
            nullable=True,
        ),
    ]


SERIES = Table(
    name="change/series",
    row="a word of all slices in one of them",
    key=("alignment", "word", "place"),
    texts=("word",),
    columns=[
        column("word", pa.string(), "word that has a vector in every slice"),
        column("slice", pa.string(), "slice"),
        column("place", pa.int32(), "place of the slice in the order of time", range="0 and up"),
        column(
            "alignment",
            pa.string(),
            "family of the alignments: of op, orthogonal Procrustes of two slices, and of all slices iterated to a "
            "common mean; column-intersection: contexts that two slices have, or all; none: slices share dimensions",
            range="op, column-intersection, none",
        ),
        column("count", pa.int64(), "uses in the slice", unit="uses"),
        share("relative", "uses over all tokens of the slice"),
        column("documents", pa.int64(), "documents using it in the slice"),
        *(field for name, doc in DISTANCES.items() for field in _of_distance(name, doc)),
    ],
    version="2",
)

POINTS = Table(
    name="change/points",
    row="a word of all slices, with the cut between them where its usage differs most",
    key=("alignment", "word"),
    texts=("word",),
    columns=[
        column("word", pa.string(), "word that has a vector in every slice"),
        column(
            "alignment",
            pa.string(),
            "family of the alignments, see table change/series",
            range="op, column-intersection, none",
        ),
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether it is frequent and spread enough in every slice to be ranked"),
        upos(
            "upos",
            "part of speech that most of its tagged uses in all slices have, ties by alphabet; null without tags",
        ),
        column(
            "point_from",
            pa.string(),
            "last slice before the change point, which is the cut with the greatest z; null without null series",
            nullable=True,
        ),
        column("point_to", pa.string(), "first slice after the change point", nullable=True),
        column(
            "distance",
            pa.float64(),
            "cosine distance of the word's mean vectors before and after "
            "the change point, in the common space, mean over seeds",
            range="0 to 2",
            nullable=True,
        ),
        column(
            "m",
            pa.float64(),
            "greatest z over all cuts: how far the logarithm of that distance "
            "lies above what words as frequent have in null series",
            unit="standard deviations of chance",
            nullable=True,
        ),
        share(
            "p_value",
            "probability of such an m if usage did not differ, among the "
            "ranked words of null series; null for words that are neither ranked nor targets",
            nullable=True,
        ),
        share("q_value", "p_value adjusted for the number of words tested: usage differs", nullable=True),
        column("null_runs", pa.int32(), "null series that hold the word", range="0 and up"),
        column(
            "null_unit",
            pa.string(),
            "what null series deal out; null without them",
            range="document, author, sentence",
            nullable=True,
        ),
        column(
            "finding",
            pa.string(),
            "why no finding is possible, see table change/pairs; null where one is",
            range="no_null, too_few_clusters, too_few_words",
            nullable=True,
        ),
    ],
)
