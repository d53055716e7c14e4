"""Files of people's answers to questions read: sheets that they filled in, tables, JSON lines.

A table has `question_id`, `annotator_id` and `answer`, and perhaps `kind`, `difficulty`,
`span_passage`, `span_summary`, `explained` and `approval_rate`. An answer is a letter A to E, the
number of an option, the option itself, or `-` for undecided.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import KINDS
from lexbeam.schemas.cloze.questions import ANNOTATION_REJECT_REASONS
from lexbeam.schemas.rejects import ANSWER_STAGE as STAGE
from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.cloze.annotations.quality import Annotation, Key
from lexbeam.transforms.cloze.annotations.sent import sent_rows
from lexbeam.transforms.cloze.annotations.sheet import SHEET
from lexbeam.transforms.cloze.questions.question import LETTERS
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.people.answer_tables import Roles, is_sheet, read_table
from lexbeam.transforms.people.answered_sheets import list_sheets, read_answers

NUMBERS = ("0", "1")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "question_id": ("question_id", "id"),
    "annotator_id": ("annotator_id", "annotator", "worker_id"),
    "answer": ("answer",),
    "kind": ("kind",),
    "difficulty": ("difficulty",),
    "span_passage": ("span_passage", "passage_span", "span_article", "article_span"),
    "span_summary": ("span_summary", "summary_span", "span_question", "question_span"),
    "explained": ("explained", "explanation"),
    "approval_rate": ("approval_rate", "approval"),
}
_NEEDED = ("question_id", "annotator_id", "answer")
_SHOWN = 40
_SOME_MISSING = "rows that the sheet was written from are not in the file, or are no longer published"


def parse_columns(texts: Sequence[str]) -> dict[str, str]:
    """Return the columns that `ROLE=NAME` texts name.

    Raises:
        UsageError: a text has another form, or names no role.
    """
    columns = {}
    for text in texts:
        role, equals, name = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise UsageError(f"{text!r} must be ROLE=NAME, such as annotator_id=worker")
        if role not in _NAMES:
            hint = nearest(role, _NAMES) or f"; there are {', '.join(_NAMES)}"
            raise UsageError(f"{role!r} is none of what is read{hint}")
        if role in columns:
            raise UsageError(f"{role!r} is given twice")
        columns[role] = name
    return columns


@dataclass(frozen=True, kw_only=True)
class AnnotationOptions:
    """How files of annotations are read."""

    columns: tuple[str, ...] = option(
        (),
        help="what columns of tables are called, if otherwise, such as annotator_id=worker",
        metavar="ROLE=NAME",
        check=parse_columns,
    )
    first_option: str = option(
        "0", help="the number of the first option in tables: 0, as labels have it, or 1", choices=NUMBERS
    )
    encoding: str = option("utf-8", help="of files without byte order mark")


class Question(NamedTuple):
    """What annotations are checked against: the options, and which one is right."""

    options: tuple[str, ...]
    label: int


class AnnotationsRead(NamedTuple):
    """Annotations as they were read, in the order of question, kind and annotator, and rejects."""

    annotations: list[Annotation]
    rejects: list[RejectRow]


class _Questions:
    def __init__(self, questions: Mapping[Key, Question]) -> None:
        self.of = questions
        self.kinds: dict[str, list[str]] = {}
        for question_id, kind in questions:
            self.kinds.setdefault(question_id, []).append(kind)

    def key(self, question_id: str, kind: str) -> Key:
        """Return the question that is meant.

        Raises:
            BadRecord: there is none, or there are several.
        """
        if not question_id:
            raise BadRecord("empty", "no id of a question")
        kinds = self.kinds.get(question_id, [])
        shown = question_id if len(question_id) <= _SHOWN else question_id[:_SHOWN] + "..."
        if not kinds:
            raise BadRecord("unknown", f"no question {shown!r} is published")
        if kind and kind not in kinds:
            detail = f"question {shown} is of kind {', '.join(kinds)}, not {kind[:_SHOWN]!r}"
            raise BadRecord("unknown", detail)
        if not kind and len(kinds) > 1:
            detail = f"question {shown} is of {', '.join(kinds)}: give a column `kind`"
            raise BadRecord("several_kinds", detail)
        return question_id, kind or kinds[0]


def read_annotations(
    paths: Sequence[str],
    questions: Mapping[Key, Question],
    sheet_rows: Callable[[], pa.Table],
    options: AnnotationOptions,
) -> AnnotationsRead:
    """Read files, folders or globs of annotations, in the order of their names.

    Of several answers of an annotator to a question that are the same one counts; where they
    differ, none does.

    Args:
        paths: sheets, tables and JSON lines, told apart by their header and name.
        questions: those that are published, by id and kind.
        sheet_rows: a function that returns the rows of the sheet, asked for if there is one.
        options: columns, numbers, encoding.

    Raises:
        LexbeamError: a file cannot be read, or lacks a column.
    """
    published = _Questions(questions)
    annotations: list[Annotation] = []
    rejects: list[RejectRow] = []
    entries = sorted(list_sheets(paths), key=lambda entry: entry.name)
    sheets = [entry for entry in entries if is_sheet(entry, SHEET, ("answer",))]
    rows = sheet_rows() if sheets else None
    sent = {} if rows is None else sent_rows(sheets, rows, options.encoding)
    for entry in entries:
        if rows is not None and entry.name in sent:
            read, left = _sheet(entry, sent[entry.name], rows, published, options)
        else:
            read, left = _table(entry, published, options)
        annotations += read
        rejects += left
    return _settled(annotations, rejects)


_Read = tuple[list[Annotation], list[RejectRow]]


def _sheet(
    entry: files.ListedFile, sent: pa.Table | None, asked: pa.Table, questions: _Questions, options: AnnotationOptions
) -> _Read:
    known = sent is not None and sent.num_rows > 0
    answers = read_answers(SHEET, sent if known else asked, [entry.path], encoding=options.encoding)
    annotations = []
    for row in answers.table.to_pylist():
        key = row["question_id"], row["kind"]
        answer = None if row["answer"] is None else LETTERS.index(row["answer"])
        annotations.append(
            Annotation(
                key,
                row["annotator"],
                answer,
                answer == questions.of[key].label,
                row["difficulty"],
                (row["span_passage"] or "", row["span_summary"] or ""),
                row["explained"],
                None,
                entry.name,
                "",
            )
        )
    if known:
        return annotations, list(answers.rejects)
    rejects = [reject for reject in answers.rejects if reject.reason != "missing"]
    if sent is None:
        rejects.append(RejectRow(entry.name, "", STAGE, "missing", _SOME_MISSING))
    return annotations, rejects


def _table(entry: files.ListedFile, questions: _Questions, options: AnnotationOptions) -> _Read:
    named = parse_columns(options.columns)
    names = {role: (named[role],) if role in named else usual for role, usual in _NAMES.items()}
    roles = Roles(names, _NEEDED, "say by `columns` {role}=NAME what it is called")
    return read_table(
        entry,
        roles,
        lambda line, cells: _annotation(cells, questions, options, entry.name, str(line) if line else ""),
        encoding=options.encoding,
        stage=STAGE,
        reasons=ANNOTATION_REJECT_REASONS,
    )


def _annotation(
    cells: Mapping[str, str], questions: _Questions, options: AnnotationOptions, source: str, position: str
) -> Annotation:
    kind = cells.get("kind", "").casefold()
    key = questions.key(cells["question_id"], kind if kind in KINDS else cells.get("kind", ""))
    if not cells["annotator_id"]:
        raise BadRecord("no_annotator", f"{key[0]}: nobody is said to have answered")
    question = questions.of[key]
    answer = _answer(cells["answer"], question, int(options.first_option))
    return Annotation(
        key,
        cells["annotator_id"],
        answer,
        answer == question.label,
        cells.get("difficulty") or None,
        (cells.get("span_passage", ""), cells.get("span_summary", "")),
        cells.get("explained") or None,
        _rate(cells.get("approval_rate", "")),
        source,
        position,
    )


def _answer(cell: str, question: Question, first: int) -> int | None:
    if not cell:
        raise BadRecord("empty", "answer is empty")
    if cell in ("-", "–", "—"):
        return None
    if len(cell) == 1 and cell.upper() in LETTERS:
        return LETTERS.index(cell.upper())
    number = cell.removesuffix(".0")
    if number.isascii() and number.isdecimal() and len(number) < 10:
        place = int(number) - first
        if 0 <= place < len(question.options):
            return place
    # Options may be numbers, too.
    for fold in (str, straight, lambda text: straight(text.casefold())):
        same = [at for at, word in enumerate(question.options) if fold(word) == fold(cell)]
        if len(same) == 1:
            return same[0]
    last = first + len(question.options) - 1
    hint = "; if the first option is 1, say so by `first_option`" if number == "5" else ""
    raise BadRecord(
        "wrong_answer",
        f"answer: {cell[:_SHOWN]!r} is no letter A to E, no number {first} to {last} and none of the options{hint}",
    )


def _rate(cell: str) -> float | None:
    """Return a rate of 0 to 1, which may be written in per cent; None where there is none."""
    if not cell:
        return None
    text = cell.removesuffix("%").strip().replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if cell.endswith("%") or value > 1:
        value /= 100
    if not 0 <= value <= 1:
        raise BadRecord("wrong_answer", f"approval_rate: {cell[:_SHOWN]!r} is no share and no %")
    return value


def _settled(annotations: list[Annotation], rejects: list[RejectRow]) -> AnnotationsRead:
    """Return one answer of each annotator to each question, and rejects of the others."""
    held: dict[tuple[Key, str], list[Annotation]] = {}
    for annotation in annotations:
        held.setdefault((annotation.key, annotation.annotator), []).append(annotation)
    counted = []
    for (key, annotator), answers in sorted(held.items()):
        whose = f"{key[0]}, {annotator}"
        if len({annotation._replace(source="", position="") for annotation in answers}) > 1:
            detail = f"{whose}: {len(answers)} answers that differ"
            rejects += [_reject(annotation, "contradictory", detail) for annotation in answers]
            continue
        counted.append(answers[0])
        where = f"{answers[0].source} {answers[0].position}".strip()
        rejects += [_reject(annotation, "doubled", f"{whose}: as in {where}") for annotation in answers[1:]]
    return AnnotationsRead(counted, sorted(rejects))


def _reject(annotation: Annotation, reason: str, detail: str) -> RejectRow:
    return RejectRow(annotation.source, annotation.position, STAGE, reason, detail)
