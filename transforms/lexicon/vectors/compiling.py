"""Static vectors, compiled.

- `words`: `key`, `word`, `row`, in the order of keys; lower-case forms have their word's row.
- `places`: `place` of each row of the matrix in `words`.
- `about`: one row of facts.
- `vectors`: the matrix, in the order of the file; of words that stand twice the first counts.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.errors import LexbeamError
from transforms.lexicon.compiled.casing import entries, lowered
from transforms.lexicon.compiled.kind import BlockMatrix
from transforms.lexicon.vectors.formats import READERS, detect
from transforms.lexicon.vectors.options import VectorOptions
from transforms.lexicon.vectors.variants import changed, moments_of, variant_of

__all__ = ["ABOUT", "compile_vectors"]

log = logging.getLogger("lexbeam")

ABOUT = pa.schema(
    [
        ("format", pa.string()),
        ("rows", pa.int64()),  # of the file
        ("words", pa.int64()),  # that have a vector
        ("dim", pa.int64()),
        ("doubled", pa.int64()),  # rows of words that stood before
        ("without_word", pa.int64()),  # rows of nothing
    ]
)


class _Vocabulary(NamedTuple):
    """The distinct words, which rows of the file they are, and facts."""

    words: pa.Array
    kept: npt.NDArray[np.bool_]
    dim: int
    without_word: int


def compile_vectors(paths: Sequence[str], options: VectorOptions) -> Iterator[tuple[str, pa.Table | BlockMatrix]]:
    """Yield the tables and the matrix of a file of vectors; the file is read two or three times.

    Raises:
        LexbeamError: it is not there, is malformed somewhere, or holds no words.
    """
    (path,) = paths
    format = options.format or detect(path)
    known = _vocabulary(path, format, options)
    rows = len(known.kept)
    doubled = rows - len(known.words) - known.without_word
    if doubled or known.without_word:
        log.warning(
            "%s: of %d rows, %d are of words that stood before, and %d of no word: left out",
            path,
            rows,
            doubled,
            known.without_word,
        )
    if options.remove >= min(known.dim, len(known.words)) and options.remove:
        raise LexbeamError(
            f"{path}: remove={options.remove} would leave nothing of {len(known.words)} vectors of {known.dim} numbers"
        )
    found, own = entries(known.words, options.case)
    yield "words", found.append_column("row", pa.array(own)).combine_chunks()
    places = np.full(len(known.words), -1, np.int64)
    # Where a word has several entries, the last one set is that of the word itself.
    exact = _is_own(found["word"].combine_chunks(), known.words, own)
    order = np.argsort(exact, kind="stable")
    places[own[order]] = order
    yield "places", pa.table({"place": places})
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
        moments = moments_of(_kept(path, format, options, known), known.dim)
    variant = variant_of(moments, remove=options.remove, unit=options.unit)
    blocks = _kept(path, format, options, known)
    if options.centre or options.unit:
        blocks = (changed(variant, block) for block in blocks)
    yield "vectors", BlockMatrix(len(known.words), known.dim, blocks)


def _is_own(entry: pa.Array, words: pa.Array, own: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    same = pc.equal(entry, words.take(pa.array(own)))
    return np.asarray(same.to_numpy(zero_copy_only=False), bool)


def _vocabulary(path: str, format: str, options: VectorOptions) -> _Vocabulary:
    parts = []
    dim = 0
    for block in READERS[format].read(path, options, False):
        parts.append(pa.array(block.words, pa.large_string()))
        dim = block.dim
    if not parts:
        raise LexbeamError(f"{path} has no words")
    words = pa.concat_arrays(parts)
    if options.case == "lower":  # so that each row of the matrix can be asked for
        words = lowered(words)
    codes = words.dictionary_encode()
    _, firsts = np.unique(codes.indices.to_numpy(zero_copy_only=False), return_index=True)
    kept = np.zeros(len(words), bool)
    kept[firsts] = True
    empty = codes.dictionary.index("").as_py()
    without = 0
    if empty >= 0:
        nameless = codes.indices.to_numpy(zero_copy_only=False) == empty
        without = int(nameless.sum())
        kept &= ~nameless
    if not kept.any():
        raise LexbeamError(f"{path} has no words")
    return _Vocabulary(words.filter(pa.array(kept)), kept, dim, without)


def _kept(path: str, format: str, options: VectorOptions, known: _Vocabulary) -> Iterable[npt.NDArray[np.float32]]:
    """Yield the vectors that count, block by block."""
    start = 0
    for block in READERS[format].read(path, options, True):
        assert block.vectors is not None
        kept = known.kept[start : start + len(block.words)]
        start += len(block.words)
        yield block.vectors if kept.all() else block.vectors[kept]
