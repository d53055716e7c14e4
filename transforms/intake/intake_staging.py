"""Records staged: as rows in one order, and those that yield none as rejects; of files, with what became of each.

`settling` merges the staged rows of all files. A task says what a row is (`RowSchema`) and how rows are read from a
record; the receipt, counts and rejects are the same for all.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain
from types import TracebackType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from lexbeam.schemas.common_tables import NOT_COUNTED, REMEDIES, RejectRow
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.errors import HeldBackError, LexbeamError
from lexbeam.transforms.common.publish.forgotten import Forgotten, ForgottenMarks
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.common.store.staged import StagedWriter
from lexbeam.transforms.common.texts.encodings import encoding_remedy
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit, acceptable, take_unit
from lexbeam.transforms.formats.ingest.intake_tables import InputCount, notes_of, stage_inputs
from lexbeam.transforms.formats.ingest.staged_records import EXAMPLES, RejectStage
from lexbeam.transforms.formats.readers.delimited import Row
from lexbeam.transforms.formats.readers.registry import printable
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.intake.row_files import entries_of

EXAMPLES_SHOWN = 5
_ROWS, _BYTES = 1024, 1 << 20  # that are made a batch of

T = TypeVar("T")
E = TypeVar("E")


class RowSchema(NamedTuple):
    """The form of staged rows.

    Attributes:
        order: the columns that they are sorted by; the first is a key, hexadecimal digits.
        size: about how many bytes a row has.
    """

    columns: pa.Schema
    order: tuple[str, ...]
    size: Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True, kw_only=True)
class LoadedCounts:
    """What receipts count, or the sums over them.

    Attributes:
        bytes: how many were read.
        count: how many rows there are.
        records: how many records yielded them.
        tally: the task's own counts of them.
        examples: the first rejects that are faults; of sums the least.
        notes: counts what readers changed or guessed, see `Source`.
    """

    bytes: int = 0
    count: int = 0
    records: int = 0
    tally: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    examples: tuple[RejectRow, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """How many rejects there are."""
        return sum(self.reasons.values())


@dataclass(frozen=True, kw_only=True)
class Loaded(LoadedCounts):
    """Receipt of a unit of files, or of a part of a table; it does not grow with files or records.

    Attributes:
        inputs: the staged rows of the table of inputs; None where a table is read.
        rejects: the staged rejects; None without any.
    """

    inputs: Staged | None
    rows: Staged
    rejects: Staged | None


def sum_loaded(loaded: Iterable[LoadedCounts]) -> LoadedCounts:
    """Return the sum of what receipts count, in whatever order."""
    held = list(loaded)
    return LoadedCounts(
        bytes=sum(each.bytes for each in held),
        count=sum(each.count for each in held),
        records=sum(each.records for each in held),
        tally=_sorted(each.tally for each in held),
        reasons=_sorted(each.reasons for each in held),
        examples=tuple(nsmallest(EXAMPLES_SHOWN, chain.from_iterable(each.examples for each in held))),
        notes=_sorted(each.notes for each in held),
    )


def _sorted(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sorted(totals(counts).items()))


class Staging:
    """Stages rows and rejects of records.

    Args:
        by_rule: reasons of rejects that are not faults.
        name: of what is read, which decides between rows that are equal in their order; files have other sources.
        forgotten: the sources that are left out, whatever they say; None: none is.
    """

    def __init__(
        self,
        artefact: Artefact,
        schema: RowSchema,
        stage: str,
        by_rule: Collection[str] = (),
        name: str = "",
        forgotten: Forgotten | None = None,
    ) -> None:
        self._artefact = artefact
        self._schema = schema
        self._stage = stage
        self._by_rule = {*NOT_COUNTED, *by_rule}
        self._name = name
        self._forgotten = forgotten.marks() if forgotten is not None else ForgottenMarks()
        self._left_out = ""  # the last source that was
        self._open = ExitStack()
        self._examples: list[RejectRow] = []
        self._held: list[dict[str, Any]] = []
        self._sizes: list[int] = []
        self._size = 0
        self._count = 0
        self.records = 0
        self.tally: Counter[str] = Counter()

    def __enter__(self) -> "Staging":
        self._rejects = self._open.enter_context(RejectStage(self._artefact, one_part=True))
        stream = self._open.enter_context(self._artefact.writing(".arrow"))
        self._writer = self._open.enter_context(StagedWriter(stream, self._schema.columns, ranges=True))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
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

    def leaves_out(self, source: str) -> bool:
        """Return whether a source is forgotten; one that is, is a reject, once for all that it holds."""
        if not (self._forgotten and self._forgotten.has_source(source)):
            return False
        if source != self._left_out:
            self._left_out = source
            self.reject(source, "", Reject("", "forgotten", ""))
        return True

    def remembered(self, entries: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
        """Yield entries, each with its source, but those of sources that are left out."""
        return (entry for entry in entries if not self.leaves_out(entry[0]))

    def add(self, rows: Sequence[dict[str, Any]], *, further: bool = False) -> None:
        """Stage the rows of a record; `further`: of the one before, which gave others."""
        self.records += not further
        self._count += len(rows)
        for row in rows:
            self._held.append(row)
            self._sizes.append(self._schema.size(row))
            self._size += self._sizes[-1]
            if len(self._held) >= _ROWS or self._size >= _BYTES:
                self._flush()

    def _flush(self) -> None:
        held, sizes = self._held, self._sizes
        self._held, self._sizes, self._size = [], [], 0
        if held:
            batch = pa.RecordBatch.from_pylist(held, schema=self._schema.columns)
            hashes = [hash_of(row[self._schema.order[0]]) for row in held]
            self._writer.add_rows(hashes, [self._key(row) for row in held], batch, sizes)

    def _key(self, row: Mapping[str, Any]) -> str:
        values = (row[name] for name in self._schema.order)
        # Nothing sorts before the zero: so these are in the order of the columns.
        return "\0".join([f"{value:012d}" if isinstance(value, int) else value for value in values] + [self._name])

    def loaded(self, inputs: Sequence[InputCount] = (), size: int = 0) -> Loaded:
        """Return the receipt; everything must have been staged and closed.

        Args:
            inputs: what became of files.
            size: bytes that were read, where it was no files.
        """
        return Loaded(
            inputs=stage_inputs(self._artefact, inputs),
            bytes=size + sum(row.bytes for row in inputs),
            rows=self._writer.file(self._artefact.file(".arrow")),
            count=self._count,
            records=self.records,
            tally=dict(sorted((+self.tally).items())),
            rejects=self._rejects.staged(),
            reasons=dict(sorted(self._rejects.reasons.items())),
            examples=tuple(self._examples),
            notes=notes_of(inputs),
        )


class RejectRule(NamedTuple):
    """Which rejects are faults, of which there may be few.

    Attributes:
        what: what records are called.
        by_rule: reasons of rejects that are not faults.
        uncounted: reasons of those that do not count as records either.
    """

    what: str = "rows"
    by_rule: Collection[str] = ()
    uncounted: Collection[str] = ()

    def accepts(self, loaded: LoadedCounts, share: float) -> bool:
        """Return whether there are records, and at most this share of them is faulty."""
        uncounted = sum(loaded.reasons.get(reason, 0) for reason in self.uncounted)
        faults = sum(self._faults(loaded).values()) - uncounted
        return acceptable(loaded.records + loaded.rejected - uncounted, faults, share)

    def check(self, loaded: LoadedCounts, share: float, remedy: str) -> None:
        """Check that few enough records were rejected; `remedy` says what to do.

        Raises:
            LexbeamError: too many were, of which it shows some, or there are none.
        """
        if self.accepts(loaded, share):
            return
        records = loaded.records + loaded.rejected
        if not records:
            raise LexbeamError(f"the input has no {self.what}; nothing is published")
        faults = self._faults(loaded)
        listed = ", ".join(f"{reason} {number}" for reason, number in faults.items())
        first = "".join(
            f"\n  {files.shown(row.source)} {row.position}".rstrip() + f": {row.reason}, {row.detail}"
            for row in loaded.examples
        )
        cause = (
            f"{sum(faults.values())} of {records} {self.what} were rejected ({listed}), more than `max_reject_share` "
            f"{share} allows; nothing is published"
        )
        of_engine = "".join(f"For {name}: {REMEDIES[name]}. " for name in ("script", "unsegmented") if name in faults)
        named = encoding_remedy(row.detail for row in loaded.examples)
        raise HeldBackError(f"{cause}. Some of them:{first}\n{of_engine}{remedy}{named}", [cause])

    def _faults(self, loaded: LoadedCounts) -> dict[str, int]:
        none = {*NOT_COUNTED, *self.by_rule}
        return {reason: number for reason, number in loaded.reasons.items() if reason not in none}


class Given(NamedTuple, Generic[E]):
    """A record as it was read: its file, its position there, and what it is, or why it is nothing; its number there."""

    source: str
    position: str
    record: E | BadRecord
    number: int = 0


def rejected(source: str, reject: Reject) -> Given[Any]:
    """Return what a reader gives in place of a record."""
    return Given(source, reject.position, BadRecord(reject.reason, reject.detail))


@dataclass(frozen=True, kw_only=True)
class ReadRecords(Step[T, Loaded], Generic[T, E]):
    """Read records as staged rows; one that gives none is a reject.

    Attributes:
        by_rule: reasons of rejects that are not faults.
        tidies: whether details of rejects are made lines that can be printed.
        staging: what takes rows and rejects.
    """

    noun = "intake"
    schema: ClassVar[RowSchema]
    reject_stage: ClassVar[str] = "load"
    by_rule: ClassVar[Collection[str]] = ()
    tidies: ClassVar[bool] = False
    staging: ClassVar[type[Staging]] = Staging

    def rows(self, given: Given[E], record: E) -> list[dict[str, Any]]:
        """Return the rows of a record.

        Raises:
            BadRecord: it gives none.
        """
        raise NotImplementedError

    def tallied(self, record: E) -> str:
        """Return what a record that gave rows is tallied as; empty: nothing."""
        return ""

    def add(self, staging: Staging, given: Given[E]) -> None:
        """Stage a record."""
        try:
            if isinstance(given.record, BadRecord):
                raise given.record
            staging.add(self.rows(given, given.record))
            if name := self.tallied(given.record):
                staging.tally[name] += 1
        except BadRecord as error:
            detail = " ".join(printable(error.detail).split()) if self.tidies else error.detail
            staging.reject(given.source, given.position, BadRecord(error.reason, detail))


@dataclass(frozen=True, kw_only=True)
class ReadFiles(ReadRecords[Unit, E]):
    """Read units of files; `forgotten` are those that are left out, None: none is."""

    forgotten: Forgotten | None = None

    unit = "batches"

    def given(self, staging: Staging, file: InputFile, reading: FileReading, notes: Counter[str]) -> Iterator[Given[E]]:
        """Yield the records of a file; count in `notes` what its readers changed or guessed."""
        raise NotImplementedError

    def make(self, artefact: Artefact, task: Unit) -> Loaded:
        """Stage the records of a unit.

        Raises:
            LexbeamError: a file is not what the user says.
            Superseded: a file is no longer what the artefact is named by.
        """

        def take(file: InputFile, reading: FileReading, notes: Counter[str]) -> None:
            for given in () if staging.leaves_out(file.name) else self.given(staging, file, reading, notes):
                if reading.broken is not None:
                    break
                self.add(staging, given)

        with self.staging(artefact, self.schema, self.reject_stage, self.by_rule, forgotten=self.forgotten) as staging:
            inputs = take_unit(task, take, lambda: (staging.records, staging.rejected))
        return staging.loaded(inputs)


class _Lined(Protocol):
    @property
    def line(self) -> int:
        """Where a record stands."""


L = TypeVar("L", bound=_Lined)


@dataclass(frozen=True, kw_only=True)
class ReadRowFiles(ReadFiles[L]):
    """Read tables, or archives of them; `reader` says how rows are cut into cells."""

    reader: ReaderOptions = field(default_factory=ReaderOptions)

    def read(self, rows: Iterator[Row], name: str, notes: Counter[str]) -> Iterator[L | Reject]:
        """Yield records from the rows of a table, its name, and notes of what is guessed.

        Raises:
            LexbeamError: the file is not what the user says.
        """
        raise NotImplementedError

    def given(self, staging: Staging, file: InputFile, reading: FileReading, notes: Counter[str]) -> Iterator[Given[L]]:
        """Yield the records of a file."""
        for source, record in staging.remembered(entries_of(file, reading, self.reader, self.read, notes)):
            if isinstance(record, Reject):
                yield rejected(source, record)
            else:
                yield Given(source, str(record.line), record)


class _Sized(Protocol):
    @property
    def size(self) -> int:
        """Bytes, for dealing out."""


S = TypeVar("S", bound=_Sized)


@dataclass(frozen=True, kw_only=True)
class ReadPart(ReadRecords[S, E]):
    """Read parts of tables."""

    unit = "parts"

    def name_of(self, task: S) -> str:
        """Return what tells a part from all others, for the order of rows that are equal in theirs."""
        raise NotImplementedError

    def given(self, staging: Staging, task: S) -> Iterator[Given[E]]:
        """Yield the records of a part."""
        raise NotImplementedError

    def make(self, artefact: Artefact, task: S) -> Loaded:
        """Stage the records of a part."""
        with self.staging(artefact, self.schema, self.reject_stage, self.by_rule, self.name_of(task)) as staging:
            for given in self.given(staging, task):
                self.add(staging, given)
        return staging.loaded(size=task.size)
