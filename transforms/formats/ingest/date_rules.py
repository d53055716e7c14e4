r"""Rules for finding a document's date, in the forms that `--dates` accepts; and tables of metadata.

| form | the date is |
|---|---|
| `name:REGEX` | what the group `year`, else the first that matches, finds in the file's name |
| `header`, `field:NAME` | the field `date` that the reader found, or another field |
| `epoch:NAME`, `excel:NAME`, `ymd:NAME` ... | in a field, in a form of `DATE_FORMS`, which nothing but a rule tells |
| `table:FILE:key=COLUMN,date=COLUMN` | in the row of a table whose key is the file's name |
| `FROM..TO`, `YEAR` | the same period for all; an open end is the other one |

REGEX is a pattern of RE2 (`transforms/common/patterns.py`) and must have a group.

    >>> from lexbeam.transforms.formats.records.base import Record
    >>> rule = parse_date_rule(r"name:lat_([+-]?\d+)")
    >>> date_of(rule, Record("", {}, "", None), "lemmas.tar.gz!lemmas/lat_-0084_7.txt")
    Date(year=-84, year_to=-84, text='-0084')

A table of metadata is a CSV or TSV file with a row for each source, found by the file's name.
The key column holds the file's name, with or without its suffix, or its whole published name. A name
that is published in another form (`transforms/common/names.py`) may be written either way. The
columns `title`, `author`, `genre` and `language`, whatever their case, fill in what the source does
not say; other columns can be named for them, `table:FILE:key=filename,date=Date,author=President`.
If all columns are named by numbers, and the first row has no such names, the file has no header and
columns are counted from 1: `table:FILE:key=1,date=2`.
"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.names import real_name, ways_to_write
from lexbeam.transforms.common.patterns import compiled, searchable, shown
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Place, Uncounted
from lexbeam.transforms.formats.readers.delimited import rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source, check_path
from lexbeam.transforms.formats.records.date_parsing import DATE_FORMS, Date, parse_date, readings
from lexbeam.transforms.formats.records.fields import KNOWN, list_fields, quoted_field
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.formats.sources.streams import without_compression

_NUMBER = re.compile(r"[1-9][0-9]*")


def stem(name: str) -> str:
    """Return a file's name without the suffixes of compression and of its kind."""
    name = without_compression(name)
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


@functools.lru_cache(256)
def _keys(source: str) -> tuple[str, ...]:
    ways = ways_to_write(source)
    # Cleaned as the keys are: names made on other systems may be in another normal form.
    names = (*ways, *(stem(way) for way in ways if "/" not in way))
    return tuple(dict.fromkeys(map(clean_field, names)))


@dataclass(frozen=True, eq=False)
class Metadata:
    """Rows of a metadata table by key; each holds `date` and fields as far as they are there.

    Attributes:
        fingerprint: digest of the rows, for artefact names and the manifest.
    """

    by_key: Annotated[Mapping[str, Mapping[str, str]], Uncounted("the fingerprint is of them")]
    fingerprint: str

    def row(self, source: str) -> Mapping[str, str] | None:
        """Return the row whose key is a source's whole name, file name or stem, in this order."""
        for key in _keys(source):
            if key in self.by_key:
                return self.by_key[key]
        return None

    def fields(self, source: str) -> dict[str, str]:
        """Return what the table says of a source, apart from its date."""
        return {k: v for k, v in (self.row(source) or {}).items() if k != "date"}


def read_metadata(path: str, columns: Mapping[str, str]) -> Metadata:
    """Read a table of metadata, whose columns a rule names.

    Raises:
        UsageError: a column is missing, or a key has two rows that differ.
        LexbeamError: the file cannot be read.
    """
    columns = dict(columns)
    source = Source(path, lambda: files.open_read(path), path)
    by_key: dict[str, dict[str, str]] = {}
    header: list[str] | None = None
    try:
        for number, row in rows(source, ReaderOptions()):
            if isinstance(row, BadRecord):
                raise LexbeamError(f"{path}, line {number}: {row.detail}")
            if header is None:
                header = [name.strip() for name in row]
                headless = _is_headless(header, columns)
                if headless:
                    header = [str(place) for place in range(1, len(row) + 1)]
                columns = _resolved(path, header, columns)
                if not headless:
                    continue
            if len(row) < len(header):
                raise LexbeamError(f"{path}, line {number}: {len(row)} cells, but {len(header)} columns")
            values = dict(zip(header, row, strict=False))
            _add(by_key, values, columns, f"{path}, line {number}")
    except BadRecord as error:  # of the whole table: it is cut within a character of UTF-16
        raise LexbeamError(f"{path}: {error.detail}") from None
    except OSError as error:
        raise LexbeamError(f"{path}: {error.strerror or error}") from None
    if header is None:
        raise LexbeamError(f"{path}: the metadata table is empty")
    return Metadata(by_key, digest([[key, sorted(by_key[key].items())] for key in sorted(by_key)]))


def _is_headless(first: list[str], columns: Mapping[str, str]) -> bool:
    """Return whether columns are named by numbers that are not names in the first row."""
    names = columns.values()
    return all(map(_NUMBER.fullmatch, names)) and not set(names) <= set(first)


def _resolved(path: str, header: list[str], columns: dict[str, str]) -> dict[str, str]:
    """Return the column of each field, including those found by name."""
    for name in columns.values():
        if name not in header:
            hint = nearest(name, header)
            if _NUMBER.fullmatch(name):
                hint = f": its first row has {len(header)} cells"
            raise UsageError(f"{path} has no column {name!r}{hint}")
    for name in header:
        if name.lower() in KNOWN and name.lower() != "date":
            columns = {name.lower(): name} | columns
    return columns


def _add(by_key: dict[str, dict[str, str]], values: dict[str, str], columns: dict[str, str], place: str) -> None:
    key = clean_field(values[columns["key"]])
    if not key:
        return  # a row about no file
    row = {name: value for name, column in columns.items() if name != "key" and (value := clean_field(values[column]))}
    if by_key.setdefault(key, row) != row:
        raise UsageError(f"{place}: the key {key!r} has another row, which differs")


_TABLE = "table:FILE:key=COLUMN,date=COLUMN"
RULES = ("name:REGEX", "header", "field:NAME", *(f"{form}:NAME" for form in DATE_FORMS), _TABLE, "FROM..TO")
_PERIOD = re.compile(r"(?P<from>[+-]?\d{1,4})?\.\.(?P<to>[+-]?\d{1,4})?")
_YEAR = re.compile(r"[+-]?\d{1,4}")
_YEAR_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\(\?P?<year>")


@dataclass(frozen=True)
class RangeRule(Entry):
    """How one year is taken from a date that is a range.

    Attributes:
        year: the function from a date to that year, or to None.
    """

    year: Callable[[Date], int | None]


DATE_RANGES: Registry[RangeRule] = Registry(
    {
        "first": RangeRule(lambda date: date.year, doc="its first year"),
        "middle": RangeRule(lambda date: (date.year + date.year_to) // 2, doc="the year halfway through it"),
        "last": RangeRule(lambda date: date.year_to, doc="its last year"),
        "reject": RangeRule(lambda date: date.year if date.year == date.year_to else None, doc="none, it is a reject"),
    },
    what="year of a range",
)


@dataclass(frozen=True, kw_only=True)
class DateRule:
    """Where a document's date is found.

    Attributes:
        kind: `name`, `header`, `field`, `table` or `period`.
        pattern: of `name`: regular expression with a group.
        field: of `field`: its name.
        form: of `field`: a key of `DATE_FORMS`; empty: as people write dates.
        path: of `table`: its path.
        columns: of `table`: pairs of what a column is (`key`, `date`, `title` ...) and its name.
        period: of `period`: the date of all documents.
    """

    kind: str
    pattern: str = ""
    field: str = ""
    form: str = ""
    path: Place = ""
    columns: tuple[tuple[str, str], ...] = ()
    period: Date | None = None


def parse_date_rule(spec: str) -> DateRule:
    """Return the rule that a value of `--dates` states.

    Raises:
        UsageError: it has none of the forms above.
    """
    kind, colon, rest = spec.partition(":")
    if spec == "header":
        return DateRule(kind="header")
    if kind == "name" and rest:
        _check_groups(rest)
        return DateRule(kind="name", pattern=rest)
    if (kind == "field" or kind in DATE_FORMS) and rest:
        check_path(rest, "dates")
        return DateRule(kind="field", field=rest, form="" if kind == "field" else kind)
    if kind == "table" and rest:
        return _table_rule(spec, rest)
    if _YEAR.fullmatch(spec):
        return DateRule(kind="period", period=Date(int(spec), int(spec), spec))
    if (match := _PERIOD.fullmatch(spec)) and spec != "..":
        first, last = match["from"] or match["to"], match["to"] or match["from"]
        if int(first) > int(last):
            raise UsageError(f"`dates`: the period {spec} ends before it begins: write the earlier year first")
        return DateRule(kind="period", period=Date(int(first), int(last), spec))
    if _PERIOD.fullmatch(periods := spec.replace("-", "..", 1)):
        raise UsageError(f"`dates`: {spec!r} is none of {', '.join(RULES)}; did you mean {periods!r}?")
    raise UsageError(f"`dates`: {spec!r} is none of {', '.join(RULES)}{_meant(kind, colon)}")


# By the word that begins a rule, how it goes on.
_WHOLE = {
    "name": r"name:(\d{4}), which finds the year in the names of files",
    "field": "field:date, with the name of the field or column",
    "table": "table:dates.tsv:key=file,date=year",
    "header": "header",
    **{form: f"{form}:NAME, with the name of the field or column" for form in DATE_FORMS},
}


def _meant(kind: str, colon: str) -> str:
    """Return a hint at what was meant, by what stands before the colon."""
    if kind in _WHOLE:
        return f": write {_WHOLE[kind]}"
    if hint := nearest(kind, _WHOLE):
        return hint
    return f"; if a column or field is called so, write field:{kind}" if kind.isidentifier() and not colon else ""


def _check_groups(pattern: str) -> None:
    if not compiled(pattern, "dates").groups:
        remedy = r"put the year in a group, as in name:su(\d{4})"
        raise UsageError(f"`dates`: {shown(pattern)} has no group: {remedy}")
    if len(_YEAR_GROUP.findall(pattern)) > 1:  # of which one alone would ever be asked
        raise UsageError(f"`dates`: in {shown(pattern)} two groups are called year: make them one")


def _table_rule(spec: str, rest: str) -> DateRule:
    path, _, columns = rest.rpartition(":")
    pairs = [pair.partition("=") for pair in columns.split(",")]
    named = {name.strip(): column.strip() for name, _, column in pairs}
    if not path or not all(named.values()) or not {"key", "date"} <= named.keys():
        raise UsageError(f"`dates`: {spec!r} is not of the form {_TABLE}")
    if len(named) < len(pairs):
        raise UsageError(f"`dates`: a column is named twice in {spec!r}")
    return DateRule(kind="table", path=path, columns=tuple(named.items()))


def load_metadata(rule: DateRule) -> Metadata | None:
    """Read the table that a rule names; None if it names none.

    Raises:
        UsageError: a column is missing, or a key has two rows that differ.
        LexbeamError: the file cannot be read.
    """
    return read_metadata(rule.path, dict(rule.columns)) if rule.kind == "table" else None


def date_of(
    rule: DateRule, record: Record, source: str, how: str = "first", metadata: Metadata | None = None
) -> Date | Reject:
    """Return a record's date, or the reject that it becomes: `no_date` or `bad_date`.

    Args:
        source: the source's published name; what counts is the file's (or the member's) own name.
        how: which year of a range is `Date.year`: an entry of `DATE_RANGES`; a range without one is
            a `bad_date`. `Date.year_to` stays the range's last year.
        metadata: the table, loaded by `load_metadata`, where the rule names one.
    """
    if rule.period is not None:
        date, text, place = rule.period, rule.period.text, ""
    else:
        text, place = _look_up(rule, record, source, metadata)
        if not text:
            return Reject(record.position, "no_date", f"no date {place}")
        parsed = DATE_FORMS[rule.form].read(text) if rule.form else parse_date(text)
        if parsed is None:
            return Reject(record.position, "bad_date", f"{quoted_field(text)} {place} is not a date{_hint(rule, text)}")
        date = parsed
    year = DATE_RANGES[how].year(date)
    if year is None:
        return Reject(record.position, "bad_date", f"{quoted_field(text)} is a range, see --date-range")
    return date._replace(year=year)


def _hint(rule: DateRule, text: str) -> str:
    """Return which rules would read what this one cannot, or how to write it."""
    if _EITHER.search(text):
        return "; a month, a season or years? write years in full, 1920-1921, and months with two digits, 1920-05"
    if rule.kind not in ("header", "field"):
        return f"; {_ISO}" if any(readings(text)) else ""
    name = rule.field or "date"
    found = [f"{form}:{name} reads it as {date.year}" for form, date in readings(text) if form != rule.form]
    return f"; {', '.join(found) or _UNREAD}"


_EITHER = re.compile(r"(?<!\d)\d{4} ?[-/] ?\d{1,2}\W*$")
_UNREAD = "no rule reads it: write a year of four digits, or YYYY-MM-DD"
_ISO = "write it as YYYY-MM-DD"


def _look_up(rule: DateRule, record: Record, source: str, metadata: Metadata | None) -> tuple[str, str]:
    """Return the date as the source writes it, or an empty string, and where it was looked for."""
    if rule.kind == "header":
        text = record.fields.get("date", "")
        return text, "in the header" + ("" if text else list_fields(record.fields, "date"))
    if rule.kind == "field":
        text = record.fields.get(rule.field, "")
        place = f"in field {rule.field!r}"
        return text, place + ("" if text else list_fields(record.fields, rule.field))
    if rule.kind == "table":
        if metadata is None:
            raise UsageError("`dates`: a table's rule needs its table")
        row = metadata.row(source)
        if row is None:
            return "", f"in the table: no row has the key {real_name(source)!r}"
        return row.get("date", ""), f"in the table's row for {real_name(source)!r}"
    name = real_name(source)
    match = compiled(rule.pattern, "dates").search(searchable(name))
    place = f"in the name {name!r} by {rule.pattern!r}"
    if match is None:
        return "", place
    if "year" in match.re.groupindex:
        return match["year"] or "", place
    return next(filter(None, match.groups()), ""), place
