"""Sheets as files: tab-separated text with a self-explanatory header.

The file is UTF-8 with a byte order mark, without which Excel assumes another encoding; its cells are those
of `cells.cell_of`. The same rows give the same bytes.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.people.cells import CELL_LIMIT, cell_of
from lexbeam.transforms.people.sheets import Sheet, SheetRow, rows_digest, sheet_rows

_ANNOTATOR = re.compile(r"\w[\w @+-]*")
_BOM = "\ufeff"


def write_sheet(
    sheet: Sheet,
    rows: pa.Table | Iterable[pa.RecordBatch | pa.Table],
    folder: str,
    *,
    annotator: str = "",
    seed: int | None = None,
) -> str:
    """Write a file to fill in, `NAME.ANNOTATOR.tsv` or `NAME.tsv`; return its path.

    Args:
        sheet: the sheet.
        rows: the rows to ask about; this annotator's own, if rows are divided among annotators.
        folder: where to write; created if missing.
        annotator: for whom; letters, digits, spaces and `-_@+`. Empty: for anybody.
        seed: of the order of rows, which differs for each annotator. None: in the order of keys.

    Raises:
        UsageError: a row cannot be shown, see `sheet_rows`; there are no rows; a cell is too long for
            spreadsheets; the annotator's name is not suitable for a file.
        LexbeamError: another file exists, which may have been filled in. An identical one is left alone.
    """
    content = sheet_text(sheet, rows, annotator=annotator, seed=seed).encode()
    path = files.join(folder, f"{sheet.name}.{annotator}.tsv" if annotator else f"{sheet.name}.tsv")
    if files.exists(path):
        if files.read_bytes(path) == content:
            return path
        raise LexbeamError(
            f"{files.shown(path)} exists and differs, perhaps because it was filled in: move it away, "
            "or write to another folder"
        )
    files.make_folder(folder)
    files.write_bytes(path, content, durable=True)
    return path


def sheet_text(
    sheet: Sheet, rows: pa.Table | Iterable[pa.RecordBatch | pa.Table], *, annotator: str = "", seed: int | None = None
) -> str:
    """Return the text of the file that `write_sheet` writes; see there for errors."""
    if annotator and not _ANNOTATOR.fullmatch(annotator):
        raise UsageError(
            f"annotator {annotator!r}: the file is named after it, so it may have only letters, digits, spaces and -_@+"
        )
    sent = list(sheet_rows(sheet, rows).values())
    if not sent:
        raise UsageError(f"sheet {sheet.name!r}: there are no rows to ask about")
    lines = [*_header(sheet, sent, annotator)]
    blank = [""] * len(sheet.answers)
    for row in sorted(sent, key=lambda row: _turn(row, annotator, seed)):
        lines.append("\t".join([*_cells(sheet, row), *blank]))
    return _BOM + "".join(line + "\n" for line in lines)


def _turn(row: SheetRow, annotator: str, seed: int | None) -> tuple[bytes, tuple[str, ...]]:
    if seed is None:
        return b"", row.key
    return hashlib.sha256(canonical_json([seed, annotator, row.key])).digest(), row.key


def _header(sheet: Sheet, sent: list[SheetRow], annotator: str) -> Iterator[str]:
    whom = f", for {annotator}" if annotator else ""
    yield (  # what `reading` looks for
        f"# lexbeam sheet {sheet.name}, version {sheet.version}: "
        f"{len(sent)} rows, digest {rows_digest(sheet, sent)}{whom}"
    )
    for text in sheet.instructions:
        yield from (f"# {line}".rstrip() for line in _lines(text))
    yield "#"
    yield "# Fill in the last columns, and change nothing in the others. Rows may be sorted, and"
    yield "# columns added for notes. Save as tab-separated text: Unicode (UTF-8 or UTF-16)."
    yield "#"
    for name in sheet.key:
        yield f"# {name}: names the row"
    for shown in sheet.columns:
        marked = "; the word in question stands in [[ ]]" if shown.mark else ""
        yield f"# {shown.name}: {' '.join(_lines(shown.help))}{marked}"
    for answer in sheet.answers:
        yield f"# {answer.name} (fill in): {' '.join(_lines(answer.help))}; {answer.allowed}"
    yield "#"
    yield "# Signs: ¶ ends a line, \\ stands before a sign that means itself, \\t is a tab, \\s a"
    yield "# space at the edge; ' at the beginning keeps text from being taken for a number."
    names = (shown.name for shown in sheet.columns)
    yield "\t".join([*sheet.key, *names, *(answer.name for answer in sheet.answers)])


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def _cells(sheet: Sheet, row: SheetRow) -> Iterator[str]:
    yield from map(cell_of, row.key)
    for shown, text, mark in zip(sheet.columns, row.texts, row.marks, strict=True):
        try:
            cell = cell_of(text, mark)
        except ValueError as error:
            raise UsageError(f"row {' '.join(row.key)}, {shown.name}: {error}") from None
        if len(cell) > CELL_LIMIT // 2 and len(cell.encode("utf-16-le")) // 2 > CELL_LIMIT:
            raise UsageError(
                f"row {' '.join(row.key)}: {shown.name} has {len(cell)} characters, and a cell of "
                f"Excel {CELL_LIMIT}; show less of it"
            )
        yield cell
