"""A look at some of an input: what `--dry-run` shows of its first documents, and what `lexbeam init` draws of it.

Which files, pieces of files and documents `lexbeam init` looks at is drawn by digests, whatever the size of the input:
a draw by digests does not depend on order, and another one of the same input is the same.
"""

import heapq
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.annotation.annotate import AnnotateOptions
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.ingestion import FilePiece, IngestOptions, InputFile, read_documents
from lexbeam.transforms.formats.ingest.input_listing import key_of
from lexbeam.transforms.formats.readers.registry import cutter_of
from lexbeam.transforms.formats.records.base import CutPiece, Source, Uncuttable
from lexbeam.transforms.formats.sources.archives import cut_archive, is_zip
from lexbeam.transforms.formats.sources.content import HEAD
from lexbeam.transforms.formats.sources.readings import unchecked_reading
from lexbeam.transforms.formats.sources.streams import peek

DOCUMENTS = 20
BEGINNING = 1_000  # code points of a text that are annotated to show its first sentence
WIDTH = 100


def dry_run(files: Iterable[InputFile], ingest: IngestOptions, annotate: AnnotateOptions) -> Iterator[str]:
    """Yield lines about the first `DOCUMENTS` documents and the rejects met on the way.

    Each document has its detected format, its date and its first sentence; each reject its reason.
    """
    engine = None if annotate.engine == "none" else load_engine(annotate.engine)
    documents = rejects = 0
    formats: dict[str, str] = {}
    notes: Counter[str] = Counter()
    rows = looked_at(files, ingest, formats.__setitem__, notes)
    for row, record in islice(rows, 10 * DOCUMENTS):
        if isinstance(row, RejectRow):
            rejects += 1
            place = f"{row.source} {row.position}".rstrip()
            yield f"reject    {place}: {row.reason}, {row.detail}"
        elif record.block == 0:
            documents += 1
            place = f"{row['source']} {row['position']}".rstrip()
            yield f"document  {place}: {formats[row['source']]}, {_date(row)}"
            yield f"          {_first_sentence(record, engine, annotate)[:WIDTH]}"
        if documents == DOCUMENTS:
            break
    if +notes:
        listed = ", ".join(f"{note} {number}" for note, number in sorted((+notes).items()))
        yield f"while reading: {listed}"
    yield f"{amount(documents, 'documents')} and {amount(rejects, 'rejects')} looked at; nothing was written"


def looked_at(
    files: Iterable[InputFile],
    options: IngestOptions,
    tell_format: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
    piece: FilePiece | None = None,
    count: Callable[[int], object] = int,
) -> Iterator[tuple[Any, Any]]:
    """Yield what files hold: rows of documents with their records, and rejects, each with None.

    `tell_format` takes the name of a file and its format; `notes` counts what is done to read files. Of a `piece` that
    alone is read. No file is read for its digest before; `count` takes how many bytes are read.
    """
    for file in files:
        reading = unchecked_reading(file.path, file.size, count)
        for row in read_documents(file, options, tell_format, notes, reading=reading, piece=piece):
            yield (row, None) if isinstance(row, RejectRow) else (row[0], row[1])


def _date(row: dict[str, Any]) -> str:
    if row["year"] is None:
        return "no date asked for"
    years = str(row["year"]) if row["year"] == row["year_to"] else f"{row['year']}-{row['year_to']}"
    return f"year {years} (as found: {row['date']})"


def _first_sentence(record: Any, engine: Engine | None, options: AnnotateOptions) -> str:
    sentences = record.sentences
    if engine is not None and record.text is not None:
        sentences = annotate_text(record.text[:BEGINNING], engine, normalise=options.normalise)
    if not sentences:
        text = " ".join((record.text or "").split())
        return text or "(no sentence)"
    return " ".join(sentences[0].forms or sentences[0].lemmas or [])


FILES = 500  # that are looked into, at most
BYTES = 48 << 20  # that are read of them
PARTS = 4  # in which these go to large files
ROWS = 1_000  # that are looked at of a file at least, in a format that is read by large blocks, too
TABLES = 4  # tables and files of lines are cut where they have more than this part of what is read of a file
RECORD = 1_000  # bytes that take as long to read as a record takes by itself
PIECE = 1 << 20  # bytes of a piece of a file that is too large
PASSED = 1 << 30  # bytes of a file that is passed through for the borders of its records
# Files beside texts that are about them, by the names of their stems, or that configure programs, by their ends.
BESIDE = ("readme", "license", "licence", "copying", "changelog", "contributing", "citation")
CONFIGURATIONS = (".yaml", ".yml", ".toml", ".ini", ".cfg")

T = TypeVar("T")


class DrawnFiles(NamedTuple):
    """The files of an input, and some of them.

    Attributes:
        number: how many there are, without those beside.
        size: their bytes.
        files: those to look into: all, or the first by the digests of names; in this order.
        beside: names of files that are about the others, such as README.md.
    """

    number: int
    size: int
    files: list[InputFile]
    beside: tuple[str, ...]


def draw_files(inputs: Iterable[InputFile]) -> DrawnFiles:
    """Return which files there are to look into; where all are like README.md, they are the texts."""
    number = size = 0
    beside: list[InputFile] = []

    def counted() -> Iterator[InputFile]:
        nonlocal number, size
        for file in inputs:
            if len(beside) < FILES and _is_beside(file.name):
                beside.append(file)
                continue
            number += 1
            size += file.size
            yield file

    first = _first(counted())
    if not first:
        return DrawnFiles(len(beside), sum(file.size for file in beside), _first(beside), ())
    return DrawnFiles(number, size, first, tuple(sorted(file.name for file in beside)))


def _first(inputs: Iterable[InputFile]) -> list[InputFile]:
    return heapq.nsmallest(FILES, inputs, key=lambda file: (key_of(file.name), file.name))


def _is_beside(name: str) -> bool:
    base = posixpath.basename(name).lower()
    return base.partition(".")[0] in BESIDE or base.endswith(CONFIGURATIONS)


def most_of_each(drawn: DrawnFiles) -> int:
    """Return how many bytes are read of a file at most."""
    return BYTES // max(1, min(drawn.number, PARTS))


class FileRows:
    """What a file holds, or what is looked at of it: rows with records, and rejects.

    Attributes:
        whole: whether the file was read to its end; known when all rows have been taken.
        read: about how many bytes of the file were read; likewise.
        spent: how much text that was to read, in bytes; likewise.
    """

    def __init__(self, file: InputFile, options: IngestOptions, most: int) -> None:
        """Prepare to read a file, or of one that takes as long as over `most` bytes some pieces, or its beginning."""
        self._file = file
        self._options = options
        self._most = most
        self.whole = True
        self.read = self.spent = 0

    def rows(self, tell_format: Callable[[str, str], None]) -> Iterator[tuple[Any, Any]]:
        """Yield the rows; once the text that came is too much, none."""
        file = self._file
        pieces = _pieces(file, self._options, self._most) if file.size > self._most // TABLES else []
        for number, (row, record) in enumerate(self._rows(pieces, tell_format), 1):
            self.spent += RECORD + (len(record.text or "") if record is not None else 0)
            yield row, record
            if self.spent > self._most or (self.read > self._most and number >= ROWS and not pieces):
                self.whole = False
                break
        if pieces:
            self.whole = False
        self.read = file.size if self.whole else min(file.size, self.read)
        self.spent = max(self.spent, self.read)

    def _rows(self, pieces: list[FilePiece], tell_format: Callable[[str, str], None]) -> Iterator[tuple[Any, Any]]:
        if not pieces:
            yield from looked_at([self._file], self._options, tell_format, count=self._count)
        for piece in pieces:
            if piece.format != "auto":
                tell_format(self._file.name, piece.format)
            self.read += piece.piece.end - piece.piece.start
            yield from looked_at([self._file], self._options, tell_format, piece=piece)

    def _count(self, number: int) -> None:
        self.read += number


def _pieces(file: InputFile, options: IngestOptions, most: int) -> list[FilePiece]:
    """Return pieces of a large file, the first by digests of name and number; none if it cannot be cut."""
    source = Source(file.name, lambda: files.open_read(file.path), file.path)
    try:
        with files.open_read(file.path) as stream:
            head = peek(stream, HEAD)[0]
        format, cut = cutter_of(source, head, options.format, options.reader)
        if file.size > PASSED and not (format == "parquet" or is_zip(head)):  # others are cut in one pass
            return []
        if cut is not cut_archive:
            most //= TABLES
        found = cut(source, options.reader, PIECE) if file.size > most else []
    except (Uncuttable, OSError):
        return []
    drawn = heapq.nsmallest(max(1, most // PIECE), found, key=lambda piece: _digest_of(file, piece))
    return [FilePiece(piece, format, "", file.size, ()) for piece in drawn] if len(found) > 1 else []


def _digest_of(file: InputFile, piece: CutPiece) -> int:
    return key_of(f"{file.name}#{piece.number}")


class LeastDigests(Generic[T]):
    """So many items as there is room for: those of the least digests."""

    def __init__(self, room: int) -> None:
        """Begin with none."""
        self._room = room
        self._heap: list[tuple[int, int, T]] = []
        self.number = 0  # of all that came

    def add(self, digest: str, make: Callable[[], T]) -> T | None:
        """Add an item with a hexadecimal digest; it is made only if there is room for it, and returned then."""
        self.number += 1
        key = -int(digest[:16], 16)
        if len(self._heap) == self._room and key <= self._heap[0][0]:
            return None
        entry = (key, self.number, item := make())
        if len(self._heap) == self._room:
            heapq.heapreplace(self._heap, entry)
        else:
            heapq.heappush(self._heap, entry)
        return item

    def by_digest(self) -> list[T]:
        """Return the items, that of the least digest first."""
        return [item for _, _, item in sorted(self._heap, key=lambda entry: (-entry[0], entry[1]))]

    def by_arrival(self) -> list[T]:
        """Return the items as they came."""
        return [item for _, _, item in sorted(self._heap, key=lambda entry: entry[1])]
