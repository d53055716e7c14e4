r"""Characters that nobody sees, runs of combining marks, and apostrophes.

*Characters that nobody sees*: those that carry meaning stay, the others go. What carries meaning hangs on what stands
beside it. U+200B parts words, and becomes a space. A joiner (U+200C, U+200D) stays where it does something, which is
wider than the contexts A1, A2 and B of UAX #31, section 2.3, since people write more than identifiers:

- U+200C between letters, digits or marks of which one is of a script whose letters join (Persian writes it between
  the parts of a word, whether they would join or not); U+200D beside a letter of such a script;
- either beside a virama, U+200C before a letter alone, or beside a register shifter of Khmer;
- U+200D between two symbols, as in emoji.

U+180E stays behind a letter of Mongolian, from which it parts the vowel behind it.

Of a run of joiners the first counts. U+FE0E and U+FE0F stay behind symbols and in keycaps, tags in flags. Soft
hyphens, marks of direction, invisible operators, other variation selectors and what else is not seen go.

    >>> seen("می\u200cخواهم"), seen("Auf\u200clage"), seen("one\u200bby\u200f one")
    ('می\u200cخواهم', 'Auflage', 'one by one')

*Runs of marks* are bounded as in Unicode's Stream-Safe Text Format (UAX #15, section 13).
What is counted are non-starters: characters whose canonical combining class is not zero, in a
text's compatibility decomposition (NFKD). A letter that is composed with marks counts with the
marks that its decomposition ends in (ǖ with two), and so U+0344, which is two marks. No language
comes near 30 in a row. To bring a run into canonical order, Python's `unicodedata` takes time that
grows with its square, as does its `is_normalized`; so a text's runs are bounded before either sees
it. Signs of combining class zero, such as the vowels of Devanagari, need no order and do not count.

    >>> text = "a" + 40 * "\u0301" + "b"
    >>> too_many(text), broken(text)[1], len(nfc(text))
    (31, 1, 42)

*Apostrophes* are signs that people, keyboards and printers write for one another.
A word is the same whichever it has, so that words are compared by their straight form; what is published keeps its
sign. Each sign is one code point, as the straight one is: a place in the straight form is the same place in the text.

- U+0027, the key of a keyboard; U+2019, what is printed, and what Unicode prefers.
- U+2018 and U+201B, what word processors make of a key at the start of a word (*‘tis*).
- U+02BC and U+02BB, letters of Ukrainian and Breton, of Hawaiian and Uzbek, for which all of the above are typed.
- U+FF07, the key of keyboards for Chinese and Japanese.

Not among them are primes (U+2032, U+02B9: minutes, feet, the soft sign of transliterations) and accents that stand
alone (U+0060, U+00B4): they mean something else, or begin a quotation.

    >>> straight("o’clock"), straight("Oʻzbek"), straight("5′ 3″")
    ("o'clock", "O'zbek", '5′ 3″')
"""

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
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


LIMIT = 30
# Combining grapheme joiner: a starter that is not seen, which the Stream-Safe Text Process inserts.
_JOINER = "\u034f"
_FIRST, _LAST = 0x300, 0x1FFFF  # there are no marks before and none behind
_FAR = "\U00010000"
# A run is over the limit only if so many characters in a row are nothing but marks: one of them is
# two marks at most, and a letter before them ends in three at most.
ENOUGH = 14


def too_many(text: str) -> int | None:
    """Return the place, in code points, of the first mark that is one too many in its run."""
    if _harmless(text):
        return None
    for stretch in _pattern().finditer(text):
        if breaks := _breaks(text, *stretch.span(), first=True):
            return breaks[0]
    return None


def broken(text: str) -> tuple[str, int]:
    """Return a text in the Stream-Safe Text Format, and how many U+034F were inserted for that.

    That is what the Stream-Safe Text Process makes of it: wherever a mark is one too many, U+034F
    stands before it, and the count begins anew.
    """
    if _harmless(text):
        return text, 0
    breaks: list[int] = []
    for stretch in _pattern().finditer(text):
        breaks += _breaks(text, *stretch.span())
    if not breaks:
        return text, 0
    pieces = [text[: breaks[0]]]
    for start, end in zip(breaks, [*breaks[1:], len(text)], strict=True):
        pieces += (_JOINER, text[start:end])
    return "".join(pieces), len(breaks)


def nfc(text: str) -> str:
    """Return a text in NFC, its runs of marks broken, in linear time."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text if len(text) < ENOUGH else broken(text)[0])


def is_nfc(text: str) -> bool:
    """Return whether a text is in NFC and has no run over the limit, in linear time."""
    return text.isascii() or (too_many(text) is None and unicodedata.is_normalized("NFC", text))


def _harmless(text: str) -> bool:
    """Return whether a text has no run over the limit; nearly always, and soon."""
    return len(text) < ENOUGH or text.isascii() or _pattern().search(text) is None


def _breaks(text: str, start: int, end: int, *, first: bool = False) -> list[int]:
    """Return the places in a stretch where a mark is one too many; or the first of them alone."""
    marks = _marks()
    count = _trailing(text[start - 1]) if start else 0
    places = []
    for place in range(start, end):
        more = marks.get(text[place])
        if more is None:
            count = _trailing(text[place])
            continue
        if count + more > LIMIT:
            places.append(place)
            if first:
                break
            count = 0
        count += more
    return places


@functools.lru_cache(1 << 12)
def _trailing(character: str) -> int:
    """Return how many non-starters a starter's decomposition ends in."""
    decomposed = unicodedata.normalize("NFKD", character)
    place = len(decomposed)
    while place and unicodedata.combining(decomposed[place - 1]):
        place -= 1
    return len(decomposed) - place


@functools.cache
def _marks() -> dict[str, int]:
    """Return the characters that decompose into nothing but non-starters, and into how many."""
    marks = {}
    for character in map(chr, range(_FIRST, _LAST + 1)):
        if unicodedata.combining(character) or unicodedata.decomposition(character):
            decomposed = unicodedata.normalize("NFKD", character)
            if all(map(unicodedata.combining, decomposed)):
                marks[character] = len(decomposed)
    return marks


@functools.cache
def _pattern() -> re.Pattern[str]:
    """Return what finds the stretches that hold all runs over the limit, a letter before aside."""
    # The few hundred beyond the first plane, one by one, would make the search 30 times slower.
    near = "".join(re.escape(mark) for mark in _marks() if mark < _FAR)
    mark = f"[{near}{_FAR}-{chr(_LAST)}]"
    # One of them in front, outside the repetition, makes it faster still.
    return re.compile(f"{mark}{mark}{{{ENOUGH - 1},}}")


_SIGNS = "\u2019\u2018\u201b\u02bc\u02bb\uff07"
_ANY_SIGN = re.compile(f"[{_SIGNS}]")
_LEADS = sorted({sign.encode()[0] for sign in _SIGNS})  # their first bytes


def straight(text: str) -> str:
    """Return a text with straight apostrophes, of the same length."""
    return text if text.isascii() else _ANY_SIGN.sub("'", text)


def straight_words(words: pa.Array) -> pa.Array:
    """Return words with straight apostrophes; the array itself if they have no others.

    Args:
        words: string or large_string.
    """
    buffer = words.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
    if not any((data == lead).any() for lead in _LEADS):  # of most lists; much faster than the search below
        return words
    curly = pc.fill_null(pc.match_substring_regex(words, _ANY_SIGN.pattern), False)
    if not curly.true_count:
        return words
    return pc.replace_with_mask(words, curly, pc.replace_substring_regex(words.filter(curly), _ANY_SIGN.pattern, "'"))
