"""Taking in files: a unit of files becomes staging files of documents, and rejects.

    receipt = make(workspace, Ingest(options), unit)

A unit is some small files packed together, or one large file. Each input record ends either as a
row of a staging file or as a reject; the receipt counts both. How files are packed into units, and
where staging files are cut, has no effect on what is published.
"""

import functools
import pickle
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple, NoReturn

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.code.fingerprints import digest, text_digest
from lexbeam.transforms.common.publish.forgotten import Forgotten, ForgottenMarks
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Superseded
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.identity import Place, Size, Uncounted
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.texts.languages import code_or_text
from lexbeam.transforms.formats.ingest.date_rules import DateRule, Metadata, date_of
from lexbeam.transforms.formats.ingest.intake_tables import COUNTED, InputCount, notes_of, stage_inputs
from lexbeam.transforms.formats.ingest.staged_records import (
    KEYS,
    RecordKey,
    RecordRow,
    RecordStage,
    RejectStage,
    StageFile,
)
from lexbeam.transforms.formats.readers.registry import READERS, printable, read_file, read_piece
from lexbeam.transforms.formats.records.base import BadRecord, CutPiece, ReaderOptions, Record, Reject
from lexbeam.transforms.formats.records.date_parsing import DATE_FORMS
from lexbeam.transforms.formats.records.layers import columns_of
from lexbeam.transforms.formats.records.scripts import refusal
from lexbeam.transforms.formats.sources.readings import (
    CHANGED,
    Blocks,
    FileReading,
    first_reading,
    known_reading,
    reading_of,
)

MOST_OF_PIECE = 1 << 40  # records that a piece of a file may have
READINGS = 3  # of a file that changes while it is read, before it is a reject


_CONTENT = Uncounted("the content counts, by its digest")


class InputFile(NamedTuple):
    """A file to take in.

    Attributes:
        name: its published name.
        size: its bytes, as listed.
        collection: the input it belongs to.
        changed: when it was changed last, as listed, in nanoseconds since 1970; 0: unknown, or so shortly before
            that it may have changed since without another time.
        known: the SHA-256 that a file of this path, size and time had before; empty: unknown.
    """

    name: str
    path: Place
    size: Size
    collection: str
    changed: Annotated[int, _CONTENT] = 0
    known: Annotated[str, _CONTENT] = ""


class FilePiece(NamedTuple):
    """A piece of a file that was cut.

    Attributes:
        piece: where it lies.
        format: in which it is read.
        sha256: of the whole file.
        bytes: of the whole file.
        blocks: digests of the blocks in which it lies, see `FileReading.blocks`.
    """

    piece: CutPiece
    format: str
    sha256: str
    bytes: Size
    blocks: Annotated[Blocks, Uncounted("they follow from the content, which has its digest")]


@dataclass(frozen=True, order=True)
class Unit:
    """Files that one worker takes in together.

    Attributes:
        size: their bytes, as listed.
        broken: files that changed, or could no longer be read, after their digest was taken: the
            name and the cause, once for each time that it happened.
        piece: what is taken in of the only file; None: all of it.
    """

    files: tuple[InputFile, ...]
    size: Size
    broken: Annotated[tuple[tuple[str, str], ...], Uncounted("the digests are of what was read at last")] = ()
    piece: FilePiece | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # Names and paths of a folder are alike, and a graph holds those of all files.
        files = zlib.compress(pickle.dumps([tuple(file) for file in self.files]))
        return _unit, (files, self.size, self.broken, self.piece)

    @property
    def begins(self) -> bool:
        """Whether the files are taken in from their start."""
        return self.piece is None or self.piece.piece.number == 0

    def content_digests(self) -> list[str]:
        """Return the SHA-256 of each file, in their order."""
        return [reading.sha256 for reading in self.readings]

    @functools.cached_property
    def readings(self) -> list[FileReading]:
        """What was read of the files for their digests, in their order."""
        return [_reading(file, self.broken, self.piece) for file in self.files]


def _unit(files: bytes, size: int, broken: tuple[tuple[str, str], ...], piece: FilePiece | None) -> Unit:
    named = pickle.loads(zlib.decompress(files))
    return Unit(tuple(InputFile(*file) for file in named), size, broken, piece)


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """What decides how files become documents.

    Attributes:
        format: a reader's name, or `auto`.
        dates: rule that finds a document's date; None leaves documents undated.
        date_range: which year of a range counts: an entry of `DATE_RANGES`.
        metadata: rows by file name that fill in missing fields; None without a table.
        language: language of documents whose source states none.
        genre: genre of documents whose source states none.
        forgotten: what is left out, whatever it says; None: nothing.
        scripts: of the language of the engine that is to annotate texts, see `refusal`; None: none does.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    dates: DateRule | None = None
    date_range: str = "first"
    metadata: Metadata | None = None
    language: str | None = None
    genre: str | None = None
    forgotten: Forgotten | None = None
    scripts: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """Receipt of a unit; it does not grow with files or records.

    Attributes:
        inputs: where the files' rows of `corpus/inputs` are staged.
        counts: bytes, records, documents and rejects.
        notes: what readers changed or guessed as they read, and how often.
        keys: the keys of their records: a batch of `KEYS` for each staging file.
        rejects: the staged rejects; None without any.
        examples: the first rejects.
        years: documents by year, before duplicates are known.
    """

    inputs: Staged | None
    counts: dict[str, int]
    notes: dict[str, int]
    stages: tuple[StageFile, ...]
    keys: File
    rejects: Staged | None
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]
    years: dict[int, int]


class IngestStages(NamedTuple):
    """Where records and rejects of ingestion are staged."""

    artefact: Artefact
    records: RecordStage
    rejects: RejectStage

    def receipt(self, inputs: Sequence[InputCount]) -> Ingested:
        """Return the receipt of what was staged of some files, once all is closed."""
        return Ingested(
            inputs=stage_inputs(self.artefact, inputs),
            counts={name: sum(getattr(row, name) for row in inputs) for name in COUNTED},
            notes=notes_of(inputs),
            stages=tuple(self.records.files),
            keys=self.artefact.file("-keys.arrow"),
            rejects=self.rejects.staged(),
            reasons=dict(self.rejects.reasons),
            examples=tuple(self.rejects.examples),
            years=dict(sorted(self.records.years.items())),
        )


@contextmanager
def ingesting(artefact: Artefact, layers: tuple[str, ...]) -> Iterator[IngestStages]:
    """Open the stages of an artefact; annotation that comes with records has `layers`."""
    with artefact.writing("-keys.arrow") as stream, BatchWriter(stream, KEYS) as keys, RejectStage(artefact) as rejects:
        stages = IngestStages(artefact, RecordStage(artefact, keys, columns_of(layers)), rejects)
        yield stages
        stages.records.flush()


def take_unit(
    unit: Unit, take: Callable[[InputFile, FileReading, Counter[str]], None], counted: Callable[[], tuple[int, int]]
) -> list[InputCount]:
    """Take in the files of a unit; return what became of each.

    Args:
        take: takes in a file, and counts what its readers changed or guessed.
        counted: says how many records were taken so far, and how many were rejected.

    Raises:
        Superseded: a file is no longer what the artefact is named by.
    """
    inputs = []
    for file, reading in zip(unit.files, unit.readings, strict=True):
        before = counted()
        notes: Counter[str] = Counter()
        take(file, reading, notes)
        if reading.broken is not None:
            raise Superseded(unit, replace(unit, broken=(*unit.broken, (file.name, reading.broken))))
        taken, rejected = (now - then for now, then in zip(counted(), before, strict=True))
        noted = dict(sorted((+notes).items())) or None  # without zeros
        size = reading.bytes if unit.begins else 0
        inputs.append(InputCount(file.name, size, reading.sha256, taken + rejected, taken, rejected, noted))
    return inputs


@dataclass(frozen=True)
class Ingest(Step[Unit, Ingested]):
    """Take in units: stage their records, the keys of these, and the rejects."""

    options: IngestOptions

    name = "corpus/ingest"
    noun = "intake"
    unit = "batches"

    def make(self, artefact: Artefact, unit: Unit) -> Ingested:
        """Write staging files of records, of keys, of rejects and of counts.

        Raises:
            Superseded: a file is no longer what the artefact is named by.
        """

        def take(file: InputFile, reading: FileReading, notes: Counter[str]) -> None:
            for row in _documents(file, reading, self.options, notes=notes, piece=unit.piece):
                if isinstance(row, RejectRow):
                    stages.rejects.add(row)
                else:
                    stages.records.add(*row)

        with ingesting(artefact, self.options.reader.layers) as stages:
            try:
                inputs = take_unit(unit, take, lambda: (stages.records.documents, stages.rejects.count))
            except Superseded:
                stages.records.remove()
                raise
        return stages.receipt(inputs)

    def chosen(self, _: Unit | None) -> dict[str, tuple[str, ...]]:
        """Return readers, forms of dates and layers."""
        dated = self.options.dates
        return {
            **readers_chosen(self.options.format, self.options.reader),
            "lexbeam.transforms.formats.ingest.date_rules:DATE_RANGES": (self.options.date_range,) if dated else (),
            "lexbeam.transforms.formats.records.date_parsing:DATE_FORMS": tuple(DATE_FORMS) if dated else (),
            "lexbeam.transforms.formats.records.layers:LAYERS": self.options.reader.layers,
        }


def acceptable(records: int, rejected: int, share: float) -> bool:
    """Return whether there are input records, and few enough of them were rejected."""
    return rejected <= share * records and records > 0


# By section: a function that says what the years of the documents lack for it, or None.
YearChecks = Mapping[str, Callable[[Collection[int]], str | None]]


def lacking(years: Collection[int], year_checks: YearChecks) -> list[str]:
    """Return what the documents' years lack, each with the section that needs it."""
    lacks = ((section, ask(years)) for section, ask in year_checks.items())
    return [f"{section}: {text}" for section, text in lacks if text is not None]


def _reading(file: InputFile, broken: Sequence[tuple[str, str]] = (), piece: FilePiece | None = None) -> FileReading:
    """Read a file for its digest; if that fails, return a reading that fails whenever it is opened."""
    causes = [cause for name, cause in broken if name == file.name]
    if len(causes) == READINGS:
        return failed_reading(file, causes[-1])
    if piece is not None:
        return reading_of(file.path, piece.sha256, piece.bytes, piece.blocks)
    if file.known and not causes:
        return known_reading(file.path, file.known, file.size)
    try:
        return first_reading(file.path)
    except OSError as error:
        return failed_reading(file, str(error.strerror or error))


def failed_reading(file: InputFile, cause: str) -> FileReading:
    """Return the reading of a file that cannot be read, which says so whenever it is opened."""

    def fail(_: FileReading) -> NoReturn:
        if cause == CHANGED:
            raise BadRecord(*_REJECT)
        raise OSError(cause)

    # What decides the artefact: once the file can be read, it is another.
    state = _REJECT[0] if cause == CHANGED else f"unreadable: {cause}"
    return FileReading(state, file.size, fail)


_REJECT = ("changed_while_read", f"the file {CHANGED}, {READINGS} times")


def read_documents(
    file: InputFile,
    options: IngestOptions,
    on_format: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
    *,
    reading: FileReading | None = None,
    piece: FilePiece | None = None,
) -> Iterator["_Row | RejectRow"]:
    """Yield a file's records, as rows of a staging file with record and key, and its rejects.

    Args:
        options: how it becomes documents.
        on_format: called with the name and the format of each source; of a piece it is not.
        notes: counts what readers changed or guessed.
        reading: how its bytes are read; None: once for their digest, and checked from then on. If the file changes
            while it is read so, the last entry is a reject.
        piece: what is read of the file; None: all of it.
    """
    reading = reading or _reading(file)
    yield from _documents(file, reading, options, on_format, notes, piece)
    if reading.broken is not None:
        changed = reading.broken == CHANGED
        why = (_REJECT[0], f"the file {CHANGED}") if changed else ("unreadable", reading.broken)
        yield RejectRow(file.name, "", "ingest", *why)


_Row = tuple[RecordRow, Record, RecordKey]


def _documents(
    file: InputFile,
    reading: FileReading,
    options: IngestOptions,
    on_format: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
    piece: FilePiece | None = None,
) -> Iterator[_Row | RejectRow]:
    """Yield what a file, or a piece of it, holds; nothing more once its reading is broken."""
    if piece is None:
        ordinal = 0
        entries = read_file(
            file.path,
            file.name,
            format=options.format,
            options=options.reader,
            open=reading.open,
            on_format=on_format,
            notes=notes,
        )
    else:
        ordinal = piece.piece.number * MOST_OF_PIECE
        entries = read_piece(
            file.path,
            file.name,
            piece.piece,
            format=piece.format,
            options=options.reader,
            open=reading.open,
            notes=Counter() if notes is None else notes,
        )
    marks = options.forgotten.marks() if options.forgotten is not None else ForgottenMarks()
    for source, entry in entries:
        if reading.broken is not None:
            return
        if marks and _is_forgotten(marks, source, entry):
            ordinal += 1
            if isinstance(entry, Reject) or entry.block == 0:
                yield RejectRow(source, entry.position, "ingest", "forgotten", "")  # nothing that it says
            continue
        if isinstance(entry, Reject):
            yield RejectRow(source, entry.position, "ingest", entry.reason, entry.detail)
            continue
        ordinal += 1
        row = _row(source, entry, options)
        if isinstance(row, Reject):
            if entry.block:  # the first one, which has the same fields, was a reject
                continue
            detail = " ".join(printable(row.detail).split())
            yield RejectRow(source, entry.position, "ingest", row.reason, detail)
            continue
        if entry.text is not None:
            if options.scripts is not None and (why := refusal(entry.text, options.scripts)):
                yield RejectRow(source, entry.position, "ingest", *why)
                continue
            row["key"] = text_digest(entry.text, [row["year"], row["author"], row["title"], file.collection])
            yield row, entry, (row["key"], source, ordinal, entry.position)
        else:
            row["key"] = digest(["ready", source, entry.position, reading.sha256])
            yield row, entry, ("", source, ordinal, entry.position)


def _is_forgotten(marks: ForgottenMarks, source: str, entry: Record | Reject) -> bool:
    if isinstance(entry, Reject):
        return marks.has_source(source)
    return marks.has_document(entry.text, source, entry.position)


def _row(source: str, record: Record, options: IngestOptions) -> RecordRow | Reject:
    """Return the row of a record, its key still empty, or a reject if it has no date that it needs."""
    rule = options.dates
    date = None if rule is None else date_of(rule, record, source, options.date_range, options.metadata)
    if isinstance(date, Reject):
        return date
    table = options.metadata.fields(source) if options.metadata is not None else {}

    def known(name: str) -> str | None:
        return record.fields.get(name) or table.get(name)

    return RecordRow(
        key="",
        source=source,
        position=record.position,
        block=record.block,
        language=code_or_text(stated) if (stated := known("language")) else options.language,
        year=None if date is None else date.year,
        year_to=None if date is None else date.year_to,
        date=known("date") if date is None else date.text,
        genre=known("genre") or options.genre,
        author=known("author"),
        title=known("title"),
        text=record.text,
        sentences=None if record.sentences is None else len(record.sentences),
    )


def readers_chosen(format: str, options: ReaderOptions) -> dict[str, tuple[str, ...]]:
    """Return the readers that count: all where the format is found out by file."""
    named = {format} if format != "auto" else set(READERS)
    if format == "auto" and options.html == "reject":
        named.discard("html")  # nor does the package count that nobody needs then
    return {"lexbeam.transforms.formats.readers.registry:READERS": tuple(sorted(named))}
