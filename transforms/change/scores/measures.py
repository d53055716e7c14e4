"""Measures of change between two slices, over words at once.

Cosine distance is 1 - cos of a word's aligned vectors (Hamilton et al. 2016; Schlechtweg et al.
2020), Euclidean distance that of the same vectors brought to length 1 (Poemsl and Lyapin 2020), Gaussian divergence
that of normal distributions around these, as wide as a word is frequent (Iwamoto and Yukawa 2020). The normalised
frequency difference |f1/N1 - f2/N2|, N before any frequency cut, is the baseline of SemEval-2020 Task 1; raw
and logarithmic ones are those of LSCDetection. Those of neighbourhoods and pivots are in `neighbourhood_measures`,
those of contexts, graphs and topics, too. Some are made of others:
`ecdf` of what RPI-Trust (Gruppi et al. 2020) compares by.

>>> import numpy as np
>>> cosine_distance(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
[1.0, nan]
>>> frequency_difference(np.array([3]), np.array([1]), 8, 8).tolist()
[0.25]
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.change.scores.neighbourhood_measures import (
    entropy_difference,
    local_neighbourhood_distance,
    log_entropy_difference,
    log_type_difference,
    mapped_neighbour_distance,
    neighbour_overlap,
    normalised_entropy_difference,
    pivot_divergence,
    raw_type_difference,
    resistance_distance,
    topic_divergence,
    type_difference,
)
from lexbeam.transforms.change.scores.ranking import ecdf
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.rowwise import dots
from lexbeam.transforms.embeddings.spaces import Rows, at_length_one, is_sparse, lengths, row_dots, with_direction

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

REGISTRY = "lexbeam.transforms.change.scores.measures:MEASURES"
# What measures take.
VECTORS = "vectors"
SPACES = "spaces"
COUNTS = "counts"
MADE = "scores"  # of other measures
NO_ALIGNMENT = "none"  # of measures that take no aligned vectors
FREQUENCY = "frequency"  # the measure that every run has


def cosine_distance(earlier: Rows, later: Rows) -> Floats:
    """Return 1 - cos of the rows of two matrices, 0 to 2; nan where a row is zero."""
    dot = row_dots(earlier, later)
    lengths = _norms(earlier) * _norms(later)
    distance = np.full(len(dot), np.nan)
    np.divide(dot, lengths, out=distance, where=lengths > 0)
    return np.asarray(np.clip(1.0 - distance, 0.0, 2.0))


def _norms(rows: Rows) -> Floats:
    return lengths(rows) if is_sparse(rows) else np.linalg.norm(rows, axis=1)


def euclidean_distance(earlier: Rows, later: Rows) -> Floats:
    """Return the Euclidean distance of the rows of two matrices brought to length 1, 0 to 2; nan where one is zero."""
    if is_sparse(earlier):
        gap = at_length_one(earlier) - at_length_one(later)
        both = with_direction(earlier) & with_direction(later)
        return np.where(both, np.minimum(np.sqrt(row_dots(gap, gap)), 2.0), np.nan)
    difference = _unit(earlier) - _unit(later)
    return np.asarray(np.minimum(np.sqrt(dots(difference, difference)), 2.0))


def _unit(rows: Floats) -> Floats:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.full(rows.shape, np.nan), where=length > 0))


def gaussian_divergence(earlier: Rows, later: Rows, *, shares: tuple[Floats, Floats]) -> Floats:
    """Return the Kullback-Leibler divergence of a word's earlier normal distribution from its later one, in nats.

    Words are distributions as in Vilnis and McCallum (2015); covariances are not trained, but tell how frequency has
    changed (Iwamoto and Yukawa 2020): s I, s the relative frequency over the mean of those of both slices. Means are
    the vectors brought to length 1. With d dimensions and r = s1 / s2 the divergence is
    (d (r - 1 - ln r) + |m1 - m2|^2 / s2) / 2; of a word whose frequency has not changed it is 1 - cos.

    Args:
        earlier, later: aligned vectors of shape (words, d).
        shares: relative frequencies of the words in either slice, above 0.

    Returns:
        0 and up; nan where a vector is zero.
    """
    first, second = (2 * share / (shares[0] + shares[1]) for share in shares)
    ratio = first / second
    spread = earlier.shape[1] * (ratio - 1 - np.log(ratio))
    return np.asarray((spread + euclidean_distance(earlier, later) ** 2 / second) / 2)


def frequency_difference(earlier: Ints, later: Ints, tokens: int, tokens_later: int) -> Floats:
    """Return |f1/N1 - f2/N2|, 0 to 1, from counts and all tokens; nan where both counts are 0."""
    difference = np.abs(earlier / max(tokens, 1) - later / max(tokens_later, 1))
    return np.where((earlier > 0) | (later > 0), difference, np.nan)


def raw_frequency_difference(earlier: Ints, later: Ints, tokens: int, tokens_later: int) -> Floats:
    """Return |f1 - f2| from counts; nan where both are 0."""
    return np.where((earlier > 0) | (later > 0), np.abs(earlier - later).astype(np.float64), np.nan)


def log_frequency_difference(earlier: Ints, later: Ints, tokens: int, tokens_later: int) -> Floats:
    """Return |log2(f1/N1) - log2(f2/N2)| from counts and all tokens; nan where a count is 0."""
    both = (earlier > 0) & (later > 0)
    counts = np.where(both, (earlier, later), 1)
    shares = counts / np.maximum([[tokens], [tokens_later]], 1)
    return np.where(both, np.abs(np.log2(shares[0]) - np.log2(shares[1])), np.nan)


@dataclass(frozen=True)
class Measure(Entry):
    """A measure.

    Attributes:
        function: returns a number for each word, higher for more change and not below 0, nan for none. By `takes`
            it is given two matrices of aligned vectors, both dense or both sparse
            (`lexbeam.transforms.embeddings.spaces`), a `SpacePair`, whose words the numbers are of, counts in two
            slices and all tokens of these, or scores of
            a measure that it is made of, and those of reference words, whose places (`ranking.joined`) are averaged.
        range: the values that it takes: `0 to` the greatest, or `0 and up`.
        takes: `VECTORS`, `SPACES`, `COUNTS` or `MADE`.
        of: representations that alone have what it takes; empty: all have.
        uses: options of scores that it, or what it is made of, is given by keyword; each says in its `of` which
            measures use it.
        chance: whether it draws by the seed of the spaces, given by keyword.
        counted: whether, beside aligned vectors, it is given relative frequencies in both slices, `shares`.
        parts: measures that it is made of, one of aligned vectors among them.
        over: the column of table `scores` that says which words are reference words, `target` or `ranked`.
    """

    function: Callable[..., Floats]
    range: str
    takes: str = VECTORS
    uses: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    chance: bool = False
    counted: bool = False
    parts: tuple[str, ...] = ()
    over: str = ""

    @property
    def explained(self) -> str:
        """What help says of it: the doc line and the range."""
        return f"{self.doc}, {self.range}"


_COUNTED = ("count",)
_TRUST = ("cosine", "mapped-neighbours", "frequency-log2")

MEASURES: Registry[Measure] = Registry(
    {
        "cosine": Measure(cosine_distance, "0 to 2", doc="1 - cos of a word's aligned vectors"),
        "euclidean": Measure(
            euclidean_distance, "0 to 2", doc="Euclidean distance of a word's aligned vectors, brought to length 1"
        ),
        "gaussian": Measure(
            gaussian_divergence,
            "0 and up",
            counted=True,
            doc="divergence of normal distributions around a word's aligned vectors, as wide as it is frequent",
        ),
        "lnd": Measure(
            local_neighbourhood_distance,
            "0 to 2",
            SPACES,
            ("neighbourhood",),
            doc="local neighbourhood distance: 1 - cos of a word's cosines to its nearest neighbours in two spaces",
        ),
        "neighbour-overlap": Measure(
            neighbour_overlap,
            "0 to 1",
            SPACES,
            ("neighbourhood",),
            doc="share of a word's nearest neighbours in one space that are not among those in the other",
        ),
        "mapped-neighbours": Measure(
            mapped_neighbour_distance,
            "0 to 2",
            uses=("neighbourhood",),
            doc="1 - cos of the means of a word's nearest neighbours in two aligned spaces",
        ),
        "pivots": Measure(
            pivot_divergence,
            "0 to 1",
            SPACES,
            ("pivots", "pivot_draws"),
            chance=True,
            doc="divergence of a word's cosines to stable words in two spaces, mean over draws of these",
        ),
        "types": Measure(
            type_difference,
            "0 to 1",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of types of contexts over the words of the slice",
        ),
        "types-raw": Measure(
            raw_type_difference,
            "0 and up",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of numbers of types of contexts",
        ),
        "types-log2": Measure(
            log_type_difference,
            "0 and up",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of logarithms to base 2 of types of contexts over the words of the slice",
        ),
        "entropy": Measure(
            entropy_difference,
            "0 and up",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of entropies of contexts, in bits",
        ),
        "entropy-normalised": Measure(
            normalised_entropy_difference,
            "0 to 1",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of entropies over the logarithm of the types, to base 2",
        ),
        "entropy-log2": Measure(
            log_entropy_difference,
            "0 and up",
            SPACES,
            of=_COUNTED,
            doc="absolute difference of logarithms to base 2 of entropies of contexts, in bits",
        ),
        "resistance": Measure(
            resistance_distance,
            "0 and up",
            SPACES,
            ("graph_words",),
            ("ppmi",),
            doc="resistance distance of a word's two nodes in a graph of associations of both slices",
        ),
        "topics": Measure(
            topic_divergence,
            "0 to 1",
            SPACES,
            ("topic_words",),
            _COUNTED,
            chance=True,
            doc="divergence of the topics of a word's contexts, by a hierarchical Dirichlet process of both slices",
        ),
        FREQUENCY: Measure(frequency_difference, "0 to 1", COUNTS, doc="absolute difference of relative frequencies"),
        "frequency-raw": Measure(raw_frequency_difference, "0 and up", COUNTS, doc="absolute difference of counts"),
        "frequency-log2": Measure(
            log_frequency_difference,
            "0 and up",
            COUNTS,
            doc="absolute difference of logarithms to base 2 of relative frequencies",
        ),
        **{
            name: Measure(
                ecdf,
                "0 to 1",
                MADE,
                ("neighbourhood",),
                parts=_TRUST,
                over=over,
                doc=f"mean of the shares of {words} whose {', '.join(_TRUST)} are not greater",
            )
            for name, over, words in (("ecdf", "target", "targets"), ("ecdf-ranked", "ranked", "ranked words"))
        },
    },
    what="measure",
    group="lexbeam.measures",
)


def check_measures(measures: Iterable[str], representation: str) -> None:
    """Refuse measures of what a representation does not have.

    Raises:
        UsageError: there is one.
    """
    for name in measures:
        if MEASURES[name].of and representation not in MEASURES[name].of:
            raise UsageError(
                f"`measure` {name}: it is of what `representation` {' or '.join(MEASURES[name].of)} has, and "
                f"not from {representation}"
            )


def needs_alignment(measure: str) -> bool:
    """Return whether a measure is of aligned vectors, or made of one; one that is not installed is taken to be."""
    return measure not in MEASURES or MEASURES[measure].takes in (VECTORS, MADE)


def of_usage(measure: str) -> bool:
    """Return whether a measure compares usage, by vectors, and not counts."""
    return measure not in MEASURES or MEASURES[measure].takes != COUNTS


def most_of(measure: str) -> float:
    """Return the greatest score that a measure gives; infinity for none, and for one that is not installed.

    >>> most_of("cosine"), most_of("gaussian")
    (2.0, inf)
    """
    most = MEASURES[measure].range.partition(" to ")[2] if measure in MEASURES else ""
    return float(most) if most.replace(".", "", 1).isdecimal() else math.inf


def kinds_of(alignments: Iterable[str], measures: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of alignment and measure by which words are scored: by measure, then by alignment, as given.

    >>> kinds_of(["op", "cca"], ["cosine", "lnd"])
    [('op', 'cosine'), ('cca', 'cosine'), ('none', 'lnd')]
    """
    named = list(dict.fromkeys(alignments))
    return [
        (alignment, measure)
        for measure in dict.fromkeys(measures)
        for alignment in (named if needs_alignment(measure) else [NO_ALIGNMENT])
    ]


def suffix_of(alignment: str, measure: str) -> str:
    """Return the suffix of columns of scores: cosines, the default, have the alignment alone.

    >>> suffix_of("cca-reversed", "cosine"), suffix_of("op+", "euclidean"), suffix_of("none", "lnd")
    ('cca_reversed', 'euclidean_op_plus', 'lnd')
    """
    parts = [] if measure == "cosine" else [measure]
    parts += [alignment] if needs_alignment(measure) else []
    return "_".join(parts).replace("-", "_").replace("+", "_plus")
