r"""Cleaning of text: one Unicode form, no invisible characters, one kind of line end.

Text is put into NFC; soft hyphens and zero-width characters go, since they split words in two for
every tool that follows. A soft hyphen at the end of a line takes the line end with it. Lines end in
a line feed, lines of white space only become empty, and one empty line parts paragraphs.

    >>> clean_text("Dampf\u00adschiff\r\n \r\n\r\ncafe\u0301\nnoir ")
    'Dampfschiff\n\ncafé\nnoir'
"""

import re
import unicodedata

from transforms.formats.base import BadRecord

__all__ = ["clean_field", "clean_text", "clean_value", "decode"]

# Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_REMOVE = dict.fromkeys(map(ord, _INVISIBLE))
_SHORT = 1000
_LINE_ENDS = {"\r\n": "\n", "\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n",
              "\u2029": "\n\n"}  # fmt: skip
_SOFT_BREAK = re.compile(r"\u00ad[^\S\n]*\n(?!\s*\n)[^\S\n]*")
_BORDER = re.compile(r"\n\s*\n")
_UNEVEN = re.compile(r"\n[^\S\n]+\n|\n\n\n")
_SURROGATE = re.compile("[\ud800-\udfff]")


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
    return text[1:] if text.startswith("\ufeff") else text


def clean_text(text: str) -> str:
    """Return text in NFC, without invisible characters, its paragraphs parted by an empty line.

    Raises:
        BadRecord: `malformed`, if a NUL stands in it.
    """
    text = clean_value(text)
    if _UNEVEN.search(text):
        text = _BORDER.sub("\n\n", text)
    return text.strip()


def clean_value(text: str) -> str:
    """Return text in NFC, without invisible characters, with line feeds as line ends.

    Raises:
        BadRecord: `malformed`, if a NUL stands in it.
    """
    if len(text) < _SHORT and text.isascii() and text.isprintable():
        return text
    if "\x00" in text:
        raise BadRecord("malformed", f"a NUL character at code point {text.index(chr(0))}")
    # In nearly all texts these are absent, and looking for one costs next to nothing.
    for found, meant in _LINE_ENDS.items():
        if found in text:
            text = text.replace(found, meant)
    if text.isascii():
        return text
    if any(character in text for character in _INVISIBLE):
        if "\u00ad" in text:
            text = _SOFT_BREAK.sub("", text)
        for character in _INVISIBLE:
            text = text.replace(character, "")
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return text


def clean_field(value: str) -> str:
    """Return a field's value in NFC on one line; what no text can hold becomes U+FFFD."""
    if not value.isascii():
        value = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", value).translate(_REMOVE))
    return " ".join(value.replace("\x00", "\ufffd").split())
