"""The formats of vectors by name, which of them a file has, and the readers of those that are not text.

Binary files of word2vec have a line with the sizes, then for each word its text, a space, and float32
numbers. Of our own table `vectors` one slice and seed of a published folder is read.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import find_snapshot, open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.encodings import line_feeds
from lexbeam.transforms.embeddings.published import as_trained
from lexbeam.transforms.lexicon.compiled.opening import LINE_BYTES, opened, reading
from lexbeam.transforms.lexicon.vectors.blocks import ROWS, Reader, VectorBlock, check_finite, texts
from lexbeam.transforms.lexicon.vectors.options import VectorOptions
from lexbeam.transforms.lexicon.vectors.text import float_rows, read_glove, read_word2vec, sizes_of

_CHUNK = 1 << 20
_WORD_BYTES = 10_000  # where no space is found for so long, it is another format
_HEADER = 100
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def read_binary(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of a file in word2vec's binary format (little-endian).

    Raises:
        LexbeamError: the file breaks off, goes on after the last word, or is of another format.
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
            raise LexbeamError(f"{path} goes on after its {rows} words: its first line is wrong, or the `format=`")


def _block(path: str, last: int, words: list[bytes], raw: list[bytes], dim: int, vectors: bool) -> VectorBlock:
    first = last - len(words) + 2
    places = [f"{path}, word {first + number}" for number in range(len(words))]
    decoded = texts(words, places)
    if not vectors:
        return VectorBlock(decoded, dim, None)
    rows = np.frombuffer(b"".join(raw), "<f4").reshape(len(words), dim).astype(np.float32)
    check_finite(rows, places)
    return VectorBlock(decoded, dim, rows)


def is_published(path: str) -> bool:
    """Return whether tables are published at a folder."""
    return find_snapshot(path) is not None


def digest_of_vectors(path: str) -> str:
    """Return a name of a file's content, or of the table `vectors` that is published at a folder.

    Other tables of that folder, and its artefacts, do not count.

    Raises:
        LexbeamError: nothing exists at the path, or no vectors are published there.
    """
    snapshot = find_snapshot(path)
    return content_digest(path) if snapshot is None else table_digest(snapshot.parts("vectors"))


def read_table(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of the vectors of a slice, as trained.

    Raises:
        LexbeamError: nothing is published at the path, or no vectors, or no such slice or seed.
    """
    snapshot = open_snapshot(path)
    section = snapshot.filled("change")
    names = [row[0] for row in section["slices"]]
    if options.slice not in names:
        hint = nearest(options.slice, names) or f"; there are {', '.join(names)}"
        cause = f"no slice {options.slice!r}" if options.slice else "give `slice=`"
        raise LexbeamError(f"{path}: {cause}{hint}")
    seeds = section["seeds"]
    seed = seeds[0] if options.seed is None else options.seed
    if seed not in seeds:
        raise LexbeamError(f"{path}: no seed {seed}; there are {', '.join(map(str, seeds))}")
    # What was in memory when it was trained fits there again.
    trained = as_trained(snapshot, options.slice, seed)
    dim = trained.vectors.shape[1]
    for start in range(0, len(trained.words), ROWS):
        rows = slice(start, start + ROWS)
        yield VectorBlock(trained.words[rows], dim, trained.vectors[rows] if vectors else None)


@dataclass(frozen=True)
class VectorFormat(Entry):
    """A format of static vectors: its reader yields blocks of words and rows."""

    read: Reader


READERS: Registry[VectorFormat] = Registry(
    {
        "word2vec": VectorFormat(read_word2vec, doc="word2vec's text, with a first line of two numbers"),
        "word2vec-binary": VectorFormat(read_binary, doc="word2vec's binary format"),
        "glove": VectorFormat(read_glove, doc="text without a first line"),
        "table": VectorFormat(read_table, doc="table vectors of `lexbeam change`"),
    },
    what="format of vectors",
    group="lexbeam.vector_formats",
)


def detect(path: str) -> str:
    """Return the format of the vectors at a path, a key of `READERS`.

    A folder holds our own tables. A file that begins with the numbers of words and dimensions is word2vec's, as text
    if its second line is a word and that many numbers, or if what follows is text, whose line is to blame; any other
    is GloVe's.

    Raises:
        LexbeamError: nothing exists at the path, or a folder in which nothing is published.
    """
    if files.size(path) is None:
        if is_published(path):
            return "table"
        there = "nothing is published in the folder" if files.exists(path) else "no file at"
        raise LexbeamError(f"{there} {path!r}: check the path")
    with reading(path), opened(path) as stream:
        lines = line_feeds(stream)
        sizes = sizes_of(lines.readline(LINE_BYTES).removeprefix(b"\xef\xbb\xbf"))
        if sizes is None:
            return "glove"
        line = lines.readline(LINE_BYTES)
        cells = line.rstrip(b"\n ").rsplit(b" ", sizes[1])
        try:
            float_rows([b" ".join(cells[1:])], sizes[1])
        except ValueError:
            return "word2vec" if _is_text(line + lines.read(_CHUNK)) else "word2vec-binary"
        return "word2vec"


def _is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8, perhaps cut in a character, without what is in all numbers but a few."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(data) is None
