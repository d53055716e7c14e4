"""A look at what a corpus run would take in: the first documents and rejects, and nothing written.

lexbeam corpus texts/ --out corpus --engine builtin:en --dates 'name:(\\d{4})' --dry-run
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.annotation.annotate import AnnotateOptions
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.annotation.engines.paragraphs import annotate_text
from lexbeam.transforms.annotation.engines.registry import load_engine
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.formats.ingest.stage import FilePiece, IngestOptions, InputFile, read_documents
from lexbeam.transforms.formats.sources.readings import unchecked_reading

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
