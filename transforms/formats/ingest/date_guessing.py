"""Where an input's dates are, and other fields, guessed from some of its documents.

Every field is tried by its values. Names of fields break ties, and raise doubts; they never make a date.

>>> guess_dates([SeenDocument("su1790.txt", {}), SeenDocument("su1991_b.txt", {})])[0].rule
'name:(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})(?:[^0-9]|$)'

A guess is for a person to read and correct; no run uses one that nobody has seen.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from lexbeam.transforms.common.shown import units
from lexbeam.transforms.formats.ingest.date_rules import date_of, parse_date_rule
from lexbeam.transforms.formats.records.base import Record, Reject
from lexbeam.transforms.formats.records.date_parsing import DATE_FORMS, Date, parse_date, readings

# A rule must find a date in this share of the documents: those without become rejects.
MOST = 0.95
# Of the texts that a field has, the share that must be dates, so that it is one of dates at all.
SOME = 0.5
ASKED = 100  # documents by which a field is told to have no dates
# Years in the name of a file: from 1000 to 2099 alone between other characters, or in YYYYMMDD; signed and padded.
NAMES = (
    "(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})(?:[^0-9]|$)",
    "(?:^|[^0-9])(1[0-9]{3}|20[0-9]{2})[01][0-9][0-3][0-9](?:[^0-9]|$)",
    "([+-]0[0-9]{3}|[+][12][0-9]{3})(?:[^0-9]|$)",
)
FIRST, LAST = 1000, 2100  # years that a bare number may be, unless it is signed or padded
NAMED = 3  # the rank of the name `date`
IDS = 20  # numbers in a row that may be ids
_BARE = re.compile(r"\d+(?:\.0*)?")
_MARKED = re.compile(r"[+-]\d{4}(?:\.0*)?|0\d{3}(?:\.0*)?")
_SHORT_YEAR = re.compile(r"['\u2018\u2019]\d\d")
# How fields of dates are called, in parts of words.
_WRITTEN = re.compile(
    r"publi|pub(?:[-_. ]|d|y|$)|creat|written|posted|issued|erschein|veröffentl|erstell|escrit|écrit|scritt|skriv|"
    r"发布|發布|出版|опубл",
    re.I,
)
_DATED = re.compile(
    r"date|year|time|jahr|datum|tid|zeit|année|annee|anno|año|\bano\b|fecha|\bdata|dato|rok|år|jaar|tijd|"
    r"дата|год|рік|日期|时间|時間|年|날짜|tarih|vuosi|év\b|ημερ",
    re.I,
)
# Those of other dates, and of numbers that are none.
_OTHER = re.compile(
    r"birth|born|geb(?:urt|oren)|nacim|nato\b|naiss|dea(?:th|d)|died|gestorben|"
    r"crawl|scrap|download|retriev|access|updat|modif|edited|changed|deleted|import|order|purchas|deliver|expir|join|regist",
    re.I,
)
_NUMBERS = re.compile(
    r"count|words|tokens|num|\bnr|\bno\b|\bids?\b|_ids?\b|len|size|price|cost|page|score|likes|votes|views|population|zip|code",
    re.I,
)
_ALSO = {
    "author": ("speaker", "writer", "byline", "creator", "authors", "by"),
    "title": ("headline", "heading", "subject"),
}
# Fields that hold texts, the likelier first.
_TEXTS = "text body content fulltext full_text transcript speech article raw abstract description message"


class SeenDocument(NamedTuple):
    """A sampled document: its source, its fields, and its place in the source."""

    source: str
    fields: Mapping[str, str]
    position: str = ""


class Dates(NamedTuple):
    """A rule for dates, and what it finds.

    Attributes:
        rule: as `dates` takes it.
        dated: documents that it finds a date for,
        of: of how many.
        first: the first year that it finds,
        last: and the last one.
        doubt: why it may be wrong; empty if nothing speaks against it.
    """

    rule: str
    dated: int
    of: int
    first: int
    last: int
    doubt: str = ""


class _Candidate(NamedTuple):
    dates: Dates
    rank: tuple[int, int, int, int]  # the greater the likelier: by name, by form, by place, by documents
    years: tuple[int | None, ...]


def guess_dates(documents: Sequence[SeenDocument], *, tabular: bool = False) -> list[Dates]:
    """Return the rules that find dates, the likeliest first; only the first may be without doubt.

    Tried are the header, every field, and years in names of files. A rule is without doubt if it finds dates in
    95 % of the documents, of more than one year, and no other one that is as likely finds other years. Rules of
    `DATE_FORMS` are proposed where none is without doubt.

    Args:
        tabular: whether they are rows of tables, where `date` is a field like others.
    """
    found = sorted(_candidates(documents, tabular), key=lambda candidate: candidate.rank, reverse=True)
    found.sort(key=lambda candidate: bool(candidate.dates.doubt))
    sure = [candidate for candidate in found if not candidate.dates.doubt]
    if not sure:
        return [candidate.dates for candidate in found] + list(_in_forms(documents))
    best = sure[0]
    rivals = [other for other in sure[1:] if _is_as_likely(other, best) and _differ(best.years, other.years)]
    if rivals:
        names = ", ".join(rival.dates.rule for rival in rivals)
        doubt = f"{names} finds other years" if len(rivals) == 1 else f"{names} find other years"
        found[0] = best._replace(dates=best.dates._replace(doubt=f"{doubt}: say which are those of the texts"))
    others = [_doubted(other, best.dates.rule, other in rivals) for other in found[1:]]
    return [found[0].dates, *others]


def _is_as_likely(other: _Candidate, best: _Candidate) -> bool:
    """Return whether nothing but values can tell which is right: a field `date` has no better name than another."""
    if best.rank[0] < NAMED:
        return other.rank[:3] == best.rank[:3]
    return other.rank[0] > 0 and other.rank[1:3] == best.rank[1:3]


def _doubted(candidate: _Candidate, best: str, is_rival: bool) -> Dates:
    doubt = f"{best} finds other years" if is_rival else f"less likely than {best}"
    return candidate.dates if candidate.dates.doubt else candidate.dates._replace(doubt=doubt)


def _differ(some: Sequence[int | None], others: Sequence[int | None]) -> bool:
    return sum(a != b for a, b in zip(some, others, strict=True)) > (1 - MOST) * len(some)


def _candidates(documents: Sequence[SeenDocument], tabular: bool) -> Iterator[_Candidate]:
    names = Counter(name for document in documents for name in document.fields)
    for name in names:
        candidate = _field(name, documents, tabular)
        if candidate is not None:
            yield candidate
    records = Counter(document.source for document in documents)
    for pattern in NAMES:
        rule = f"name:{pattern}"
        years = tuple(years_by(rule, documents))
        if sum(year is not None for year in years) > (1 - MOST) * len(years):
            of_many = sum(number for number in records.values() if number > 1) > len(documents) / 2
            doubt = "the year in a file's name is one for many records" if of_many else ""
            yield _candidate(rule, years, (0, 1, 0), doubt)


def _field(name: str, documents: Sequence[SeenDocument], tabular: bool) -> _Candidate | None:
    texts = [document.fields.get(name, "") for document in documents]
    given = [text for text in texts if text]
    step = max(1, len(given) // ASKED)
    tried = given[::step]
    if sum(_year(text) is not None for text in tried) < SOME * len(tried):
        return None
    years = tuple(_year(text) for text in texts)
    dated = sum(year is not None for year in years)
    hint = _hint(name)
    bare = sum(_BARE.fullmatch(text) is not None for text in given) > len(given) / 2
    if bare and hint < 1 and dated < MOST * len(given):
        return None
    doubt = ""
    if _OTHER.search(name) and not _WRITTEN.search(name):
        doubt = "its name is that of another date"
    elif bare and hint < 1 and (_NUMBERS.search(name) or _in_a_row(years)):
        doubt = "these may be other numbers than years"
    rule = "header" if name == "date" and not tabular else f"field:{name}"
    return _candidate(rule, years, (hint, 0 if bare and hint < 1 else 2, -name.count(".")), doubt)


def _candidate(rule: str, years: tuple[int | None, ...], rank: tuple[int, int, int], doubt: str) -> _Candidate:
    found = [year for year in years if year is not None]
    first, last = min(found), max(found)
    if not doubt and len(found) < MOST * len(years):
        missing = len(years) - len(found)
        doubt = f"{missing:,} {units(missing, 'documents')} would be left out"
    if not doubt and first == last:
        doubt = "all are of one year"
    return _Candidate(Dates(rule, len(found), len(years), first, last, doubt), (*rank, len(found)), years)


def _hint(name: str) -> int:
    if name.lower() == "date":
        return NAMED
    return 2 if _WRITTEN.search(name) else int(_DATED.search(name) is not None)


@functools.lru_cache(1 << 16)
def _year(text: str) -> int | None:
    """Return the year of a text that is plausibly a date: a number of four digits, or anything else that is read."""
    date = parse_date(text)
    if date is None:
        return None
    if _BARE.fullmatch(text) and not _MARKED.fullmatch(text) and not FIRST <= date.year <= LAST:
        return None
    return date.year


def _in_a_row(years: Sequence[int | None]) -> bool:
    """Return whether numbers count the documents, as ids do."""
    numbers = {year for year in years if year is not None}
    return len(numbers) == len(years) >= IDS and max(numbers) - min(numbers) < 1.1 * len(years)


def _in_forms(documents: Sequence[SeenDocument]) -> Iterator[Dates]:
    """Yield rules of `DATE_FORMS` that read nearly all of what a field holds, and give several years."""
    for name in Counter(name for document in documents for name in document.fields):
        given = [text for document in documents if (text := document.fields.get(name))]
        forms = Counter(form for text in given[:: max(1, len(given) // ASKED)] for form, _ in readings(text))
        for form in DATE_FORMS:
            if form in ("epoch", "excel") and _NUMBERS.search(name):
                continue
            if not forms[form]:
                continue
            read = [dict(readings(text)).get(form) for text in given]
            years = [date.year for date in read if date is not None]
            if len(years) >= MOST * len(given) and len(years) >= SOME * len(documents) and len(set(years)) > 1:
                doubt = f"if {given[0]!r} is {DATE_FORMS[form].doc.partition(':')[0]}"
                yield Dates(f"{form}:{name}", len(years), len(documents), min(years), max(years), doubt)


def unread(documents: Sequence[SeenDocument]) -> Iterator[tuple[str, str]]:
    """Yield fields that look like dates, by name or as years of two digits do, and that no rule reads, with a value."""
    for name in Counter(name for document in documents for name in document.fields):
        given = [text for document in documents if (text := document.fields.get(name))]
        tried = given[:: max(1, len(given) // ASKED)]
        if any(_year(text) is not None or any(readings(text)) for text in tried):
            continue
        looks = _hint(name) > 0 or all(_SHORT_YEAR.fullmatch(text) for text in tried)
        if looks and any(map(str.isdigit, "".join(tried))):
            yield name, given[0]


def years_by(spec: str, documents: Iterable[SeenDocument]) -> Iterator[int | None]:
    """Yield the year of each document by a rule for dates; None where it has none."""
    for date in _dates_by(spec, documents):
        yield None if isinstance(date, Reject) else date.year


def undated(spec: str, documents: Sequence[SeenDocument], most: int) -> list[str]:
    """Return, of the first `most` documents without a date by a rule, where each is and why it has none."""
    found = zip(documents, _dates_by(spec, documents), strict=True)
    without = ((document, date) for document, date in found if isinstance(date, Reject))
    return [
        f"{document.source} {document.position}".rstrip() + f": {_why(spec, date)}"
        for document, date in islice(without, most)
    ]


def _why(spec: str, reject: Reject) -> str:
    if spec == "header" and reject.reason == "no_date":
        return "no date in the header or field 'date'"
    return "no year in the name" if spec.startswith("name:") else reject.detail.partition(";")[0]


def _dates_by(spec: str, documents: Iterable[SeenDocument]) -> Iterator[Date | Reject]:
    rule = parse_date_rule(spec)
    for document in documents:
        yield date_of(rule, Record("", document.fields, None, None), document.source)


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
    known = next((usual[name] for name in _TEXTS.split() if name in usual), None)
    return known or max(sorted(usual.values()), key=lambda name: lengths[name], default=None)
