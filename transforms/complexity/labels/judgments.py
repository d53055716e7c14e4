"""Files of judgments read: sheets that people filled in, and tables with a judgment a row.

A table has columns `instance_id` and `rating`, and perhaps `annotator` and `group`; they may be
called otherwise. A rating is 1 to 5, one of the words of the scale, or `-` for undecided.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from schemas.answers import STAGE
from schemas.rejects import RejectRow
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.options.small_texts import read_lines
from transforms.common.store import files
from transforms.complexity.labels.aggregation import ComplexityJudgment
from transforms.complexity.labels.sheet import RATING, SHEET, value_of_rating
from transforms.formats.records.base import BadRecord
from transforms.formats.records.text_cleaning import clean_field
from transforms.people.answers import read_answer
from transforms.people.opening import list_sheets
from transforms.people.reading import read_answers
from transforms.people.tables import Roles, is_sheet, read_table

__all__ = ["JudgmentFileOptions", "JudgmentsRead", "read_groups", "read_judgments"]

_ROLES = ("id", "rating", "annotator", "group")
_REASONS = ("undecodable", "too_large", "empty", "unknown")


@dataclass(frozen=True, kw_only=True)
class JudgmentFileOptions:
    """What the columns of tables of judgments are called, and how they are read."""

    id_column: str = option("instance_id", help="column of instances' ids")
    rating_column: str = option("rating", help="column of ratings, 1 to 5 or their words")
    annotator_column: str = option("annotator", help="column of who judged; may be missing")
    group_column: str = option("group", help="column of annotators' groups; may be missing")
    groups: str | None = option(
        None,
        help="groups of annotators who have none in the table: a name, a tab, a group",
        metavar="FILE",
        path="file",
    )
    encoding: str = option("utf-8", help="of files without byte order mark")


class JudgmentsRead(NamedTuple):
    """What was read.

    Attributes:
        judgments: in the order of files and lines.
        rejects: rows that gave none.
        files: their names.
    """

    judgments: list[ComplexityJudgment]
    rejects: list[RejectRow]
    files: list[str]


def read_judgments(paths: Sequence[str], instances: pa.Table, options: JudgmentFileOptions) -> JudgmentsRead:
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
    judgments: list[ComplexityJudgment] = []
    rejects: list[RejectRow] = []
    entries = sorted(list_sheets(paths), key=lambda entry: entry.name)
    for entry in entries:
        read = _sheet if is_sheet(entry, SHEET, (RATING.name,)) else _table
        in_file, left = read(entry, instances, options)
        judgments += [
            judgment if judgment.group else judgment._replace(group=groups.get(judgment.annotator))
            for judgment in in_file
        ]
        rejects += left
    return JudgmentsRead(judgments, rejects, [entry.name for entry in entries])


def read_groups(path: str) -> dict[str, str]:
    """Return the group of each annotator that a file names.

    Raises:
        UsageError: a line is no name and group, or a name stands there twice.
    """
    groups: dict[str, str] = {}
    for number, line in enumerate(read_lines(path, "groups"), 1):
        if not line:
            continue
        cells = [clean_field(cell) for cell in line.split("\t")]
        where = f"`groups` {files.shown(path)}, line {number}"
        if len(cells) != 2 or not all(cells):
            raise UsageError(f"{where}: an annotator, a tab and a group are expected")
        if cells[0] in groups:
            raise UsageError(f"{where}: {cells[0]!r} has a group already")
        groups[cells[0]] = cells[1]
    return groups


_FileJudgments = tuple[list[ComplexityJudgment], list[RejectRow]]


def _sheet(entry: files.ListedFile, instances: pa.Table, options: JudgmentFileOptions) -> _FileJudgments:
    answers = read_answers(SHEET, instances, [entry.path], encoding=options.encoding)
    judgments = [
        ComplexityJudgment(
            row["instance_id"],
            row["annotator"],
            None,
            None if row["rating"] is None else value_of_rating(row["rating"]),
            entry.name,
            line,
        )
        for line, row in enumerate(answers.table.to_pylist())
    ]
    # A sheet may ask about some instances only: what it does not hold was not asked.
    return judgments, [reject for reject in answers.rejects if reject.reason != "missing"]


def _table(entry: files.ListedFile, _: pa.Table, options: JudgmentFileOptions) -> _FileJudgments:
    names = {role: (getattr(options, f"{role}_column"),) for role in _ROLES}
    roles = Roles(names, _ROLES[:2], "name it as `{role}_column`")
    return read_table(
        entry, roles, partial(_judgment, entry.name), encoding=options.encoding, stage=STAGE, reasons=_REASONS
    )


def _judgment(name: str, line: int, cells: Mapping[str, str]) -> ComplexityJudgment:
    if not cells["id"]:
        raise BadRecord("empty", "no id of an instance")
    rating = read_answer(RATING, re.sub(r"[_\s]+", " ", cells["rating"]), {})
    value = None if rating is None else value_of_rating(rating)
    group = cells.get("group") or None
    return ComplexityJudgment(cells["id"], cells.get("annotator", ""), group, value, name, line)
