"""Borders of lines in a large file, found in one pass over its bytes.

Only line feeds are looked for, and counted by the hundred thousand: a pass takes about as long as reading.
"""

from collections.abc import Callable

from transforms.formats.records.base import ReaderOptions, Source
from transforms.formats.records.pieces import CutPiece, Uncuttable
from transforms.formats.sources.streams import BOM, marked_encoding, peek

__all__ = ["cut_by_lines"]

_CHUNK = 1 << 20
_ASCII = bytes(range(128))


def _has_text(line: bytes) -> bool:
    return not line.isspace()


def cut_by_lines(
    source: Source, options: ReaderOptions, size: int, *, is_record: Callable[[bytes], bool] = _has_text, every: int = 1
) -> list[CutPiece]:
    """Return pieces that end with lines, all but the last of at least `size` bytes.

    Args:
        source: what is cut; its stream is read once, from start to end.
        options: of its reader.
        size: bytes.
        is_record: says of a line whether it is certainly a record. The first piece ends after one, so that no
            other one depends on what stands before it.
        every: number of lines of which each piece has a multiple.

    Raises:
        Uncuttable: in the source's encoding, bytes of ASCII may be other characters, or parts of some.
    """
    head, stream = peek(source.open(), 4)
    _check_encodings(head, options.encoding)
    pieces: list[CutPiece] = []
    start = place = before = lines = 0

    def next_line() -> bytes:
        nonlocal place, lines
        line = stream.readline(_CHUNK)
        place += len(line)
        lines += line.endswith(b"\n")
        return line

    line, whole = next_line(), True
    while line and not (whole and line.endswith(b"\n") and is_record(line.removeprefix(BOM))):
        whole = line.endswith(b"\n")
        line = next_line()
    while line or start < place:
        while place - start < size and (data := stream.read(min(_CHUNK, size - (place - start)))):
            place += len(data)
            lines += data.count(b"\n")
            line = data[-1:]
        while line and not (line.endswith(b"\n") and lines % every == 0):
            line = next_line()
        pieces.append(CutPiece(len(pieces), start, place, before))
        start, before = place, lines
        line = next_line()
    return pieces


def _check_encodings(head: bytes, encodings: tuple[str, ...]) -> None:
    names = [marked] if (marked := marked_encoding(head)) else encodings
    for name in names:
        try:
            if str(_ASCII, name).encode("ascii") == _ASCII:
                continue
        except UnicodeError:
            pass
        raise Uncuttable(f"its encoding is {name}")
