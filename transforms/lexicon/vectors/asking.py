"""Static vectors that are open: rows, vectors, cosines and neighbours of whole arrays of words."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.rowwise import dots
from transforms.embeddings.neighbours import nearest_neighbours
from transforms.lexicon.compiled.casing import CompiledWords, coded, only
from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.compiled.kind import Opened
from transforms.lexicon.vectors.options import VectorOptions

__all__ = ["NEAREST", "StaticVectors", "open_vectors"]

_PAIRS = 8192  # whose vectors are taken at once
_QUERIES = 256  # which are compared with all words at once
_SHOWN = 5

NEAREST = pa.schema(
    [("word", pa.large_string()), ("rank", pa.int32()), ("neighbour", pa.large_string()), ("cosine", pa.float64())]
)


class StaticVectors:
    """Vectors of words.

    Attributes:
        matrix: float32 of shape (words, dim), in the order of the file.
        facts: what is known of them: `format`, `words`, `dim`, rows left out.
    """

    def __init__(self, opened: Mapping[str, Any], case: str) -> None:
        self._words = CompiledWords(opened["words"], case)
        self._row_of = only(opened["words"]["row"]).to_numpy()
        self._place_of = only(opened["places"]["place"]).to_numpy()
        self.matrix: npt.NDArray[np.float32] = opened["vectors"]
        self.facts: dict[str, Any] = opened["about"].to_pylist()[0]

    @property
    def dim(self) -> int:
        """Numbers of a vector."""
        return int(self.matrix.shape[1])

    @property
    def words(self) -> pa.Array:
        """The words in the order of the matrix, large_string."""
        return self._words.words.take(pa.array(self._place_of)).cast(pa.large_string())

    def rows(self, words: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
        """Return the row of each word in the matrix, `MISSING` where there is none."""
        distinct, places = coded(words)
        found = self._words.find(distinct)
        rows = np.where(found == MISSING, MISSING, self._row_of[found])
        return np.append(rows, MISSING)[places]

    def vectors(self, words: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return vectors, shape (words, dim), and which words have one; zeros where there is none.

        Float32; for many words, `rows` and `matrix` take less memory.
        """
        rows = self.rows(words)
        found = rows != MISSING
        taken = np.take(self.matrix, rows, axis=0, mode="clip")  # sooner than by indices
        taken[~found] = 0
        return taken, found

    def cosine(self, first: pa.Array | pa.ChunkedArray, second: pa.Array | pa.ChunkedArray) -> pa.Array:
        """Return the cosine of each word of one array with that of the other, float64.

        Null where a word has no vector, or one of zeros.
        """
        a, b = self.rows(first), self.rows(second)
        cosines = np.full(len(a), np.nan)
        there = np.flatnonzero((a != MISSING) & (b != MISSING))
        for start in range(0, len(there), _PAIRS):
            some = there[start : start + _PAIRS]
            x = self.matrix[a[some]].astype(np.float64)
            y = self.matrix[b[some]].astype(np.float64)
            length = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
            cosines[some] = np.divide(dots(x, y), length, where=length > 0, out=length * np.nan)
        return pa.array(np.clip(cosines, -1.0, 1.0), mask=np.isnan(cosines))

    def nearest(self, words: pa.Array | pa.ChunkedArray, k: int) -> pa.Table:
        """Return the `k` nearest words of each word by cosine, nearest first.

        Returns:
            `word`, `rank` from 1, `neighbour`, `cosine`, in the order of `words`; no rows for a
            word that has no vector. A word is not its own neighbour; ties go to the word that
            stands first in the file.
        """
        words = only(words).cast(pa.large_string())
        distinct, places = coded(words)
        own = self.rows(distinct)
        asked = np.unique(own[own != MISSING])
        every = np.arange(len(self.matrix))
        found: dict[int, Any] = {}
        for start in range(0, len(asked), _QUERIES):
            queries = asked[start : start + _QUERIES]
            best = nearest_neighbours(self.matrix, queries=queries, candidates=every, k=k)
            found.update(zip(queries.tolist(), best, strict=True))
        rows = np.append(own, MISSING)[places]
        nothing = np.zeros(0, np.int64), np.zeros(0)
        each = [found.get(row, nothing) for row in rows.tolist()]
        counts = [len(near) for near, _ in each]
        near = np.concatenate([near for near, _ in each]) if each else nothing[0]
        cosines = np.concatenate([cosine for _, cosine in each]) if each else nothing[1]
        ranks = np.concatenate([np.arange(1, n + 1) for n in counts]) if each else nothing[0]
        return pa.table(
            [
                words.take(pa.array(np.repeat(np.arange(len(words)), counts))),
                pa.array(ranks.astype(np.int32)),
                self._words.words.take(pa.array(self._place_of[near])).cast(pa.large_string()),
                pa.array(cosines),
            ],
            schema=NEAREST,
        )

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the vectors say of a word, for a person."""
        taken, found = self.vectors(pa.array([word]))
        if not found[0]:
            return
        length = float(np.linalg.norm(taken[0].astype(np.float64)))
        yield "vector", f"{self.dim} numbers, length {length:.3g}"
        near = self.nearest(pa.array([word]), _SHOWN)
        pairs = zip(near["neighbour"].to_pylist(), near["cosine"].to_pylist(), strict=True)
        if text := ", ".join(f"{name} {cosine:.2f}" for name, cosine in pairs):
            yield "nearest", text


def open_vectors(opened: Opened, options: VectorOptions) -> StaticVectors:
    """Return the vectors whose tables are opened."""
    return StaticVectors(opened, options.case)
