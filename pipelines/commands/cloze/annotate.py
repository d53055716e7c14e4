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

from lexbeam.pipelines.commands.intake import file_digests
from lexbeam.pipelines.commands.options import annotators, input_folder, order_seed, sheet_path
from lexbeam.pipelines.commands.sheet_files import check_sheets, path_of, write_texts
from lexbeam.pipelines.frame.command import (
    Action,
    Command,
    FolderOptions,
    HandedBack,
    Inputs,
    Opening,
    PublishOptions,
    TableSource,
)
from lexbeam.pipelines.frame.inputs import folder_with, list_inputs
from lexbeam.schemas.cloze import (
    ANNOTATION_REASONS,
    ANNOTATION_REJECTS,
    ANNOTATIONS,
    KINDS,
    QUESTIONS,
    VERDICT_REASONS,
    VERDICTS,
)
from lexbeam.transforms.cloze.questions.answer_sheets import (
    QUESTION_COLUMNS,
    SHEET,
    SHEET_COLUMNS,
    AnnotationOptions,
    annotation_rows,
    asked_rows,
    figures_of,
    questions_of,
    read_annotations,
    verdict_rows,
)
from lexbeam.transforms.cloze.questions.quality import QualityOptions, settle_annotations
from lexbeam.transforms.cloze.questions.question import check_name, refuse_existing, write_questions
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.draws.by_content import content_hashes, permutation
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_snapshot
from lexbeam.transforms.common.shown import Block, amount, counts_tail, explained_counts
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import read_rows, read_table
from lexbeam.transforms.people.sheets import sheet_text
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn


@dataclass(frozen=True, kw_only=True)
class ClozeExportOptions(FolderOptions):
    """Options of `lexbeam cloze export`."""

    to: str = sheet_path()
    annotator: tuple[str, ...] = annotators()
    kind: tuple[str, ...] = option((), help="questions of these kinds alone", metavar="KIND", choices=KINDS)
    split: tuple[str, ...] = option((), help="questions of these splits alone", metavar="SPLIT")
    most: int | None = option(None, help="ask so many questions, drawn by `seed`", least=1)
    seed: int = order_seed()


class ClozeExport(Command[ClozeExportOptions, None]):
    """`lexbeam cloze export`."""

    options = ClozeExportOptions
    examples = """\
  lexbeam cloze export cloze --to sheets/questions.tsv
  lexbeam cloze export cloze --to sheets/questions.tsv --annotator anna,bob --most 200
  lexbeam cloze export cloze --to test.tsv --kind nonspecificity --split test"""

    def check(self, options: ClozeExportOptions) -> None:
        check_sheets(options.to, options.annotator)

    def action(self, options: ClozeExportOptions, action: Action) -> None:
        """Write the files; those that are there already are left, if they are the same."""
        snapshot = folder_with(options.path, QUESTIONS.name)
        questions = snapshot.read(QUESTIONS.name, list(SHEET_COLUMNS))
        asked = asked_rows(questions, options.kind, options.split)
        rows = asked.rows
        if not rows.num_rows:
            splits = ", ".join(sorted(set(questions["split"].drop_null().to_pylist())))
            raise LexbeamError(
                f"{options.path!r} has no question to ask about"
                + (f", of {asked.too_long} that a cell can hold" if asked.too_long else "")
                + (f"; it has splits {splits}" if splits else "")
            )
        if options.most is not None:
            keys = content_hashes(rows["question_id"], rows["kind"])
            rows = rows.take(permutation(keys, seed=options.seed, label="cloze/export")[: options.most])
        texts = {
            path_of(options.to, name): sheet_text(SHEET, rows, annotator=name, seed=options.seed)
            for name in options.annotator or ("",)
        }
        write_texts(texts, f"{amount(rows.num_rows, 'questions')} to answer", action.tell)
        if asked.too_long:
            action.tell(f"{asked.too_long} questions are left out: no cell holds their texts")


SECTION = "cloze.annotate"


@dataclass(frozen=True, kw_only=True)
class ClozeAnnotateOptions(PublishOptions):
    """Options of `lexbeam cloze annotate`."""

    folder: str | None = input_folder("the questions")
    annotations: tuple[str, ...] = option(
        help="files, folders or globs: sheets that people filled in, tables and JSON lines with an answer a row",
        metavar="FILE",
        path="input",
        data="records",
        published=False,
    )
    write_jsonl: str | None = option(
        None,
        help="write the questions that are kept as the task's files have them; {kind} and "
        "{split} in the name: a file for each",
        metavar="FILE",
        path="written",
        published=False,
        check=check_name,
    )
    tables: AnnotationOptions = embedded(AnnotationOptions, group="annotations")
    how: QualityOptions = embedded(QualityOptions, group="rules")


_OUTCOMES = SectionTable(
    "What became of questions",
    "Questions by what people's answers say of them.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn(
            "outcome",
            "kept, or why not: " + "; ".join(f"{name}: {doc}" for name, doc in VERDICT_REASONS.items()),
            pa.string(),
        ),
        TableColumn("questions", "how many"),
    ),
)

_AGREEMENT = SectionTable(
    "Agreement of answers",
    "How far people agree on answers that count.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn("answers", "answers that count"),
        TableColumn("annotators", "who gave them"),
        TableColumn("several", "questions with two answers or more", head="questions with several"),
        TableColumn("accuracy", "share of right answers", pa.float64()),
        TableColumn("alpha", "Krippendorff's alpha for categories", pa.float64()),
        TableColumn("kappa", "Fleiss' kappa", pa.float64()),
        TableColumn(
            "majority",
            "mean share of the most frequent answer, of questions with two answers or more",
            pa.float64(),
            "share of the majority",
        ),
    ),
)

_PEOPLE = SectionTable(
    "Annotators",
    "What each person answered; shares are of answers that count.",
    (
        TableColumn("annotator", "who answered", pa.string()),
        TableColumn("answers", "all answers"),
        TableColumn("counted", "those that count"),
        TableColumn("undecided", "of these, without a choice"),
        TableColumn("accuracy", "share of right answers", pa.float64()),
        TableColumn("agreement", "share of the others' answers to the same questions that are the same", pa.float64()),
    ),
)


def _agreements(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = [{"kind": counts["kind"], **counts["agreement"]} for counts in section["kinds"]]
    return [{"kind": "all", **section["agreement"]}] * (len(kinds) != 1) + kinds


class ClozeAnnotate(Command[ClozeAnnotateOptions, list[dict[str, Any]]]):
    """`lexbeam cloze annotate`."""

    options = ClozeAnnotateOptions
    examples = """\
  lexbeam cloze annotate cloze --annotations sheets/questions.*.tsv
  lexbeam cloze annotate cloze --annotations crowd.csv --columns annotator_id=worker \\
      --min-answers 3 --accuracy-of annotator --write-jsonl kept.jsonl"""
    tables = (ANNOTATIONS, VERDICTS, ANNOTATION_REJECTS)
    opening = Opening(
        "People's answers",
        "How people answered the questions, and which questions are kept: those that enough people answer rightly.",
        ("min-accuracy", "accuracy-of", "min-approval", "min-answers"),
    )

    def reads(self, options: ClozeAnnotateOptions) -> Sequence[TableSource]:
        return [TableSource(QUESTIONS.name, options.folder)]

    def check(self, options: ClozeAnnotateOptions) -> None:
        if options.write_jsonl and not (options.overwrite or options.resume):
            refuse_existing(options.write_jsonl)

    def plan(self, options: ClozeAnnotateOptions, _: Inputs) -> list[dict[str, Any]]:
        return file_digests(list_inputs(options.annotations, (), options.out))

    def action(self, options: ClozeAnnotateOptions, action: Action) -> Mapping[str, pa.Table]:
        """Read the annotations, settle which count, and judge the questions by them."""
        parts = [checked(part) for part in action.inputs.only(QUESTIONS.name).parts]
        questions = questions_of(read_rows(parts, list(QUESTION_COLUMNS)))

        def sheet_rows() -> pa.Table:
            return asked_rows(read_table(parts, list(SHEET_COLUMNS)), (), ()).rows

        answers = read_annotations(options.annotations, questions, sheet_rows, options.tables)
        judged = settle_annotations(answers.annotations, options.how)
        return {
            ANNOTATIONS.name: annotation_rows(judged),
            VERDICTS.name: verdict_rows(judged, questions, options.how),
            ANNOTATION_REJECTS.name: pa.Table.from_pylist(
                [row._asdict() for row in answers.rejects], schema=ANNOTATION_REJECTS.schema()
            ),
        }

    def resources(self, plan: list[dict[str, Any]]) -> Mapping[str, Any]:
        return {"annotations": digest(sorted(file["sha256"] for file in plan))}

    def section(self, plan: list[dict[str, Any]], outcome: HandedBack) -> Mapping[str, Any]:
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

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield which questions are kept, why others are not, and how far people agree."""
        section = snapshot.section(SECTION)
        yield (
            f"{amount(section['annotations'], 'answers')} by {amount(section['annotators'], 'annotators')}, "
            f"{section['counted']} count; "
            f"{amount(section['rejected'], 'rows')} rejected{counts_tail(section['rejects'])}"
        )
        yield from explained_counts(section["reasons"], ANNOTATION_REASONS)
        for counts in section["kinds"]:
            why = counts_tail({name: counts["dropped"][name] for name in VERDICT_REASONS})
            yield f"{counts['kind']}: {counts['kept']} of {counts['questions']} questions are kept{why}"
        yield _AGREEMENT.grid(_agreements(section))
        yield _PEOPLE.grid(section["by_annotator"])

    def after(self, options: ClozeAnnotateOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        """Write the task's files of the questions that are kept."""
        if options.write_jsonl:
            rows = snapshot.read(VERDICTS.name, ["question_id", "kind", "kept"])
            accepted = rows.filter(rows["kept"]).to_pylist()
            held = snapshot if options.folder is None else open_snapshot(options.folder)
            made = write_questions(
                held.paths(QUESTIONS.name),
                options.write_jsonl,
                {(row["question_id"], row["kind"]) for row in accepted},
                replace=options.overwrite or options.resume,
            )
            for path, count in made.items():
                tell(f"{files.shown(path)}: {amount(count, 'questions')}")

    def report(self, snapshot: Snapshot) -> list[Panel]:
        section = snapshot.section(SECTION)
        outcomes = [
            {"kind": counts["kind"], "outcome": name, "questions": count}
            for counts in section["kinds"]
            for name, count in {"kept": counts["kept"], **counts["dropped"]}.items()
        ]
        return [
            _OUTCOMES.panel(outcomes),
            _AGREEMENT.panel(_agreements(section)),
            _PEOPLE.panel(section["by_annotator"]),
        ]
