"""Measures of change between two slices, row by row over words.

Cosine distance is 1 - cos of a word's aligned vectors (Hamilton et al. 2016; Schlechtweg et al.
2020). The normalised frequency difference |f1/N1 - f2/N2|, N before any frequency cut, is the
baseline of SemEval-2020 Task 1.

>>> import numpy as np
>>> cosine_distance(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
[1.0, nan]
>>> frequency_difference(np.array([3]), np.array([1]), 8, 8).tolist()
[0.25]
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.common.code.registry import Entry, Registry
from transforms.common.rowwise import dots

__all__ = ["MEASURES", "Measure", "cosine_distance", "frequency_difference"]

Matrix = npt.NDArray[np.float64]


def cosine_distance(earlier: Matrix, later: Matrix) -> npt.NDArray[np.float64]:
    """Return 1 - cos of the rows of two matrices, 0 to 2; nan where a row is zero."""
    dot = dots(earlier, later)
    lengths = np.linalg.norm(earlier, axis=1) * np.linalg.norm(later, axis=1)
    distance = np.full(len(dot), np.nan)
    np.divide(dot, lengths, out=distance, where=lengths > 0)
    return np.asarray(np.clip(1.0 - distance, 0.0, 2.0))


def frequency_difference(
    earlier: npt.NDArray[np.int64], later: npt.NDArray[np.int64], tokens: int, tokens_later: int
) -> npt.NDArray[np.float64]:
    """Return |f1/N1 - f2/N2|, 0 to 1, from counts and all tokens; nan where both counts are 0."""
    difference = np.abs(earlier / max(tokens, 1) - later / max(tokens_later, 1))
    return np.where((earlier > 0) | (later > 0), difference, np.nan)


@dataclass(frozen=True)
class Measure(Entry):
    """A measure.

    Attributes:
        function: of two matrices of aligned vectors, or of two arrays of counts and two sizes.
        range: the values that it takes, for people.
        aligned: whether it compares vectors, not counts.
    """

    function: Callable[..., npt.NDArray[np.float64]]
    range: str
    aligned: bool = True

    @property
    def explained(self) -> str:
        """What help says of it: the doc line and the range."""
        return f"{self.doc}, {self.range}"


MEASURES: Registry[Measure] = Registry(
    {
        "cosine": Measure(cosine_distance, "0 to 2", doc="1 - cos of a word's aligned vectors"),
        "frequency": Measure(
            frequency_difference, "0 to 1", aligned=False, doc="absolute difference of relative frequencies"
        ),
    },
    what="measure",
    group="lexbeam.measures",
)
