"""Features of word forms: those of Universal Dependencies, and other tags translated into them.

An inflection is a part of speech with some features: `NOUN Number=Plur`. Features that do not affect
a form's shape (`NumType`, `Typo`) are left out, and different ways of annotation are made one: a
participle has only gender and number, even one that is tagged as finite but has a gender; auxiliaries
inflect as verbs.

    >>> inflection("AUX", {"Gender": "Fem", "Number": "Sing", "Tense": "Past", "VerbForm": "Part"})
    'VERB Gender=Fem|Number=Sing|VerbForm=Part'
    >>> of_eagles("VMIC3S0")
    ('VERB', {'VerbForm': 'Fin', 'Mood': 'Cnd', 'Person': '3', 'Number': 'Sing'})
    >>> of_unimorph("V;IND;PST;3;SG;IPFV")
    ('VERB', {'Mood': 'Ind', 'Tense': 'Imp', 'Person': '3', 'Number': 'Sing', 'VerbForm': 'Fin'})
"""

import functools
from collections.abc import Mapping

INFLECTING = ("Case", "Degree", "Gender", "Mood", "Number", "Person", "Tense", "VerbForm")

_ROMANCE_PARTICIPLE = ("Gender", "Number", "VerbForm")


def feats_of(text: str | None) -> dict[str, str]:
    """Return the features of a FEATS cell by name; anything but `Name=Value` is left out."""
    pairs = (pair.partition("=") for pair in (text or "").split("|"))
    return {name: value for name, equals, value in pairs if equals and name and value}


def feats_text(feats: Mapping[str, str]) -> str:
    """Return features as a FEATS cell."""
    return "|".join(f"{name}={feats[name]}" for name in sorted(feats, key=str.lower)) or "_"


def inflection(upos: str, feats: Mapping[str, str]) -> str:
    """Return the inflection of a part of speech with features."""
    relevant = {name: value for name, value in feats.items() if name in INFLECTING}
    if upos in ("VERB", "AUX"):
        upos = "VERB"
        if "Gender" in relevant:
            relevant["VerbForm"] = "Part"
        if "Mood" in relevant:
            relevant.setdefault("VerbForm", "Fin")
        if relevant.get("VerbForm") == "Part" and "Number" in relevant:
            relevant = {name: relevant[name] for name in _ROMANCE_PARTICIPLE if name in relevant}
    elif upos == "ADJ":
        relevant = {n: v for n, v in relevant.items() if n in ("Case", "Degree", "Gender", "Number")}
        if relevant.get("Degree") == "Pos":
            del relevant["Degree"]
    elif upos in ("NOUN", "PROPN"):
        relevant = {name: relevant[name] for name in ("Case", "Gender", "Number") if name in relevant}
    return f"{upos} {feats_text(relevant)}"


def split(name: str) -> tuple[str, dict[str, str]]:
    """Return part of speech and features of an inflection."""
    upos, feats = _split(name)
    return upos, dict(feats)


@functools.lru_cache(4096)  # a dictionary has some hundred
def _split(name: str) -> tuple[str, dict[str, str]]:
    upos, _, feats = name.partition(" ")
    return upos, feats_of(feats)


_GENDERS = {"M": "Masc", "F": "Fem", "N": "Neut"}
_NUMBERS = {"S": "Sing", "P": "Plur"}
_DEGREES = {"S": "Abs", "C": "Cmp", "A": "Aug", "D": "Dim"}
_EAGLES = {
    "A": "ADJ",
    "D": "DET",
    "F": "PUNCT",
    "I": "INTJ",
    "P": "PRON",
    "R": "ADV",
    "S": "ADP",
    "W": "NOUN",
    "Z": "NUM",
}
_TENSES = {"P": "Pres", "I": "Imp", "F": "Fut", "S": "Past", "M": "Pqp"}
_MOODS = {"I": "Ind", "S": "Sub", "M": "Imp"}
_NON_FINITE = {"N": "Inf", "G": "Ger", "P": "Part"}


def of_eagles(tag: str) -> tuple[str, dict[str, str]] | None:
    """Return part of speech and features of a tag of EAGLES (Parole) as FreeLing has them.

    Returns None for anything else, for forms with clitics (`VMN0000:PP3MSA00`), which are made by
    rule, and for voseo (number V), which Universal Dependencies do not distinguish.
    """
    padded = tag + "0000000"
    head = padded[0]
    if ":" in tag or "+" in tag or not tag.isalnum() or not tag[0].isupper():
        return None
    if head == "N":
        upos = "PROPN" if padded[1] == "P" else "NOUN"
        return upos, _agreement(padded[2], padded[3])
    if head == "A":
        feats = _agreement(padded[3], padded[4])
        return "ADJ", feats | ({"Degree": _DEGREES[padded[2]]} if padded[2] in _DEGREES else {})
    if head == "V":
        return _eagles_verb(padded)
    if head == "C":
        return ("SCONJ" if padded[1] == "S" else "CCONJ"), {}
    if head in ("D", "P"):
        return _EAGLES[head], _agreement(padded[3], padded[4])
    return (_EAGLES[head], {}) if head in _EAGLES else None


def _agreement(gender: str, number: str) -> dict[str, str]:
    feats = {"Gender": _GENDERS.get(gender, ""), "Number": _NUMBERS.get(number, "")}
    return {name: value for name, value in feats.items() if value}


def _eagles_verb(padded: str) -> tuple[str, dict[str, str]] | None:
    kind, mood, tense, person, number, gender = tuple(padded[1:7])
    upos = "AUX" if kind in ("A", "S") else "VERB"
    if number == "V":
        return None
    if mood in _NON_FINITE:
        return upos, {"VerbForm": _NON_FINITE[mood], **_agreement(gender, number)}
    if mood not in _MOODS:
        return None
    feats = {"VerbForm": "Fin", "Mood": "Cnd" if tense == "C" else _MOODS[mood]}
    if tense in _TENSES and mood != "M":
        feats["Tense"] = _TENSES[tense]
    if person in "123":
        feats["Person"] = person
    return upos, feats | _agreement("", number)


_UNIMORPH_POS = {
    "N": "NOUN",
    "PROPN": "PROPN",
    "ADJ": "ADJ",
    "ADV": "ADV",
    "V": "VERB",
    "AUX": "AUX",
    "V.PTCP": "VERB",
    "V.CVB": "VERB",
    "V.MSDR": "VERB",
    "DET": "DET",
    "PRO": "PRON",
    "NUM": "NUM",
}
_UNIMORPH = {
    "V.PTCP": ("VerbForm", "Part"),
    "V.CVB": ("VerbForm", "Ger"),
    "V.MSDR": ("VerbForm", "Ger"),
    "NFIN": ("VerbForm", "Inf"),
    "FIN": ("VerbForm", "Fin"),
    "IND": ("Mood", "Ind"),
    "SBJV": ("Mood", "Sub"),
    "IMP": ("Mood", "Imp"),
    "COND": ("Mood", "Cnd"),
    "PRS": ("Tense", "Pres"),
    "PST": ("Tense", "Past"),
    "FUT": ("Tense", "Fut"),
    "1": ("Person", "1"),
    "2": ("Person", "2"),
    "3": ("Person", "3"),
    "SG": ("Number", "Sing"),
    "PL": ("Number", "Plur"),
    "MASC": ("Gender", "Masc"),
    "FEM": ("Gender", "Fem"),
    "NEUT": ("Gender", "Neut"),
    "CMPR": ("Degree", "Cmp"),
    "SPRL": ("Degree", "Sup"),
    "NOM": ("Case", "Nom"),
    "ACC": ("Case", "Acc"),
    "GEN": ("Case", "Gen"),
    "DAT": ("Case", "Dat"),
}


def of_unimorph(tag: str) -> tuple[str, dict[str, str]] | None:
    """Return part of speech and features of a tag of UniMorph.

    Returns None for an unknown part of speech, and for polite and negated forms, which would not be
    distinguished from others.
    """
    marks = tag.upper().split(";")
    pos = next((_UNIMORPH_POS[mark] for mark in marks if mark in _UNIMORPH_POS), None)
    if pos is None or {"NEG", "FORM", "ELEV"} & set(marks):
        return None
    feats = dict(_UNIMORPH[mark] for mark in marks if mark in _UNIMORPH)
    if feats.get("Tense") == "Past" and "IPFV" in marks:
        feats["Tense"] = "Imp"
    if feats.get("Mood") == "Cnd":
        feats.pop("Tense", None)
    if pos in ("VERB", "AUX") and "VerbForm" not in feats and {"Mood", "Tense"} & set(feats):
        feats["VerbForm"] = "Fin"
    if feats.get("VerbForm") == "Part" and feats.get("Tense") == "Pres" and len(feats) == 2:
        feats = {"Tense": "Pres", "VerbForm": "Part"}
    return pos, feats
