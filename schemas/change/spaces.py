"""Tables of slices and their embeddings: `slices`, `vectors`, `alignments` and `neighbours`.

Tables of series of three or more slices: `change/series` and `change/points`.

Distances are of two kinds. Those of a *pair* are by the alignment `op` of the two slices, as in
table `scores`. Those in the *common* space are by iterated Procrustes: the unit vectors of the
words that all slices share are rotated onto their common mean, again and again, until it stays
where it is. Spaces that share their dimensions are neither aligned nor rotated (`none`); of those whose
dimensions are words, the words of both slices, or of all, are taken (`column-intersection`).
"""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason, share, upos

# Columns of two slices that are compared, and of a word's uses in them.
SLICE_PAIR = (column("slice_from", pa.string(), "earlier slice"), column("slice_to", pa.string(), "later slice"))
USES = (
    column("count_from", pa.int64(), "uses in the earlier slice", unit="uses"),
    column("count_to", pa.int64(), "uses in the later slice", unit="uses"),
    share("relative_from", "uses over all tokens of the earlier slice"),
    share("relative_to", "uses over all tokens of the later slice"),
)
DOCUMENTS = (
    column("documents_from", pa.int64(), "documents using it in the earlier slice"),
    column("documents_to", pa.int64(), "documents using it in the later slice"),
)


def dealt_unit(what: str, otherwise: str = "") -> pa.Field:
    """Return the column of what null pairs, or series, deal out."""
    doc = f"what null {what} deal out{otherwise}"
    return column("null_unit", pa.string(), doc, range="document, author, sentence", nullable=True)


def most_upos(where: str) -> pa.Field:
    """Return the column of the part of speech that a word has most often in one slice or several."""
    return upos(
        "upos", f"part of speech that most of its tagged uses in {where} have, ties by alphabet; null without tags"
    )


SLICES = Table(
    name="slices",
    row="a time slice",
    key=("from", "slice"),
    columns=[
        column("slice", pa.string(), "name of the slice"),
        column("from", pa.int32(), "first year, null if open", unit="year", nullable=True),
        column("to", pa.int32(), "last year (inclusive), null if open", unit="year", nullable=True),
        column("documents", pa.int64(), "documents with at least one sentence in the view"),
        column("sentences", pa.int64(), "sentences in the view"),
        column("tokens_before", pa.int64(), "tokens before any filter, punctuation included"),
        column("tokens", pa.int64(), "tokens of the view: what is trained on (N of relative_*)"),
        column("sentences_short", pa.int64(), "sentences dropped as too short (`min_sentence`), or as holding no word"),
        column("tokens_short", pa.int64(), "tokens of these, punctuation included"),
        column("sentences_sampled_out", pa.int64(), "sentences dropped by downsampling"),
        column("sentences_split", pa.int64(), "sentences over 10,000 words, split"),
        column("types", pa.int64(), "distinct words in the view"),
        column("vocabulary", pa.int64(), "words with at least min_count uses"),
        column("min_count", pa.int32(), "frequency cut", unit="uses"),
        share("largest_document_share", "share of the tokens that the longest document has"),
    ],
    version="2",
)


_VARIANT = column(
    "variant",
    pa.string(),
    "which of the run's spaces: `apart`, each slice by itself; else the way in which slices are trained together",
)


def _vector_columns(dim: int | None) -> list[pa.Field]:
    vector = [
        column("contexts", pa.list_(pa.int32()), "words that it has weights for: their rows of the slice, from 0"),
        column("weights", pa.list_(pa.float32()), "of each context: uses near it, or its association, unaligned"),
    ]
    if dim is not None:
        doc = "vector of the word, unaligned; of SGNS the input vector, zeros if it never stood beside a trained word"
        vector = [column("vector", pa.list_(pa.float32(), dim), doc)]
    return [
        column("slice", pa.string(), "name of the slice"),
        column("seed", pa.int32(), "training seed as given"),
        _VARIANT,
        column("word", pa.string(), "word of the training view"),
        column("count", pa.int64(), "uses in the slice", unit="uses"),
        column("documents", pa.int64(), "documents of the slice that use it"),
        column("proper_nouns", pa.int64(), "uses tagged PROPN; null without tags", unit="uses", nullable=True),
        most_upos("the slice"),
        share("upos_share", "share of its tagged uses that have it", nullable=True),
        *vector,
    ]


VECTORS = Table(
    name="vectors",
    row="a word in a slice",
    key=("variant", "slice", "seed", "word"),
    texts=("word",),
    columns=_vector_columns,
    version="3",
)

# Why no map could be fitted.
NO_MAP = {
    "too_few_shared": "too few shared words to fit the alignment",
    "rank_deficient": "the vectors of a slice span too few dimensions for the alignment",
}

ALIGNMENTS = Table(
    name="alignments",
    row="a pair of slices, a seed, a side",
    key=("slice_from", "slice_to", "seed", "alignment", "side"),
    columns=[
        *SLICE_PAIR,
        column("seed", pa.int32(), "training seed of both spaces"),
        column("alignment", pa.string(), "method"),
        _VARIANT,
        column("side", pa.string(), "which space the map applies to", range="from, to"),
        column("unit_length", pa.bool_(), "whether vectors are set to unit length first"),
        column(
            "mean",
            pa.list_(pa.float64()),
            "mean vector, subtracted after that; null if vectors are not centred",
            nullable=True,
        ),
        column("unit_centred", pa.bool_(), "whether vectors are set to unit length again, once the mean is subtracted"),
        column(
            "matrix",
            pa.list_(pa.float64()),
            "dim x dim, by rows: aligned = prepared @ matrix; "
            "null for the side that stays, and on both sides where no map could be fitted",
            nullable=True,
        ),
        column(
            "contexts",
            pa.list_(pa.int32()),
            "of sparse vectors, the contexts that both slices have, as `vectors` numbers them; else null",
            nullable=True,
        ),
        column(
            "fit_words",
            pa.int64(),
            "shared words the map was fitted on; those whose vector is zero in a slice only where it is no matrix",
        ),
        column(
            "residual",
            pa.float64(),
            "root mean square distance of the fitted words' aligned vectors; null where no map could be fitted",
            range="0 and up",
            nullable=True,
        ),
        reason("why no map could be fitted", NO_MAP),
    ],
    version="4",
)

NEIGHBOURS = Table(
    name="neighbours",
    row="a neighbour of a target or top word",
    key=("variant", "slice", "seed", "word", "rank"),
    texts=("word", "neighbour"),
    columns=[
        column("word", pa.string(), "target, or one of the first words of a ranking"),
        column("slice", pa.string(), "slice whose space is searched"),
        column("seed", pa.int32(), "training seed"),
        _VARIANT,
        column("rank", pa.int32(), "nearest is 1; ties by word", range="1 and up"),
        column("neighbour", pa.string(), "a word with `neighbour_min_count` uses or more in the slice"),
        column("cosine", pa.float64(), "cosine similarity in the unaligned space", range="-1 to 1"),
    ],
    version="2",
)


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
        most_upos("all slices"),
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
        dealt_unit("series", "; null without them"),
        column(
            "finding",
            pa.string(),
            "why no finding is possible, see table change/pairs; null where one is",
            range="no_null, too_few_clusters, too_few_words",
            nullable=True,
        ),
    ],
)
