"""Files of instances read: their records as staged rows. A record that gives no instance is a reject."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.simplification.instances import BY_RULE
from transforms.common.store.artefacts import Artefact, Stage
from transforms.formats.ingest.stage import acceptable
from transforms.formats.readers.delimited import Row as CellRow
from transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from transforms.formats.records.text_cleaning import clean_field
from transforms.intake.header import About, FileRows
from transforms.intake.row_files import RowFile
from transforms.intake.staging import Loaded, RowSchema, Staging, reasons_of, stage_file
from transforms.simplification.instances.instance import instance_id, placed
from transforms.simplification.instances.layout_detection import HEAD, layout_of
from transforms.simplification.instances.layouts import BenchmarkInstance
from transforms.simplification.instances.rows import READERS, RuleOptions

__all__ = [
    "AUTO",
    "READ",
    "ROWS",
    "InstanceReadOptions",
    "TakenRecord",
    "acceptable_records",
    "staged_rows",
    "staging_of",
]

AUTO = "auto"
STAGE = "load"
_GIVEN = pa.struct([("text", pa.string()), ("annotators", pa.int32()), ("rank", pa.int32())])
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
        ("substitutes", pa.list_(_GIVEN)),
        # Of instances that come annotated.
        ("lemma", pa.string()),
        ("upos", pa.string()),
        ("feats", pa.string()),
    ]
)
_OVERHEAD = 300  # bytes of a row besides its texts


def _size(row: Mapping[str, Any]) -> int:
    return len(row["sentence"]) + sum(len(one["text"]) for one in row["substitutes"]) + _OVERHEAD


ROWS = RowSchema(_COLUMNS, ("key", "source", "line", "position"), _size)


@dataclass(frozen=True, kw_only=True)
class InstanceReadOptions:
    """What decides how files are read.

    Attributes:
        layout: a key of `READERS`; `auto`: told from the first rows of each file.
        language: of rows that do not say.
        engine_language: likewise, where nothing else says either.
        occurrences: which of several places of a target counts, see `placed`.
        rules: which words become instances.
        reader: how rows are cut into cells.
    """

    layout: str = AUTO
    language: str | None = None
    engine_language: str | None = None
    occurrences: str = "first"
    rules: RuleOptions = field(default_factory=RuleOptions)
    reader: ReaderOptions = field(default_factory=lambda: ReaderOptions(delimiter="\t", quoting=False))


class TakenRecord(NamedTuple):
    """A record: its line, the layout that it was read by, its rows, or why it has none."""

    line: int
    layout: str
    rows: list[BenchmarkInstance] | BadRecord


def acceptable_records(loaded: Sequence[Loaded], share: float) -> bool:
    """Return whether few enough records were faulty, see `acceptable`; those of `BY_RULE` are not.

    Where there are none but what was left out by rule, that is no fault either.
    """
    reasons = reasons_of(loaded)
    faults = sum(number for reason, number in reasons.items() if reason not in BY_RULE)
    return acceptable(sum(one.records for one in loaded) + reasons.total(), faults, share)


def staging_of(artefact: Artefact) -> Staging:
    """Return what takes records and stages what they give."""
    return Staging(artefact, ROWS, STAGE, BY_RULE)


def staged_rows(
    rows: Iterable[BenchmarkInstance], occurrences: str, languages: tuple[str | None, str | None], **where: Any
) -> list[dict[str, Any]]:
    """Return the staged rows of a record: an instance for each place of its targets.

    Args:
        rows: targets of its sentence.
        occurrences: which of several places counts, see `placed`.
        languages: of rows that do not say, and where nothing else says either.
        where: `source`, `line` and `position` of the record; lemma, upos, feats of its target.

    Raises:
        BadRecord: it has no language, or `placed` says so.
    """
    return [{**_row(row, place, languages), **where} for row in rows for place in placed(row, occurrences)]


def _row(
    row: BenchmarkInstance, place: tuple[str, str, int, int, tuple[str, ...]], languages: tuple[str | None, str | None]
) -> dict[str, Any]:
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
        "substitutes": [one._asdict() for one in row.substitutes],
    }


def _read(artefact: Artefact, task: RowFile, options: InstanceReadOptions) -> Loaded:
    """Read a file.

    Raises:
        LexbeamError: its layout cannot be told, or is another, or it has changed.
    """

    def read(rows: FileRows, name: str) -> Iterator[TakenRecord | Reject]:
        return _records(rows, name, options)

    def add(source: str, record: TakenRecord) -> None:
        if isinstance(record.rows, BadRecord):
            raise record.rows
        languages, line = (options.language, options.engine_language), record.line
        rows = staged_rows(record.rows, options.occurrences, languages, source=source, line=line, position=str(line))
        staging.add(rows)
        staging.tally[record.layout] += 1

    staging = staging_of(artefact)
    return stage_file(staging, task, options.reader, read, add, attrgetter("line"))


def _records(given: FileRows, name: str, options: InstanceReadOptions) -> Iterator[TakenRecord]:
    layout = options.layout
    if layout == AUTO:
        head, given = _peeked(iter(given))
        rows = [cells for _, cells in head if not isinstance(cells, BadRecord)]
        if not rows:
            yield from (TakenRecord(line, AUTO, cells) for line, cells in head if isinstance(cells, BadRecord))
            for line, cells in given:
                if not isinstance(cells, BadRecord):  # the first one that can be read
                    given = itertools.chain([(line, cells)], given)
                    yield from _records(given, name, options)
                    return
                yield TakenRecord(line, AUTO, cells)
            return
        layout = layout_of(name, rows)
        given = itertools.chain(head, given)
    about = About(name, None, options.language)
    for line, found in READERS[layout](given, about, options.rules):
        yield TakenRecord(line, layout, found)


def _peeked(rows: Iterator[CellRow]) -> tuple[list[CellRow], Iterator[CellRow]]:
    """Return the first rows, and those after them; what breaks off does so after its rows."""
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


def _chosen(_: RowFile, options: InstanceReadOptions) -> dict[str, tuple[str, ...]]:
    named = tuple(sorted(READERS)) if options.layout == AUTO else (options.layout,)
    return {"transforms.simplification.instances.rows:READERS": named}


READ: Stage[RowFile, InstanceReadOptions, Loaded] = Stage(
    name="simplification/read", receipt=Loaded, build=_read, chosen=_chosen, unit="files"
)
