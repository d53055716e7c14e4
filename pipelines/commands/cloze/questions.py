"""Questions with five options, and their splits: table cloze/questions, and the task's files.

    lexbeam cloze questions cloze
    lexbeam cloze questions cloze --per-summary best --write-jsonl 'task/{kind}_{split}.jsonl'

docs/tasks/cloze/questions.md says what becomes a question, how splits are made, and what files hold.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.cloze.pairs import CANDIDATES, KINDS, OPTIONS, PAIRS
from schemas.cloze.questions import QUESTION_REASONS, QUESTIONS
from transforms.cloze.questions.drafts import DRAFT, Drafted, DraftTask
from transforms.cloze.questions.files import check_name, refuse_existing, write_questions
from transforms.cloze.questions.question import QuestionOptions
from transforms.cloze.questions.splits import SCORE_TOLERANCE, TOLERANCE, QuestionSplitOptions
from transforms.cloze.questions.stages import SPLIT, WRITE, QuestionSplit, SplitRules
from transforms.cloze.shown.questions import QUESTION_VIEWS, question_panels, quoted_questions
from transforms.common.draws.splits import parse_shares
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid, number
from transforms.common.store import files
from transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["CLOZE_QUESTIONS", "ClozeQuestionsOptions"]

log = logging.getLogger("lexbeam")

SECTION = "cloze.questions"


@dataclass(frozen=True, kw_only=True)
class ClozeQuestionsOptions(RunnerOptions):
    """Options of `lexbeam cloze questions`."""

    folder: str | None = option(
        None,
        help="folder with options, of `lexbeam cloze options`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    write_jsonl: str | None = option(
        None,
        help="write the questions as the task's files have them, too; {kind} and {split} in the name: a file for each",
        metavar="FILE",
        path="place",
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
        rules: how they are split.
    """

    tasks: tuple[DraftTask, ...]
    pairs: tuple[Part, ...]
    how: QuestionOptions
    rules: SplitRules


def _reads(options: ClozeQuestionsOptions) -> Sequence[TableSource]:
    return [TableSource(table.name, options.folder) for table in (PAIRS, CANDIDATES, OPTIONS)]


def _check(options: ClozeQuestionsOptions) -> None:
    """Refuse files that are there, unless they are to be replaced."""
    if options.write_jsonl and not (options.overwrite or options.resume):
        refuse_existing(options.write_jsonl, parse_shares(options.split.shares).names)


def _plan(options: ClozeQuestionsOptions, inputs: Inputs) -> QuestionsPlan:
    pairs, candidates, made = (inputs.only(table.name).parts for table in (PAIRS, CANDIDATES, OPTIONS))

    def of(parts: Sequence[Part], number: int) -> tuple[Part, ...]:
        return tuple(one for one in parts if one.number == number)

    return QuestionsPlan(
        tuple(DraftTask(one.number, one, of(made, one.number), of(pairs, one.number)) for one in candidates),
        tuple(pairs),
        options.how,
        SplitRules(options.split.shares, TOLERANCE, SCORE_TOLERANCE, options.how.seed),
    )


def _build(pipeline: "beam.Pipeline", plan: QuestionsPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of candidates, options and pairs in, parts of questions out."""
    import apache_beam as beam

    from transforms.cloze.questions.ptransforms import MakeQuestions

    tasks = [(task.number, task) for task in plan.tasks]
    drafted, split, parts = (
        pipeline
        | "Parts" >> beam.Create(tasks, reshuffle=False)
        | "Questions" >> MakeQuestions(graph.workspace, plan.how, plan.rules, plan.pairs, graph.lanes)
    )
    return {"parts": parts, "drafted": drafted, "split": split}


def _expected(plan: QuestionsPlan) -> Mapping[str, int]:
    return {DRAFT.name: len(plan.tasks), SPLIT.name: 1, WRITE.name: len(plan.tasks)}


def _section(plan: QuestionsPlan, outcome: HandedBack) -> Mapping[str, Any]:
    drafted: list[Drafted] = outcome.rows["drafted"]
    split: QuestionSplit = outcome.rows["split"][0]
    counts: Counter[tuple[str, str]] = Counter()
    for part in drafted:
        for kind, reason, count in part.counts:
            counts[kind, reason] += count
    kinds = [kind for kind in KINDS if any(kind == one for one, _ in counts)]
    deviations = [abs(one.share - one.wanted) for one in split.strata if not one.upos]
    return {
        "kinds": [
            {
                "kind": kind,
                "candidates": sum(count for (own, _), count in counts.items() if own == kind),
                "questions": counts[kind, ""],
                "reasons": {name: counts[kind, name] for name in QUESTION_REASONS},
            }
            for kind in kinds
        ],
        "splits": {
            "shares": list(plan.rules.shares),
            "tolerance": plan.rules.tolerance,
            "score_tolerance": plan.rules.score_tolerance,
            "articles": split.articles,
            "groups": split.groups,
            "largest_group": split.largest,
            "too_large": list(split.too_large),
            "largest_deviation": max(deviations, default=0.0),
            "strata": [asdict(one) for one in split.strata],
            "distances": [asdict(one) for one in split.distances],
        },
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield how many questions there are, why others are none, and how alike splits are."""
    section = snapshot.section(SECTION)
    for own in section["kinds"]:
        counts = {name: own["reasons"][name] for name in QUESTION_REASONS}
        why = "".join(f", {name} {count}" for name, count in counts.items() if count)
        yield f"{own['kind']}: {own['questions']} questions of {own['candidates']} candidates{why}"
    splits = section["splits"]
    names = list(dict.fromkeys(row["split"] for row in splits["strata"]))
    rows = []
    for kind in ["", *(own["kind"] for own in section["kinds"])]:
        own = [row for row in splits["strata"] if row["kind"] == kind and not row["upos"]]
        if own:
            cells = (f"{row['questions']} ({100 * row['share']:.1f}%)" for row in own)
            far = "; ".join(
                f"{row['score']} {number(row['distance']) or '-'}" for row in splits["distances"] if row["kind"] == kind
            )
            rows.append((kind or "all", *cells, far))
    heads = ("kind", *names, "largest distance of scores (KS)")
    if sum(own["questions"] for own in section["kinds"]):
        yield Grid(heads, tuple(rows), frozenset(range(1, len(names) + 1)), 2)
        yield (
            f"{splits['articles']} articles in {splits['groups']} groups that share no text; "
            f"a share is off by {100 * splits['largest_deviation']:.1f} points at most"
        )
    yield from _told(splits)


def _told(splits: Mapping[str, Any]) -> Iterator[str]:
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


def _write(options: ClozeQuestionsOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
    """Write the task's files of what is published."""
    if options.write_jsonl:
        made = write_questions(
            snapshot.paths(QUESTIONS.name), options.write_jsonl, replace=options.overwrite or options.resume
        )
        for path, count in made.items():
            tell(f"{files.shown(path)}: {count} questions")


CLOZE_QUESTIONS: Command[ClozeQuestionsOptions, QuestionsPlan] = Command(
    options=ClozeQuestionsOptions,
    examples="""\
  lexbeam cloze questions cloze
  lexbeam cloze questions cloze --per-summary best --write-jsonl questions.jsonl
  lexbeam cloze questions cloze --shares train=.8,test=.2 --overwrite \\
      --write-jsonl 'task/{kind}_{split}.jsonl'""",
    tables=(QUESTIONS,),
    reads=_reads,
    check=_check,
    stages=(DRAFT, SPLIT, WRITE),
    plan=_plan,
    build=_build,
    rows={"drafted": Drafted, "split": QuestionSplit},
    expected=_expected,
    section=_section,
    summary=_summary,
    after=_write,
    views=QUESTION_VIEWS,
    report=question_panels,
    quotes=quoted_questions,
)
