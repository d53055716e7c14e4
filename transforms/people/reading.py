"""Sheets that people filled in, as they come back: each row is an answer or a reject.

Spreadsheets change much besides the answers: encoding, quotes, line ends, the order of rows and columns.
None of it counts. The texts that were sent out must come back unchanged, row by row, since an answer to
another text is an answer to another question.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.common_tables import ANSWER_STAGE as STAGE
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.people.answers import AnswerValue, read_answer
from lexbeam.transforms.people.cells import folded, text_of
from lexbeam.transforms.people.opening import SheetFile, file_rows, list_sheets, open_sheet
from lexbeam.transforms.people.sheets import ANNOTATOR, Key, Sheet, SheetRow, answers_schema, rows_digest, sheet_rows

_SHOWN = 40
_DIGITS = 12


@dataclass(frozen=True)
class Answers:
    """What was read from the files.

    Attributes:
        table: a row for each row and annotator that answered it, see `answers_schema`; sorted.
        rejects: rows without an answer, in the order of files and lines. Rows that are missing in a file
            have no position, and come after its others.
        rows: rows read: those of `table` and of the rejects that have a position.
    """

    table: pa.Table
    rejects: tuple[RejectRow, ...]
    rows: int


class _RowAnswer(NamedTuple):
    """A row with valid answers; its place is a file's number and a line."""

    key: Key
    annotator: str
    values: tuple[AnswerValue, ...]
    notes: str | None
    place: tuple[int, float]


_Placed = tuple[tuple[int, float], RejectRow]


def read_answers(
    sheet: Sheet,
    rows: pa.Table | Iterable[pa.RecordBatch | pa.Table],
    paths: str | Sequence[str],
    *,
    encoding: str = "",
    salt: str = "",
    max_line_bytes: int = 1 << 20,
    max_file_bytes: int = 1 << 28,
) -> Answers:
    """Read files that people filled in.

    Args:
        sheet: the sheet.
        rows: the rows sent out, as passed to `write_sheet`. Every file must contain all of them: if rows
            were divided among annotators, read each annotator's file with their own rows.
        paths: a file, a folder or a glob, or several.
        encoding: of files without byte order mark; empty: UTF-8.
        salt: if not empty, the names of annotators and of files become hashes of it and them.
        max_line_bytes: longer lines are rejects.
        max_file_bytes: longer files are refused.

    Raises:
        LexbeamError: a file is not of this sheet and version, or is not a table.
        UsageError: `rows` do not fit the sheet.
    """
    sent = sheet_rows(sheet, rows)
    options = ReaderOptions(encoding=(encoding or "utf-8",), max_line_bytes=max_line_bytes)
    digest_sent = rows_digest(sheet, sent.values())
    sources: list[str] = []
    answered: list[_RowAnswer] = []
    rejects: list[_Placed] = []
    count = 0
    for number, entry in enumerate(list_sheets(paths)):
        file = open_sheet(sheet, entry, options, max_file_bytes)
        sources.append(pseudonym(entry.name, salt))
        stale = "" if file.digest in ("", digest_sent) else "; the file was written from other rows"
        read = _read_file(sheet, sent, file, salt, number, files.shown(entry.path))
        count += read.rows
        answered += read.answers
        for place, error in read.faults:
            detail = _detail(error, max_line_bytes, stale)
            rejects.append((place, RejectRow(sources[-1], f"{place[1]:.0f}", STAGE, error.reason, detail)))
        details = (
            f"{' '.join(row.key)} is not in the file{stale}" for key, row in sent.items() if key not in read.keys
        )
        rejects += [((number, math.inf), RejectRow(sources[-1], "", STAGE, "missing", detail)) for detail in details]
    unique, repeated = _unique(answered, sources)
    ordered = sorted(rejects + repeated, key=itemgetter(0))
    return Answers(_table(sheet, unique), tuple(reject for _, reject in ordered), count)


class _FileAnswers(NamedTuple):
    """The rows of a file: answers, faults by place, the keys that were sent out, and the number of rows."""

    answers: list[_RowAnswer]
    faults: list[tuple[tuple[int, float], BadRecord]]
    keys: set[Key]
    rows: int


def _read_file(
    sheet: Sheet, sent: dict[Key, SheetRow], file: SheetFile, salt: str, number: int, shown: str
) -> _FileAnswers:
    answers: list[_RowAnswer] = []
    faults: list[tuple[tuple[int, float], BadRecord]] = []
    keys: set[Key] = set()
    rows = 0
    for line, cells in file_rows(file):
        rows += 1
        try:
            answers.append(_answered(sheet, sent, file, cells, keys, salt, (number, line)))
        except BadRecord as error:
            faults.append(((number, line), error))
    if rows and not keys:
        raise LexbeamError(
            f"{shown}: none of its rows was sent out; it was written from other rows, or in another encoding "
            f"than {file.options.encoding[0]}"
        )
    return _FileAnswers(answers, faults, keys, rows)


def pseudonym(name: str, salt: str) -> str:
    """Return the pseudonym of a name: a hash of it and of a salt; the name if the salt is empty."""
    return "a" + digest(["annotator", salt, name])[:_DIGITS] if salt else name


def _answered(
    sheet: Sheet,
    sent: dict[Key, SheetRow],
    file: SheetFile,
    cells: list[str] | BadRecord,
    seen: set[Key],
    salt: str,
    place: tuple[int, float],
) -> _RowAnswer:
    """Return the answers of a row, and add its key to those seen.

    Raises:
        BadRecord: the row was not sent out, was changed, or its answers are not valid.
    """
    if isinstance(cells, BadRecord):
        raise cells

    def cell(name: str) -> str:
        at = file.places.get(name, len(cells))
        return cells[at] if at < len(cells) else ""  # spreadsheets leave out what is empty

    folds = tuple(folded(text_of(cell(name))[0]) for name in sheet.key)
    row = sent.get(folds)
    said = " ".join(folds)
    if row is None:
        raise BadRecord("unknown", f"no row {_shown(said)!r} was sent out")
    seen.add(folds)
    texts: dict[str, str] = {}
    for column, text in zip(sheet.columns, row.texts, strict=True):
        texts[column.name] = text
        if column.checked:
            _check_text(said, column.name, cell(column.name), text)
    annotator = clean_field(cell(ANNOTATOR) if ANNOTATOR in file.places else file.annotator)
    if not annotator:
        raise BadRecord("no_annotator", f"{said}: column `{ANNOTATOR}` is empty")
    values = []
    faults: list[BadRecord] = []
    for answer in sheet.answers:
        try:
            values.append(read_answer(answer, cell(answer.name), texts))
        except BadRecord as error:
            faults.append(error)
    if not any(folded(cell(answer.name)) for answer in sheet.answers):
        raise BadRecord("empty", f"{said}: nothing is filled in")
    if faults:
        reasons = {fault.reason for fault in faults}
        reason = "wrong_answer" if "wrong_answer" in reasons else "empty"
        raise BadRecord(reason, f"{said}: " + "; ".join(fault.detail for fault in faults))
    return _RowAnswer(row.key, pseudonym(annotator, salt), tuple(values), _notes(file, cells), place)


def _check_text(said: str, name: str, cell: str, text: str) -> None:
    came, sent = folded(text_of(cell)[0]), folded(text)
    if came != sent:
        pairs = enumerate(zip(came, sent, strict=False))
        start = next((at for at, (a, b) in pairs if a != b), min(len(came), len(sent)))
        raise BadRecord(
            "changed",
            f"{said}: {name} is {_shown(came[start:])!r} from character {start} on, "
            f"instead of {_shown(sent[start:])!r}",
        )


def _notes(file: SheetFile, cells: list[str]) -> str | None:
    known = set(file.places.values())
    notes = [
        f"{file.added.get(at, f'column {at + 1}')}: {clean_field(cell)}"
        for at, cell in enumerate(cells)
        if at not in known and clean_field(cell)
    ]
    return "\n".join(notes) or None


def _unique(answered: list[_RowAnswer], sources: list[str]) -> tuple[list[_RowAnswer], list[_Placed]]:
    """Return one answer for each row and annotator, and rejects for repeated ones.

    Of equal answers the first counts; of answers that differ none does.
    """
    groups: dict[tuple[Key, str], list[_RowAnswer]] = {}
    for answer in answered:
        groups.setdefault((answer.key, answer.annotator), []).append(answer)
    unique = []
    left: list[_Placed] = []
    for (key, _), group in sorted(groups.items(), key=lambda item: item[0]):
        first, *others = group
        if all(answer.values == first.values for answer in others):
            unique.append(first)
            reason, said, rest = "doubled", "the same as", others
        else:
            reason, said, rest = "contradictory", "differs from others of", group
        for answer in rest:
            where = [
                f"{sources[other.place[0]]} line {other.place[1]:.0f}"
                for other in ([first] if reason == "doubled" else group)
                if other is not answer
            ]
            detail = f"{' '.join(key)}: {said} {', '.join(where)}"
            position = f"{answer.place[1]:.0f}"
            reject = RejectRow(sources[answer.place[0]], position, STAGE, reason, detail)
            left.append((answer.place, reject))
    return unique, left


def _table(sheet: Sheet, answered: list[_RowAnswer]) -> pa.Table:
    columns: list[list[AnswerValue]] = [[answer.key[at] for answer in answered] for at in range(len(sheet.key))]
    columns.append([answer.annotator for answer in answered])
    columns += [[answer.values[at] for answer in answered] for at in range(len(sheet.answers))]
    columns.append([answer.notes for answer in answered])
    schema = answers_schema(sheet)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _detail(error: BadRecord, max_line_bytes: int, stale: str) -> str:
    if error.reason == "too_large":
        return f"over {max_line_bytes} bytes in a line"
    if error.reason == "undecodable":
        return f"{error.detail}; save the file as UTF-8 or UTF-16, or name its `encoding`"
    return error.detail + (stale if error.reason in ("unknown", "changed") else "")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
