"""Files of static vectors: how they are specified, which format a file has, and how each format is read.

Text has a word and its numbers a line (GloVe), below a line with the sizes (word2vec). Lines are read from the right,
since words may hold spaces (as in glove.840B). One space separates numbers; other white space belongs to words.

Binary files of word2vec have a line with the sizes, then for each word its text, a space, and float32
numbers. Of our own table `vectors` one slice and seed of a published folder is read.
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import find_snapshot, open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.characters import nfc, seen
from lexbeam.transforms.common.texts.encodings import line_feeds
from lexbeam.transforms.embeddings.published import as_trained
from lexbeam.transforms.formats.sources.streams import iter_lines
from lexbeam.transforms.lexicon.compiled.resource_kind import (
    LINE_BYTES,
    Parsed,
    choice,
    number,
    opened,
    reading,
    split_spec,
    yes,
)
from lexbeam.transforms.lexicon.compiled.word_keys import CASES

_KEYS = ("format", "slice", "seed", "dim", "centre", "remove", "unit", "case", "language")
FORM = "vectors:FILE[:format=,dim=,centre=yes,remove=N,unit=yes,case=,language=] or vectors:FOLDER:slice=NAME[,seed=]"


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """How vectors are read and transformed.

    Attributes:
        format: an entry of `READERS`; empty: detected.
        slice: for our own table, the name of the slice.
        seed: for our own table, the training seed; None: the first.
        dim: numbers of a vector; None: detected.
        centre: whether the mean of all vectors is subtracted.
        remove: how many top components are removed after centring, which it implies.
        unit: whether vectors are scaled to length 1 in the end.
        case: an entry of `CASES`.
    """

    format: str = ""
    slice: str = ""
    seed: int | None = None
    dim: int | None = None
    centre: bool = False
    remove: int = 0
    unit: bool = False
    case: str = "fold"


def parse(argument: str, formats: Collection[str]) -> Parsed:
    """Return the vectors that a person names by `PATH[:key=value,...]`.

    Args:
        argument: what follows `vectors:`.

    Raises:
        UsageError: the argument is malformed, or two options contradict each other.
    """
    path, values = split_spec(argument, _KEYS, form=FORM)
    format = choice(values, "format", formats, "")
    if "slice" in values and format not in ("", "table"):
        raise UsageError(f"slice= is of our own tables, not of format={format}")
    if "seed" in values and "slice" not in values:
        raise UsageError("seed= goes with slice=")
    seed, dim, remove = (number(values, key, whole=True) for key in ("seed", "dim", "remove"))
    if dim == 0:
        raise UsageError("dim=0: it takes a whole number from 1")
    if "centre" in values and not yes(values, "centre", False) and remove:
        raise UsageError("remove= centres first: it does not go with centre=no")
    options = VectorOptions(
        format="table" if "slice" in values else format,
        slice=values.get("slice", ""),
        seed=None if seed is None else int(seed),
        dim=None if dim is None else int(dim),
        centre=yes(values, "centre", False) or bool(remove),
        remove=int(remove or 0),
        unit=yes(values, "unit", False),
        case=choice(values, "case", CASES, "fold"),
    )
    return Parsed((path,), options, values.get("language"))


ROWS = 4096  # of a block; they decide the order of sums, and so their last bits


class VectorBlock(NamedTuple):
    """Some words of a file, in its order.

    Attributes:
        words: in NFC; empty where a row has no word.
        dim: numbers of a vector.
        vectors: float32 of shape (words, dim); None where they were not requested.
    """

    words: list[str]
    dim: int
    vectors: npt.NDArray[np.float32] | None


# Takes a path, options, and whether to read vectors or the words alone.
Reader = Callable[[str, VectorOptions, bool], Iterator[VectorBlock]]


def texts(words: Sequence[bytes], places: Sequence[str]) -> list[str]:
    """Return words as text.

    Args:
        words: as bytes.
        places: where each word stands, for the error.

    Raises:
        LexbeamError: a word is not UTF-8.
    """
    decoded = []
    for word, place in zip(words, places, strict=True):
        try:
            text = word.decode("utf-8")
        except UnicodeDecodeError as error:
            raise LexbeamError(
                f"{place}: the word {word!r} is not UTF-8 ({error.reason}): convert the file, or "
                "leave the word out of it"
            ) from None
        decoded.append(nfc(seen(text)))
    return decoded


def check_finite(vectors: npt.NDArray[np.float32], places: Sequence[str]) -> None:
    """Check that all numbers are finite.

    Raises:
        LexbeamError: a number is infinite or NaN; the error names its place.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise LexbeamError(
            f"{places[int(np.argmin(finite))]}: a number of the vector is infinite or NaN: make "
            "the file anew, or give the right `format=`"
        )


_SIZES = re.compile(rb"(\d+)[ \t]+([1-9]\d*)\s*")
_SPARSE = re.compile(rb"(?:\A| )\d+:[-+.\d]")
_MARKS = {b",": "commas", b";": "semicolons", b"\t": "tabs"}
_HEAD = 200  # lines that show how many numbers a vector has

Line = tuple[int, bytes]


class _Row(NamedTuple):
    """A line: its number, the word, the numbers as they stand."""

    line: int
    word: bytes
    numbers: bytes


def read_word2vec(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of a file in word2vec's text format.

    Raises:
        LexbeamError: a line is malformed, or there are more or fewer than the first line says.
    """
    with reading(path):
        lines = _lines(path)
        first = next(lines, (1, b""))[1]
        sizes = sizes_of(first)
        if sizes is None:
            raise LexbeamError(f"{path}, line 1: no `number of words, number of dimensions`: is it `format=glove`?")
        rows, dim = sizes
        if options.dim not in (None, dim):
            raise LexbeamError(f"{path}, line 1: vectors have {dim} numbers, not {options.dim}")
        read = 0
        for block in _blocks(path, lines, dim, vectors, options.dim is not None):
            read += len(block.words)
            if read > rows:
                break
            yield block
        if read != rows:
            more = "more" if read > rows else f"{read}"
            raise LexbeamError(
                f"{path}: line 1 says {rows} words, but there are {more}: the file is not whole, "
                "or its first line is wrong"
            )


def read_glove(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of a file in GloVe's text format.

    How many numbers a vector has follows from the shortest of the first 200 lines, or from `dim`.

    Raises:
        LexbeamError: a line is malformed.
    """
    with reading(path):
        lines = _lines(path)
        head = [line for _, line in zip(range(_HEAD), lines, strict=False)]
        if not head:
            raise LexbeamError(f"{path} is empty")
        number, shortest = min(head, key=lambda line: line[1].count(b" "))
        dim = options.dim or shortest.count(b" ")
        if sizes_of(head[0][1]) is not None and len(head) > 1 and head[1][1].count(b" ") > 1:
            raise LexbeamError(f"{path}, line 1 has the sizes of `format=word2vec`, not a word")
        if dim < 1:
            remedy = "; or ".join(filter(None, (_other_form(shortest), "name a file of vectors, or its `format=`")))
            raise LexbeamError(f"{path}, line {number}: no numbers separated by spaces: {remedy}")

        def all_lines() -> Iterator[Line]:
            yield from head
            yield from lines

        yield from _blocks(path, all_lines(), dim, vectors, options.dim is not None)


def sizes_of(line: bytes) -> tuple[int, int] | None:
    """Return the numbers of words and dimensions, if a line holds nothing else."""
    match = _SIZES.fullmatch(line)
    return None if match is None else (int(match[1]), int(match[2]))


def _lines(path: str) -> Iterator[Line]:
    """Yield numbers and lines that are not blank."""
    with opened(path) as stream:
        for number, line in iter_lines(stream, LINE_BYTES):
            if line is None:
                raise LexbeamError(
                    f"{path}, line {number}: over {LINE_BYTES} bytes: is it text? Else give `format=word2vec-binary`"
                )
            if line := bytes(line).rstrip(b" "):
                yield number, line


def _blocks(path: str, lines: Iterator[Line], dim: int, vectors: bool, trusted: bool) -> Iterator[VectorBlock]:
    rows: list[_Row] = []
    for line_number, line in lines:
        rows.append(_row(path, line_number, line, dim, trusted))
        if len(rows) == ROWS:
            yield _text_block(path, rows, dim, vectors)
            rows = []
    if rows:
        yield _text_block(path, rows, dim, vectors)


def _row(path: str, number: int, line: bytes, dim: int, trusted: bool) -> _Row:
    spaces = line.count(b" ")
    if spaces == dim:
        word, _, numbers = line.partition(b" ")
        return _Row(number, word, numbers)
    if spaces < dim:
        remedy = _other_form(line) or "the line is broken, or give the right `dim=`"
        raise LexbeamError(f"{path}, line {number}: {spaces} numbers, but vectors have {dim}: {remedy}")
    word = line.rsplit(b" ", dim)[0]
    if not trusted and _is_number(word.rpartition(b" ")[2]):
        raise LexbeamError(
            f"{path}, line {number}: over {dim} numbers: broken; or give `dim={dim}`, if "
            f"{word.decode('utf-8', 'replace')[-40:]!r} is the word"
        )
    return _Row(number, word, line[len(word) + 1 :])


def _other_form(line: bytes) -> str:
    """Return what to do with a line whose numbers stand in a form that is not read; empty for any other."""
    if _SPARSE.search(line):
        return "sparse vectors, PLACE:NUMBER, are not read: write all numbers of a word"
    other = next((name for mark, name in _MARKS.items() if mark in line), "")
    return (
        f"{other} separate numbers, or stand in them: write 0.5 for a half, and a space between numbers"
        if other
        else ""
    )


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _text_block(path: str, rows: Sequence[_Row], dim: int, vectors: bool) -> VectorBlock:
    places = [f"{path}, line {row.line}" for row in rows]
    words = texts([row.word for row in rows], places)
    if not vectors:
        return VectorBlock(words, dim, None)
    try:
        matrix = float_rows([row.numbers for row in rows], dim)
    except ValueError:
        for row, place in zip(rows, places, strict=True):
            try:
                float_rows([row.numbers], dim)
            except ValueError as error:
                remedy = _other_form(row.numbers) or "the line is broken"
                raise LexbeamError(f"{place}: {error}: {remedy}") from None
        raise
    check_finite(matrix, places)
    return VectorBlock(words, dim, matrix)


def float_rows(lines: Sequence[bytes], dim: int) -> npt.NDArray[np.float32]:
    """Return numbers separated by single spaces as float32, shape (lines, dim).

    Raises:
        ValueError: a text between two spaces is no number.
    """
    text = np.frombuffer(b" ".join(lines), np.uint8)
    ends = np.flatnonzero(text == ord(" "))
    # Texts one after another, without the spaces, are Arrow's own layout.
    offsets = np.zeros(len(ends) + 2, np.int64)
    offsets[1:-1] = ends - np.arange(len(ends))
    offsets[-1] = len(text) - len(ends)
    buffers = (pa.py_buffer(offsets), pa.py_buffer(text[text != ord(" ")]))
    cells = pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)
    values = cells.cast(pa.float32()).to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float32).reshape(len(lines), dim)


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
