"""Which questions a sheet asked about: what is not in a file that comes back is missing only if it was sent out.

A sheet may ask about some of the published questions, drawn or by kind. It states the digest of its rows: they are all
published questions, or those that files with this digest hold together. Else nothing says which rows are missing.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from lexbeam.transforms.cloze.annotations.sheet import SHEET
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.people.answered_sheets import file_rows, open_sheet
from lexbeam.transforms.people.answers import folded, text_of
from lexbeam.transforms.people.sheets import rows_digest, sheet_rows

_FILE_BYTES = 1 << 28

# The rows that each file was written from, by its name; None: not known.
SentRows = Mapping[str, pa.Table | None]


def sent_rows(entries: Sequence[files.ListedFile], published: pa.Table, encoding: str) -> SentRows:
    """Return the rows that sheets were written from; an empty table where a file does not say its digest.

    Args:
        entries: files of the sheet.
        published: rows of all questions.
        encoding: of files without byte order mark.

    Raises:
        LexbeamError: a file is no table, or of another sheet.
    """
    keys: dict[str, set[tuple[str, ...]]] = {}
    digests: dict[str, str] = {}
    for entry in entries:
        file = open_sheet(SHEET, entry, ReaderOptions(encoding=(encoding or "utf-8",)), _FILE_BYTES)
        places = [file.places[name] for name in SHEET.key]
        rows = (cells for _, cells in file_rows(file) if not isinstance(cells, BadRecord) and len(cells) > max(places))
        digests[entry.name] = file.digest
        keys.setdefault(file.digest, set()).update(
            tuple(folded(text_of(cells[place])[0]) for place in places) for cells in rows
        )
    sent = {digest: _sent(digest, held, published) for digest, held in keys.items()}
    return {name: published.slice(0, 0) if not digest else sent[digest] for name, digest in digests.items()}


def _sent(digest: str, keys: set[tuple[str, ...]], published: pa.Table) -> pa.Table | None:
    columns = [published[name].to_pylist() for name in SHEET.key]
    held = [tuple(map(folded, key)) in keys for key in zip(*columns, strict=True)]
    for rows in (published, published.filter(pa.array(held, pa.bool_()))):
        if rows_digest(SHEET, sheet_rows(SHEET, rows).values()) == digest:
            return rows
    return None
