"""The language that a code, a tag or a name says: one answer for options, tables, headers and resources.

>>> language_of("español"), language_of("deu"), language_of("en_GB"), language_of("Elvish")
('es', 'de', 'en-GB', None)

Codes and names are those of the packages langcodes and language_data: ISO 639, and CLDR's names in many languages.
"""

import functools
import re

from lexbeam.transforms.common.errors import UsageError, nearest, quoted

_TAG = re.compile(r"([a-z]{2,3})((?:[-_][a-z0-9]{1,8})*)", re.IGNORECASE)
_LONGEST_NAME = 100  # CLDR's longest has 77 characters; a search of names takes time with the square of the length.
# As engines and word lists have them.
_OF_ENGINES = {"no": "nb", "nor": "nb", "hbs": "hbs", "sh": "sh", "tgl": "tl", "tl": "tl"}


@functools.lru_cache(1 << 12)
def language_of(text: str) -> str | None:
    """Return the code of the language that a text says, of two letters if there is one; None if it says none.

    Args:
        text: a code (`en`, `eng`), a tag (`en-GB`, whose region stays), or a name in any language that CLDR
            knows (`English`, `inglés`); letter case does not count.
    """
    import langcodes

    text = text.strip()
    if len(text) > _LONGEST_NAME:
        return None
    if (tag := _TAG.fullmatch(text)) is None:
        try:
            return _of_engines(langcodes.find(text).to_tag())
        except LookupError:
            return None
    code = _code(tag[1].lower())
    return code + tag[2].replace("_", "-") if code else None


def _of_engines(tag: str) -> str:
    code, hyphen, rest = tag.partition("-")
    return _OF_ENGINES.get(code, code) + hyphen + rest


def _code(code: str) -> str | None:
    import langcodes

    if code in _OF_ENGINES:
        return _OF_ENGINES[code]
    language = langcodes.Language.get(code)
    return language.language or code if language.is_valid() else None


def code_or_text(text: str) -> str:
    """Return the code of the language that data say, or what they say where that is no language."""
    return language_of(text) or text


def short_tag(language: str) -> str:
    """Return a tag as engines write it: `en` for `eng`, `en-GB` and `English`; an unknown tag stays as it is.

    >>> short_tag("eng"), short_tag("pt-BR"), short_tag("Deutsch"), short_tag("xx-YY")
    ('en', 'pt', 'de', 'xx')
    """
    return re.split("[-_]", language_of(language) or language.strip().lower())[0]


def stated_language(text: str) -> str:
    """Return the code of the language that a person states.

    Raises:
        UsageError: there is no such language.
    """
    code = language_of(text)
    if code is None:
        hint = nearest(text.lower(), _names())
        raise UsageError(f"{quoted(text)} is no language: write a code such as en, or a name such as English{hint}")
    return code


@functools.cache
def _names() -> tuple[str, ...]:
    """Return the names of languages of which CLDR has much, in English and in their own, in lower case."""
    from langcodes import Language
    from langcodes.language_lists import CLDR_LANGUAGES

    languages = [Language.get(code) for code in sorted(CLDR_LANGUAGES)]
    return tuple(name.lower() for language in languages for name in (language.display_name(), language.autonym()))
