"""Static vectors as a kind of resource: rows, vectors, cosines and neighbours of whole arrays of words.

Compiled, they are centred, freed of top components and scaled as the options say:

- `words`: `key`, `word`, `row`, in the order of keys; lower-case forms have their word's row.
- `places`: `place` of each row of the matrix in `words`.
- `about`: one row of facts.
- `vectors`: the matrix, in the order of the file; if a word occurs twice, its first vector counts.

"All-but-the-top" (Mu and Viswanath 2018): the mean of all vectors is subtracted, then what lies
along the directions of the greatest variance, which are much the same for every word and reflect
its frequency. A vector of zeros, which has no direction, stays one.

>>> moments = moments_of([np.array([[1, 2], [3, 2]], np.float32)], 2)
>>> moments.mean.tolist(), moments.covariance.tolist()
([2.0, 2.0], [[1.0, 0.0], [0.0, 0.0]])
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.embeddings.neighbours import nearest_neighbours
from lexbeam.transforms.lexicon.compiled.resource_kind import BlockMatrix, Opened, ResourceKind, table_in
from lexbeam.transforms.lexicon.compiled.vector_formats import (
    FORM,
    READERS,
    VectorOptions,
    detect,
    digest_of_vectors,
    parse,
)
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, CompiledWords, Rows, coded, entries, lowered, only

Matrix = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


class Moments(NamedTuple):
    """Mean, shape (dim,), and covariance, shape (dim, dim), of vectors."""

    mean: Matrix
    covariance: Matrix


class Variant(NamedTuple):
    """How each vector is transformed: minus `mean`, minus its part along `directions`, scaled to length 1."""

    mean: Matrix | None
    directions: Matrix | None
    unit: bool


def moments_of(blocks: Iterable[Vectors], dim: int) -> Moments:
    """Return mean and covariance of the rows of blocks, summed in float64 block by block."""
    shift = np.zeros(dim)
    total, products, rows = np.zeros(dim), np.zeros((dim, dim)), 0
    with one_thread():
        for block in blocks:
            if not rows:
                # Moments about a point near the mean lose little in the difference.
                shift = block.mean(axis=0, dtype=np.float64)
            moved = block.astype(np.float64) - shift
            total += moved.sum(axis=0)
            products += moved.T @ moved
            rows += len(block)
        mean = total / max(rows, 1)
        covariance = products / max(rows, 1) - np.outer(mean, mean)
    return Moments(mean + shift, covariance)


def variant_of(moments: Moments | None, *, remove: int, unit: bool) -> Variant:
    """Return the transformation of vectors with these moments; None: they are not centred."""
    if moments is None:
        return Variant(None, None, unit)
    directions = None
    if remove:
        with one_thread():
            directions = np.linalg.eigh(moments.covariance)[1][:, -remove:]
    return Variant(moments.mean, directions, unit)


def changed(variant: Variant, block: Vectors) -> Vectors:
    """Return the rows of a block, transformed, float32."""
    rows = block.astype(np.float64)
    zero = ~block.any(axis=1)
    if variant.mean is not None:
        rows -= variant.mean
    if variant.directions is not None:
        directions = np.ascontiguousarray(variant.directions.T)
        parts = [dots(rows, direction) for direction in directions]
        for part, direction in zip(parts, directions, strict=True):
            rows -= np.outer(part, direction)
    if variant.unit:
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=rows, where=length > 0)
    rows[zero] = 0.0
    return rows.astype(np.float32)


log = logging.getLogger("lexbeam")

ABOUT = pa.schema(
    [
        ("format", pa.string()),
        ("rows", pa.int64()),  # of the file
        ("words", pa.int64()),  # with a vector
        ("dim", pa.int64()),
        ("doubled", pa.int64()),  # rows whose word occurred before
        ("without_word", pa.int64()),
    ]
)


class _Vocabulary(NamedTuple):
    """The distinct words, the rows of the file that count, and facts."""

    words: pa.Array
    counts: npt.NDArray[np.bool_]
    dim: int
    without_word: int


def compile_vectors(paths: Sequence[str], options: VectorOptions) -> Iterator[tuple[str, pa.Table | BlockMatrix]]:
    """Yield the tables and the matrix of a file of vectors; the file is read two or three times.

    Raises:
        LexbeamError: the file does not exist, is malformed, or holds no words.
    """
    (path,) = paths
    format = options.format or detect(path)
    known = _vocabulary(path, format, options)
    rows = len(known.counts)
    doubled = rows - len(known.words) - known.without_word
    if doubled or known.without_word:
        log.warning(
            "%s: of %d rows, %d repeat a word and %d have no word: left out", path, rows, doubled, known.without_word
        )
    if options.remove >= min(known.dim, len(known.words)) and options.remove:
        raise LexbeamError(
            f"{path}: remove={options.remove} would leave nothing of {len(known.words)} vectors of {known.dim} numbers"
        )
    table, rows_of_entries = entries(known.words, options.case)
    yield "words", table.append_column("row", pa.array(rows_of_entries)).combine_chunks()
    yield "places", pa.table({"place": _places(table["word"].combine_chunks(), known.words, rows_of_entries)})
    about = {
        "format": format,
        "rows": rows,
        "words": len(known.words),
        "dim": known.dim,
        "doubled": doubled,
        "without_word": known.without_word,
    }
    yield "about", pa.Table.from_pylist([about], schema=ABOUT)
    moments = None
    if options.centre:
        moments = moments_of(_counting_rows(path, format, options, known), known.dim)
    variant = variant_of(moments, remove=options.remove, unit=options.unit)
    blocks = _counting_rows(path, format, options, known)
    if options.centre or options.unit:
        blocks = (changed(variant, block) for block in blocks)
    yield "vectors", BlockMatrix(len(known.words), known.dim, blocks)


def _places(entry_words: pa.Array, words: pa.Array, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the entry of each word; of several, the one that has the word itself."""
    exact = pc.equal(entry_words, words.take(pa.array(rows))).to_numpy(zero_copy_only=False)
    order = np.argsort(exact, kind="stable")
    places = np.full(len(words), -1, np.int64)
    places[rows[order]] = order  # the last one set counts
    return places


def _vocabulary(path: str, format: str, options: VectorOptions) -> _Vocabulary:
    parts = []
    dim = 0
    for block in READERS[format].read(path, options, False):
        parts.append(pa.array(block.words, pa.large_string()))
        dim = block.dim
    if not parts:
        raise LexbeamError(f"{path} has no words")
    words = pa.concat_arrays(parts)
    if options.case == "lower":  # so that each row of the matrix can be found
        words = lowered(words)
    codes = words.dictionary_encode()
    _, firsts = np.unique(codes.indices.to_numpy(zero_copy_only=False), return_index=True)
    counts = np.zeros(len(words), bool)
    counts[firsts] = True
    empty = codes.dictionary.index("").as_py()
    without = 0
    if empty >= 0:
        nameless = codes.indices.to_numpy(zero_copy_only=False) == empty
        without = int(nameless.sum())
        counts &= ~nameless
    if not counts.any():
        raise LexbeamError(f"{path} has no words")
    return _Vocabulary(words.filter(pa.array(counts)), counts, dim, without)


def _counting_rows(
    path: str, format: str, options: VectorOptions, known: _Vocabulary
) -> Iterable[npt.NDArray[np.float32]]:
    """Yield the vectors that count, block by block."""
    start = 0
    for block in READERS[format].read(path, options, True):
        assert block.vectors is not None
        counts = known.counts[start : start + len(block.words)]
        start += len(block.words)
        yield block.vectors if counts.all() else block.vectors[counts]


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
