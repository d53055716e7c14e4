r"""Cleaning of text: one Unicode form, nothing invisible that means nothing, one kind of line end.

Text is put into NFC; soft hyphens, marks of direction and the like go, since they split words in two for every tool
that follows (`lexbeam.transforms.common.texts.characters`). A soft hyphen at the end of a line takes the line end with
it. Bytes are decoded here, too (`decode`), since what is in no encoding is a reject; what encodings are called is in
`lexbeam.transforms.common.texts.encodings`. Lines end in a line feed, lines of white space only become empty, and one
empty line parts paragraphs.

    >>> clean_text("Dampf\u00adschiff\r\n \r\n\r\ncafe\u0301\nnoir ")
    'Dampfschiff\n\ncafé\nnoir'
"""

import functools
import io
import re
import unicodedata
from collections import Counter
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.texts.characters import BY_CONTEXT, LIMIT, UNSEEN, broken, nfc, seen, too_many
from lexbeam.transforms.common.texts.encodings import likely_encoding
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source

_SHORT = 1000
_PIECE = 1 << 20
_LINE_ENDS = {"\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n\n"}
_SOFT_BREAK = re.compile(r"\u00ad[^\S\n]*\n(?!\s*\n)[^\S\n]*")
# Borders of paragraphs that are anything but one empty line.
_UNEVEN = re.compile(r"\n(?:[^\S\n]+\n|\n\s*\n)(?:\s*\n)?")
_HALVES = range(0xD800, 0xE000)
# Control characters but white space, as Python has it; and what no UTF-8 can hold.
_NO_TEXT = frozenset(map(chr, (*range(9), *range(0xE, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0), *_HALVES)))
_CLEANED = frozenset(("\r", *_LINE_ENDS, *UNSEEN)) | _NO_TEXT
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(f"[{''.join(sorted(_NO_TEXT))}]")
_MEANINGLESS = UNSEEN - BY_CONTEXT
_NO_JSON = re.compile("[\x00-\x08\x0e-\x1b\ud800-\udfff]")

_BOM = "\ufeff"
# What a control character is by the byte after it: a return (r) before its line feed, a line feed
# before another line end (e), before indentation (i) or anything else (n), a tab (t), or none of
# these (?).
_CONTROLS = np.full((32, 256), ord("?"), np.uint8)
_CONTROLS[ord("\t")] = ord("t")
_CONTROLS[ord("\r"), ord("\n")] = ord("r")
_CONTROLS[ord("\n")] = ord("n")
_CONTROLS[ord("\n"), [ord("\r"), ord("\n")]] = ord("e")
_CONTROLS[ord("\n"), [ord("\t"), ord(" ")]] = ord("i")
_PLAIN = bytes(code for code in range(128) if chr(code).isprintable()) + b"\t\n"
_FEW = 1 << 14  # bytes of text whose kinds of characters a set finds sooner than numpy


class Cleaning(NamedTuple):
    """How text is cleaned.

    Attributes:
        marks: what becomes of a run of over 30 combining marks, a key of `MARKS`.
        control: what becomes of control characters, a key of `CONTROL`.
        notes: counts what was changed; None if nobody needs it.
    """

    marks: str = "reject"
    control: str = "reject"
    notes: Counter[str] | None = None

    def note(self, what: str, times: int = 1) -> None:
        """Count a change."""
        if self.notes is not None:
            self.notes[what] += times


STRICT = Cleaning()


def cleaning(source: Source, options: ReaderOptions) -> Cleaning:
    """Return how to clean a source's text by its options; changes are noted in the source."""
    return Cleaning(options.marks, options.control, source.notes)


def decode(data: bytes | bytearray, encodings: tuple[str, ...], how: Cleaning = STRICT) -> str:
    """Return bytes as text in the first encoding that takes them, without byte order mark.

    If there are several, the one used is noted.

    Raises:
        BadRecord: `undecodable`, with the place of the first bad byte in each encoding, and what may be meant.
    """
    for encoding in encodings:
        try:
            text = str(data, encoding)
        except UnicodeError:
            continue
        if len(encodings) > 1:
            how.note(f"encoding {encoding}")
        return text.removeprefix(_BOM)
    faults = "; ".join(_fault(data, encoding) for encoding in encodings)
    raise BadRecord("undecodable", faults + likely_encoding(data, quoting=False))


def _fault(data: bytes | bytearray, encoding: str) -> str:
    detail = "no text"
    try:
        str(data, encoding)
    except UnicodeDecodeError as error:
        shown = f"0x{data[error.start]:02x}" if error.start < len(data) else "end"
        detail = f"byte {error.start} ({shown}): {error.reason}"
    except UnicodeError as error:
        detail = str(error)
    return f"not {encoding}: {detail}"


def clean_bytes(data: bytes, encodings: tuple[str, ...], how: Cleaning = STRICT) -> str:
    """Return what `clean_text(decode(data, encodings))` does, faster where that is UTF-8.

    Raises:
        BadRecord: `undecodable`, `control`, `too_many_marks`.
    """
    if encodings[0] != "utf-8":
        return clean_text(decode(data, encodings, how), how)
    plain, even = _line_feeds(data.removeprefix(_BOM.encode()))
    if plain is None or (how.control == "drop" and b"\x7f" in plain):
        return clean_text(decode(data, encodings, how), how)
    try:
        text = str(plain, "utf-8").removeprefix(_BOM)
    except UnicodeDecodeError:  # for the true place of the bad byte, or for another encoding
        return clean_text(decode(data, encodings, how), how)
    if len(encodings) > 1:
        how.note("encoding utf-8")
    rare = _beyond_ascii(plain)
    cleaned = clean_rare(text, rare, how)
    if even and cleaned is text and not any(map(str.isspace, rare)):
        return text.strip()
    return _even(cleaned)


def _line_feeds(data: bytes) -> tuple[bytes | None, bool]:
    """Return bytes whose lines end in line feeds alone, and whether their paragraphs are even.

    The bytes are None if they hold control characters other than tabs and line ends. Paragraphs are
    certain to be even if no line begins with a space or tab and no two empty lines follow each other.
    """
    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(codes < ord(" "))
    after = codes.take(places + 1, mode="clip")
    controls = _CONTROLS[codes[places], after].tobytes()
    if b"?" in controls:
        return None, False
    if b"r" in controls:
        # Bytes that are no UTF-8 stay so, since line feeds still separate them.
        data = data.replace(b"\r", b"")
        controls = controls.replace(b"r", b"")
    return data, not (b"i" in controls or b"ee" in controls)


def clean_text(text: str, how: Cleaning = STRICT) -> str:
    """Return text in NFC, without invisible characters, its paragraphs separated by an empty line.

    Raises:
        BadRecord: `control`, `too_many_marks`; see `clean_value`.
    """
    return _even(clean_value(text, how))


def clean_value(text: str, how: Cleaning = STRICT) -> str:
    """Return text in NFC, without invisible characters, with line feeds as line ends.

    Raises:
        BadRecord: `control`, if a NUL or half of a surrogate pair stands in it; `too_many_marks`,
            if over 30 combining marks follow each other; unless `how` wants them mended.
    """
    if len(text) < _SHORT and text.isascii() and text.isprintable():
        return text
    return clean_rare(text, _rare_of(text), how)


def clean_markup(text: str, how: Cleaning = STRICT) -> str:
    """Return what `clean_value` does, but for what hangs on the signs beside it, which may be markup here.

    Raises:
        BadRecord: `control`, `too_many_marks`; see `clean_value`.
    """
    return clean_rare(text, _rare_of(text) - BY_CONTEXT, how)


def _even(text: str) -> str:
    return (_UNEVEN.sub("\n\n", text) if "\n" in text else text).strip()


def _rare_of(text: str) -> set[str]:
    """Return the rare characters of a text, which is taken piece by piece to spare memory."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    kinds = (rare_characters(piece.encode("utf-8", "surrogatepass")) for piece in pieces)
    return set().union(*kinds)


def rare_characters(utf8: bytes) -> set[str]:
    """Return the characters of a text in UTF-8 other than printable ASCII, tab and line feed.

    Most texts hold few of them, and they decide all that must be done.
    """
    rest = utf8.translate(None, _PLAIN)
    return _kinds(rest) if rest else set()


def _beyond_ascii(utf8: bytes) -> set[str]:
    if utf8.isascii():
        return set()
    codes = np.frombuffer(utf8, np.uint8)
    return _kinds(codes[codes > 127].tobytes())


def _kinds(utf8: bytes) -> set[str]:
    text = utf8.decode("utf-8", "surrogatepass")
    if len(utf8) < _FEW:
        return set(text)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return set(map(chr, np.flatnonzero(np.bincount(points)).tolist()))


def clean_rare(text: str, rare: set[str], how: Cleaning = STRICT) -> str:
    """Return `clean_value(text, how)`; `rare` are the text's `rare_characters`.

    Raises:
        BadRecord: `control`, `too_many_marks`; see `clean_value`.
    """
    if not rare:
        return text
    if not rare.isdisjoint(_NO_TEXT):
        text = without_control(text, how)
    if "\r" in rare:
        text = io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
    for end, feeds in _LINE_ENDS.items():
        if end in rare:
            text = text.replace(end, feeds)
    if "\u00ad" in rare:
        text = _SOFT_BREAK.sub("", text)
    if not rare.isdisjoint(UNSEEN):
        text = seen(text, how.note, among=rare)
    return composed(text, how) if any(map(may_combine, rare)) else text


def without_control(text: str, how: Cleaning, *, json: bool = False) -> str:
    """Return text without the control characters that no text holds.

    With `json` only those are removed that JSON forbids anywhere in its source.

    Raises:
        BadRecord: `control`, unless `how` drops them.
    """
    if how.control == "drop":
        text, count = (_NO_JSON if json else _CONTROL).subn("", text)
        if count:
            how.note("control characters dropped", count)
        return text
    if "\x00" in text:
        place = text.index("\x00")
        raise BadRecord("control", f"a NUL character at code point {place}; see --control")
    if half := _SURROGATE.search(text):
        detail = f"half of a surrogate pair at code point {half.start()}; see --control"
        raise BadRecord("control", detail)
    return text


def composed(text: str, how: Cleaning = STRICT) -> str:
    """Return text in NFC; it is the same object if it was so already.

    Raises:
        BadRecord: `too_many_marks`; see `clean_value`.
    """
    # Before anything of `unicodedata`, whose time grows with the square of a run of marks.
    text = bounded(text, how)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def bounded(text: str, how: Cleaning = STRICT) -> str:
    """Return text without runs of too many combining marks.

    Raises:
        BadRecord: `too_many_marks`; see `clean_value`.
    """
    if how.marks == "break":
        text, count = broken(text)
        if count:
            how.note("U+034F put into runs of marks", count)
    elif (place := too_many(text)) is not None:
        detail = f"over {LIMIT} combining marks in a row at code point {place}; see --marks"
        raise BadRecord("too_many_marks", detail)
    return text


@functools.lru_cache(1 << 16)
def may_combine(character: str) -> bool:
    """Return whether text with this character might not be NFC; False is certain."""
    return character >= "\u0300" and (
        unicodedata.category(character)[0] == "M"
        or "\u1100" <= character <= "\u11ff"  # the letters that Hangul syllables are made of
        or not unicodedata.is_normalized("NFC", character)
    )


def never_cleaned(character: str) -> bool:
    """Return whether `clean_rare` leaves a character alone; True is certain."""
    return character not in _CLEANED and not may_combine(character)


def stands(character: str) -> bool:
    """Return whether `clean_word` leaves a character alone; True is certain."""
    return character in BY_CONTEXT or never_cleaned(character)


def clean_word(value: str, how: Cleaning = STRICT) -> str:
    """Return a word of a record's text that was annotated by others, whose runs of marks are bounded.

    It keeps what hangs on its context, such as joiners, as it stands, and is never empty where `value` holds more than
    white space.

    Raises:
        BadRecord: `too_many_marks`; see `clean_value`.
    """
    if value.isascii():
        return _one_line(value)
    value = _SURROGATE.sub("\ufffd", value)
    return _one_line(composed(seen(value, how.note, among=_MEANINGLESS) or value, how))


def clean_field(value: str) -> str:
    """Return a field's value in NFC on one line; what no text can hold becomes U+FFFD.

    Runs of marks are broken: an odd field is no reason to lose the text.
    """
    if not value.isascii():
        value = nfc(seen(_SURROGATE.sub("\ufffd", value)))
    return _one_line(value)


def _one_line(value: str) -> str:
    return " ".join(value.replace("\x00", "\ufffd").split())
