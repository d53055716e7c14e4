r"""What encodings are called, which one bytes may be in, where lines end, and rows of comma-separated text.

Bytes are decoded elsewhere (`decode` of `lexbeam.transforms.formats.records.text_cleaning`): what fails there is a
reject. For its message, what is no UTF-8 is guessed at here.

>>> python_name("x-sjis"), python_name("latin-1")
('cp932', 'latin-1')
>>> likely_encoding("Die Schönheit der Bücher".encode("cp1252"))
"; as cp1252 it reads 'Schönheit', 'Bücher'"
>>> likely_encoding("Zażółć gęślą jaźń".encode("cp1250"))
"; as cp1250 it reads 'Zażółć', 'gęślą', 'jaźń'"
>>> likely_encoding("тихо".encode("utf-16"))
'; it begins as utf-16 does'

There is one rule of lines for every reader. A line ends in CR LF, LF or CR, mixed at will, in every format. In plain
text and in lists of words it also ends in U+0085, U+2028 and U+2029. In formats with a syntax of their own (tables,
JSON lines, CoNLL-U, vectors) these are characters of cells, as JSON has them in strings; where such a line is wrong,
`no_line_end` says so.

    >>> lines_of("one\r\n\rthree\u2028four")
    ['one', '', 'three', 'four']
    >>> line_feeds(io.BytesIO(b"one\r\n\rthree")).readlines()
    [b'one\n', b'\n', b'three']
    >>> no_line_end("one\u2028two")
    '; U+2028 ends no line here, LF, CR LF and CR do'

Rows of comma-separated text have cells of any length: who reads them bounds lines before.
"""

import codecs
import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

# Labels of https://encoding.spec.whatwg.org/#names-and-labels that Python, or libxml2, does not know, or takes for
# another encoding, by Python's name of the encoding.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
    "utf-16-be": "unicodefffe",
    "iso8859-2": "iso88592",
    "iso8859-3": "iso88593",
    "iso8859-4": "iso88594",
    "iso8859-5": "iso88595",
    "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i iso88596",
    "iso8859-7": "iso88597 sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i iso88598 logical visual",
    "iso8859-10": "iso885910",
    "iso8859-13": "iso885913",
    "iso8859-14": "iso885914",
    "iso8859-15": "csisolatin9 iso885915 l9",
    "cp866": "866",
    "koi8-r": "koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "maccyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso885911 windows-874",
    "cp1250": "x-cp1250",
    "cp1251": "x-cp1251",
    "cp1252": "iso88591 x-cp1252 x-user-defined",  # the last one as pages have it
    "cp1253": "x-cp1253",
    "cp1254": "iso88599 x-cp1254",
    "cp1255": "x-cp1255",
    "cp1256": "x-cp1256",
    "cp1257": "x-cp1257",
    "cp1258": "x-cp1258",
    "gb18030": "csgb2312 gb_2312 gb_2312-80 x-gbk",
    "big5-hkscs": "cn-big5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "cp932": "ms932 ms_kanji windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
}
_NAMES = {label: name for name, labels in _LABELS.items() for label in labels.split()}

# What Windows wrote before Unicode: western, central European, Cyrillic, Greek.
_PAGES = ("cp1252", "cp1250", "cp1251", "cp1253")
_LOOKED_AT = 4096  # bytes
_SHOWN = 3
_MOST = 0.75  # of the words, in a text that is read as it was written
_SIGNS = frozenset("°§€£«»“”„‘’–—…·©®½")
_NAMED = re.compile(r"; (?:as|it may be) (cp\d+)|; it begins as (utf-16) does")
_WORD = re.compile(r"[^\W\d_]+")
_BROKEN = re.compile(r"(?<=[^\W\d_])[^\x00-\x7f\w\s’‘–—-](?=[^\W\d_])")  # a sign within a word
_OTHER_SCRIPT = re.compile(r"[^\x00-\x7f]{3,}")  # words that have not one letter of English


def python_name(label: str) -> str:
    """Return what Python calls an encoding that pages call so; any other name as it is."""
    return _NAMES.get(label.strip().lower(), label)


def likely_encoding(data: bytes | bytearray, *, quoting: bool = True) -> str:
    """Return for a message how bytes read in the code page that fits best; empty where none does.

    Args:
        data: the bytes.
        quoting: whether words of them may be shown, as in what is printed and not kept.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "; it begins as utf-16 does"
    head = bytes(data[:_LOOKED_AT])
    for page in _PAGES:
        try:
            text = head.decode(page)
        except UnicodeDecodeError:
            continue
        words = [word for word in _WORD.findall(text) if not word.isascii()]
        signs = [char for char in text if char in _SIGNS]
        if (_are_plain(words, page) and not _BROKEN.search(text)) or (signs and not words):
            shown = list(dict.fromkeys(words or signs))[:_SHOWN]
            return f"; as {page} it reads {', '.join(map(repr, shown))}" if quoting else f"; it may be {page}"
    return ""


def _are_plain(words: list[str], page: str) -> bool:
    """Return whether words are of the script of a code page, and capitals stand where people put them."""
    is_other = sum(bool(_OTHER_SCRIPT.fullmatch(word)) for word in words) * 2 > len(words)
    return bool(words) and is_other == (page not in _PAGES[:2]) and sum(map(_is_plain, words)) >= _MOST * len(words)


def _is_plain(word: str) -> bool:
    return word.islower() or word.isupper() or word[1:].islower()


def encoding_remedy(details: Iterable[str]) -> str:
    """Return, behind a remedy, the encoding that details with what `likely_encoding` returned name; empty for none."""
    found = dict.fromkeys(match[1] or match[2] for detail in details for match in _NAMED.finditer(detail))
    pages = [name for name in found if name != "utf-16"]  # which must stand alone
    named = ",".join(["utf-8", *pages]) if pages else "utf-16"
    return f" Some of them are read by `encoding` {named}." if found else ""


_CHUNK = 1 << 16
_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_OF_BYTES = re.compile(rb"\r\n|[\n\r]")
_LONE = re.compile(rb"\r(?!\n)")
_OF_TEXT = re.compile("[\x85\u2028\u2029]")


def lines_of(text: str) -> list[str]:
    """Return the lines of plain text without their ends; behind the last end stands one more, perhaps empty."""
    return _END.split(text)


def with_line_feeds(data: bytes) -> bytes:
    """Return bytes, of an encoding that has ASCII's bytes for line ends alone, with LF for CR LF and CR."""
    if b"\r" not in data:
        return data
    if _LONE.search(data) is None:  # three times as fast
        return data.replace(b"\r", b"")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def count_line_ends(data: bytes, before: bytes = b"") -> int:
    """Return the number of line ends in bytes; one that CR, the last byte `before`, has ended counts there."""
    feeds = data.count(b"\n")
    if b"\r" in data:
        feeds += data.count(b"\r") - data.count(b"\r\n")
    return feeds - (before[-1:] == b"\r" and data[:1] == b"\n")


def end_of_line(data: bytes, start: int) -> int:
    """Return the place behind the first line end in bytes from a place on; behind all of them without one."""
    found = _OF_BYTES.search(data, start)
    return found.end() if found else len(data)


def line_feeds(stream: BinaryIO) -> BinaryIO:
    """Return a stream with LF for CR LF and CR; it reads ahead, and leaves closing to whoever has the other one."""
    return io.BufferedReader(_LineFeeds(stream), _CHUNK)


def no_line_end(text: str) -> str:
    """Return for a message about a line which character of it may be meant for a line end; empty for none."""
    found = _OF_TEXT.search(text)
    return f"; U+{ord(found[0]):04X} ends no line here, LF, CR LF and CR do" if found else ""


class _LineFeeds(io.RawIOBase):
    """The bytes of a stream with LF for CR LF and CR."""

    def __init__(self, stream: BinaryIO) -> None:
        # What comes before a break is good: `read` would lose it.
        self._read = getattr(stream, "read1", stream.read)
        self._returned = False  # whether CR was the last byte: an LF behind it is no other end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while data := self._read(len(buffer)):
            begins = self._returned and data.startswith(b"\n")
            self._returned = data.endswith(b"\r")
            data = with_line_feeds(data[1:] if begins else data)
            if data:
                buffer[: len(data)] = data
                return len(data)
        return 0


# The limit of the csv module, 128 KiB, is one for the whole process: a longer cell would end in an error of its own.
csv.field_size_limit(sys.maxsize)


def csv_rows(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> Iterator[list[str]]:
    """Return the cells of each row (RFC 4180).

    Args:
        lines: of the text; a row in quotes takes several.
        delimiter: what separates cells, a character.
        strict: whether a stray quote is an error instead of a character.

    Raises:
        csv.Error: a line cannot be read as rows.
    """
    return csv.reader(lines, delimiter=delimiter, strict=strict)
