"""Rules for dates, and fields, guessed from some of an input's documents.

A guess is for a person to read and correct; no run uses one that nobody has seen.

>>> guess_dates([SeenDocument("su1790.txt", {}), SeenDocument("su1991_b.txt", {})]).rule
'name:(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})(?:[^0-9]|$)'
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from transforms.formats.dates.rules import date_of, parse_date_rule
from transforms.formats.records.base import Record, Reject

__all__ = [
    "MOST",
    "Dates",
    "SeenDocument",
    "date_fields",
    "guess_dates",
    "guess_fields",
    "guess_text_field",
    "years_by",
]

# A rule must find a date in this share of the documents: those without become rejects.
MOST = 0.95
# Years from 1000 to 2099 in the name of a file: alone between other characters, or in YYYYMMDD.
NAMES = (
    "(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})(?:[^0-9]|$)",
    "(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})[01][0-9][0-3][0-9](?:[^0-9]|$)",
)
_DATED = re.compile(r"date|year|jahr|datum|annee|anno|fecha|data|publi|issued|written|time", re.I)
_ALSO = {
    "author": ("speaker", "writer", "byline", "creator", "authors", "by"),
    "title": ("headline", "heading", "subject"),
}
# Fields that hold texts, the likelier first.
_TEXTS = (
    "text",
    "body",
    "content",
    "fulltext",
    "full_text",
    "transcript",
    "speech",
    "article",
    "raw",
    "abstract",
    "description",
    "message",
)


class SeenDocument(NamedTuple):
    """A sampled document: its source and its fields."""

    source: str
    fields: Mapping[str, str]


class Dates(NamedTuple):
    """A rule for dates, how many documents it finds a date for, and of how many."""

    rule: str
    dated: int
    of: int


def guess_dates(documents: Sequence[SeenDocument]) -> Dates | None:
    """Return the rule that finds a date in the most documents; None if none finds any.

    Among rules that find equally many, a header comes before a field, and a field before a file's name.
    """
    tried = [_tried(rule, documents) for rule in _rules(documents)]
    return max((dates for dates in tried if dates.dated), key=lambda dates: dates.dated, default=None)


def _rules(documents: Sequence[SeenDocument]) -> Iterator[str]:
    names = Counter(name for document in documents for name in document.fields)
    if names["date"]:
        yield "header"
    for name, _ in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        if name != "date" and _DATED.search(name):
            yield f"field:{name}"
    for pattern in NAMES:
        yield f"name:{pattern}"


def _tried(spec: str, documents: Sequence[SeenDocument]) -> Dates:
    years = [year for year in years_by(spec, documents) if year is not None]
    return Dates(spec, len(years), len(documents))


def years_by(spec: str, documents: Iterable[SeenDocument]) -> Iterator[int | None]:
    """Yield the year of each document by a rule for dates; None where it has none."""
    rule = parse_date_rule(spec)
    for document in documents:
        date = date_of(rule, Record("", document.fields, None, None), document.source)
        yield None if isinstance(date, Reject) else date.year


def date_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields whose names suggest a date."""
    return {name: fields[name] for name in fields if _DATED.search(name)}


def guess_fields(names: Iterable[str]) -> list[str]:
    """Return pairs for the option `fields`: which field is the author, which the title.

    A field that is found by its own name needs no pair.
    """
    by_lower_name = {name.lower(): name for name in sorted(names, reverse=True)}
    pairs = []
    for known, others in _ALSO.items():
        if known not in by_lower_name and (name := next((o for o in others if o in by_lower_name), None)):
            pairs.append(f"{known}={by_lower_name[name]}")
    return pairs


def guess_text_field(lengths: Mapping[str, float]) -> str | None:
    """Return the field that holds the text, from the mean length of what each field holds.

    That is the first of the usual names whose field is not empty, else the longest field; None where
    all are empty.
    """
    usual = {name.lower(): name for name, length in sorted(lengths.items()) if length}
    known = next((usual[name] for name in _TEXTS if name in usual), None)
    return known or max(sorted(usual.values()), key=lambda name: lengths[name], default=None)
