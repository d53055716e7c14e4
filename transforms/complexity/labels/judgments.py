"""Judgments of people: the sheet by which they judge, and the files in which judgments come back.

The scale has the five points of CompLex (Shardlow et al. 2020): 1 very easy, 2 easy, 3 neutral,
4 difficult, 5 very difficult; a judgment is worth (rating - 1) / 4, so 0 to 1. Files are sheets that people
filled in, and tables with a judgment a row: columns `instance_id` and `rating`, and perhaps `annotator` and
`group`, which may have other names. A rating is 1 to 5, one of the words of the scale, or `-` for undecided.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.rejects import ANSWER_STAGE as STAGE
from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.small_texts import read_lines
from lexbeam.transforms.common.store import files
from lexbeam.transforms.complexity.labels.aggregation import ComplexityJudgment
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.people.answer_tables import Roles, is_sheet, read_table
from lexbeam.transforms.people.answered_sheets import list_sheets, read_answers
from lexbeam.transforms.people.answers import Answer, read_answer
from lexbeam.transforms.people.sheets import Sheet, SheetColumn

RATINGS: Mapping[int, str] = {1: "very easy", 2: "easy", 3: "neutral", 4: "difficult", 5: "very difficult"}

RATING = Answer(
    name="rating",
    help="how hard the marked words are to understand here",
    kind="scale",
    values=tuple((str(number), label) for number, label in RATINGS.items()),
    undecided="-",
)

SHEET = Sheet(
    name="complexity",
    version="1",
    instructions=(
        "How hard is the marked word, or the marked group of words, to understand in its sentence?",
        "Where no sentence is given, judge the word as it stands.",
        "1 very easy: you know it very well",
        "2 easy: you know what it means",
        "3 neutral: neither easy nor difficult",
        "4 difficult: what it means is not clear to you, but the sentence lets you guess it",
        "5 very difficult: you have never seen it, or it stays unclear",
        "Judge the marked words alone, not the whole sentence, and for yourself, not for others.",
    ),
    columns=(
        SheetColumn("token", "the word, or the words, in question"),
        SheetColumn("sentence", "the sentence that it stands in", mark=("start", "end")),
    ),
    answers=(RATING, Answer(name="comment", help="anything to add", kind="text", optional=True)),
    key=("instance_id",),
)

# Columns of table instances that the sheet needs.
COLUMNS = ("instance_id", "kind", "token", "sentence", "start", "end", "flags")


def value_of_rating(rating: int) -> float:
    """Return the complexity, 0 to 1, that a rating of 1 to 5 stands for."""
    if rating not in RATINGS:
        raise ValueError(f"a rating is 1 to 5, not {rating}")
    return (rating - 1) / 4


def instances_to_judge(rows: pa.Table, kind: str, *, duplicates: bool) -> pa.Table:
    """Return the instances that people judge.

    Args:
        rows: of table instances, with `COLUMNS`.
        kind: single, mwe, or all.
        duplicates: whether to include instances that are duplicates of others.
    """
    keep = [
        kind in ("all", row["kind"]) and (duplicates or "duplicate" not in row["flags"])
        for row in rows.select(["kind", "flags"]).to_pylist()
    ]
    return rows.filter(pa.array(keep, pa.bool_()))


_ROLES = ("id", "rating", "annotator", "group")
_REASONS = ("undecodable", "too_large", "empty", "unknown")


@dataclass(frozen=True, kw_only=True)
class JudgmentFileOptions:
    """Names of the columns of tables of judgments, and how files are read."""

    id_column: str = option("instance_id", help="column of instances' ids")
    rating_column: str = option("rating", help="column of ratings, 1 to 5 or their words")
    annotator_column: str = option("annotator", help="column of annotators; may be missing")
    group_column: str = option("group", help="column of annotators' groups; may be missing")
    groups: str | None = option(
        None,
        help="groups of annotators without one in the table: on each line a name, a tab, a group",
        metavar="FILE",
        path="file",
        data="cells",
    )
    encoding: str = option("utf-8", help="encoding of files without byte order mark")


class JudgmentsRead(NamedTuple):
    """Judgments read from files.

    Attributes:
        judgments: in the order of files and lines.
        rejects: rows without a judgment.
        files: their names.
    """

    judgments: list[ComplexityJudgment]
    rejects: list[RejectRow]
    files: list[str]


def read_judgments(paths: Sequence[str], instances: pa.Table, options: JudgmentFileOptions) -> JudgmentsRead:
    """Read files, folders or globs of judgments, in the order of their names.

    Args:
        paths: sheets and tables, distinguished by their headers.
        instances: table instances, with the columns that the sheet needs.
        options: columns of tables, encoding, groups.

    Raises:
        LexbeamError: a file cannot be read, or lacks a column.
        UsageError: the file of groups is malformed.
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
        UsageError: a line is not a name and a group, or repeats a name.
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
    # A sheet may cover only some instances: the others were not asked about.
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
    value = value_of_rating(rating) if isinstance(rating, int) else None
    group = cells.get("group") or None
    return ComplexityJudgment(cells["id"], cells.get("annotator", ""), group, value, name, line)
