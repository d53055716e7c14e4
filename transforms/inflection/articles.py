"""Words that change with what is behind them: determiners before a noun, `y`, `o`, `a` and `an`.

>>> beside("es", "la", "agua", {"Gender": "Fem", "Number": "Sing"})
'el'
>>> beside("es", "el", "casa", {"Gender": "Fem", "Number": "Sing"})
'la'
>>> beside("es", "y", "iglesias"), beside("es", "u", "abedul"), beside("en", "a", "easy")
('e', 'o', 'an')
"""

import re
from collections.abc import Callable, Mapping

from lexbeam.transforms.inflection.spanish import feminine_el

# By gender and number; articles that carry a preposition change with them.
_SPANISH = (
    ("el", "la", "los", "las"),
    ("un", "una", "unos", "unas"),
    ("al", "a la", "a los", "a las"),
    ("del", "de la", "de los", "de las"),
)
_QUANTIFIERS = (("algún", "alguna", "algunos", "algunas"), ("ningún", "ninguna", "ningunos", "ningunas"))
# Before nouns alone: before others `mucho` and `poco` are adverbs, and stay.
_DETERMINERS = (
    ("este", "esta", "estos", "estas"),
    ("ese", "esa", "esos", "esas"),
    ("aquel", "aquella", "aquellos", "aquellas"),
    *_QUANTIFIERS,
    *(
        (f"{stem}o", f"{stem}a", f"{stem}os", f"{stem}as")
        for stem in ("ciert", "dich", "much", "nuestr", "otr", "poc", "tant", "vari", "vuestr")
    ),
)
_BEFORE_A = (*_SPANISH, *_QUANTIFIERS)  # of a feminine noun with a stressed a they have the masculine form
# With prepositions, as they are written.
_PORTUGUESE = (
    *((f"{stem}o", f"{stem}a", f"{stem}os", f"{stem}as") for stem in ("", "d", "n", "pel")),
    ("ao", "à", "aos", "às"),
    *((f"{stem}um", f"{stem}uma", f"{stem}uns", f"{stem}umas") for stem in ("", "d", "n", "alg", "nenh")),
    *(
        (f"{stem}e", f"{stem}a", f"{stem}es", f"{stem}as")
        for stem in ("est", "ess", "aquel", "dest", "dess", "daquel", "nest", "ness", "naquel")
    ),
)
_ROWS = {"es": (*_SPANISH, *_DETERMINERS), "pt": _PORTUGUESE}
_CELLS = (("Masc", "Sing"), ("Fem", "Sing"), ("Masc", "Plur"), ("Fem", "Plur"))
# Words that begin with a vowel letter but a consonant sound, and the other way round: the commonest,
# after the usage notes of English dictionaries.
_CONSONANT = re.compile("eu|ew|one(?!i|rous)|once|ouija|u(?=[bcfghjklqrstv][aeiou])|unanim|uni(?!n|m|dent|diom)")
_VOWEL = re.compile(r"(hour|heir|honest|hono[u]?r)")


def _spanish(before: str, word: str, feats: Mapping[str, str], is_noun: bool) -> str | None:
    if before in ("y", "e"):
        vowel = re.match("h?[ií](?![aeoáéó])", word)
        return "e" if vowel else "y"
    if before in ("o", "u"):
        return "u" if re.match("h?[oó]", word) else "o"
    cell = (feats.get("Gender"), feats.get("Number"))
    known = (*_SPANISH, *_DETERMINERS) if is_noun else _SPANISH
    row = next((forms for forms in known if before in forms), None)
    if row is None or cell not in _CELLS:
        return None
    place = _CELLS.index((str(cell[0]), str(cell[1])))
    if place == 1 and is_noun and row in _BEFORE_A and feminine_el(word):
        place = 0
    return row[place]


def _english(before: str, word: str, feats: Mapping[str, str], is_noun: bool) -> str | None:
    if before not in ("a", "an"):
        return None
    if _VOWEL.match(word):
        return "an"
    return "an" if word[:1] in "aeiou" and not _CONSONANT.match(word) else "a"


ARTICLES: dict[str, Callable[[str, str, Mapping[str, str], bool], str | None]] = {"es": _spanish, "en": _english}


def beside(
    language: str, before: str, word: str, feats: Mapping[str, str] | None = None, is_noun: bool = True
) -> str | None:
    """Return what the word before another one becomes; None if it is not one that changes.

    Args:
        language: a key of `ARTICLES`; nothing is known of other languages.
        before: the word before, or `de la` and the like; what is returned has its capitals.
        word: the word that is to stand behind it.
        feats: gender and number of that word, for articles.
        is_noun: whether that word is a noun: `el` stands before a stressed a only of nouns (*el
            agua*, *algún alma*, *la alta torre*).
    """
    rule = ARTICLES.get(language)
    changed = rule(before.lower(), word.lower(), feats or {}, is_noun) if rule else None
    if changed is None:
        return None
    if len(before) > 1 and before.isupper():
        return changed.upper()
    return changed[:1].upper() + changed[1:] if before[:1].isupper() else changed


def determiner_cells(language: str, word: str) -> list[tuple[str, str]]:
    """Return the genders and numbers that a determiner shows, in lower case; empty for other words.

    >>> determiner_cells("es", "del"), determiner_cells("pt", "nas")
    ([('Masc', 'Sing')], [('Fem', 'Plur')])
    """
    return [cell for row in _ROWS.get(language, ()) for form, cell in zip(row, _CELLS, strict=True) if form == word]


def determiner(language: str, word: str, gender: str, number: str) -> str | None:
    """Return a determiner in lower case in another gender and number; None: it is none that is known.

    >>> determiner("es", "del", "Fem", "Sing"), determiner("pt", "pelo", "Fem", "Plur")
    ('de la', 'pelas')
    """
    row = next((forms for forms in _ROWS.get(language, ()) if word in forms), None)
    return None if row is None else row[_CELLS.index((gender, number))]
