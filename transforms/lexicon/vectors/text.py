"""Vectors as text: a word and its numbers a line (GloVe), below a line with the sizes (word2vec).

Lines are read from the right, since words may hold spaces (as in glove.840B). One space separates
numbers; other white space belongs to words.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.sources.streams import iter_lines
from lexbeam.transforms.lexicon.compiled.opening import LINE_BYTES, opened, reading
from lexbeam.transforms.lexicon.vectors.blocks import ROWS, VectorBlock, check_finite, texts
from lexbeam.transforms.lexicon.vectors.options import VectorOptions

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
    for number, line in lines:
        rows.append(_row(path, number, line, dim, trusted))
        if len(rows) == ROWS:
            yield _block(path, rows, dim, vectors)
            rows = []
    if rows:
        yield _block(path, rows, dim, vectors)


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


def _block(path: str, rows: Sequence[_Row], dim: int, vectors: bool) -> VectorBlock:
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
