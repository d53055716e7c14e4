r"""Characters that nobody sees: those that carry meaning stay, the others go.

What carries meaning hangs on what stands beside it. U+200B parts words, and becomes a space. A joiner
(U+200C, U+200D) stays where it does something, which is wider than the contexts A1, A2 and B of UAX #31,
section 2.3, since people write more than identifiers:

- U+200C between letters, digits or marks of which one is of a script whose letters join (Persian writes it between
  the parts of a word, whether they would join or not); U+200D beside a letter of such a script;
- either beside a virama, U+200C before a letter alone, or beside a register shifter of Khmer;
- U+200D between two symbols, as in emoji.

U+180E stays behind a letter of Mongolian, from which it parts the vowel behind it.

Of a run of joiners the first counts. U+FE0E and U+FE0F stay behind symbols and in keycaps, tags in flags. Soft
hyphens, marks of direction, invisible operators, other variation selectors and what else is not seen go.

    >>> seen("می\u200cخواهم"), seen("Auf\u200clage"), seen("one\u200bby\u200f one")
    ('می\u200cخواهم', 'Auflage', 'one by one')
"""

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import re2

JOINERS = "\u200c\u200d"
SPACE = "\u200b"
VOWEL_SEPARATOR = "\u180e"


def _range(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


_SELECTORS = frozenset(_range(0xFE00, 0xFE0F) + _range(0xE0100, 0xE01EF))
_TAGS = frozenset("\U000e0001" + _range(0xE0020, 0xE007F))
# What always goes, by what a person is told of it.
_REMOVED: dict[str, frozenset[str]] = {
    "soft hyphens dropped": frozenset("\u00ad"),
    "marks of direction dropped": frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
    # Word joiner, byte order mark, invisible operators, deprecated formats, beams and slurs of music.
    "invisible characters dropped": frozenset(
        f"\u2060\ufeff{_range(0x2061, 0x2064)}{_range(0x206A, 0x206F)}{_range(0x1D173, 0x1D17A)}"
    ),
}
# What goes, stays or parts words by what stands beside it.
BY_CONTEXT = _SELECTORS | _TAGS | set(SPACE + JOINERS + VOWEL_SEPARATOR)
UNSEEN = BY_CONTEXT.union(*_REMOVED.values())

_ANY = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U0001d173-\U0001d17a\U000e0000-\U000e01ef]"
)
_SPACES = re.compile(f"{SPACE}+")
_SEPARATOR = re.compile(f"{VOWEL_SEPARATOR}(?<![\u1820-\u18aa\u180b-\u180d\u180f]{VOWEL_SEPARATOR})")
# Joiners, and selectors, but for those that stay beyond doubt: between two letters of Arabic, or behind a symbol.
_ARABIC = "\u0620-\u064a\u066e\u066f\u0671-\u06d3\u06fa-\u06fc"
_RUN = re.compile(f"[{JOINERS}](?:[{JOINERS}]+|(?<!\u200c)|(?<![{_ARABIC}]\u200c)|(?![{_ARABIC}]))")
_SELECTOR = re.compile(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef](?<![\u2500-\u2775\u2794-\u2bff\U0001f300-\U0001faff]\ufe0f)"
)
_FLAG_OR_TAGS = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f)|[\U000e0001\U000e0020-\U000e007f]+"
)
_KEYCAP, _EMOJI = "\u20e3", "\ufe0e\ufe0f"
_SHIFTERS = "\u17c9\u17ca"
# Scripts with a Joining_Type of Dual_Joining or the like, as ArabicShaping.txt of Unicode 16 has them; the tatweel
# and the variation selectors of Mongolian are of no script.
_JOINING = (
    "Arabic Syriac Nko Mandaic Mongolian Phags_Pa Manichaean Psalter_Pahlavi Hanifi_Rohingya Sogdian Chorasmian "
    "Old_Uyghur Adlam"
)

Told = Callable[[str, int], None]


def seen(text: str, told: Told | None = None, *, among: frozenset[str] | set[str] = UNSEEN) -> str:
    """Return text without characters that nobody sees, but for those that carry meaning; U+200B is a space.

    Args:
        text: in any form.
        told: called with what was done, for a person, and to how many characters.
        among: the characters that are looked for; others stay as they stand.
    """
    if text.isascii() or (among is UNSEEN and _ANY.search(text) is None):
        return text
    tell = told or (lambda what, times: None)
    kinds = UNSEEN.intersection(text if among is UNSEEN else among)
    for what, characters in _REMOVED.items():
        for character in kinds & characters:
            if times := text.count(character):
                tell(what, times)
                text = text.replace(character, "")
    if not kinds & BY_CONTEXT:
        return text
    if SPACE in kinds and (times := text.count(SPACE)):
        tell("U+200B read as a space", times)
        text = _SPACES.sub(_space, text)
    if VOWEL_SEPARATOR in kinds:
        text = _told(_SEPARATOR.sub("", text), text, "invisible characters dropped", tell)
    if not kinds.isdisjoint(JOINERS):
        text = _told(_RUN.sub(_joiner, text), text, "joiners without effect dropped", tell)
    if kinds & _SELECTORS:
        text = _told(_SELECTOR.sub(_selector, text), text, "variation selectors dropped", tell)
    if kinds & _TAGS:
        text = _told(_FLAG_OR_TAGS.sub(r"\1", text), text, "invisible characters dropped", tell)
    return text


def _told(now: str, before: str, what: str, tell: Told) -> str:
    if len(now) < len(before):
        tell(what, len(before) - len(now))
    return now


def _space(found: re.Match[str]) -> str:
    """Return what a run of U+200B becomes: a space, unless white space stands there, or a text begins or ends."""
    before, after = _beside(found)
    return " " if before.strip() and after.strip() else ""


def _beside(found: re.Match[str]) -> tuple[str, str]:
    text = found.string
    return text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]


def _joiner(found: re.Match[str]) -> str:
    """Return what a run of joiners becomes: the first of them, or nothing."""
    text, joiner = found.string, found.group()[0]
    after = text[found.end() : found.end() + 1]
    place = found.start() - 1
    while place > 0 and unicodedata.combining(text[place]) not in (0, _VIRAMA):
        place -= 1
    before = text[place] if place >= 0 else ""
    stays = _non_joiner_stays if joiner == JOINERS[0] else _joiner_stays
    return joiner if stays(before, after) else ""


_VIRAMA = 9  # canonical combining class


@functools.lru_cache(1 << 14)
def _non_joiner_stays(before: str, after: str) -> bool:
    if not _is_word(before) or not _is_word(after):
        return False
    if _joins(before) or _joins(after) or _is_virama(after):
        return True
    return _is_virama(before) and (unicodedata.category(after)[0] == "L" or before in _SHIFTERS)


@functools.lru_cache(1 << 14)
def _joiner_stays(before: str, after: str) -> bool:
    if _joins(before) or _joins(after) or (_is_virama(after) and _is_word(before)):
        return True
    if _is_virama(before):
        return not after or unicodedata.category(after)[0] != "M"
    return _is_symbol(before) and _is_symbol(after)


def _is_word(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "LMN"


def _is_virama(character: str) -> bool:
    return bool(character) and (unicodedata.combining(character) == _VIRAMA or character in _SHIFTERS)


def _joins(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "LM" and bool(_joining().match(character))


@functools.cache
def _joining() -> Any:
    scripts = "".join(rf"\p{{{script}}}" for script in _JOINING.split())
    return re2.compile(rf"[{scripts}\x{{640}}\x{{64b}}-\x{{65f}}\x{{670}}\x{{180b}}-\x{{180d}}\x{{180f}}]")


def _is_symbol(character: str) -> bool:
    """Return whether a character may be part of an emoji: a symbol, a tone of skin, a selector, the end of a flag."""
    return bool(character) and (
        unicodedata.category(character) in ("So", "Sk", "Sm") or character in _EMOJI or character in "\u20e3\U000e007f"
    )


def _selector(found: re.Match[str]) -> str:
    """Return what becomes of a variation selector."""
    before, after = _beside(found)
    if found.group() not in _EMOJI or not before:
        return ""
    return found.group() if after == _KEYCAP or unicodedata.category(before)[0] in "SP" else ""
