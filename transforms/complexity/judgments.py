"""Files of judgments read: sheets that people filled in, and tables with a judgment a row.

A table has columns `instance_id` and `rating`, and perhaps `annotator` and `group`; they may be
called otherwise. A rating is 1 to 5, one of the words of the scale, or `-` for undecided.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from schemas.answers import STAGE
from schemas.rejects import RejectRow
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.options import option
from transforms.common.small_texts import read_lines
from transforms.complexity.aggregation import Judgment
from transforms.complexity.sheet import RATING, SHEET, value_of_rating
from transforms.formats.base import BadRecord, ReaderOptions, Source
from transforms.formats.delimited import rows
from transforms.formats.text_cleaning import clean_field
from transforms.people.answers import read_answer
from transforms.people.opening import list_sheets
from transforms.people.reading import read_answers

__all__ = ["JudgmentOptions", "JudgmentsRead", "read_groups", "read_judgments"]

_HEAD = 1 << 16
_WIDE = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MAX_LINE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class JudgmentOptions:
    """What the columns of tables of judgments are called, and how they are read."""

    id_column: str = option("instance_id", help="column of instances' ids")
    rating_column: str = option("rating", help="column of ratings, 1 to 5 or their words")
    annotator_column: str = option("annotator", help="column of who judged; may be missing")
    group_column: str = option("group", help="column of annotators' groups; may be missing")
    groups: str | None = option(
        None, help="groups of annotators who have none in the table: a name, a tab, a group",
        metavar="FILE", path="file",
    )  # fmt: skip
    encoding: str = option("utf-8", help="of files without byte order mark")


class JudgmentsRead(NamedTuple):
    """What was read.

    Attributes:
        judgments: in the order of files and lines.
        rejects: rows that gave none.
        files: their names.
    """

    judgments: list[Judgment]
    rejects: list[RejectRow]
    files: list[str]


def read_judgments(
    paths: Sequence[str], instances: pa.Table, options: JudgmentOptions
) -> JudgmentsRead:
    """Read files, folders or globs of judgments, in the order of their names.

    Args:
        paths: sheets and tables, told apart by their header.
        instances: table instances, with the columns that the sheet needs.
        options: columns of tables, encoding, groups.

    Raises:
        LexbeamError: a file cannot be read, or lacks a column.
        UsageError: the file of groups is wrong.
    """
    groups = read_groups(options.groups) if options.groups else {}
    judgments: list[Judgment] = []
    rejects: list[RejectRow] = []
    entries = sorted(list_sheets(paths), key=lambda entry: entry.name)
    for entry in entries:
        read = _sheet if _is_sheet(entry) else _table
        found, left = read(entry, instances, options)
        judgments += [
            one if one.group else one._replace(group=groups.get(one.annotator)) for one in found
        ]
        rejects += left
    return JudgmentsRead(judgments, rejects, [entry.name for entry in entries])


def read_groups(path: str) -> dict[str, str]:
    """Return the group of each annotator that a file names.

    Raises:
        UsageError: a line is no name and group, or a name stands there twice.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(read_lines(path, "groups"), 1):
        if not line:
            continue
        cells = [clean_field(cell) for cell in line.split("\t")]
        where = f"`groups` {files.shown(path)}, line {number}"
        if len(cells) != 2 or not all(cells):
            raise UsageError(f"{where}: an annotator, a tab and a group are expected")
        if cells[0] in found:
            raise UsageError(f"{where}: {cells[0]!r} has a group already")
        found[cells[0]] = cells[1]
    return found


_Found = tuple[list[Judgment], list[RejectRow]]


def _is_sheet(entry: files.Entry) -> bool:
    """Return whether a file is of the sheet: its comment says so, or it shows what was asked."""
    try:
        with files.open_read(entry.path) as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        shown = files.shown(entry.path)
        raise LexbeamError(f"{shown} cannot be read: {error.strerror or error}") from error
    encoding = next((name for bom, name in _WIDE.items() if head.startswith(bom)), "utf-8-sig")
    lines = head.decode(encoding, "replace").splitlines()
    if any("lexbeam sheet " in line for line in lines):
        return True
    header = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    shown_columns = {*SHEET.key, *(column.name for column in SHEET.columns), RATING.name}
    return shown_columns <= {cell.strip() for cell in re.split(r'[\t;,"]', header)}


def _sheet(entry: files.Entry, instances: pa.Table, options: JudgmentOptions) -> _Found:
    found = read_answers(SHEET, instances, [entry.path], encoding=options.encoding)
    judgments = [
        Judgment(
            row["instance_id"], row["annotator"], None,
            None if row["rating"] is None else value_of_rating(row["rating"]), entry.name, line,
        )
        for line, row in enumerate(found.table.to_pylist())
    ]  # fmt: skip
    # A sheet may ask about some instances only: what it does not hold was not asked.
    return judgments, [reject for reject in found.rejects if reject.reason != "missing"]


def _table(entry: files.Entry, _: pa.Table, options: JudgmentOptions) -> _Found:
    judgments: list[Judgment] = []
    rejects: list[RejectRow] = []
    source = Source(entry.name, lambda: files.open_read(entry.path), entry.path)
    reader = ReaderOptions(encoding=(options.encoding,), max_line_bytes=_MAX_LINE)
    places: dict[str, int] | None = None
    try:
        for line, cells in rows(source, reader):
            if places is None:
                if isinstance(cells, BadRecord):
                    raise LexbeamError(f"{entry.name}: no header can be read: {cells.detail}")
                if not cells[0].lstrip().startswith("#"):
                    places = _places(entry.name, cells, options)
                continue
            try:
                if isinstance(cells, BadRecord):
                    raise cells
                judgments.append(_judgment(entry.name, line, cells, places))
            except BadRecord as error:
                rejects.append(
                    RejectRow(entry.name, str(line), STAGE, _reason(error), error.detail)
                )
    except BadRecord as error:
        rejects.append(RejectRow(entry.name, "", STAGE, _reason(error), error.detail))
    except OSError as error:
        raise LexbeamError(
            f"{files.shown(entry.path)} cannot be read: {error.strerror or error}"
        ) from error
    if places is None and not rejects:
        raise LexbeamError(f"{entry.name} has no rows")
    return judgments, rejects


def _reason(error: BadRecord) -> str:
    known = ("undecodable", "too_large", "empty", "unknown")
    return error.reason if error.reason in known else "wrong_answer"


def _places(name: str, header: list[str], options: JudgmentOptions) -> dict[str, int]:
    names = [cell.strip() for cell in header]
    places = {}
    for role in ("id", "rating", "annotator", "group"):
        asked = getattr(options, f"{role}_column")
        if names.count(asked) > 1:
            raise LexbeamError(f"{name}: several columns {asked!r}: rename all but one")
        if asked in names:
            places[role] = names.index(asked)
        elif role in ("id", "rating"):
            raise LexbeamError(
                f"{name}: no column {asked!r} in the header{nearest(asked, names)}; there are "
                f"{', '.join(map(repr, names[:12]))}: name it as `{role}_column`"
            )
    return places


def _judgment(
    name: str, line: int, cells: list[str], places: Mapping[str, int]
) -> Judgment:  # fmt: skip
    def cell(role: str) -> str:
        at = places.get(role, len(cells))
        return clean_field(cells[at]) if at < len(cells) else ""

    if not cell("id"):
        raise BadRecord("empty", "no id of an instance")
    rating = read_answer(RATING, re.sub(r"[_\s]+", " ", cell("rating")), {})
    value = None if rating is None else value_of_rating(rating)
    return Judgment(cell("id"), cell("annotator"), cell("group") or None, value, name, line)
