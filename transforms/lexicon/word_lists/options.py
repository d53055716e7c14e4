"""How a word list is written: `FILE:word=COLUMN,value=COLUMN[,key=value...]`."""

import re
from dataclasses import dataclass, replace

from transforms.common.errors import UsageError
from transforms.formats.records.base import ReaderOptions
from transforms.lexicon.compiled.casing import CASES
from transforms.lexicon.compiled.kind import Parsed
from transforms.lexicon.compiled.specs import choice, number, split_spec, yes
from transforms.lexicon.word_lists.scales import SCALES, RatingScale

__all__ = [
    "DELIMITERS",
    "DUPLICATES",
    "FORM",
    "UPOS",
    "WordListOptions",
    "WordListRules",
    "parse",
    "scale_of",
    "with_usual_scale",
]

# Whitespace: any run of it.
DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": ""}
DUPLICATES = ("error", "first", "last", "mean", "sum", "most")
_COLUMNS = ("word", "value", "pos", "sd", "n")
_KEYS = (
    *_COLUMNS,
    "delimiter",
    "header",
    "quoting",
    "comment",
    "encoding",
    "decimal",
    "scale",
    "factor",
    "log10",
    "case",
    "duplicates",
    "min_n",
    "language",
)
FORM = "FILE:word=COLUMN,value=COLUMN[,pos=,sd=,n=]"
# What lists call parts of speech; names that are not here, or more than one of ours, stay.
UPOS = {
    "noun": "NOUN",
    "verb": "VERB",
    "adjective": "ADJ",
    "adverb": "ADV",
    "name": "PROPN",
    "pronoun": "PRON",
    "determiner": "DET",
    "article": "DET",
    "preposition": "ADP",
    "interjection": "INTJ",
    "number": "NUM",
    "numeral": "NUM",
    "n": "NOUN",
    "v": "VERB",
    "a": "ADJ",
    "s": "ADJ",
    "r": "ADV",
    **{
        tag.lower(): tag
        for tag in (
            "ADJ",
            "ADP",
            "ADV",
            "AUX",
            "CCONJ",
            "DET",
            "INTJ",
            "NOUN",
            "NUM",
            "PART",
            "PRON",
            "PROPN",
            "PUNCT",
            "SCONJ",
            "SYM",
            "VERB",
            "X",
        )
    },
}
_SCALE = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True)
class WordListRules:
    """What is made of rows, wherever they come from.

    Attributes:
        case: by which form a word is looked up: `fold`, `keep` or `lower`.
        duplicates: which of several rows of a word counts: an `error`, the `first`, the `last`, the
            `mean` or the `sum` of their values, or the one with the `most` people or uses (`n`).
        low: least value that the scale allows; None: the least that is there.
        high: greatest value that the scale allows; None: the greatest that is there.
        min_n: rows of fewer people or uses are left out; None: none are.
        usual: scales of lists of this name, one of which must hold all values; empty: whatever
            they are.
    """

    case: str = "fold"
    duplicates: str = "error"
    low: float | None = None
    high: float | None = None
    min_n: float | None = None
    usual: tuple[RatingScale, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WordListOptions:
    """How a file of words and values is read.

    Attributes:
        word: column of the words: its name in the header, or its number from 1.
        value: column of the values.
        pos: column of the part of speech; empty for none.
        sd: column of the standard deviation; empty for none.
        n: column of how many people or uses a value is from; empty for none.
        delimiter: a key of `DELIMITERS`; empty: found out.
        header: whether the first row names the columns; None: found out.
        quoting: whether quotes mean something in a file separated by tabs, commas or semicolons.
        comment: what lines at the start begin with that are passed over; empty for none.
        encoding: of the text.
        decimal: `point` or `comma`.
        factor: values are multiplied by it, as a decimal number.
        log10: values become log10(value + this); None: they stay.
        scaled: whether the scale is said, be it `read`.
        rules: what is made of the rows.
    """

    word: str
    value: str
    pos: str = ""
    sd: str = ""
    n: str = ""
    delimiter: str = ""
    header: bool | None = None
    quoting: bool = True
    comment: str = "#"
    encoding: str = "utf-8"
    decimal: str = "point"
    factor: str = "1"
    log10: float | None = None
    scaled: bool = False
    rules: WordListRules = WordListRules()

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are asked for, by what they are."""
        given = {name: getattr(self, name) for name in _COLUMNS}
        return {name: column for name, column in given.items() if column}


def parse(argument: str) -> Parsed:
    """Return what a person's words say of a word list.

    Raises:
        UsageError: they are not of the form, or two options contradict each other.
    """
    path, given = split_spec(argument, _KEYS, form=FORM)
    for name in ("word", "value"):
        if name not in given:
            raise UsageError(f"{argument!r} does not say which column has the {name}: {FORM}")
    if "sd" in given and "log10" in given:
        raise UsageError("sd= has no meaning for values of which log10= takes the logarithm")
    for wants in [
        *(["min_n"] if "min_n" in given else []),
        *(["duplicates"] if given.get("duplicates") == "most" else []),
    ]:
        if "n" not in given:
            raise UsageError(f"{wants}={given[wants]} needs n=: the column of people or uses")
    factor = number(given, "factor")
    if factor == 0:
        raise UsageError("factor=0 would make all values one")
    low, high = scale_of(given.get("scale", "read"))
    comment = given.get("comment", "#")
    options = WordListOptions(
        **{name: given[name] for name in _COLUMNS if name in given},
        delimiter=choice(given, "delimiter", tuple(DELIMITERS), ""),
        header=None if "header" not in given else yes(given, "header", True),
        quoting=yes(given, "quoting", True),
        comment="" if comment == "none" else comment,
        encoding=ReaderOptions(encoding=(given.get("encoding", "utf-8"),)).encoding[0],
        decimal=choice(given, "decimal", ("point", "comma"), "point"),
        factor=given.get("factor", "1"),
        log10=number(given, "log10"),
        scaled="scale" in given,
        rules=WordListRules(
            case=choice(given, "case", CASES, "fold"),
            duplicates=choice(given, "duplicates", DUPLICATES, "error"),
            low=low,
            high=high,
            min_n=number(given, "min_n"),
        ),
    )
    return Parsed((path,), options, given.get("language"))


def with_usual_scale(name: str, parsed: Parsed) -> Parsed:
    """Return the same of a list called `name`: its usual scales count where none is said."""
    options: WordListOptions = parsed.options
    if options.scaled or options.log10 is not None:
        return parsed
    rules = replace(options.rules, usual=SCALES.get(name.casefold(), ()))
    return parsed._replace(options=replace(options, rules=rules))


def scale_of(text: str) -> tuple[float | None, float | None]:
    """Return the ends of a scale: `LOW-HIGH`, or None twice for `read`.

    Raises:
        UsageError: it is neither.
    """
    if text == "read":
        return None, None
    match = _SCALE.fullmatch(text)
    if match is None or float(match[1]) >= float(match[2]):
        raise UsageError(f"scale={text}: it takes LOW-HIGH, such as 1-7, or read")
    return float(match[1]), float(match[2])
