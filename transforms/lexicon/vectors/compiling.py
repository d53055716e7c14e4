"""Static vectors, compiled: centred, freed of top components and scaled as the options say.

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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.casing import entries, lowered
from lexbeam.transforms.lexicon.compiled.kind import BlockMatrix
from lexbeam.transforms.lexicon.vectors.formats import READERS, detect
from lexbeam.transforms.lexicon.vectors.options import VectorOptions

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
