"""How a person specifies a word list, and the scales of well-known norms.

A list that is called by the name of such a norm must be on one of the norm's scales, unless `scale=` states another:
otherwise the ratings of another study, or the wrong column, would go unnoticed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.lexicon.compiled.resource_kind import Parsed, choice, number, split_spec, yes
from lexbeam.transforms.lexicon.compiled.word_keys import CASES


class RatingScale(NamedTuple):
    """A scale: its least and its greatest value, and its source."""

    low: float
    high: float
    source: str


_MRC = "MRC database (Coltheart 1981)"
_AGES = (RatingScale(0, 25, "years (Kuperman et al. 2012)"), RatingScale(100, 700, _MRC))

SCALES: dict[str, tuple[RatingScale, ...]] = {
    "concreteness": (RatingScale(1, 5, "Brysbaert et al. 2014"),),
    "aoa": _AGES,
    "age_of_acquisition": _AGES,
    "prevalence": (RatingScale(-5, 5, "probits of who knows it, Brysbaert et al. 2019"),),
    # The least familiar word of the MRC database has 43.
    "familiarity": (RatingScale(1, 7, "ratings"), RatingScale(10, 700, _MRC)),
    "imageability": (RatingScale(1, 7, "ratings"), RatingScale(100, 700, _MRC)),
    "mrc_familiarity": (RatingScale(10, 700, _MRC),),
    "mrc_concreteness": (RatingScale(100, 700, _MRC),),
    "mrc_imageability": (RatingScale(100, 700, _MRC),),
    "mrc_aoa": (RatingScale(100, 700, _MRC),),
}


def scale_that_fits(scales: Sequence[RatingScale], low: float, high: float) -> RatingScale | None:
    """Return the first scale that holds values from `low` to `high`; None if no scale does."""
    return next((scale for scale in scales if scale.low <= low and high <= scale.high), None)


def described(scales: Sequence[RatingScale]) -> str:
    """Return scales for a message."""
    return " or ".join(f"{scale.low:g} to {scale.high:g} ({scale.source})" for scale in scales)


@dataclass(frozen=True)
class Delimiter(Entry):
    """What separates the cells of a row; empty: any run of white space."""

    text: str


DELIMITERS: Registry[Delimiter] = Registry(
    {
        "tab": Delimiter("\t", doc="a tab"),
        "comma": Delimiter(",", doc="a comma"),
        "semicolon": Delimiter(";", doc="a semicolon"),
        "space": Delimiter("", doc="any run of white space"),
    },
    what="delimiter",
)
DUPLICATES: Registry[Entry] = Registry(
    {
        "error": Entry(doc="a word with several rows is an error"),
        "first": Entry(doc="the first row"),
        "last": Entry(doc="the last row"),
        "mean": Entry(doc="the mean of the values"),
        "sum": Entry(doc="the sum of the values"),
        "most": Entry(doc="the row with the most people or uses (`n`), the first of several"),
    },
    what="rule for duplicates",
)
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
# What lists call parts of speech; names that are not here, or have several counterparts, stay.
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
    """How rows become entries, wherever they come from.

    Attributes:
        case: an entry of `CASES`.
        duplicates: an entry of `DUPLICATES`.
        low: least value that the scale allows; None: the least of the values.
        high: greatest value that the scale allows; None: the greatest of the values.
        min_n: rows of fewer people or uses are left out; None: none are.
        usual: scales of lists of this name, one of which must hold all values; empty: any will do.
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
        delimiter: an entry of `DELIMITERS`; empty: detected.
        header: whether the first row names the columns; None: detected.
        quoting: whether quotes enclose cells in a file separated by tabs, commas or semicolons.
        comment: what skipped lines at the start begin with; empty for none.
        encoding: of the text.
        decimal: `point` or `comma`.
        factor: values are multiplied by it, as a decimal number.
        log10: values become log10(value + this); None: they stay.
        scaled: whether the scale is stated, be it `read`.
        rules: how the rows become entries.
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
        """The wanted columns, by what they hold."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        return {name: column for name, column in columns.items() if column}


def parse(argument: str) -> Parsed:
    """Return the word list that a person names by `FILE:word=COLUMN,value=COLUMN[,key=value...]`.

    Raises:
        UsageError: the argument is malformed, or two options contradict each other.
    """
    path, values = split_spec(argument, _KEYS, form=FORM)
    for name in ("word", "value"):
        if name not in values:
            raise UsageError(f"{argument!r} does not say which column has the {name}: {FORM}")
    if "sd" in values and "log10" in values:
        raise UsageError("sd= has no meaning for values whose logarithm log10= takes")
    for key in [
        *(["min_n"] if "min_n" in values else []),
        *(["duplicates"] if values.get("duplicates") == "most" else []),
    ]:
        if "n" not in values:
            raise UsageError(f"{key}={values[key]} needs n=: the column of people or uses")
    factor = number(values, "factor")
    if factor == 0:
        raise UsageError("factor=0 would make all values one")
    low, high = scale_of(values.get("scale", "read"))
    comment = values.get("comment", "#")
    options = WordListOptions(
        **{name: values[name] for name in _COLUMNS if name in values},
        delimiter=choice(values, "delimiter", DELIMITERS, ""),
        header=None if "header" not in values else yes(values, "header", True),
        quoting=yes(values, "quoting", True),
        comment="" if comment == "none" else comment,
        encoding=ReaderOptions(encoding=(values.get("encoding", "utf-8"),)).encoding[0],
        decimal=choice(values, "decimal", ("point", "comma"), "point"),
        factor=values.get("factor", "1"),
        log10=number(values, "log10"),
        scaled="scale" in values,
        rules=WordListRules(
            case=choice(values, "case", CASES, "fold"),
            duplicates=choice(values, "duplicates", DUPLICATES, "error"),
            low=low,
            high=high,
            min_n=number(values, "min_n"),
        ),
    )
    return Parsed((path,), options, values.get("language"))


def with_usual_scale(name: str, parsed: Parsed) -> Parsed:
    """Return a list called `name` with its usual scales, unless it states one."""
    options: WordListOptions = parsed.options
    if options.scaled or options.log10 is not None:
        return parsed
    rules = replace(options.rules, usual=SCALES.get(name.casefold(), ()))
    return parsed._replace(options=replace(options, rules=rules))


def scale_of(text: str) -> tuple[float | None, float | None]:
    """Return the ends of a scale: `LOW-HIGH`, or None twice for `read`.

    Raises:
        UsageError: the text is neither.
    """
    if text == "read":
        return None, None
    match = _SCALE.fullmatch(text)
    if match is None or float(match[1]) >= float(match[2]):
        raise UsageError(f"scale={text}: it takes LOW-HIGH, such as 1-7, or read")
    return float(match[1]), float(match[2])
