r"""Elements of a JSON array of any size, cut out of a stream of bytes in bounded memory.

Elements end at the commas and the closing bracket that are outside strings and inner brackets. numpy
finds them, looking at each byte once. What lies between them is not parsed, so an element may turn
out not to be JSON. It makes no difference how the bytes are cut into pieces.

    >>> [data for _, data in iter_elements([b'[{"a": "],\\"', b'"}, 1', b'2]'], 100)]
    [b'{"a": "],\\""}', b' 12']
"""

import codecs
import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from lexbeam.transforms.formats.records.base import BadRecord

_WHITE = b" \t\n\r"
_MORE = "not JSON: text follows the array"
_BEFORE = "\ufeff \t\n\r"
_QUOTE = ord('"')
# Which bytes open, close or separate something, and how many brackets more are open behind each.
_MARKS = bytes(code in b"[]{}," for code in range(256))
_STEPS = np.zeros(256, np.int64)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1


def begins_array(head: bytes, encoding: str) -> bool:
    """Return whether the first bytes of a file are those of a JSON array."""
    return head.decode(encoding, "ignore").lstrip(_BEFORE).startswith("[")


def iter_utf8(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield pieces of text in any encoding as UTF-8; what is said to be UTF-8 goes through as is.

    Raises:
        BadRecord: `undecodable`, with the place of the first bad byte, after all that precedes it.
    """
    if encoding == "utf-8":
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    place = 0
    for piece in itertools.chain(pieces, [b""]):
        before = decoder.getstate()
        try:
            # A half of a surrogate pair, which UTF-7 may hold, is left to the parser to refuse.
            yield decoder.decode(piece, not piece).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            # Its bytes begin with those that were left of the piece before.
            good = len(piece) - len(error.object) + error.start
            decoder.setstate(before)
            yield decoder.decode(piece[: max(good, 0)]).encode("utf-8", "surrogatepass")
            detail = f"not {encoding}: byte {place + good}: {error.reason}"
            raise BadRecord("undecodable", detail) from None
        except UnicodeError as error:
            raise BadRecord("undecodable", f"not {encoding}: {error}") from None
        place += len(piece)


def iter_elements(pieces: Iterable[bytes], limit: int) -> Iterator[tuple[int, bytes]]:
    """Yield each element of an array in UTF-8: the place of its first byte, and its bytes.

    White space around an element counts as part of it. An empty array has no elements.

    Raises:
        BadRecord: `too_large`, if an element has more than `limit` bytes; `malformed`, if the array
            is not closed, or if anything but white space follows it.
    """
    segments = _segments(pieces, limit)
    next(segments, None)  # what stands before the array
    for number, (place, data, border) in enumerate(segments, 1):
        if border not in b",]":
            raise BadRecord("malformed", "not JSON: a brace closes the array")
        if number > 1 or border == b"," or data.strip(_WHITE):
            yield place, data
        if border == b"]":
            break
    else:
        raise BadRecord("malformed", "not JSON: the array breaks off before its last bracket")
    for _ in segments:
        raise BadRecord("malformed", _MORE)


def _segments(pieces: Iterable[bytes], limit: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield what lies before each border: its place, its bytes, and the byte that is the border.

    Raises:
        BadRecord: `too_large`; `malformed`, if text follows the array.
    """
    scanner = _Scanner()
    held: list[bytes] = []  # of an element that goes on in the next piece
    size = place = 0
    for piece in pieces:
        start = 0
        for border in scanner.borders(piece):
            size += border - start
            _refuse_over(limit, size)
            yield place, b"".join((*held, piece[start:border])), piece[border : border + 1]
            held = []
            place += size + 1
            size = 0
            start = border + 1
        rest = piece[start:]
        if scanner.depth <= 0:  # less, if what follows closes more than is open
            if scanner.began and rest.strip(_WHITE):
                raise BadRecord("malformed", _MORE)
            place += len(rest)
            continue
        held.append(rest)
        size += len(rest)
        _refuse_over(limit, size)


def _refuse_over(limit: int, size: int) -> None:
    if size > limit:
        detail = f"over {limit} bytes in an element; see --max-record-bytes"
        raise BadRecord("too_large", detail)


class _Scanner:
    """Finds, piece by piece, where an array begins, where its elements end, and where it ends.

    Attributes:
        began: whether any bracket was seen.
        depth: how many brackets are open.
    """

    def __init__(self) -> None:
        self.began = False
        self.depth = 0
        self._quotes = 0
        self._escape = False

    def borders(self, piece: bytes) -> list[int]:
        """Return the places of the outermost brackets, and of the commas in no others."""
        plain = self._without_escapes(piece)
        codes = np.frombuffer(plain, np.uint8)
        quotes = np.flatnonzero(codes == _QUOTE)
        marks = np.flatnonzero(np.frombuffer(plain.translate(_MARKS), np.bool_))
        marks = marks[(np.searchsorted(quotes, marks) + self._quotes) % 2 == 0]
        steps = _STEPS[codes[marks]]
        depths = self.depth + steps.cumsum()
        self._quotes += len(quotes)
        self.depth += int(steps.sum())
        self.began |= bool(steps.any())
        brackets = (steps != 0) & (depths - (steps > 0) == 0)
        commas = (steps == 0) & (depths == 1)
        places: list[int] = marks[brackets | commas].tolist()
        return places

    def _without_escapes(self, piece: bytes) -> bytes:
        """Return bytes without escaped quotes and backslashes, at the same places."""
        if self._escape and piece[:1] in (b'"', b"\\"):  # of others none is, in no piece
            piece = b"." + piece[1:]
        self._escape = (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
        if b"\\" not in piece:
            return piece
        return piece.replace(b"\\\\", b"..").replace(b'\\"', b"..")
