"""Instances read: files, their layout detected, and complex words of the complexity task, as staged rows.

A record that gives no instance is a reject. A part of `complexity/instances` becomes a staging file, as a file does:
an instance is as complex as its label says, or as a scorer predicts; both tables are sorted by the same ids, and are
read along with the instances.

>>> layout_of("a.tsv", [["A cat sat.", "cat", "animal"]])
'tsar'
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification import BY_RULE
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, RowsByKey, read_rows
from lexbeam.transforms.formats.ingest.ingestion import Unit
from lexbeam.transforms.formats.readers.delimited import Row as CellRow
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_value
from lexbeam.transforms.intake.intake_staging import Given, ReadPart, ReadRowFiles, RejectRule, RowSchema, Staging
from lexbeam.transforms.intake.row_files import About, FileRows, header_name
from lexbeam.transforms.simplification.instances.benchmark_layouts import (
    BenchmarkInstance,
    easier_cells,
    instance_id,
    placed,
    places_of,
)
from lexbeam.transforms.simplification.instances.instance_rows import READERS, RuleOptions, Targets, has_header
from lexbeam.transforms.simplification.records import ID, Row

AUTO = "auto"
TEXT = "text"
HEAD = 50  # rows by which a layout is recognised
_SHARE = 0.5  # of them; more must fit a layout, since some may be broken
# Characters of all instances of a record: each has the sentence, so that they grow with the square of a line.
MOST_TEXT = 1 << 24
_ALEXSIS = 27  # cells: sentence, target, the substitutes of 25 annotators
_RANKED = re.compile(r"\s*[0-9]+:.*\S", re.DOTALL)
_SUBSTITUTE = pa.struct([("text", pa.string()), ("annotators", pa.int32()), ("rank", pa.int32())])
_COLUMNS = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("line", pa.int64()),
        ("position", pa.string()),
        ("sentence", pa.string()),
        ("target", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("language", pa.string()),
        ("source_id", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("complexity", pa.float64()),
        ("chosen_by", pa.string()),
        ("chosen_value", pa.float64()),
        ("substitutes", pa.list_(_SUBSTITUTE)),
        # Of instances that come annotated.
        ("lemma", pa.string()),
        ("upos", pa.string()),
        ("feats", pa.string()),
    ]
)
_OVERHEAD = 300  # bytes of a row besides its texts


def _size(row: Mapping[str, Any]) -> int:
    return len(row["sentence"]) + sum(len(substitute["text"]) for substitute in row["substitutes"]) + _OVERHEAD


ROWS = RowSchema(_COLUMNS, ("key", "source", "line", "position"), _size)


RULE = RejectRule("records", BY_RULE)


class TakenRecord(NamedTuple):
    """A record: its line, the layout that it was read by, and its rows, or why it has none."""

    line: int
    layout: str
    rows: Targets


def staged_rows(
    rows: Sequence[BenchmarkInstance], occurrences: str, languages: tuple[str | None, str | None], **where: object
) -> list[Row]:
    """Return the staged rows of a record: an instance for each place of its targets.

    Args:
        rows: targets of its sentence.
        occurrences: which of several places count, see `placed`.
        languages: that of the options, which overrides others, and the one for rows without any.
        where: `source`, `line` and `position` of the record; lemma, upos, feats of its target.

    Raises:
        BadRecord: it has no language, `placed` finds no place, or all instances together have so much text that
            the record is no sentence (`too_large`).
    """
    number = sum(len(row.places) if occurrences == "all" else 1 for row in rows)
    length = max((len(row.sentence) for row in rows), default=0)
    if number * length > MOST_TEXT:
        raise BadRecord("too_large", f"{number} targets in a sentence of {length} characters: cut it into sentences")
    return [{**_row(row, place, languages), **where} for row in rows for place in placed(row, occurrences)]


def _row(
    row: BenchmarkInstance, place: tuple[str, str, int, int, tuple[str, ...]], languages: tuple[str | None, str | None]
) -> Row:
    sentence, target, start, end, flags = place
    language = languages[0] or row.language or languages[1]
    if not language:
        raise BadRecord("no_language", "neither the row nor an option says it")
    return {
        "key": instance_id(sentence, target, start),
        "sentence": sentence,
        "target": target,
        "start": start,
        "end": end,
        "language": language,
        "source_id": clean_field(row.source_id or "") or None,
        "flags": list(flags),
        "complexity": row.complexity,
        "chosen_by": row.chosen_by,
        "chosen_value": row.chosen_value,
        "substitutes": [substitute._asdict() for substitute in row.substitutes],
    }


def layout_of(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the layout of a file, an entry of `READERS`.

    ALEXSIS and TSAR-2022 are read alike: a file with 27 cells in every row is taken for the former,
    unless its name says `tsar`.

    Args:
        rows: cells of its first rows, at least one.

    Raises:
        LexbeamError: no layout fits.
    """
    header = [header_name(cell) for cell in rows[0]]
    if "sentence" in header and len(header) == len(set(header)):
        return "text"
    for layout, fits in _FITS.items():
        if sum(map(fits, rows)) > _SHARE * len(rows):
            if layout == "tsar" and all(len(row) == _ALEXSIS for row in rows):
                return "tsar" if "tsar" in name.rpartition("/")[2].lower() else "alexsis"
            return layout
    shown = ", ".join(repr(cell[:30]) for cell in rows[0][:6])
    between = next((mark for mark in ";,|" if "sentence" in map(header_name, rows[0][0].split(mark))), None)
    raise LexbeamError(
        f"{name}: its layout is not recognised; its first row has {len(rows[0])} cells, {shown}: name "
        "the `layout`"
        + (f", or the `delimiter` {between!r}. " if between and len(rows[0]) == 1 else ". ")
        + "Sentences of your own have marks, [[target]], or a header: sentence, start, end; other tables are read by "
        "`columns`, sentence=COLUMN,target=COLUMN"
    )


def _is_cwi2018(cells: Sequence[str]) -> bool:
    numbers = (2, 3, 5, 6, 7, 8)
    return len(cells) == 11 and all(cells[at].strip().isdecimal() for at in numbers)


def _is_benchls(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 3
        and cells[2].strip().isdecimal()
        and all(_RANKED.fullmatch(cell) for cell in cells[3:] if cell.strip())
    )


def _is_easier(cells: Sequence[str]) -> bool:
    try:
        document, number, target, sentence, _ = easier_cells(cells)
    except BadRecord:
        return False
    return document.isdecimal() and number.isdecimal() and bool(target) and bool(places_of(sentence, target)[0])


def _is_annotated(cells: Sequence[str]) -> bool:
    if len(cells) < 2 or not cells[1].strip() or "[[" in cells[0]:
        return False
    return bool(places_of(cells[0], cells[1].strip())[0])


def _is_marked(cells: Sequence[str]) -> bool:
    return "[[" in "\t".join(cells)


_FITS: dict[str, Callable[[Sequence[str]], bool]] = {
    "cwi2018": _is_cwi2018,
    "benchls": _is_benchls,
    "easier": _is_easier,
    "tsar": _is_annotated,
    "text": _is_marked,
}


@dataclass(frozen=True, kw_only=True)
class ReadInstances(ReadRowFiles[TakenRecord]):
    """Read files of instances.

    Attributes:
        layout: an entry of `READERS`; `auto`: recognised by the first rows of each file, or text where
            `rules.columns` names columns.
        language: of rows that do not name one.
        engine_language: of rows where nothing else names one.
        occurrences: which of several places of a target count, see `placed`.
    """

    layout: str = AUTO
    language: str | None = None
    engine_language: str | None = None
    occurrences: str = "first"
    rules: RuleOptions = field(default_factory=RuleOptions)
    reader: ReaderOptions = field(default_factory=lambda: ReaderOptions(delimiter="\t", quoting=False))

    name = "simplification/read"
    schema, by_rule = ROWS, BY_RULE

    def read(self, rows: FileRows, name: str, notes: Counter[str]) -> Iterator[TakenRecord | Reject]:
        """Yield records from the rows of a table.

        Raises:
            LexbeamError: the layout is not recognised or not the named one.
        """
        return _records(rows, name, self)

    def rows(self, given: Given[TakenRecord], record: TakenRecord) -> list[Row]:
        """Return the rows of the targets of a record."""
        if isinstance(record.rows, BadRecord):
            raise record.rows
        for sentence in {row.sentence for row in record.rows}:
            check_script(sentence, self.engine_language)
        languages = (self.language, self.engine_language)
        where = {"source": given.source, "line": record.line, "position": given.position}
        return staged_rows(record.rows, self.occurrences, languages, **where)

    def tallied(self, record: TakenRecord) -> str:
        """Tally layouts."""
        return record.layout

    def chosen(self, task: Unit) -> dict[str, tuple[str, ...]]:
        """Return the layouts."""
        named = tuple(sorted(READERS)) if self.layout == AUTO else (self.layout,)
        return {"lexbeam.transforms.simplification.instances.instance_rows:READERS": named}


def _records(rows: FileRows, name: str, options: ReadInstances) -> Iterator[TakenRecord]:
    layout = TEXT if options.layout == AUTO and options.rules.columns else options.layout
    if layout == AUTO:
        head, rest = _peeked(iter(rows))
        readable = [cells for _, cells in head if not isinstance(cells, BadRecord)]
        if not readable:
            yield from (TakenRecord(line, AUTO, cells) for line, cells in head if isinstance(cells, BadRecord))
            for line, cells in rest:
                if not isinstance(cells, BadRecord):  # the first row that can be read
                    yield from _records(itertools.chain([(line, cells)], rest), name, options)
                    return
                yield TakenRecord(line, AUTO, cells)
            return
        layout = layout_of(name, readable)
        rows = itertools.chain(head, rest)
    about, shown = About(name, None, options.language), layout
    if layout == TEXT:
        head_rows = iter(rows)
        first = list(itertools.islice(head_rows, 1))
        rows = itertools.chain(first, head_rows)
        if first and has_header(first[0][1], options.rules.columns):
            shown = f"{TEXT} with a header"
    for line, targets in READERS[layout].read(rows, about, options.rules):
        yield TakenRecord(line, shown, targets)


def _peeked(rows: Iterator[CellRow]) -> tuple[list[CellRow], Iterator[CellRow]]:
    """Return the first rows, and those after them; an error is raised only behind the rows before it."""
    head: list[CellRow] = []
    broken: Exception | None = None
    try:
        for row in itertools.islice(rows, HEAD):
            head.append(row)
    except Exception as error:  # whatever a broken file raises
        broken = error
    return head, _after(rows, broken)


def _after(rows: Iterator[CellRow], broken: Exception | None) -> Iterator[CellRow]:
    if broken is not None:
        raise broken
    yield from rows


LABEL = "label"
LAYOUT = "complexity"
_TAKEN_COLUMNS = "instance_id token language sentence start end lemmas upos position tokens source source_id flags"
# Flags of complexity/instances, and what they are called here.
_TAKEN_FLAGS = {"within_word": "within_word", "several": "several", "wrong_offsets": "wrong_place"}


class ComplexPart(NamedTuple):
    """A part of `complexity/instances`, with the complexity of its instances.

    Attributes:
        name: of the part, for messages.
        values: parts of `complexity/labels`, or of `complexity/predictions`.
        scorer: whose predictions the values are; `LABEL`: they are labels; None: there are none.
    """

    name: str
    part: Part
    values: tuple[Part, ...]
    scorer: str | None

    @property
    def size(self) -> int:
        """Bytes, for dealing out."""
        return self.part.bytes


def known_scorers(parts: Sequence[Part]) -> list[str]:
    """Return the scorers of `complexity/predictions`, sorted."""
    scorers: set[str] = set()
    for rows in read_rows([checked(part) for part in parts], ["scorer"]):
        scorers.update(pc.unique(rows["scorer"]).to_pylist())
    return sorted(scorers)


@dataclass(frozen=True, kw_only=True)
class TakeComplex(ReadPart[ComplexPart, tuple[Row, float | None]]):
    """Take complex words from parts of `complexity/instances`; the position of a record is its id there.

    Attributes:
        language: in place of the words' own.
        occurrences: which of several places of a target count, see `placed`.
        min_complexity: the least complexity of words that are taken; None: any.
    """

    language: str | None = None
    occurrences: str = "first"
    min_complexity: float | None = None

    name = "simplification/take"
    schema, by_rule = ROWS, BY_RULE

    def name_of(self, task: ComplexPart) -> str:
        """Return its name."""
        return task.name

    def given(self, staging: Staging, task: ComplexPart) -> Iterator[Given[tuple[Row, float | None]]]:
        """Yield the instances of a part, each with its complexity, or why it is not complex enough."""
        least = self.min_complexity
        for number, (row, value) in enumerate(_with_values(task), 1):
            record: tuple[Row, float | None] | BadRecord = row, value
            if least is not None and value is None:
                record = BadRecord("no_complexity", f"no {task.scorer} of it")
            elif least is not None and value is not None and value < least:
                record = BadRecord("below_complexity", f"its complexity is {value:g}")
            yield Given(row["source"], row[ID], record, number)

    def rows(self, given: Given[tuple[Row, float | None]], record: tuple[Row, float | None]) -> list[Row]:
        """Return the rows of an instance."""
        row, value = record
        taken = _complex_row(row, value, self.occurrences)
        if self.min_complexity is not None:
            taken = taken._replace(chosen_by="complexity", chosen_value=value)
        where = {"source": given.source, "line": given.number, "position": given.position, **_annotation(row)}
        return staged_rows([taken], self.occurrences, (None, self.language), **where)

    def tallied(self, record: tuple[Row, float | None]) -> str:
        """Tally the layout."""
        return LAYOUT


def _with_values(task: ComplexPart) -> Iterator[tuple[Row, float | None]]:
    """Yield the instances of a part, each with its complexity; both are in the order of ids."""
    of, name, value = ("group", "", "complexity")  # labels for all annotators, or a scorer's predictions
    if task.scorer != LABEL:
        of, name, value = ("scorer", str(task.scorer), "prediction")

    def valued(rows: pa.Table) -> Any:
        return pc.and_(pc.equal(rows[of], name), pc.is_valid(rows[value]))

    values = RowsByKey(task.values, [ID, of, value], ID, keep=valued)
    for rows in read_rows([checked(task.part)], _TAKEN_COLUMNS.split()):
        for row in rows.to_pylist():
            yield row, next((entry[value] for entry in values.of(row[ID])), None)


def _complex_row(row: Row, complexity: float | None, occurrences: str) -> BenchmarkInstance:
    if row["sentence"] is None:
        raise BadRecord("no_sentence", f"{row['token'][:60]!r} is a word of a list")
    sentence, token = clean_value(row["sentence"]), row["token"]
    flags = [_TAKEN_FLAGS[flag] for flag in row["flags"] if flag in _TAKEN_FLAGS]
    anew = "several" in flags and occurrences != "first"  # the first one is what the table has
    if row["start"] is None or anew:
        places, place_flags = places_of(sentence, token)
        flags += place_flags
    else:
        places = [(row["start"], row["end"])]
    return BenchmarkInstance(
        sentence, token, tuple(places), (), tuple(flags), row["source_id"], complexity, row["language"]
    )


def _annotation(row: Row) -> dict[str, str | None]:
    """Return the table's annotation of the one token that covers the target."""
    place = row["position"]
    if place is None or row["tokens"] != 1:
        return {}
    lemma, upos = (row[name][place] if row[name] else None for name in ("lemmas", "upos"))
    return {"lemma": lemma.lower() if lemma else None, "upos": upos}
