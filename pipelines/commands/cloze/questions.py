"""Questions with five options, and their splits: table cloze/questions, and the task's files.

    lexbeam cloze questions cloze
    lexbeam cloze questions cloze --per-summary best --write-jsonl 'task/{kind}_{split}.jsonl'

docs/tasks/cloze/questions.md says what becomes a question, how splits are made, and what files hold.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.commands.keeping import kept_entry, kept_snapshot, splits_from
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.cloze import CANDIDATES, KINDS, OPTIONS, PAIRS, QUESTION_REASONS, QUESTIONS
from lexbeam.transforms.cloze.questions.question import QuestionOptions, check_name, refuse_existing, write_questions
from lexbeam.transforms.cloze.questions.question_panels import QUESTION_VIEWS, question_panels, quoted_questions
from lexbeam.transforms.cloze.questions.question_stages import (
    Drafted,
    DraftQuestions,
    DraftTask,
    QuestionSplit,
    SplitQuestions,
    WriteQuestions,
    write_tasks,
)
from lexbeam.transforms.cloze.questions.splits import SCORE_TOLERANCE, TOLERANCE, QuestionSplitOptions
from lexbeam.transforms.common.draws.splits import parse_shares
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, Grid, amount, counts_tail, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

log = logging.getLogger("lexbeam")

SECTION = "cloze.questions"


@dataclass(frozen=True, kw_only=True)
class ClozeQuestionsOptions(RunnerOptions):
    """Options of `lexbeam cloze questions`."""

    folder: str | None = input_folder("options, of `lexbeam cloze options`")
    splits_from: str | None = splits_from("questions")
    write_jsonl: str | None = option(
        None,
        help="write the questions as the task's files have them, too; {kind} and {split} in the name: a file for each",
        metavar="FILE",
        path="written",
        published=False,
        check=check_name,
    )
    how: QuestionOptions = embedded(QuestionOptions, group="questions")
    split: QuestionSplitOptions = embedded(QuestionSplitOptions, group="splits")


class QuestionsPlan(NamedTuple):
    """What is to be done.

    Attributes:
        tasks: parts of candidates, with those of options and pairs that have the same number.
        pairs: parts of the pairs.
        how: which candidates become questions.
        split: how they are split.
        kept: what the manifest says of splits that are kept.
    """

    tasks: tuple[DraftTask, ...]
    pairs: tuple[Part, ...]
    how: QuestionOptions
    split: SplitQuestions
    kept: Mapping[str, str]


def _shares(splits: Mapping[str, Any], kinds: Sequence[str]) -> Grid:
    """Return what each split has of the questions, by kind, and how far their scores lie apart."""
    names = list(dict.fromkeys(row["split"] for row in splits["strata"]))
    rows = []
    for kind in kinds:
        strata = [row for row in splits["strata"] if row["kind"] == kind and not row["upos"]]
        if strata:
            cells = (f"{row['questions']} ({100 * row['share']:.1f}%)" for row in strata)
            far = "; ".join(
                f"{row['score']} {number(row['distance']) or '-'}" for row in splits["distances"] if row["kind"] == kind
            )
            rows.append((kind or "all", *cells, far))
    heads = ("kind", *names, "largest distance of scores (KS)")
    return Grid(heads, tuple(rows), frozenset(range(1, len(names) + 1)), 2)


def _deviations(splits: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is not as it should be."""
    for size in splits["too_large"]:
        yield f"{size} questions hang together, too many to be dealt out: in the largest split"
    off = [
        f"{' '.join(filter(None, (row['kind'] or 'all', row['upos'])))} in {row['split']} "
        f"{row['share']:.3f}, not {row['wanted']:.3f}"
        for row in splits["strata"]
        if row["off"]
    ]
    off += [f"{row['score']} of {row['kind']} {row['distance']:.3f}" for row in splits["distances"] if row["off"]]
    if off:
        yield "off by more than the tolerance: " + "; ".join(off)


class ClozeQuestions(Command[ClozeQuestionsOptions, QuestionsPlan]):
    """`lexbeam cloze questions`."""

    options = ClozeQuestionsOptions
    examples = """\
  lexbeam cloze questions cloze
  lexbeam cloze questions cloze --per-summary best --write-jsonl questions.jsonl
  lexbeam cloze questions cloze --shares train=.8,test=.2 --overwrite \\
      --write-jsonl 'task/{kind}_{split}.jsonl'"""
    tables = (QUESTIONS,)
    stages = (DraftQuestions, SplitQuestions, WriteQuestions)
    rows: Mapping[str, type] = {"drafted": Drafted, "split": QuestionSplit}
    views = QUESTION_VIEWS
    opening = Opening(
        "Cloze questions",
        "Questions with five options each: what became of the candidates, how large the splits are, and how "
        "alike. A question asks which option fills the gap in the summary of a passage.",
        ("per-summary", "shares", "seed"),
    )
    report = staticmethod(question_panels)
    quotes = staticmethod(quoted_questions)

    def reads(self, options: ClozeQuestionsOptions) -> Sequence[TableSource]:
        return [
            TableSource(table.name, options.folder, needed=table is CANDIDATES)
            for table in (PAIRS, CANDIDATES, OPTIONS)
        ]

    def check(self, options: ClozeQuestionsOptions) -> None:
        """Refuse files that are there, unless they are to be replaced."""
        if options.write_jsonl and not (options.overwrite or options.resume):
            refuse_existing(options.write_jsonl, parse_shares(options.split.shares).names)

    def plan(self, options: ClozeQuestionsOptions, inputs: Inputs) -> QuestionsPlan:
        pairs, candidates, options_made = (inputs.only(table.name).parts for table in (PAIRS, CANDIDATES, OPTIONS))

        def of(parts: Sequence[Part], number: int) -> tuple[Part, ...]:
            return tuple(part for part in parts if part.number == number)

        kept = kept_snapshot(options.splits_from, options.out, QUESTIONS.name)
        kept_parts = tuple(kept.parts(QUESTIONS.name)) if kept else ()
        return QuestionsPlan(
            tuple(DraftTask(part, of(options_made, part.number), of(pairs, part.number)) for part in candidates),
            tuple(pairs),
            options.how,
            SplitQuestions(options.split.shares, TOLERANCE, SCORE_TOLERANCE, options.how.seed, kept_parts),
            kept_entry(kept),
        )

    def build(self, pipeline: "beam.Pipeline", plan: QuestionsPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of candidates, options and pairs in, parts of questions out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts, Once

        graph.expect(SplitQuestions, 1)
        drafted = graph.tasks(pipeline, "Parts", plan.tasks, DraftQuestions, WriteQuestions) | "Draft" >> Each(
            graph.workspace,
            DraftQuestions(plan.how),
            lambda task: [(task.candidates.number, task)],
            lanes=graph.lanes,
            weight=attrgetter("candidates.rows"),
        )
        receipts = drafted | "Drafted" >> beam.Values()
        split = receipts | "Split" >> Once(
            graph.workspace, plan.split, lambda drafts: [(0, tuple(draft.rows for draft in drafts))]
        )
        written = drafted | "Write" >> Each(
            graph.workspace,
            WriteQuestions(),
            partial(write_tasks, pairs=plan.pairs),
            {"split": beam.pvalue.AsSingleton(split)},
            lanes=graph.lanes,
            weight=attrgetter("drafts.rows"),
        )
        return {
            "parts": written | "Name" >> beam.ParDo(NameParts(QUESTIONS.name)),
            "drafted": receipts,
            "split": split | "TheSplit" >> beam.Values(),
        }

    def section(self, plan: QuestionsPlan, outcome: HandedBack) -> Mapping[str, Any]:
        drafted: list[Drafted] = outcome.rows["drafted"]
        split: QuestionSplit = outcome.rows["split"][0]
        counts = totals({(kind, reason): number} for part in drafted for kind, reason, number in part.counts)
        candidates = totals({kind: number} for (kind, _), number in counts.items())
        deviations = [abs(stratum.share - stratum.wanted) for stratum in split.strata if not stratum.upos]
        return {
            **plan.kept,
            "kinds": [
                {
                    "kind": kind,
                    "candidates": candidates[kind],
                    "questions": counts[kind, ""],
                    "reasons": {name: counts[kind, name] for name in QUESTION_REASONS},
                }
                for kind in KINDS
                if kind in candidates
            ],
            "splits": {
                "shares": list(plan.split.shares),
                "tolerance": plan.split.tolerance,
                "score_tolerance": plan.split.score_tolerance,
                "articles": split.articles,
                "groups": split.groups,
                "largest_group": split.largest,
                "too_large": list(split.too_large),
                "largest_deviation": max(deviations, default=0.0),
                "strata": [asdict(stratum) for stratum in split.strata],
                "distances": [asdict(distance) for distance in split.distances],
            },
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield how many questions there are, why others are none, and how alike splits are."""
        section = snapshot.section(SECTION)
        for counts in section["kinds"]:
            why = counts_tail({name: counts["reasons"][name] for name in QUESTION_REASONS})
            made, tried = amount(counts["questions"], "questions"), amount(counts["candidates"], "candidates")
            yield f"{counts['kind']}: {made} of {tried}{why}"
        splits = section["splits"]
        if not any(counts["questions"] for counts in section["kinds"]):
            yield "no questions: each needs four options, so take in more articles by `lexbeam cloze pairs`"
        else:
            yield _shares(splits, ["", *(counts["kind"] for counts in section["kinds"])])
            yield (
                f"{amount(splits['articles'], 'articles')} in {amount(splits['groups'], 'groups')} that share no text; "
                f"a share is off by {100 * splits['largest_deviation']:.1f} points at most"
            )
        yield from _deviations(splits)

    def after(self, options: ClozeQuestionsOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        """Write the task's files of what is published."""
        if options.write_jsonl:
            made = write_questions(
                snapshot.paths(QUESTIONS.name), options.write_jsonl, replace=options.overwrite or options.resume
            )
            for path, count in made.items():
                tell(f"{files.shown(path)}: {amount(count, 'questions')}")
