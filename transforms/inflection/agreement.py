"""The gender of a Spanish adjective whose form does not show it, by the words before it.

`grande` is feminine in *una casa grande* and in *la grande*; a word in its place has to agree. An
article or another determiner shows the gender, and so does a noun; a form that may also be a verb
counts as a noun only behind a determiner or a preposition (*la marcha lenta*, not *era grande*).

>>> gender_before("Fue la más ", None)
'Fem'
"""

import re

from lexbeam.transforms.common.patterns import match_backwards
from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting

_WORDS = re.compile(r"(?: +[^\W\d_]+){1,4}")  # backwards
_STEMS = ("much", "poc", "otr", "tod", "nuestr", "vuestr", "mism", "ciert", "tant")
_FEMININE = (
    "la",
    "las",
    "una",
    "unas",
    "esta",
    "estas",
    "esa",
    "esas",
    "aquella",
    "aquellas",
    "alguna",
    "algunas",
    "ninguna",
    "varias",
)
_MASCULINE = (
    "el",
    "los",
    "un",
    "unos",
    "este",
    "estos",
    "ese",
    "esos",
    "aquel",
    "aquellos",
    "algún",
    "algunos",
    "ningún",
    "varios",
    "al",
    "del",
)
_DETERMINERS = {
    **dict.fromkeys(_FEMININE, "Fem"),
    **{stem + end: "Fem" for stem in _STEMS for end in ("a", "as")},
    **dict.fromkeys(_MASCULINE, "Masc"),
    **{stem + end: "Masc" for stem in _STEMS for end in ("o", "os")},
}
_BEFORE_NOUNS = ("a", "con", "de", "en", "entre", "para", "por", "sin", "sobre", "mi", "mis", "tu", "tus", "su", "sus")
_DEGREES = ("bastante", "demasiado", "más", "menos", "muy", "tan")


def gender_before(left: str, inflector: Inflecting | None) -> str | None:
    """Return the gender that the words before an adjective show, `Masc` or `Fem`; None: they show none.

    Args:
        left: the sentence up to the adjective.
        inflector: of Spanish; None: only determiners are known.
    """
    match = match_backwards(_WORDS, left, len(left))
    words = match[0][::-1].lower().split() if match else []
    while words and words[-1] in _DEGREES:
        words.pop()
    if not words:
        return None
    if words[-1] in _DETERMINERS:
        return _DETERMINERS[words[-1]]
    rows = inflector.forms.of_form(words[-1]) if inflector is not None else []
    kinds = [split(row.inflection) for row in rows]
    genders = {feats["Gender"] for kind, feats in kinds if kind == "NOUN" and "Gender" in feats}
    if len(genders) != 1:
        return None
    gender = genders.pop()
    alone = all(kind in ("NOUN", "PROPN", "ADJ") for kind, _ in kinds)
    before = words[-2] if len(words) > 1 else ""
    # `el` also stands before feminine nouns: el arma.
    determined = _DETERMINERS.get(before) == gender or before in ("el", "un", "al", "del", "algún", "ningún")
    return gender if alone or determined or before in _BEFORE_NOUNS else None
