"""Borders of lines in a large file, found in one pass over its bytes.

Away from borders only ends of lines are looked for, and counted: a pass takes about as long as reading. Borders lie
behind line feeds alone; a file whose lines end in CR is read whole.
"""

from collections.abc import Callable

from lexbeam.transforms.common.texts.encodings import count_line_ends
from lexbeam.transforms.formats.records.base import ReaderOptions, Source
from lexbeam.transforms.formats.records.pieces import CutPiece, Uncuttable
from lexbeam.transforms.formats.sources.streams import BOM, marked_encoding, peek

_CHUNK = 1 << 20
_ASCII = bytes(range(128))


def _no_look(_: bytes) -> None:
    return None


class LinePass:
    """A pass over the lines of a source.

    Attributes:
        place: bytes that were read.
        lines: ends of lines among them.

    Args:
        source: what is read, once, from start to end.
        options: of its reader.
        see: takes all that is read.

    Raises:
        Uncuttable: in the source's encoding, bytes of ASCII may be other characters, or parts of some.
    """

    def __init__(self, source: Source, options: ReaderOptions, see: Callable[[bytes], None] = _no_look) -> None:
        head, self._stream = peek(source.open(), 4)
        check_encodings(head, options.encoding)
        self._see = see
        self._last = b""
        self.place = self.lines = 0

    def line(self) -> bytes:
        """Return what stands before the next line feed, and that, or a part of it if it is long; empty at the end."""
        line = self._stream.readline(_CHUNK)
        self._count(line)
        return line

    def skip(self, size: int) -> bytes:
        """Read on for `size` bytes; return the last one, or what there is at the end: nothing."""
        last = b""
        while size > 0 and (data := self._stream.read(min(_CHUNK, size))):
            self._count(data)
            size -= len(data)
            last = data[-1:]
        return last

    def _count(self, data: bytes) -> None:
        self.place += len(data)
        self.lines += count_line_ends(data, self._last)
        self._last = data[-1:] or self._last
        self._see(data)


def _has_text(line: bytes) -> bool:
    return not line.isspace()


def cut_by_lines(
    source: Source,
    options: ReaderOptions,
    size: int,
    *,
    is_record: Callable[[bytes], bool] = _has_text,
    every: int = 1,
    see: Callable[[bytes], None] = _no_look,
    head: int = 0,
) -> list[CutPiece]:
    """Return pieces that end with lines, all but the last of at least `size` bytes.

    Args:
        source: what is cut; its stream is read once, from start to end.
        options: of its reader.
        size: bytes.
        is_record: says of a line whether it is certainly a record. The first piece ends after one, so that no
            other one depends on what stands before it.
        every: number of lines of which each piece has a multiple.
        see: takes all bytes, in their order.
        head: of the pieces. The first one has more bytes.

    Raises:
        Uncuttable: in the source's encoding, bytes of ASCII may be other characters, or parts of some.
    """
    passed = LinePass(source, options, see)
    pieces: list[CutPiece] = []
    start = before = 0
    line, whole = passed.line(), True
    while line and not (whole and line.endswith(b"\n") and is_record(line.removeprefix(BOM))):
        whole = line.endswith(b"\n")
        line = passed.line()
    while line or start < passed.place:
        line = passed.skip(max(size, head) - (passed.place - start)) or line
        while line and not (line.endswith(b"\n") and passed.lines % every == 0):
            line = passed.line()
        pieces.append(CutPiece(len(pieces), start, passed.place, before, head))
        start, before = passed.place, passed.lines
        line = passed.line()
    return pieces


def check_encodings(head: bytes, encodings: tuple[str, ...]) -> None:
    """Check that lines of a source, by its first bytes and encodings, can be told by their bytes.

    Raises:
        Uncuttable: bytes of ASCII may be other characters, or parts of some.
    """
    names = [marked] if (marked := marked_encoding(head)) else encodings
    for name in names:
        try:
            if str(_ASCII, name).encode("ascii") == _ASCII:
                continue
        except UnicodeError:
            pass
        raise Uncuttable(f"its encoding is {name}")
