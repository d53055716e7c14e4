"""People's answers to questions: which questions are kept. Tables cloze/annotations and verdicts.

    lexbeam cloze annotate cloze --annotations sheets/
    lexbeam cloze annotate cloze --annotations crowd.csv --accuracy-of annotator

docs/tasks/cloze/annotate.md says what the rules are, and what the figures mean.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipelines.frame.command import Action, Command, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import PublishOptions
from pipelines.frame.inputs import list_inputs
from schemas.cloze.questions import (
    ANNOTATION_REASONS,
    ANNOTATION_REJECTS,
    ANNOTATIONS,
    QUESTIONS,
    VERDICT_REASONS,
    VERDICTS,
)
from schemas.columns import column
from transforms.cloze.annotations.files import AnnotationOptions, read_annotations
from transforms.cloze.annotations.quality import QualityOptions, settle_annotations
from transforms.cloze.annotations.sheet import COLUMNS as SHEET_COLUMNS
from transforms.cloze.annotations.sheet import asked_rows
from transforms.cloze.annotations.tables import COLUMNS, annotation_rows, figures_of, questions_of, verdict_rows
from transforms.cloze.questions.files import check_name, refuse_existing, write_questions
from transforms.common.code.fingerprints import digest
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot, open_snapshot
from transforms.common.shown import Block, Grid, number
from transforms.common.store import files
from transforms.common.store.resources import content_digest
from transforms.common.store.sound import checked
from transforms.common.store.tables import read_rows, read_table
from transforms.report.panels import Panel, Rows

__all__ = ["ANNOTATE", "ClozeAnnotateOptions"]

SECTION = "cloze.annotate"


@dataclass(frozen=True, kw_only=True)
class ClozeAnnotateOptions(PublishOptions):
    """Options of `lexbeam cloze annotate`."""

    folder: str | None = option(
        None,
        help="folder with the questions; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    annotations: tuple[str, ...] = option(
        help="files, folders or globs: sheets that people filled in, tables and JSON lines with an answer a row",
        metavar="FILE",
        path="input",
        published=False,
    )
    write_jsonl: str | None = option(
        None,
        help="write the questions that are kept as the task's files have them; {kind} and "
        "{split} in the name: a file for each",
        metavar="FILE",
        path="place",
        published=False,
        check=check_name,
    )
    tables: AnnotationOptions = embedded(AnnotationOptions, group="annotations")
    how: QualityOptions = embedded(QualityOptions, group="rules")


def _reads(options: ClozeAnnotateOptions) -> Sequence[TableSource]:
    return [TableSource(QUESTIONS.name, options.folder)]


def _check(options: ClozeAnnotateOptions) -> None:
    if options.write_jsonl and not (options.overwrite or options.resume):
        refuse_existing(options.write_jsonl)


def _plan(options: ClozeAnnotateOptions, _: Inputs) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "bytes": one.size, "sha256": content_digest(one.path)}
        for one in list_inputs(options.annotations, (), options.out)
    ]


def _annotate(options: ClozeAnnotateOptions, action: Action) -> Mapping[str, pa.Table]:
    """Read the annotations, settle which count, and judge the questions by them."""
    parts = [checked(part) for part in action.inputs.only(QUESTIONS.name).parts]
    questions = questions_of(read_rows(parts, list(COLUMNS)))

    def sheet_rows() -> pa.Table:
        return asked_rows(read_table(parts, list(SHEET_COLUMNS)), (), ()).rows

    found = read_annotations(options.annotations, questions, sheet_rows, options.tables)
    judged = settle_annotations(found.annotations, options.how)
    return {
        ANNOTATIONS.name: annotation_rows(judged),
        VERDICTS.name: verdict_rows(judged, questions, options.how),
        ANNOTATION_REJECTS.name: pa.Table.from_pylist(
            [row._asdict() for row in found.rejects], schema=ANNOTATION_REJECTS.schema()
        ),
    }


def _resources(plan: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {"annotations": digest(sorted(one["sha256"] for one in plan))}


def _section(plan: list[dict[str, Any]], outcome: HandedBack) -> Mapping[str, Any]:
    annotations, verdicts, rejects = (
        read_table([checked(part) for part in outcome.of_table(table.name)])
        for table in (ANNOTATIONS, VERDICTS, ANNOTATION_REJECTS)
    )
    reasons = Counter(rejects["reason"].to_pylist())
    return {
        "inputs": plan,
        **figures_of(annotations, verdicts),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
    }


_FIGURES = ("accuracy", "alpha", "majority")
_COUNTS = ("answers", "annotators", "several")


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield which questions are kept, why others are not, and how far people agree."""
    section = snapshot.section(SECTION)
    rejects = "".join(f", {reason} {count}" for reason, count in section["rejects"].items())
    yield (
        f"{section['annotations']} answers by {section['annotators']} annotators, "
        f"{section['counted']} count; {section['rejected']} rows rejected{rejects}"
    )
    for reason, count in section["reasons"].items():
        yield f"  {reason} {count}: {ANNOTATION_REASONS[reason]}"
    for own in section["kinds"]:
        counts = {name: own["dropped"][name] for name in VERDICT_REASONS}
        why = "".join(f", {name} {count}" for name, count in counts.items() if count)
        yield f"{own['kind']}: {own['kept']} of {own['questions']} questions are kept{why}"
    rows = tuple(_cells(kind, own) for kind, own in _agreements(section))
    heads = ("kind", "answers", "annotators", "questions with several", "accuracy", "alpha", "share of the majority")
    yield Grid(heads, rows, frozenset(range(1, len(heads))), 2)


def _agreements(section: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    kinds = [(own["kind"], own["agreement"]) for own in section["kinds"]]
    return [("all", section["agreement"])] * (len(kinds) != 1) + kinds


def _cells(kind: str, own: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (str(own[name]) for name in _COUNTS)
    return kind, *counts, *(number(own[name]) or "-" for name in _FIGURES)


def _panels(snapshot: Snapshot) -> list[Panel]:
    section = snapshot.section(SECTION)
    became = [
        {"kind": own["kind"], "outcome": name, "questions": count}
        for own in section["kinds"]
        for name, count in {"kept": own["kept"], **own["dropped"]}.items()
    ]
    outcomes = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column(
                "outcome",
                pa.string(),
                "kept, or why not: " + "; ".join(f"{name}: {doc}" for name, doc in VERDICT_REASONS.items()),
            ),
            column("questions", pa.int64(), "how many"),
        ]
    )
    agreed = [{"kind": kind, **{name: own[name] for name in _COUNTS + _FIGURES}} for kind, own in _agreements(section)]
    columns = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("answers", pa.int64(), "answers that count"),
            column("annotators", pa.int64(), "who gave them"),
            column("several", pa.int64(), "questions with two answers or more"),
            column("accuracy", pa.float64(), "share of right answers", nullable=True),
            column("alpha", pa.float64(), "Krippendorff's alpha for categories", nullable=True),
            column(
                "majority",
                pa.float64(),
                "mean share of the most frequent answer, of questions with two answers or more",
                nullable=True,
            ),
        ]
    )
    return [
        Rows(
            "What became of questions",
            "Questions by what people's answers say of them.",
            pa.Table.from_pylist(became, outcomes),
        ),
        Rows(
            "Agreement of answers", "How far people agree on answers that count.", pa.Table.from_pylist(agreed, columns)
        ),
    ]


def _write(options: ClozeAnnotateOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
    """Write the task's files of the questions that are kept."""
    if options.write_jsonl:
        rows = snapshot.read(VERDICTS.name, ["question_id", "kind", "kept"])
        kept = rows.filter(rows["kept"]).to_pylist()
        held = snapshot if options.folder is None else open_snapshot(options.folder)
        made = write_questions(
            held.paths(QUESTIONS.name),
            options.write_jsonl,
            {(row["question_id"], row["kind"]) for row in kept},
            replace=options.overwrite or options.resume,
        )
        for path, count in made.items():
            tell(f"{files.shown(path)}: {count} questions")


ANNOTATE: Command[ClozeAnnotateOptions, list[dict[str, Any]]] = Command(
    options=ClozeAnnotateOptions,
    examples="""\
  lexbeam cloze annotate cloze --annotations sheets/questions.*.tsv
  lexbeam cloze annotate cloze --annotations crowd.csv --columns annotator_id=worker \\
      --min-answers 3 --accuracy-of annotator --write-jsonl kept.jsonl""",
    tables=(ANNOTATIONS, VERDICTS, ANNOTATION_REJECTS),
    reads=_reads,
    check=_check,
    plan=_plan,
    resources=_resources,
    section=_section,
    summary=_summary,
    after=_write,
    report=_panels,
    action=_annotate,
)
