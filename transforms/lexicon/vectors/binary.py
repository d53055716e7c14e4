"""Vectors in word2vec's binary format: a line with the sizes; word, space, float32 numbers."""

from collections.abc import Iterator

import numpy as np

from transforms.common.errors import LexbeamError
from transforms.lexicon.compiled.opening import opened, reading
from transforms.lexicon.vectors.blocks import ROWS, VectorBlock, check_finite, texts
from transforms.lexicon.vectors.options import VectorOptions
from transforms.lexicon.vectors.text import sizes_of

__all__ = ["read_binary"]

_CHUNK = 1 << 20
_WORD_BYTES = 10_000  # where no space is found for so long, it is another format
_HEADER = 100


def read_binary(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of a file in word2vec's binary format (little-endian).

    Raises:
        LexbeamError: it breaks off, goes on behind the last word, or is of another format.
    """
    with reading(path), opened(path) as stream:
        sizes = sizes_of(stream.readline(_HEADER))
        if sizes is None:
            raise LexbeamError(
                f"{path} does not begin with the numbers of words and dimensions: give the right `format=`"
            )
        rows, dim = sizes
        if options.dim not in (None, dim):
            raise LexbeamError(f"{path}: vectors have {dim} numbers, not {options.dim}")
        step = 4 * dim
        buffer, place = b"", 0
        words: list[bytes] = []
        raw: list[bytes] = []
        for number in range(rows):
            while (end := buffer.find(b" ", place)) < 0 or len(buffer) < end + 1 + step:
                if end < 0 and len(buffer) - place > _WORD_BYTES:
                    raise LexbeamError(f"{path}, word {number + 1}: over {_WORD_BYTES} bytes: give the right `format=`")
                if not (data := stream.read(_CHUNK)):
                    raise LexbeamError(f"{path} breaks off after {number} of {rows} words: fetch it anew")
                buffer, place = buffer[place:] + data, 0
            # The program of word2vec ends vectors in a line feed, others do not.
            words.append(buffer[place:end].lstrip(b"\n"))
            place = end + 1 + step
            if vectors:
                raw.append(buffer[end + 1 : place])
            if len(words) == ROWS:
                yield _block(path, number, words, raw, dim, vectors)
                words, raw = [], []
        if words:
            yield _block(path, rows - 1, words, raw, dim, vectors)
        if (buffer[place:] + stream.read(_HEADER)).strip(b"\n"):
            raise LexbeamError(f"{path} goes on behind its {rows} words: its first line is wrong, or the `format=`")


def _block(path: str, last: int, words: list[bytes], raw: list[bytes], dim: int, vectors: bool) -> VectorBlock:
    first = last - len(words) + 2
    places = [f"{path}, word {first + number}" for number in range(len(words))]
    named = texts(words, places)
    if not vectors:
        return VectorBlock(named, dim, None)
    found = np.frombuffer(b"".join(raw), "<f4").reshape(len(words), dim).astype(np.float32)
    check_finite(found, places)
    return VectorBlock(named, dim, found)
