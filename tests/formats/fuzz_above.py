"""Fuzzing of what is above the readers and beside them: dates, tables, rules, documents, ingestion.

`ABOVE` has, by name, functions that make one input from a random generator, and raise `Wrong` if
anything comes of it that must not.
"""

import contextlib
import random
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from fuzz_checking import SMALL, Counted, Wrong, limited
from fuzz_formats import MAKERS
from fuzz_making import ODD, chance, line, text
from fuzz_mutating import NAMES, input_of, mutated
from staged_inputs import staged_inputs

from lexbeam.schemas.common_tables import REASONS, RejectRow
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest.date_rules import (
    DATE_RANGES,
    DateRule,
    Metadata,
    date_of,
    load_metadata,
    parse_date_rule,
)
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit, read_documents
from lexbeam.transforms.formats.ingest.staged_records import RECORD
from lexbeam.transforms.formats.records.base import ReaderOptions, Record
from lexbeam.transforms.formats.records.date_parsing import LAST_YEAR, parse_date

TAKEN, REFUSED = Counted(1, 1, 0, True), Counted(1, 0, 1, True)
FIRST_YEAR = -9999
_PIECES = """
0 1 7 9 12 13 28 29 30 31 32 45 49 84 99 100 184 1790 1810 1842 1899 1900 2100 2101 0049 -0049.0
January january Febr. mars März mai jul. ago décembre Dez 17900102 th st nd rd º century cent. Jh.
BC B.C. AD a.C. v.Chr. CE n. Chr. av. J.-C. ca. c. circa um about mid- early late Jahrhundert siècle
s. saec. XIV i ii xix MDCC from to between and bis until von before after spring Winter the of de
Monday T 12:30 12:30:59 Z UTC +01:00 pm T00:00:00.000Z 's er -talet xx ?? -- [ ] ( ) < > 184? 18xx
- / . , ; : ? ~ ≈ – — ‐ − + ' " · .. ... // [1842/43?] 1810–12
"""
PIECES = tuple(_PIECES.split())
SEPARATORS = ("", "", " ", " ", " ", "-", "/", ".", ", ", "–")
RULES = (
    "header",
    "field:date",
    "field:title",
    "name:^(\\d{4})",
    "name:(?P<year>\\d+)",
    "name:[",
    "1790",
    "name:\\d",
    "1700..1800",
    "1800..",
    "..",
    "..-44",
    "9999",
    "-49..44",
    "1800..1700",
    "table:",
    "table:x:key=a",
    "name:",
    "name:()",
    "field:",
    "name:(?P<year>x)?",
    "01..2",
    "+5",
)
FILE_NAMES = ("a.txt", "1790.txt", "lat_-0084_7.txt", "x!1810-12.txt", "2101", "dir/1790_b.xml.gz")


# Dates of the year Y, and of the years Y to Z, day D, month M and its name N.
OF_A_YEAR = (
    *("Y", "Y-M-D", "D.M.Y", "D N Y", "N D, Y", "ca. Y", "[Y?]", "Y-M", "Y ad", "Y-M-DT12:30:59+01:00"),
    *("Ds of N, Y", "<Y>", "Y.0", "Monday, N D, Y", "Winter Y", "Y/M/D", "N Y.", "12:30, N D, Y"),
)
OF_TWO_YEARS = ("Y-Z", "Y/Z", "from Y to Z", "between Y and Z", "Y bis Z", "Y–Z", "Y-M-D/Z-M-D")
NAMES_OF_MONTHS = {1: "January", 3: "März", 5: "mai", 8: "ago", 12: "décembre"}


def _known_date(rng: random.Random) -> tuple[str, int, int]:
    """Return a date and the years that it must be read as."""
    year, month, day = (rng.randrange(1000, 2000), rng.choice([*NAMES_OF_MONTHS]), rng.randrange(1, 29))
    last = min(year + rng.randrange(1, 40), 2000)
    form = rng.choice(OF_A_YEAR)
    if chance(rng, 0.3):
        form = rng.choice(OF_TWO_YEARS)
    else:
        last = year
    values = {"Y": f"{year}", "Z": f"{last}", "M": f"{month:02}", "D": f"{day:02}"}
    values["N"] = NAMES_OF_MONTHS[month]
    shown = re.sub("[YZMDN](?![a-z])|Ds", lambda found: _shown(found[0], values), form)
    return shown, year, last


def _shown(name: str, values: dict[str, str]) -> str:
    day = int(values["D"])
    endings = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}
    return f"{day}{endings.get(day, 'th')}" if name == "Ds" else values[name]


def _a_date(rng: random.Random) -> str:
    if chance(rng, 0.4):
        known = _known_date(rng)[0]
        return known if chance(rng, 0.3) else f"{known} {rng.choice(PIECES)}"
    separator = rng.choice(SEPARATORS)
    found = separator.join(rng.choices(PIECES, k=rng.randrange(1, 6)))
    if chance(rng, 0.2):
        found = mutated(rng, found.encode(), (b"BC", b" ", b"18")).decode("utf-8", "replace")
    if chance(rng, 0.02):
        found = (found + separator) * rng.randrange(2, 40)
    return found


def check_date(rng: random.Random) -> Counted:
    """A date is read as the same years however often, within the range that there is."""
    given = _a_date(rng)
    if chance(rng, 0.3):
        given, *years = _known_date(rng)
        if (parse_date(given) or ())[:2] != tuple(years):
            raise Wrong(f"{given!r} is {parse_date(given)}, not {years}")
    date = parse_date(given)
    if date is None:
        return REFUSED
    if not FIRST_YEAR <= date.year <= date.year_to <= LAST_YEAR:
        raise Wrong(f"{given!r} is {date}")
    if parse_date(date.text) != date or parse_date(f"  {given} ") != date:
        raise Wrong(f"{given!r} is {date}, and read once more {parse_date(date.text)}")
    for how in DATE_RANGES:
        year = DATE_RANGES[how].year(date)
        if year is None and (how != "reject" or date.year == date.year_to):
            raise Wrong(f"{date} has no year by {how!r}")
        if year is not None and not date.year <= year <= date.year_to:
            raise Wrong(f"{date} is in {year} by {how!r}")
    return TAKEN


def check_date_rule(rng: random.Random) -> Counted:
    """A rule is refused, or finds a date or a reject in whatever record."""
    spec = rng.choice(RULES)
    if chance(rng, 0.5):
        spec = mutated(rng, spec.encode(), (b":", b"..", b"name:", b"(?P<year>", b"=", b",", b"[^"))
        spec = spec.decode("utf-8", "replace")
    try:
        rule = parse_date_rule(spec)
    except UsageError:
        return REFUSED
    fields = {"date": _a_date(rng) or "x", "title": line(rng) or "1790"}
    record = Record("1", fields, "text", None)
    metadata = Metadata({"a": {"date": _a_date(rng)}}, "") if rule.kind == "table" else None
    for how in DATE_RANGES:
        found = date_of(rule, record, rng.choice(FILE_NAMES), how, metadata)
        if isinstance(found, tuple) and len(found) == 3 and isinstance(found[0], int):
            if not FIRST_YEAR <= found[0] <= found[1] <= 9999:
                raise Wrong(f"{spec!r} gives {found}")
        elif found.reason not in ("no_date", "bad_date"):
            raise Wrong(f"{spec!r} gives {found}")
    return TAKEN


@contextlib.contextmanager
def _file(data: bytes) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(prefix="lexbeam-fuzz-", suffix=".csv") as file:
        file.write(data)
        file.flush()
        yield file.name


COLUMNS = ("key=text,date=date", "key=1,date=2", "key=b,date=Title", "key=text,date=date,author=b")


def check_table(rng: random.Random) -> Counted:
    """A metadata table is refused with a message, or has rows of clean fields."""
    maker = MAKERS["csv"]
    data = maker.make(rng)
    if chance(rng, 0.3):
        data = mutated(rng, data, maker.tokens)
    try:
        with _file(data) as path:
            table = load_metadata(parse_date_rule(f"table:{path}:{rng.choice(COLUMNS)}"))
    except LexbeamError as error:
        if not str(error).strip():
            raise Wrong("an error without a message") from None
        return REFUSED
    for key, row in table.by_key.items():
        for value in (key, *row.values()):
            if not value or not unicodedata.is_normalized("NFC", value) or "\x00" in value:
                raise Wrong(f"the table holds {value!r}")
            value.encode()
        if table.row(key) != row:
            raise Wrong(f"the row of {key!r} is not found by its key")
    return TAKEN


LEVELS = ("form", "form-char", "lemma", "lemma-char", "level", "#")


def check_rules(rng: random.Random) -> Counted:
    """Normalisation rules are refused with a line, or map a token to one and never to nothing."""
    rows = [
        "\t".join((rng.choice(LEVELS), rng.choice(ODD) * rng.randrange(3), rng.choice(ODD)))
        for _ in range(rng.randrange(6))
    ]
    given = rng.choice(("\n", "\n", "\r\n", "\n\n")).join(rows)
    if chance(rng, 0.2):
        given = mutated(rng, given.encode(), (b"\t", b"form\ta\tb\n")).decode("utf-8", "replace")
    try:
        rules = parse_rules(given)
    except UsageError as error:
        if "line" not in str(error):
            raise Wrong(f"an error without a line: {error}") from None
        return REFUSED
    for word in text(rng).split()[:5]:
        for mapped in (rules.form(word), rules.lemma(word)):
            if not mapped or any(map(str.isspace, mapped)):
                raise Wrong(f"{word!r} becomes {mapped!r} by {given!r}")
    return TAKEN


def _options(rng: random.Random, format: str, reader: dict[str, Any]) -> IngestOptions:
    rule: DateRule | None = None
    metadata = None
    if chance(rng, 0.7):
        rule = parse_date_rule(rng.choice(("header", "field:title", "name:(\\d+)", "1790", "..1800")))
    if chance(rng, 0.2):
        rule = parse_date_rule("table:x:key=a,date=b")
        keys = rng.sample(NAMES, 5)
        metadata = Metadata({key: {"date": _a_date(rng), "author": "A"} for key in keys}, "print")
    return IngestOptions(
        format=format,
        reader=ReaderOptions(**reader),
        dates=rule,
        metadata=metadata,
        date_range=rng.choice(list(DATE_RANGES)),
        language=rng.choice((None, "en")),
    )


@contextlib.contextmanager
def _input(rng: random.Random) -> Iterator[tuple[InputFile, IngestOptions, int | None]]:
    made = input_of(rng.choice(tuple(MAKERS)), rng.randrange(1 << 30), 0)
    options = _options(rng, made.asked, made.options)
    expected = made.expected({made.format}) if made.asked != "auto" else None
    with _file(made.data) as path:
        yield InputFile(made.name, path, len(made.data), "in"), options, expected


def check_documents(rng: random.Random) -> Counted:
    """Documents and rejects of a file are its records, and rows that the schema holds."""
    documents = rejects = 0
    rows = []
    # Small limits change how much of a broken array comes before the break.
    limits = SMALL * chance(rng, 0.5)
    with _input(rng) as (file, options, expected), limited(limits):
        expected = expected if options.format != "json" or not limits else None
        for found in read_documents(file, options):
            if isinstance(found, RejectRow):
                rejects += 1
                if found.reason not in REASONS or not found.detail:
                    raise Wrong(f"the reject {found}")
                continue
            row, record, _ = found
            documents += not record.block
            rows.append(row)
            if options.dates and not FIRST_YEAR <= row["year"] <= row["year_to"] <= 9999:
                raise Wrong(f"the years of {row}")
    if expected is not None and expected != documents + rejects:
        raise Wrong(f"{documents} documents and {rejects} rejects of {expected} records")
    if pa.RecordBatch.from_pylist(rows, schema=RECORD).to_pylist() != rows:
        raise Wrong("a row is not what it was in a batch")
    return Counted(documents + rejects, documents, rejects, expected is not None)


def check_ingestion(rng: random.Random) -> Counted:
    """A unit's receipt counts and quotes what `read_documents` yields."""
    with _input(rng) as (file, options, _), _workspace() as workspace:
        alone = list(read_documents(file, options))
        receipt = make(workspace, Ingest(options), Unit((file,), file.size))
        (count,) = staged_inputs(receipt)
    rejects = [row for row in alone if isinstance(row, RejectRow)]
    documents = sum(not isinstance(row, RejectRow) and not row[1].block for row in alone)
    if (count.documents, count.rejects) != (documents, len(rejects)):
        raise Wrong(f"the receipt has {count}, not {documents} and {len(rejects)}")
    if count.records != documents + len(rejects) or sum(receipt.reasons.values()) != len(rejects):
        raise Wrong(f"the receipt has {count} and {receipt.reasons}")
    if list(receipt.examples) != rejects[: len(receipt.examples)]:
        raise Wrong(f"the receipt quotes {receipt.examples}")
    return Counted(count.records, count.documents, count.rejects, False)


@contextlib.contextmanager
def _workspace() -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory(prefix="lexbeam-fuzz-") as folder:
        yield Workspace(folder)


ABOVE: dict[str, Callable[[random.Random], Counted]] = {
    "dates": check_date,
    "date rules": check_date_rule,
    "tables": check_table,
    "normalisation": check_rules,
    "documents": check_documents,
    "ingestion": check_ingestion,
}
