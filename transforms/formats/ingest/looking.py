"""What the first input files tell before any is taken in: files that no reader takes, and years.

A file is opened for its first bytes alone, and only where names do not suffice.
"""

from collections.abc import Sequence

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.dates.rules import date_of
from lexbeam.transforms.formats.ingest.stage import IngestOptions, InputFile
from lexbeam.transforms.formats.readers.registry import READERS, refusal_of
from lexbeam.transforms.formats.records.base import Record, Reject, Source
from lexbeam.transforms.formats.sources.archives import wrapping
from lexbeam.transforms.formats.sources.content import HEAD
from lexbeam.transforms.formats.sources.streams import peek


def refused_files(look: Sequence[InputFile], options: IngestOptions) -> list[RejectRow]:
    """Return the rejects that files are by their first bytes, as far as the first file that may hold records.

    A file whose name is one of a reader's is not opened, and may: a corpus that is known is not read again.
    """
    suffixes = tuple(suffix for reader in READERS.values() for suffix in reader.suffixes)
    refused = []
    for file in look:
        if file.name.lower().endswith(suffixes):
            break
        head = _head(file)
        source = Source(file.name, lambda: files.open_read(file.path), file.path)  # noqa: B023  is not opened
        reject = None if head is None else refusal_of(source, head, options.format, options.reader)
        if reject is None:
            break
        refused.append(RejectRow(file.name, reject.position, "ingest", reject.reason, reject.detail))
    return refused


def years_by_name(look: Sequence[InputFile], options: IngestOptions) -> set[int]:
    """Return the years of all documents that plain files can hold, if names tell them; empty if they do not."""
    if options.dates is None or options.dates.kind not in ("name", "table", "period"):
        return set()
    found = (date_of(options.dates, _NOTHING, file.name, options.date_range, options.metadata) for file in look)
    return {date.year for date in found if not isinstance(date, Reject)}


def holds_members(file: InputFile) -> bool:
    """Return whether a file may hold others, which have names of their own; true if it cannot be read."""
    head = b"" if wrapping(file.name, b"") is not None else _head(file)
    return head is None or wrapping(file.name, head) is not None


def _head(file: InputFile) -> bytes | None:
    """Return the first bytes; None if they cannot be read."""
    try:
        with files.open_read(file.path) as stream:
            return peek(stream, HEAD)[0]
    except OSError:
        return None


_NOTHING = Record("", {}, "", None)
