"""Static vectors as a kind of resource: rows, vectors, cosines and neighbours of whole arrays of words."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.arithmetic import dots
from lexbeam.transforms.embeddings.neighbours import nearest_neighbours
from lexbeam.transforms.lexicon.compiled.casing import CompiledWords, coded, only
from lexbeam.transforms.lexicon.compiled.keys import MISSING, Rows
from lexbeam.transforms.lexicon.compiled.kind import Opened, ResourceKind, table_in
from lexbeam.transforms.lexicon.vectors.compiling import compile_vectors
from lexbeam.transforms.lexicon.vectors.formats import READERS, digest_of_vectors
from lexbeam.transforms.lexicon.vectors.options import FORM, VectorOptions, parse

_PAIRS = 8192  # of vectors in memory at a time
_QUERIES = 256  # compared with all words at a time
_SHOWN = 5

NEAREST = pa.schema(
    [("word", pa.large_string()), ("rank", pa.int32()), ("neighbour", pa.large_string()), ("cosine", pa.float64())]
)


class StaticVectors:
    """Vectors of words.

    Attributes:
        matrix: float32 of shape (words, dim), in the order of the file.
        facts: `format`, `words`, `dim`, and numbers of rows left out.
    """

    def __init__(self, opened: Opened, case: str) -> None:
        words, matrix = table_in(opened, "words"), opened["vectors"]
        assert isinstance(matrix, np.ndarray)
        self._words = CompiledWords(words, case)
        self._row_of = only(words["row"]).to_numpy()
        self._place_of = only(table_in(opened, "places")["place"]).to_numpy()
        self.matrix: npt.NDArray[np.float32] = matrix
        self.facts: dict[str, int | str] = table_in(opened, "about").to_pylist()[0]

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
        entries = self._words.find(distinct)
        rows = np.where(entries == MISSING, MISSING, self._row_of[entries])
        return np.append(rows, MISSING)[places]

    def vectors(self, words: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return vectors, shape (words, dim), and which words have one; zeros where there is none.

        Float32; for many words, `rows` and `matrix` take less memory.
        """
        rows = self.rows(words)
        listed = rows != MISSING
        vectors = np.take(self.matrix, rows, axis=0, mode="clip")  # faster than by indices
        vectors[~listed] = 0
        return vectors, listed

    def cosine(self, first: pa.Array | pa.ChunkedArray, second: pa.Array | pa.ChunkedArray) -> pa.Array:
        """Return the cosine of each word of one array with that of the other, float64.

        Null where a word has no vector, or a vector of zeros.
        """
        a, b = self.rows(first), self.rows(second)
        cosines = np.full(len(a), np.nan)
        listed = np.flatnonzero((a != MISSING) & (b != MISSING))
        for start in range(0, len(listed), _PAIRS):
            pairs = listed[start : start + _PAIRS]
            x = self.matrix[a[pairs]].astype(np.float64)
            y = self.matrix[b[pairs]].astype(np.float64)
            length = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
            cosines[pairs] = np.divide(dots(x, y), length, where=length > 0, out=length * np.nan)
        return pa.array(np.clip(cosines, -1.0, 1.0), mask=np.isnan(cosines))

    def nearest(self, words: pa.Array | pa.ChunkedArray, k: int) -> pa.Table:
        """Return the `k` nearest words of each word by cosine, nearest first.

        Returns:
            `word`, `rank` from 1, `neighbour`, `cosine`, in the order of `words`; no rows for a
            word that has no vector. A word is not its own neighbour; ties go to the word that
            comes first in the file.
        """
        words = only(words).cast(pa.large_string())
        distinct, places = coded(words)
        distinct_rows = self.rows(distinct)
        neighbours = self._neighbours(np.unique(distinct_rows[distinct_rows != MISSING]), k)
        rows = np.append(distinct_rows, MISSING)[places]
        none = np.zeros(0, np.int64), np.zeros(0)
        of_words = [none, *(neighbours.get(row, none) for row in rows.tolist())]
        counts = [len(near) for near, _ in of_words[1:]]
        near = np.concatenate([near for near, _ in of_words])
        cosines = np.concatenate([cosines for _, cosines in of_words])
        ranks = np.concatenate([none[0], *(np.arange(1, count + 1) for count in counts)])
        return pa.table(
            [
                words.take(pa.array(np.repeat(np.arange(len(words)), counts))),
                pa.array(ranks.astype(np.int32)),
                self._words.words.take(pa.array(self._place_of[near])).cast(pa.large_string()),
                pa.array(cosines),
            ],
            schema=NEAREST,
        )

    def _neighbours(self, rows: Rows, k: int) -> dict[int, tuple[Rows, npt.NDArray[np.float64]]]:
        """Return the nearest rows of each of several rows, with their cosines."""
        candidates = np.arange(len(self.matrix))
        neighbours: dict[int, tuple[Rows, npt.NDArray[np.float64]]] = {}
        for start in range(0, len(rows), _QUERIES):
            queries = rows[start : start + _QUERIES]
            nearest = nearest_neighbours(self.matrix, queries=queries, candidates=candidates, k=k)
            neighbours.update(zip(queries.tolist(), nearest, strict=True))
        return neighbours

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the vectors say of a word, for a person."""
        vectors, listed = self.vectors(pa.array([word]))
        if not listed[0]:
            return
        length = float(np.linalg.norm(vectors[0].astype(np.float64)))
        yield "vector", f"{self.dim} numbers, length {length:.3g}"
        near = self.nearest(pa.array([word]), _SHOWN)
        pairs = zip(near["neighbour"].to_pylist(), near["cosine"].to_pylist(), strict=True)
        if text := ", ".join(f"{name} {cosine:.2f}" for name, cosine in pairs):
            yield "nearest", text


def _open(opened: Opened, options: VectorOptions) -> StaticVectors:
    return StaticVectors(opened, options.case)


VECTORS = ResourceKind(
    parse=partial(parse, formats=READERS), compile=compile_vectors, open=_open, help=FORM, digest=digest_of_vectors
)
