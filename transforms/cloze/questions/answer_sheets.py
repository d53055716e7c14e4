"""People's answers to questions: the sheet that they fill in, the files that come back, and the tables of both.

The sheet follows Zheng et al. (2021), appendices A and E: workers choose an option, mark evidence in passage and
summary, and say how hard the question is. (The script itself is not in the paper's text.)

A sheet may ask about some of the published questions, drawn or by kind. It states the digest of its rows: they are all
published questions, or those that files with this digest hold together. Else nothing says which rows were sent out; and
what is not in a file that comes back is missing only if it was.

What comes back are sheets, tables and JSON lines. A table has `question_id`, `annotator_id` and `answer`, and perhaps
`kind`, `difficulty`, `span_passage`, `span_summary`, `explained` and `approval_rate`. An answer is a letter A to E, the
number of an option, the option itself, or `-` for undecided.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.cloze import ANNOTATION_REJECT_REASONS, ANNOTATIONS, KINDS, VERDICT_REASONS, VERDICTS
from lexbeam.schemas.common_tables import ANSWER_STAGE as STAGE
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.cloze.questions.quality import (
    Annotation,
    JudgedAnswer,
    Key,
    QualityOptions,
    agreement_of,
    by_annotator,
    verdict_of,
)
from lexbeam.transforms.cloze.questions.question import LETTERS
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.people.answer_tables import Roles, is_sheet, read_table
from lexbeam.transforms.people.answered_sheets import file_rows, list_sheets, open_sheet, read_answers
from lexbeam.transforms.people.answers import CELL_LIMIT, Answer, cell_of, folded, text_of
from lexbeam.transforms.people.sheets import Sheet, SheetColumn, rows_digest, sheet_rows

DIFFICULTIES = ("easy", "medium", "hard")

ANSWER = Answer(
    name="answer",
    help="which word fills the gap",
    values=tuple((letter, "") for letter in LETTERS),
    undecided="-",
    by_text=True,
)

SHEET = Sheet(
    name="cloze",
    version="1",
    instructions=(
        "Which of the five words stands in the place of @placeholder?",
        "The question sums up the passage; read the passage first.",
        "Copy the words of the passage and those of the question that tell you so.",
    ),
    columns=(
        SheetColumn("passage", "a text"),
        SheetColumn("question", "a summary of it, with a gap"),
        *(SheetColumn(letter, "an option") for letter in LETTERS),
    ),
    answers=(
        ANSWER,
        Answer(
            name="difficulty",
            help="how hard the question is",
            values=tuple((level, "") for level in DIFFICULTIES),
            optional=True,
        ),
        Answer(name="span_passage", help="evidence in the passage", kind="text", optional=True),
        Answer(name="span_summary", help="evidence in the question", kind="text", optional=True),
        Answer(name="explained", help="why, in a few words", kind="text", optional=True),
    ),
    key=("question_id", "kind"),
)

# Columns of table cloze/questions that the sheet needs.
SHEET_COLUMNS = ("question_id", "kind", "split", "article", "question", "options", "kept")


class SheetRows(NamedTuple):
    """Rows of the sheet, and how many questions have a text that no cell holds."""

    rows: pa.Table
    too_long: int


def asked_rows(rows: pa.Table, kinds: Sequence[str], splits: Sequence[str]) -> SheetRows:
    """Return the questions that people are asked about, as rows of the sheet.

    Args:
        rows: of table cloze/questions, with `SHEET_COLUMNS`.
        kinds: of these kinds; none: of all.
        splits: of these splits; none: of all.
    """
    sheet_rows, too_long = [], 0
    for row in rows.filter(rows["kept"]).to_pylist():
        if (kinds and row["kind"] not in kinds) or (splits and row["split"] not in splits):
            continue
        if any(_units(row[name]) > CELL_LIMIT for name in ("article", "question")):
            too_long += 1
            continue
        sheet_rows.append(
            {
                "question_id": row["question_id"],
                "kind": row["kind"],
                "passage": row["article"],
                "question": row["question"],
                **dict(zip(LETTERS, row["options"], strict=True)),
            }
        )
    names = [*SHEET.key, *(column.name for column in SHEET.columns)]
    schema = pa.schema([(name, pa.string()) for name in names])
    return SheetRows(pa.Table.from_pylist(sheet_rows, schema), too_long)


def _units(text: str) -> int:
    """Return how long a text is in a cell, as spreadsheets count."""
    return len(cell_of(text).encode("utf-16-le", "surrogatepass")) // 2


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


QUESTION_COLUMNS = ("question_id", "kind", "options", "label", "kept")


def questions_of(rows: Iterable[pa.Table]) -> dict[Key, Question]:
    """Return the questions that are kept, in the order of the table, without their texts.

    Args:
        rows: row groups of cloze/questions, with `QUESTION_COLUMNS`.
    """
    return {
        (row["question_id"], row["kind"]): Question(tuple(row["options"]), row["label"])
        for group in rows
        for row in group.filter(group["kept"]).to_pylist()
    }


def annotation_rows(judged: Sequence[JudgedAnswer]) -> pa.Table:
    """Return rows of cloze/annotations, sorted by their key."""
    rows = []
    for annotation, reason in judged:
        rows.append(
            {
                "question_id": annotation.key[0],
                "kind": annotation.key[1],
                "annotator_id": annotation.annotator,
                "answer": annotation.answer,
                "correct": annotation.correct,
                "difficulty": annotation.difficulty,
                "span_passage": annotation.spans[0] or None,
                "span_summary": annotation.spans[1] or None,
                "explained": annotation.explained,
                "approval_rate": annotation.approval,
                "kept": reason is None,
                "reason": reason,
                "source": annotation.source,
                "position": annotation.position,
            }
        )
    rows.sort(key=lambda row: tuple(row[name] for name in ANNOTATIONS.key))
    return pa.Table.from_pylist(rows, ANNOTATIONS.schema())


def verdict_rows(judged: Sequence[JudgedAnswer], questions: Iterable[Key], options: QualityOptions) -> pa.Table:
    """Return rows of cloze/verdicts, one for each question, sorted."""
    by_key: dict[Key, list[JudgedAnswer]] = {}
    for answer in judged:
        by_key.setdefault(answer.annotation.key, []).append(answer)
    rows = []
    for key in sorted(questions):
        verdict = verdict_of(by_key.get(key, ()), options)._asdict()
        rows.append({"question_id": key[0], "kind": key[1], **verdict, "kept": verdict["reason"] is None})
    return pa.Table.from_pylist(rows, VERDICTS.schema())


def figures_of(annotations: pa.Table, verdicts: pa.Table) -> Mapping[str, Any]:
    """Return figures for the manifest: counts, reasons, how far people agree, by kind and person."""
    names = ["question_id", "kind", "annotator_id", "answer", "correct", "kept", "reason"]
    answers = annotations.select(names).to_pylist()
    rows = verdicts.select(["kind", "kept", "reason"]).to_pylist()
    reasons = Counter(row["reason"] for row in answers if row["reason"])
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    return {
        "annotations": len(answers),
        "annotators": len({row["annotator_id"] for row in answers}),
        "counted": sum(row["kept"] for row in answers),
        "reasons": dict(sorted(reasons.items())),
        "kinds": [
            {
                "kind": kind,
                "questions": sum(row["kind"] == kind for row in rows),
                "kept": sum(row["kind"] == kind and row["kept"] for row in rows),
                "dropped": {
                    name: sum((row["kind"], row["reason"]) == (kind, name) for row in rows) for name in VERDICT_REASONS
                },
                "agreement": agreement_of([row for row in answers if row["kind"] == kind]),
            }
            for kind in kinds
        ],
        "agreement": agreement_of(answers),
        "by_annotator": by_annotator(answers),
    }
