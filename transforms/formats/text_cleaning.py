r"""Cleaning of text: one Unicode form, no invisible characters, one kind of line end.

Text is put into NFC; soft hyphens and zero-width characters go, since they split words in two for
every tool that follows. A soft hyphen at the end of a line takes the line end with it. Lines end in
a line feed, lines of white space only become empty, and one empty line parts paragraphs.

    >>> clean_text("Dampf\u00adschiff\r\n \r\n\r\ncafe\u0301\nnoir ")
    'Dampfschiff\n\ncafé\nnoir'
"""

import functools
import io
import re
import unicodedata

import numpy as np

from transforms.formats.base import BadRecord

__all__ = [
    "clean_bytes", "clean_field", "clean_rare", "clean_text", "clean_value", "decode",
    "may_combine", "never_cleaned", "rare_characters",
]  # fmt: skip

# Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_REMOVE = dict.fromkeys(map(ord, _INVISIBLE))
_SHORT = 1000
_LINE_ENDS = {"\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n\n"}
_CLEANED = frozenset(("\x00", "\r", *_LINE_ENDS, *_INVISIBLE))
_SOFT_BREAK = re.compile(r"\u00ad[^\S\n]*\n(?!\s*\n)[^\S\n]*")
# Borders of paragraphs that are anything but one empty line.
_UNEVEN = re.compile(r"\n(?:[^\S\n]+\n|\n\s*\n)(?:\s*\n)?")
_SURROGATE = re.compile("[\ud800-\udfff]")

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


def decode(data: bytes, encoding: str) -> str:
    """Return bytes as text, without byte order mark.

    Raises:
        BadRecord: `undecodable`, with the place of the first bad byte.
    """
    try:
        text = str(data, encoding)
    except UnicodeError as error:
        detail = str(error)
        if isinstance(error, UnicodeDecodeError):
            shown = f"0x{data[error.start]:02x}" if error.start < len(data) else "end"
            detail = f"byte {error.start} ({shown}): {error.reason}"
        raise BadRecord("undecodable", f"not {encoding}: {detail}") from None
    return text[1:] if text.startswith(_BOM) else text


def clean_bytes(data: bytes, encoding: str) -> str:
    """Return what `clean_text(decode(data, encoding))` does, faster where that is UTF-8.

    Raises:
        BadRecord: `undecodable`; `malformed`, if a NUL stands in it.
    """
    if encoding != "utf-8":
        return clean_text(decode(data, encoding))
    plain, even = _line_feeds(data.removeprefix(_BOM.encode()))
    if plain is None:
        return clean_text(decode(data, encoding))
    try:
        text = decode(plain, encoding)
    except BadRecord:
        decode(data, encoding)  # for the true place of the bad byte
        raise
    rare = _beyond_ascii(plain)
    cleaned = clean_rare(text, rare)
    if even and cleaned is text and not any(map(str.isspace, rare)):
        return text.strip()
    return _even(cleaned)


def _line_feeds(data: bytes) -> tuple[bytes | None, bool]:
    """Return bytes whose lines end in line feeds alone, and whether their paragraphs are even.

    Instead of the bytes there is None if their control characters are more than tabs and line ends.
    Even is certain if no line begins with a space or tab and no two empty ones follow each other.
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


def clean_text(text: str) -> str:
    """Return text in NFC, without invisible characters, its paragraphs separated by an empty line.

    Raises:
        BadRecord: `malformed`, if a NUL or half of a surrogate pair stands in it.
    """
    return _even(clean_value(text))


def clean_value(text: str) -> str:
    """Return text in NFC, without invisible characters, with line feeds as line ends.

    Raises:
        BadRecord: `malformed`, if a NUL or half of a surrogate pair stands in it.
    """
    if len(text) < _SHORT and text.isascii() and text.isprintable():
        return text
    return clean_rare(text, rare_characters(text.encode("utf-8", "surrogatepass")))


def _even(text: str) -> str:
    return (_UNEVEN.sub("\n\n", text) if "\n" in text else text).strip()


def rare_characters(utf8: bytes) -> set[str]:
    """Return the characters of a text, given in UTF-8, but printable ASCII, tab and line feed.

    Most texts hold few kinds of them, and these tell all that must be done.
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


def clean_rare(text: str, rare: set[str]) -> str:
    """Return `clean_value(text)`; `rare` are the text's `rare_characters`.

    Raises:
        BadRecord: `malformed`, if a NUL or half of a surrogate pair stands in it.
    """
    if not rare:
        return text
    if "\x00" in rare:
        raise BadRecord("malformed", f"a NUL character at code point {text.index(chr(0))}")
    if max(rare) >= "\ud800" and any(map(_SURROGATE.match, rare)):
        place = next(_SURROGATE.finditer(text)).start()
        raise BadRecord("malformed", f"half of a surrogate pair at code point {place}")
    if "\r" in rare:
        text = io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
    for found, meant in _LINE_ENDS.items():
        if found in rare:
            text = text.replace(found, meant)
    if "\u00ad" in rare:
        text = _SOFT_BREAK.sub("", text)
    for character in _INVISIBLE:
        if character in rare:
            text = text.replace(character, "")
    if any(map(may_combine, rare)) and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return text


@functools.lru_cache(1 << 16)
def may_combine(character: str) -> bool:
    """Return whether text with this character could be other than NFC; never wrongly no."""
    return character >= "\u0300" and (
        unicodedata.category(character)[0] == "M"
        or "\u1100" <= character <= "\u11ff"  # the letters that Hangul syllables are made of
        or not unicodedata.is_normalized("NFC", character)
    )


def never_cleaned(character: str) -> bool:
    """Return whether a character gives `clean_rare` nothing to do; never wrongly yes."""
    return character not in _CLEANED and not may_combine(character)


def clean_field(value: str) -> str:
    """Return a field's value in NFC on one line; what no text can hold becomes U+FFFD."""
    if not value.isascii():
        value = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", value).translate(_REMOVE))
    return " ".join(value.replace("\x00", "\ufffd").split())
