"""Files of instances read: their instances as sorted runs, in a staging file.

A run is as many rows as fit in memory, in the order of ids; `settling` merges the runs of all
files. A record that gives no instance is a reject.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.rejects import RejectRow
from schemas.simplification.instances import BY_RULE
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.runs import Run, RunWriter
from transforms.complexity.instances.layouts import About, FileRows
from transforms.formats.ingest.stage import acceptable
from transforms.formats.ingest.staging import RejectStage, StagedRejects
from transforms.formats.readers.delimited import Row as CellRow
from transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from transforms.formats.records.text_cleaning import clean_field
from transforms.intake.row_files import RowFile, entries_of
from transforms.simplification.instances.instance import instance_id, placed
from transforms.simplification.instances.layout_detection import HEAD, layout_of
from transforms.simplification.instances.layouts import Row
from transforms.simplification.instances.rows import READERS, RuleOptions

__all__ = ["AUTO", "ORDER", "READ", "ROWS", "LoadOptions", "Loaded", "Loading", "Taken", "acceptable_records"]

AUTO = "auto"
STAGE = "load"
_GIVEN = pa.struct([("text", pa.string()), ("annotators", pa.int32()), ("rank", pa.int32())])
ROWS = pa.schema(
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
ORDER = ("key", "source", "line", "position")
_OVERHEAD = 300  # bytes of a row besides its texts


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
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


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Receipt of a file, or of a part of a table.

    Attributes:
        name, bytes, sha256: of the file.
        rows: the staging file of its instances, see `ROWS`.
        runs: its sorted runs.
        layouts: records that gave an instance, by layout.
        instances: how many instances they gave.
        rejects: where its rejects are staged.
        reasons: rejects by reason.
        examples: the first rejects that are faults.
        notes: what was done to read it, and how often, see `Source`.
    """

    name: str
    bytes: int
    sha256: str
    rows: File
    runs: tuple[Run, ...]
    layouts: dict[str, int]
    instances: int
    rejects: StagedRejects
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]
    notes: dict[str, int]

    @property
    def records(self) -> int:
        """How many records gave an instance."""
        return sum(self.layouts.values())


def acceptable_records(loaded: Iterable[Loaded], share: float) -> bool:
    """Return whether few enough records were faulty, see `acceptable`; those of `BY_RULE` are not.

    Where there are none but what was left out by rule, that is no fault either.
    """
    files = list(loaded)
    reasons: Counter[str] = Counter()
    for one in files:
        reasons.update(one.reasons)
    faults = sum(number for reason, number in reasons.items() if reason not in BY_RULE)
    return acceptable(sum(one.records for one in files) + reasons.total(), faults, share)


class Taken(NamedTuple):
    """A record: its line, the layout that it was read by, its rows, or why it has none."""

    line: int
    layout: str
    rows: list[Row] | BadRecord


class Loading:
    """Takes records and stages what they give: instances or a reject each."""

    def __init__(self, artefact: Artefact, occurrences: str) -> None:
        self._artefact = artefact
        self._occurrences = occurrences
        self._open = ExitStack()
        self._examples: list[RejectRow] = []
        self._layouts: Counter[str] = Counter()
        self._instances = 0

    def __enter__(self) -> "Loading":
        self._rejects = self._open.enter_context(RejectStage(self._artefact))
        stream = self._open.enter_context(self._artefact.writing(".arrow"))
        self._writer = self._open.enter_context(RunWriter(stream, ROWS, ORDER))
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def reject(self, source: str, position: str, error: BadRecord) -> None:
        """Stage a reject."""
        row = RejectRow(source, position, STAGE, error.reason, error.detail)
        self._rejects.add(row)
        if error.reason not in BY_RULE and len(self._examples) < 3:
            self._examples.append(row)

    def add(
        self,
        source: str,
        line: int,
        position: str,
        layout: str,
        rows: Iterable[Row],
        languages: tuple[str | None, str | None],
        annotation: Mapping[str, str | None] | None = None,
    ) -> None:
        """Stage the instances of a record, or its reject.

        Args:
            source: the file.
            line: by which records of a file are in order.
            position: what a person finds it by.
            layout: that it was read by.
            rows: targets of its sentence.
            languages: of rows that do not say, and where nothing else says either.
            annotation: lemma, upos, feats of the target.
        """
        try:
            made = [self._row(row, one, languages) for row in rows for one in placed(row, self._occurrences)]
        except BadRecord as error:
            self.reject(source, position, error)
            return
        self._layouts[layout] += 1
        self._instances += len(made)
        for row in made:
            row |= {"source": source, "line": line, "position": position, **(annotation or {})}
            size = len(row["sentence"]) + sum(len(one["text"]) for one in row["substitutes"])
            self._writer.add(row, size + _OVERHEAD)

    @staticmethod
    def _row(
        row: Row, place: tuple[str, str, int, int, tuple[str, ...]], languages: tuple[str | None, str | None]
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

    def loaded(self, name: str, size: int, sha256: str, notes: Counter[str]) -> Loaded:
        """Return the receipt, once all is staged and closed."""
        return Loaded(
            name=name,
            bytes=size,
            sha256=sha256,
            rows=self._artefact.file(".arrow"),
            runs=tuple(self._writer.runs),
            layouts=dict(sorted(self._layouts.items())),
            instances=self._instances,
            rejects=self._rejects.staged(),
            reasons=dict(sorted(self._rejects.reasons.items())),
            examples=tuple(self._examples),
            notes=dict(sorted((+notes).items())),
        )


def _read(artefact: Artefact, task: RowFile, options: LoadOptions) -> Loaded:
    """Read a file.

    Raises:
        LexbeamError: its layout cannot be told, or is another, or it has changed.
    """

    def read(given: FileRows, name: str) -> Iterator[Taken | Reject]:
        return _records(given, name, options)

    notes: Counter[str] = Counter()
    languages = options.language, options.engine_language
    with Loading(artefact, options.occurrences) as loading:
        for source, record in entries_of(task, options.reader, read, notes):
            if isinstance(record, Reject):
                error = BadRecord(record.reason, record.detail)
                loading.reject(source, record.position, error)
            elif isinstance(record.rows, BadRecord):
                loading.reject(source, str(record.line), record.rows)
            else:
                line = record.line
                loading.add(source, line, str(line), record.layout, record.rows, languages)
    return loading.loaded(task.name, task.size, task.sha256, notes)


def _records(given: FileRows, name: str, options: LoadOptions) -> Iterator[Taken]:
    layout = options.layout
    if layout == AUTO:
        head, given = _peeked(iter(given))
        rows = [cells for _, cells in head if not isinstance(cells, BadRecord)]
        if not rows:
            yield from (Taken(line, AUTO, cells) for line, cells in head if isinstance(cells, BadRecord))
            for line, cells in given:
                if not isinstance(cells, BadRecord):  # the first one that can be read
                    given = itertools.chain([(line, cells)], given)
                    yield from _records(given, name, options)
                    return
                yield Taken(line, AUTO, cells)
            return
        layout = layout_of(name, rows)
        given = itertools.chain(head, given)
    about = About(name, None, options.language)
    for line, found in READERS[layout](given, about, options.rules):
        yield Taken(line, layout, found)


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


def _chosen(_: RowFile, options: LoadOptions) -> dict[str, tuple[str, ...]]:
    named = tuple(sorted(READERS)) if options.layout == AUTO else (options.layout,)
    return {"transforms.simplification.instances.rows:READERS": named}


READ: Stage[RowFile, LoadOptions, Loaded] = Stage(
    name="simplification/read", receipt=Loaded, build=_read, chosen=_chosen, unit="files"
)
