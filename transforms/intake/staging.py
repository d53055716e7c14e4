"""Files staged: their records as sorted runs of rows, and those that yield none as rejects.

A run is as many rows as fit in memory, in one order; `merging` merges the runs of all files. A task says what a
row is (`RowSchema`) and how rows are read from a record; the receipt, counts and rejects are the same for all.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from schemas.rejects import RejectRow
from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.common.store.artefacts import Artefact
from transforms.common.store.classes import Staged
from transforms.common.store.runs import RunWriter, SortedRows
from transforms.formats.ingest.staging import EXAMPLES, RejectStage
from transforms.formats.readers.delimited import Row
from transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from transforms.intake.row_files import RowFile, entries_of

__all__ = ["Loaded", "LoadedFile", "RowSchema", "Staging", "reasons_of", "reject_error", "stage_file"]

EXAMPLES_SHOWN = 5

T = TypeVar("T")


class RowSchema(NamedTuple):
    """The form of staged rows.

    Attributes:
        columns: their columns.
        order: the columns that they are sorted by; the first is a key, hexadecimal digits.
        size: about how many bytes a row has.
    """

    columns: pa.Schema
    order: tuple[str, ...]
    size: Callable[[Mapping[str, Any]], int]


class LoadedFile(NamedTuple):
    """What became of a file: its name, bytes and SHA-256, records that yielded rows, rejects."""

    name: str
    bytes: int
    sha256: str
    records: int
    rejects: int


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Receipt of a file, of several, or of a part of a table.

    Attributes:
        inputs: what was read.
        rows: the staging file of the rows, and its sorted runs.
        count: how many rows there are.
        records: how many records yielded them.
        tally: the task's own counts of them.
        rejects: the staged rejects; None without any.
        reasons: rejects by reason.
        examples: the first rejects that are faults.
        notes: counts what readers changed or guessed, see `Source`.
    """

    inputs: tuple[LoadedFile, ...]
    rows: SortedRows
    count: int
    records: int
    tally: dict[str, int]
    rejects: Staged | None
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]
    notes: dict[str, int]

    @property
    def name(self) -> str:
        """The name of the first file, by which receipts are sorted."""
        return self.inputs[0].name


class Staging:
    """Stages rows and rejects of records.

    Args:
        artefact: the artefact that is made.
        schema: of the rows.
        stage: of rejects.
        by_rule: reasons of rejects that are not faults.
    """

    def __init__(self, artefact: Artefact, schema: RowSchema, stage: str, by_rule: Collection[str] = ()) -> None:
        self._artefact = artefact
        self._schema = schema
        self._stage = stage
        self._by_rule = by_rule
        self._open = ExitStack()
        self._examples: list[RejectRow] = []
        self._count = 0
        self.records = 0
        self.tally: Counter[str] = Counter()

    def __enter__(self) -> "Staging":
        self._rejects = self._open.enter_context(RejectStage(self._artefact))
        stream = self._open.enter_context(self._artefact.writing(".arrow"))
        self._writer = self._open.enter_context(RunWriter(stream, self._schema.columns, self._schema.order))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    @property
    def rejected(self) -> int:
        """How many records were rejected."""
        return self._rejects.count

    def reject(self, source: str, position: str, error: BadRecord | Reject) -> None:
        """Stage a reject."""
        row = RejectRow(source, position, self._stage, error.reason, error.detail)
        self._rejects.add(row)
        if error.reason not in self._by_rule and len(self._examples) < EXAMPLES:
            self._examples.append(row)

    def add(self, rows: Sequence[dict[str, Any]], *, further: bool = False) -> None:
        """Stage the rows of a record; `further`: of the one before, which gave others."""
        self.records += not further
        self._count += len(rows)
        for row in rows:
            self._writer.add(row, self._schema.size(row))

    def loaded(self, inputs: Sequence[LoadedFile], notes: Mapping[str, int] | None = None) -> Loaded:
        """Return the receipt; everything must have been staged and closed."""
        return Loaded(
            inputs=tuple(inputs),
            rows=SortedRows(self._artefact.file(".arrow"), tuple(self._writer.runs)),
            count=self._count,
            records=self.records,
            tally=dict(sorted((+self.tally).items())),
            rejects=self._rejects.staged(),
            reasons=dict(sorted(self._rejects.reasons.items())),
            examples=tuple(self._examples),
            notes=dict(sorted((notes or {}).items())),
        )


def stage_file(
    staging: Staging,
    task: RowFile,
    options: ReaderOptions,
    read: Callable[[Iterator[Row], str], Iterator[T | Reject]],
    add: Callable[[str, T], None],
    line: Callable[[T], int],
) -> Loaded:
    """Stage a file, or the files of an archive, and return the receipt.

    Args:
        staging: takes rows and rejects.
        task: the file.
        options: how rows are cut into cells.
        read: from the rows of a table, with line numbers, and its name, its records.
        add: stages a record, named with its file; a `BadRecord` that it raises is a reject.
        line: where a record stands.

    Raises:
        LexbeamError: the file has changed since its digest was taken, or `read` says so.
    """
    notes: Counter[str] = Counter()
    with staging:
        for source, record in entries_of(task, options, read, notes):
            if isinstance(record, Reject):
                staging.reject(source, record.position, record)
                continue
            try:
                add(source, record)
            except BadRecord as error:
                staging.reject(source, str(line(record)), error)
    file = LoadedFile(task.name, task.size, task.sha256, staging.records, staging.rejected)
    return staging.loaded([file], +notes)


def reasons_of(loaded: Sequence[Loaded]) -> Counter[str]:
    """Return how many rejects there are by reason."""
    reasons: Counter[str] = Counter()
    for receipt in loaded:
        reasons.update(receipt.reasons)
    return reasons


def reject_error(
    loaded: Sequence[Loaded], share: float, remedy: str, *, what: str = "rows", by_rule: Collection[str] = ()
) -> LexbeamError:
    """Return the error of files of which too many records were rejected, with some of them.

    Args:
        loaded: what was loaded.
        share: of rejects that is allowed.
        remedy: what to do.
        what: what records are called.
        by_rule: reasons that are not faults.
    """
    reasons = reasons_of(loaded)
    records = sum(receipt.records for receipt in loaded) + reasons.total()
    if not records:
        return LexbeamError(f"the input has no {what}; nothing is published")
    faults = {reason: number for reason, number in sorted(reasons.items()) if reason not in by_rule}
    listed = ", ".join(f"{reason} {number}" for reason, number in faults.items())
    first = "".join(
        f"\n  {files.shown(row.source)} {row.position}".rstrip() + f": {row.reason}, {row.detail}"
        for row in [row for receipt in loaded for row in receipt.examples[:2]][:EXAMPLES_SHOWN]
    )
    return LexbeamError(
        f"{sum(faults.values())} of {records} {what} were rejected ({listed}), more than `max_reject_share` {share} "
        f"allows; nothing is published. Some of them:{first}\n{remedy}"
    )
