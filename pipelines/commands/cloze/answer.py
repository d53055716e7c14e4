"""Reading systems that choose among five options: tables cloze/answers and cloze/metrics.

    lexbeam cloze answer cloze
    lexbeam cloze answer cloze --systems ga5,multiple-choice:models/bert --by split

docs/tasks/cloze/answer.md says what systems compute, and what they are trained and asked on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.cloze.answers import ANSWERS, ASKED_REASONS
from schemas.cloze.pairs import CLOZE_METRICS, KINDS, PAIRS
from schemas.cloze.questions import QUESTIONS
from transforms.cloze.answers.data import ASK, ASKED, ENCODE_ASKED, AskTask, FiveWayQuestions, VocabularyOptions
from transforms.cloze.answers.metrics_stage import MEASURE_ANSWERS, MeasureSettings
from transforms.cloze.answers.multiple_choice import (
    CHOOSE_ANSWERS,
    ChoiceModel,
    ChoiceSettings,
    check_systems,
    choice_models,
    within_system,
)
from transforms.cloze.answers.trained_systems import ANSWER, ANSWER_TRAIN, SYSTEMS, WHOLE, AnswerOptions, TrainedSystem
from transforms.cloze.filters.word_resources import as_vectors, check_spec, within_vectors
from transforms.cloze.readers.options import NetworkOptions, check_torch
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid, number
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows
from transforms.evaluation.bootstrap import BootstrapOptions
from transforms.lexicon.encoders.options import DEVICES
from transforms.lexicon.resources import CacheOptions, LexiconOptions, prepare
from transforms.report.panels import Panel, Rows

if TYPE_CHECKING:
    import apache_beam as beam

    from transforms.cloze.answers.ptransforms import Key

__all__ = ["CLOZE_ANSWER", "ClozeAnswerOptions"]

SECTION = "cloze.answer"
BY = ("article", "split")
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, kw_only=True)
class ClozeAnswerOptions(RunnerOptions):
    """Options of `lexbeam cloze answer`."""

    folder: str | None = option(
        None,
        help="folder with questions, of `lexbeam cloze questions`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    systems: tuple[str, ...] = option(
        SYSTEMS,
        help="who answers: ga5, the gated-attention reader over five options, trained "
        "here; multiple-choice:PATH, a local model of transformers",
        metavar="SYSTEM",
        path="place",
        within=within_system,
        check=check_systems,
    )
    asked: str = option(
        "questions",
        help="what is asked: questions that were made here, or targets that the files have with their options",
        choices=ASKED,
        group="what is held out",
    )
    by: str = option(
        "article",
        help="systems are trained on other folds of articles than they are asked, or on a split of the questions",
        choices=BY,
        group="what is held out",
    )
    folds: int = option(4, help="folds of articles", least=2, most=1_000, group="what is held out")
    splits: tuple[str, ...] = option(
        SPLITS,
        help="with `by` split: that which systems are trained on, that which decides when "
        "training stops, and that which they are asked",
        metavar="NAME",
        group="what is held out",
    )
    cross: bool = option(
        True, help="also ask systems the kinds that they were not trained on", group="what is held out"
    )
    seed: int = option(1, help="of folds and training", group="readers")
    reader: NetworkOptions = embedded(NetworkOptions, group="readers")
    vocabulary: VocabularyOptions = embedded(VocabularyOptions, group="readers")
    vectors: str | None = option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=within_vectors,
        stands_for=as_vectors,
        check=check_spec,
        group="readers",
    )
    max_length: int | None = option(
        None,
        name="encoder_length",
        help="pieces of passage and question together that models "
        "read; what is over is cut from the passage's end; default: what the model takes",
        least=8,
        group="multiple-choice models",
    )
    device: str = option(
        "auto",
        name="encoder_device",
        help="where models run; auto: a CUDA device if there is one, else the CPU",
        choices=DEVICES,
        group="multiple-choice models",
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")
    resources: CacheOptions = embedded(CacheOptions, group="resources")


class AnswerPlan(NamedTuple):
    """What is to be done.

    Attributes:
        tasks: parts of pairs, with those of questions that have the same number.
        languages: those of the questions.
        keys: what is trained.
        models: what comes trained.
    """

    tasks: tuple[AskTask, ...]
    languages: tuple[str, ...]
    keys: "tuple[Key, ...]"
    models: tuple[ChoiceModel, ...]
    vocabulary: VocabularyOptions
    options: AnswerOptions
    settings: ChoiceSettings
    bootstrap: BootstrapOptions

    @property
    def pairs(self) -> tuple[Part, ...]:
        """The parts of the pairs."""
        return tuple(task.pairs for task in self.tasks)


def _reads(options: ClozeAnswerOptions) -> Sequence[TableSource]:
    pairs = TableSource(PAIRS.name, options.folder)
    if options.asked == "targets":
        return [pairs]
    return [pairs, TableSource(QUESTIONS.name, options.folder)]


def _check(options: ClozeAnswerOptions) -> None:
    if options.by == "split":
        if options.asked == "targets":
            raise UsageError("`asked` targets have no splits: give `by` article")
        if len(set(options.splits)) != len(SPLITS) or not all(options.splits):
            raise UsageError(
                "`splits` are three different ones: to train on, to stop by, and to ask, such as " + ",".join(SPLITS)
            )
    if set(options.systems) & set(SYSTEMS):
        check_torch("systems", "multiple-choice:PATH")


def _plan(options: ClozeAnswerOptions, inputs: Inputs) -> AnswerPlan:
    pairs = inputs.only(PAIRS.name).parts
    made = None if options.asked == "targets" else inputs.only(QUESTIONS.name).parts
    groups, splits = _groups(pairs, made)
    if not groups:
        raise LexbeamError(
            "there is nothing to ask: no pair has a target with options"
            if made is None
            else "there is nothing to ask: table cloze/questions has no question that is kept"
        )
    by_split = options.by == "split"
    for name in options.splits if by_split else ():
        if name not in splits:
            raise UsageError(
                f"`splits`: no question is in split {name!r}, there are "
                f"{', '.join(sorted(splits))}: name three of them, or give `by` article"
            )
    vectors = (options.vectors,) if options.vectors else ()
    lexicon = prepare(LexiconOptions(resources=vectors, cache=options.resources.cache))
    folds = (WHOLE,) if by_split else range(options.folds)
    keys = tuple(
        sorted(
            (system, language, kind, fold)
            for system in SYSTEMS
            if system in options.systems
            for language, kind in groups
            for fold in folds
        )
    )
    train, dev, test = options.splits if by_split else SPLITS
    models = choice_models(options.systems)
    settings = ChoiceSettings(
        options.max_length, options.device, test if by_split else None, tuple(sorted({model.kind for model in models}))
    )
    return AnswerPlan(
        tuple(
            AskTask(
                part.number, part, None if made is None else tuple(one for one in made if one.number == part.number)
            )
            for part in pairs
        ),
        tuple(sorted({language for language, _ in groups})),
        keys,
        models,
        options.vocabulary,
        AnswerOptions(
            0 if by_split else options.folds, (train, dev, test), options.cross, options.seed, options.reader, lexicon
        ),
        settings,
        options.bootstrap,
    )


def _groups(pairs: Sequence[Part], made: Sequence[Part] | None) -> tuple[set[tuple[str, str]], set[str]]:
    """Return languages and kinds of what there is to ask, and splits."""
    groups: set[tuple[str, str]] = set()
    splits: set[str] = set()
    if made is not None:
        columns = ["kind", "language", "split", "kept"]
        for rows in read_rows([checked(part) for part in made], columns):
            rows = rows.filter(rows["kept"])
            splits.update(pc.unique(pc.drop_null(rows["split"])).to_pylist())
            for row in rows.group_by(["language", "kind"]).aggregate([]).to_pylist():
                groups.add((row["language"] or "", row["kind"]))
        return groups, splits
    for rows in read_rows([checked(part) for part in pairs], ["language", "targets"]):
        targets = rows["targets"].combine_chunks()
        owners, values = pc.list_parent_indices(targets), pc.list_flatten(targets)
        found = pa.table(
            {
                "language": rows["language"].combine_chunks().take(owners),
                "kind": pc.struct_field(values, "kind"),
                "token": pc.struct_field(values, "token"),
            }
        )
        found = found.filter(pc.is_valid(found["token"]))
        for row in found.group_by(["language", "kind"]).aggregate([]).to_pylist():
            groups.add((row["language"] or "", row["kind"]))
    return groups, splits


def _build(pipeline: "beam.Pipeline", plan: AnswerPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of pairs and questions in, parts of answers and metrics out."""
    import apache_beam as beam

    from transforms.cloze.answers.ptransforms import AnswerAll, AskAll, MeasureAll

    options = plan.options._replace(lexicon=graph.carry(plan.options.lexicon))
    asked, encoded = (
        pipeline
        | "Parts" >> beam.Create([(task.number, task) for task in plan.tasks], reshuffle=False)
        | "AskAll" >> AskAll(graph.workspace, plan.languages, plan.pairs, plan.vocabulary, graph.lanes)
    )
    trained, answers = (asked, encoded) | "AnswerAll" >> AnswerAll(
        graph.workspace, plan.keys, plan.models, options, plan.settings, plan.pairs, graph.lanes
    )
    measures = MeasureSettings(plan.bootstrap, plan.settings.split)
    metrics = (answers, encoded) | "MeasureAll" >> MeasureAll(graph.workspace, measures)
    parts = (answers, metrics) | "AllParts" >> beam.Flatten()
    counted = asked | "Counted" >> beam.Values()
    return {"parts": parts, "asked": counted, "trained": trained}


def _expected(plan: AnswerPlan) -> Mapping[str, int]:
    found = {ASK.name: len(plan.tasks), ENCODE_ASKED.name: len(plan.languages)}
    if plan.keys:
        found |= {ANSWER_TRAIN.name: len(plan.keys), ANSWER.name: len(plan.keys)}
    if plan.models:
        found[CHOOSE_ANSWERS.name] = len(plan.models) * len(plan.tasks)
    return {**found, MEASURE_ANSWERS.name: 1}


def _resources(plan: AnswerPlan) -> Mapping[str, Any]:
    return {
        model.system: {"kind": "encoder", "name": model.info.name, "digest": model.info.digest} for model in plan.models
    }


def _section(plan: AnswerPlan, outcome: HandedBack) -> Mapping[str, Any]:
    counts: Counter[tuple[str, str]] = Counter()
    asked: list[FiveWayQuestions] = outcome.rows["asked"]
    for one in asked:
        for kind, reason, count in one.counts:
            counts[kind, reason] += count
    return {
        "systems": [*dict.fromkeys(key[0] for key in plan.keys), *(m.system for m in plan.models)],
        "folds": plan.options.folds,
        "splits": [] if plan.options.folds else list(plan.options.splits),
        "kinds": [
            {
                "kind": kind,
                "questions": counts[kind, ""],
                "reasons": {name: counts[kind, name] for name in ASKED_REASONS},
            }
            for kind in KINDS
            if any(kind == one for one, _ in counts)
        ],
        "training": [
            {
                "system": key[0],
                "language": key[1],
                "trained_on": key[2],
                "fold": None if key[3] == WHOLE else key[3],
                "epochs": len(one.losses),
                "best": one.best,
                "questions": one.questions,
                "held_out": one.held_out,
                "loss": one.losses[one.best] if one.losses else None,
            }
            for key, one in sorted(outcome.rows["trained"], key=_key)
        ],
    }


def _key(element: Any) -> Any:
    return element[0]


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what was asked, and how many answers are right."""
    section = snapshot.section(SECTION)
    for own in section["kinds"]:
        why = "".join(f", {name} {count}" for name, count in own["reasons"].items() if count)
        yield f"{own['kind']}: {own['questions']} questions{why}"
    idle = sum(not row["questions"] for row in section["training"])
    if idle:
        yield f"{idle} systems had no question to be trained on: what they answer is chance"
    rows = []
    for one in snapshot.read(CLOZE_METRICS.name).sort_by("subset").to_pylist():
        between = "-" if one["low"] is None else f"{one['low']:.3f} to {one['high']:.3f}"
        rows.append((one["subset"], one["system"], number(one["value"]), between, str(one["n"])))
    heads = ("asked", "system", "accuracy", "interval", "n")
    yield Grid(heads, tuple(rows), frozenset((2, 4)), 2)


def _panels(snapshot: Snapshot) -> list[Panel]:
    columns = ["subset", "system", "value", "low", "high", "n", "reason"]
    rows = snapshot.read(CLOZE_METRICS.name).select(columns)
    text = (
        "Accuracy of systems that choose among five options, on questions whose article they were "
        "not trained on, with bootstrap intervals over articles. `KIND from OTHER`: trained on "
        "another kind; `all`: all kinds together. Beside them what needs no reading: chance, the "
        "option most frequent in passages, an option that is not in the passage."
    )
    return [Rows("Reading systems", text, rows)]


CLOZE_ANSWER: Command[ClozeAnswerOptions, AnswerPlan] = Command(
    options=ClozeAnswerOptions,
    examples="""\
  lexbeam cloze answer cloze
  lexbeam cloze answer cloze --asked targets --folds 4 --vectors news.vec
  lexbeam cloze answer cloze --systems ga5,multiple-choice:models/bert --by split --no-cross""",
    tables=(ANSWERS, CLOZE_METRICS),
    reads=_reads,
    check=_check,
    stages=(ASK, ENCODE_ASKED, ANSWER_TRAIN, ANSWER, CHOOSE_ANSWERS, MEASURE_ANSWERS),
    plan=_plan,
    build=_build,
    rows={"asked": FiveWayQuestions, "trained": tuple[tuple[str, str, str, int], TrainedSystem]},
    expected=_expected,
    resources=_resources,
    section=_section,
    summary=_summary,
    report=_panels,
)
