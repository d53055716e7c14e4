"""The scripts of a text and of languages, and whether words can be told in a text by an engine made for some scripts.

Scripts are those of Unicode's property Script; only letters count. A long text is judged by pieces at even distances.

>>> refusal("Он сказал: that was that.", scripts_of("sr")), scripts_of("sr")
(None, ('Latin', 'Cyrillic'))
>>> refusal("我们昨天去了北京。", scripts_of("en"))
('script', '100 % of its letters are Han; the language of the engine is written in Latin')
"""

import functools
import re
import unicodedata
from collections import Counter
from typing import Any

import re2

from transforms.formats.records.base import BadRecord

__all__ = ["LANGUAGES", "UNSPACED", "check_script", "letters_by_script", "refusal", "scripts_of"]

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
# Those written without spaces between words.
UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})

MOST = 0.5  # share of letters of other scripts, or in long stretches
SHORT, MOST_OF_SHORT = 300, 0.9  # code points of a text that may quote much, and share of scripts that write spaces
LONGEST = 30  # characters in a row of a text of words: neither white space nor marks that stand between words
PIECES, PIECE = 10, 500  # of a long text; the latter in code points
_STRETCH = re.compile(rf"[^\s\u200b!-/:-@\[-`{{-~]{{{LONGEST + 1},}}")


def scripts_of(language: str | None) -> tuple[str, ...]:
    """Return the scripts of a language, by its code; none where they are not known."""
    return tuple(script for script, languages in LANGUAGES.items() if language in languages.split())


def letters_by_script(text: str) -> Counter[str]:
    """Return how many letters there are of each script of `LANGUAGES`; those of other scripts are under ''."""
    counts: Counter[str] = Counter()
    for sign, number in Counter(text).items():
        if (script := _script(sign)) is not None:
            counts[script] += number
    return counts


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
        text: the text.
        scripts: those of the engine's language; empty: they are not known, and words are told by spaces.
    """
    sample = _sample(text)
    letters = letters_by_script(sample)
    total = letters.total()
    others = {script: number for script, number in letters.items() if scripts and script not in scripts}
    unspaced = sum(number for script, number in others.items() if script in UNSPACED)
    most_of = MOST if len(text) > SHORT else MOST_OF_SHORT
    if unspaced > MOST * total or sum(others.values()) > most_of * total:
        most = max(others, key=lambda script: (others[script], script))
        share = f"{100 * others[most] / total:.0f} % of its letters are {most or 'of another script'}"
        return "script", f"{share}; the language of the engine is written in {', '.join(scripts)}"
    if not UNSPACED.intersection(scripts):
        stretched = sum(sum(map(str.isalpha, stretch)) for stretch in _STRETCH.findall(sample))
        if stretched > MOST * sum(map(str.isalpha, sample)):
            return (
                "unsegmented",
                f"most of its letters stand in stretches of over {LONGEST} without a space between them",
            )
    return None


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
