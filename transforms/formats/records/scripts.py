"""The scripts of a text and of languages, and whether words can be told in a text by an engine made for some scripts.

Scripts are those of Unicode's property Script. Only letters count, and those of addresses (URLs, e-mail, @names), tags
and entities do not. A long text is judged by pieces at even distances.

>>> refusal("Он сказал: that was that.", scripts_of("sr")), scripts_of("sr")
(None, ('Latin', 'Cyrillic'))
>>> refusal("我们昨天去了北京。", scripts_of("en"))
('script', '100 % of its letters are Han; the language of the engine is written in Latin; engines for Han: builtin:zh')
"""

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any

import re2

from lexbeam.transforms.formats.records.base import BadRecord

# The languages, of those for which there are engines, by script; some have two.
LANGUAGES = {
    "Latin": "af ang ast az br bs ca cs cy da de dsb en enm eo es et eu fi fo fr fro ga gd gl gv hbs hr hsb ht hu id "
    "is it kmr la lb lg lij lt lv ms mt nb nds nl nn no pcm pl pt ro se sk sl sme sq sr sv sw tl tn tr uz vi wo yo",
    "Cyrillic": "ab az be bg bs bxr cu hbs kk kpv ky mk mn myv orv ru sr tg tt uk uz",
    "Greek": "el grc",
    "Arabic": "ar fa ps sd ug ur",
    "Hebrew": "hbo he yi",
    "Armenian": "hy hyw xcl",
    "Georgian": "ka",
    "Devanagari": "bho hi mr ne sa",
    "Bengali": "as bn",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Oriya": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Ethiopic": "am ti",
    "Coptic": "cop",
    "Syriac": "syr",
    "Hangul": "ko",
    "Han": "ja lzh yue zh",
    "Hiragana": "ja",
    "Katakana": "ja",
    "Bopomofo": "zh",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Myanmar": "my",
    "Tibetan": "bo dz",
}
# Those of the engine `builtin`, which stands above this module.
BUILTIN = (
    "ar ast bg ca cs cy da de el en enm eo es et fa fi fr ga gd gl grc gv hbs he hi hu hy id is it ja ka la lb lt lv "
    "mk ml ms nb nl nn pl pt ro ru se sk sl sq sv sw th tl tr uk zh"
)
# Those written without spaces between words.
UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})

MOST = 0.5  # share of letters of other scripts, or in long stretches
MOST_UNSPACED = 1 / 3  # the same of scripts written without spaces: a sign of Han says as much as three letters
SHORT, MOST_OF_SHORT = 100, 0.85  # code points of a text that may quote much, and share of scripts that write spaces
LONGEST = 30  # characters in a row of a text of words: neither white space nor marks that stand between words
LONGEST_UNSPACED = 10  # the same, where a text of a script without spaces was cut into words
LEAST_KANA = 0.05  # share among Han and kana, in what is Japanese; in most texts it is over a half
MUCH_HAN, NO_KANA = 40, 0.01  # letters of a text that Japanese would hardly write without kana, and share that is none
MOST_NAMED = 6  # engines
PIECES, PIECE = 10, 500  # of a long text; the latter in code points
_KANA = ("Hiragana", "Katakana")
_BETWEEN = r"\s\u200b!-/:-@\[-`{-~«»\u2010-\u2027\u2030-\u205e"
# Tags, entities, URLs, marks of retweets, and addresses of e-mail with names of people (@name).
_NO_WORDS = re.compile(
    r"<[a-z/!?][^<>]*>|&#?[a-z0-9]+;"
    r"|(?:https?|ftp)://[!#-;=?-~]+|(?<![a-z0-9])www\.[!#-;=?-~]+"
    r"|(?<![a-z0-9.-])[a-z0-9-]+(?:\.[a-z0-9-]+)+/[!#-;=?-~]*"
    r"|(?<![a-z0-9_])rt\s+(?=[@\uff20])"
    r"|(?<![a-z0-9_.+-])[a-z0-9_.+-]*[@\uff20][a-z0-9_][a-z0-9_.-]*",
    re.ASCII | re.IGNORECASE,
)
_MAY_BE_NONE = re.compile(r"[<&/@\uff20]|www\.", re.IGNORECASE)  # spares most texts the search


def scripts_of(language: str | None) -> tuple[str, ...]:
    """Return the scripts of a language, by its code; none where they are not known."""
    return tuple(script for script, languages in LANGUAGES.items() if language in languages.split())


def letters_by_script(text: str) -> Counter[str]:
    """Return how many letters there are of each script of `LANGUAGES`; those of other scripts are under ''.

    Letters of tags, entities and addresses (URLs, e-mail, @names) do not count.
    """
    return _letters(_words(text))


def _letters(words: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for sign, number in Counter(words).items():
        if (script := _script(sign)) is not None:
            counts[script] += number
    return counts


def is_japanese(letters: Mapping[str, int]) -> bool:
    """Return whether letters of Han come with as much kana as in Japanese; see `letters_by_script`."""
    kana = _kana(letters)
    return kana > LEAST_KANA * (kana + letters.get("Han", 0))


def _words(text: str) -> str:
    return _NO_WORDS.sub(" ", text) if _MAY_BE_NONE.search(text) else text


@functools.lru_cache(1 << 14)
def _script(sign: str) -> str | None:
    """Return the script of a letter; None for other signs, and letters that many scripts share."""
    if unicodedata.category(sign)[0] != "L" or _shared().match(sign):
        return None
    return next((script for script, pattern in _patterns().items() if pattern.match(sign)), "")


@functools.cache
def _patterns() -> dict[str, Any]:
    return {script: re2.compile(rf"\p{{{script}}}") for script in LANGUAGES}


@functools.cache
def _shared() -> Any:
    return re2.compile(r"[\p{Common}\p{Inherited}]")


def refusal(text: str, scripts: tuple[str, ...]) -> tuple[str, str] | None:
    """Return why words cannot be told in a text, as reason and detail of a reject; None: they can.

    Args:
        scripts: those of the engine's language; empty: they are not known, and words are told by spaces.
    """
    sample = _words(_sample(text))
    letters = _letters(sample)
    if scripts and (other := _other_script(letters, scripts, is_short=len(sample) <= SHORT)) is not None:
        share = f"{100 * letters[other] / letters.total():.0f} % of its letters are {other or 'of another script'}"
        if other in scripts:
            share += ", with no kana among them"
        languages = f"the language of the engine is written in {', '.join(scripts)}"
        return "script", f"{share}; {languages}; {_engines(other, letters)}"
    if not UNSPACED.intersection(scripts):
        longest = LONGEST_UNSPACED if _unspaced(letters) > MOST_UNSPACED * letters.total() else LONGEST
        stretched = sum(sum(map(str.isalpha, stretch)) for stretch in _stretches(longest).findall(sample))
        if stretched > MOST * sum(map(str.isalpha, sample)):
            return (
                "unsegmented",
                f"most of its letters stand in stretches of over {longest} without a space between them",
            )
    return None


def _other_script(letters: Counter[str], scripts: tuple[str, ...], *, is_short: bool) -> str | None:
    """Return the script of a text that is not in some scripts, or is Han where kana are missed; None: it is in them."""
    total = letters.total()
    others = Counter({script: number for script, number in letters.items() if script not in scripts})
    is_han, has_kana = "Han" in scripts, "Hiragana" in scripts
    if (
        _unspaced(others) > MOST_UNSPACED * total
        or others.total() > (MOST_OF_SHORT if is_short else MOST) * total
        or (is_han and not has_kana and is_japanese(letters))
    ):
        return max(others, key=lambda script: (others[script], script))
    misses_kana = has_kana and letters["Han"] > MUCH_HAN and _kana(letters) <= NO_KANA * letters["Han"]
    return "Han" if misses_kana else None


def _engines(script: str, letters: Counter[str]) -> str:
    """Return which engines there are for a text with these letters, most of them of a script."""
    languages = LANGUAGES.get(script, "").split()
    if script in ("Han", *_KANA):
        languages = ["ja" if is_japanese(letters) else "zh"]
    there = [f"builtin:{language}" for language in languages if language in BUILTIN.split()]
    if not there:
        only = languages[0] if len(languages) == 1 else "LANG"
        return f"builtin has none for {script or 'that'}, stanza:{only} may be one"
    named = ", ".join(there) if len(there) <= MOST_NAMED else f"{len(there)} languages of builtin"
    return f"engines for {script}: {named}"


def _unspaced(letters: Mapping[str, int]) -> int:
    return sum(number for script, number in letters.items() if script in UNSPACED)


def _kana(letters: Mapping[str, int]) -> int:
    return sum(letters.get(script, 0) for script in _KANA)


@functools.cache
def _stretches(longest: int) -> re.Pattern[str]:
    return re.compile(f"[^{_BETWEEN}]{{{longest + 1},}}")


def check_script(text: str | None, engine_language: str | None) -> None:
    """Check that words can be told in a text by an engine for a language; None: none annotates it.

    Raises:
        BadRecord: they cannot, for the reasons of `refusal`.
    """
    if text is not None and engine_language is not None and (why := refusal(text, scripts_of(engine_language))):
        raise BadRecord(*why)


def _sample(text: str) -> str:
    if len(text) <= PIECES * PIECE:
        return text
    return "\n".join(text[start : start + PIECE] for start in (len(text) * place // PIECES for place in range(PIECES)))
