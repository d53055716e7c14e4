"""What the encoding of bytes may be that are no UTF-8, for a message.

>>> likely_encoding("Die Schönheit der Bücher".encode("cp1252"))
"; as cp1252 it reads 'Schönheit', 'Bücher'"
>>> likely_encoding("Zażółć gęślą jaźń".encode("cp1250"))
"; as cp1250 it reads 'Zażółć', 'gęślą', 'jaźń'"
>>> likely_encoding("тихо".encode("utf-16"))
'; it begins as utf-16 does'
"""

import codecs
import re
from collections.abc import Iterable

__all__ = ["encoding_remedy", "likely_encoding"]

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
