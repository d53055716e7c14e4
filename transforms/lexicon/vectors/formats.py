"""The formats of vectors by name, and which of them a file has."""

from dataclasses import dataclass

from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.lexicon.compiled.opening import LINE_BYTES, opened, reading
from transforms.lexicon.vectors.binary import read_binary
from transforms.lexicon.vectors.blocks import Reader
from transforms.lexicon.vectors.published import is_published, read_table
from transforms.lexicon.vectors.text import float_rows, read_glove, read_word2vec, sizes_of

__all__ = ["READERS", "VectorFormat", "detect"]


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

    A folder is of our own tables. A file that begins with the numbers of words and dimensions is
    of word2vec, as text if its second line is a word and that many numbers; any other is GloVe's.

    Raises:
        LexbeamError: there is nothing, or a folder in which nothing is published.
    """
    if files.size(path) is None:
        if is_published(path):
            return "table"
        there = "nothing is published in the folder" if files.exists(path) else "no file at"
        raise LexbeamError(f"{there} {path!r}: check the path")
    with reading(path), opened(path) as stream:
        sizes = sizes_of(stream.readline(LINE_BYTES).removeprefix(b"\xef\xbb\xbf"))
        if sizes is None:
            return "glove"
        second = stream.readline(LINE_BYTES).rstrip(b"\r\n ")
    cells = second.rsplit(b" ", sizes[1])
    if len(cells) != sizes[1] + 1:
        # An empty file of either; else what is no line of text.
        return "word2vec" if not second else "word2vec-binary"
    try:
        float_rows([b" ".join(cells[1:])], sizes[1])
    except ValueError:
        return "word2vec-binary"
    return "word2vec"
