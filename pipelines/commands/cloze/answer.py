"""Reading systems that choose among five options: tables cloze/answers and cloze/metrics.

    lexbeam cloze answer cloze --more news
    lexbeam cloze answer cloze --systems ga5,multiple-choice:models/bert --by split

docs/tasks/cloze/answer.md says what systems compute, and what they are trained and asked on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.pipelines.commands.cloze.more_pairs import (
    check_more,
    languages_of,
    more_option,
    own_and_more,
    sources_of_more,
)
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import (
    Command,
    Graph,
    HandedBack,
    Inputs,
    InputTable,
    Opening,
    RunnerOptions,
    TableSource,
)
from lexbeam.schemas.cloze import ANSWERS, ASKED_REASONS, KINDS, PAIRS, QUESTIONS
from lexbeam.schemas.common_tables import CLOZE_METRICS
from lexbeam.transforms.cloze.answers.data import (
    ASKED,
    AskPart,
    AskTask,
    EncodeAsked,
    FiveWayQuestions,
    VocabularyOptions,
)
from lexbeam.transforms.cloze.answers.evaluation import MeasureAnswers, MeasureTask
from lexbeam.transforms.cloze.answers.trained_systems import (
    REGISTRY,
    SYSTEMS,
    WHOLE,
    AnswerQuestions,
    AnswerTask,
    ChoiceModel,
    ChoiceTask,
    ChooseAnswers,
    FitSystem,
    HeldBy,
    check_systems,
    choice_models,
    encoders_chosen,
    within_system,
)
from lexbeam.transforms.cloze.readers.data import GroupTask, NumberedTexts, QuestionGroup
from lexbeam.transforms.cloze.readers.options import CONTEXT, NetworkOptions, ReaderNetworkOptions, check_torch
from lexbeam.transforms.cloze.readers.reading_in_folds import NetworkSetting
from lexbeam.transforms.cloze.word_resources import vectors_option
from lexbeam.transforms.common.draws.splits import parse_shares
from lexbeam.transforms.common.errors import NoDataError, UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, Grid, amount, counts_tail, number
from lexbeam.transforms.common.store.receipts import checked, totals
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.learning.crossfitting import FittedModel, formats_chosen
from lexbeam.transforms.lexicon.encoders.span_vectors import DEVICES
from lexbeam.transforms.lexicon.resources import CacheOptions, LexiconOptions, prepare
from lexbeam.transforms.report.panels import Panel, Rows

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "cloze.answer"
BY = ("article", "split")
SPLITS = ("train", "dev", "test")
# System, language, kind that it is trained on, and fold.
Key = tuple[str, str, str, int]


@dataclass(frozen=True, kw_only=True)
class ClozeAnswerOptions(RunnerOptions):
    """Options of `lexbeam cloze answer`."""

    folder: str | None = input_folder("questions, of `lexbeam cloze questions`")
    systems: tuple[str, ...] = option(
        tuple(SYSTEMS),
        help="who answers: one of these systems, or multiple-choice:PATH, a local model of transformers",
        listed="lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS",
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
    more: tuple[str, ...] = more_option()
    seed: int = option(1, help="of folds and training", group="readers")
    reader: NetworkOptions = embedded(NetworkOptions, group="readers")
    vocabulary: VocabularyOptions = embedded(VocabularyOptions, group="readers")
    vectors: str | None = vectors_option(group="readers")
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
        more: parts of further pairs.
        languages: those of the questions.
        keys: what is trained, sorted.
        models: what comes trained.
        by: what is held out.
        setting: what networks are trained with.
        options: all options.
    """

    tasks: tuple[AskTask, ...]
    more: tuple[Part, ...]
    languages: tuple[str, ...]
    keys: tuple[Key, ...]
    models: tuple[ChoiceModel, ...]
    by: HeldBy
    setting: NetworkSetting
    options: ClozeAnswerOptions

    @property
    def tested(self) -> str | None:
        """The split whose questions alone count; None: all do."""
        return self.by.splits[-1] if self.by.splits else None

    @property
    def pairs(self) -> tuple[Part, ...]:
        """The parts of the pairs."""
        return tuple(task.pairs for task in self.tasks)


def _check_splits(splits: Sequence[str], questions: InputTable) -> None:
    """Check that questions are in each split.

    Raises:
        NoDataError: one that they are dealt to has none.
        UsageError: there is no such split.
    """
    names: set[str] = set()
    for rows in _kept(questions.parts, ["split"]):
        names.update(pc.unique(pc.drop_null(rows["split"])).to_pylist())
    shares = questions.section.get("splits", {}).get("shares")
    for name in splits:
        if name not in names:
            if shares and name in parse_shares(shares).names:
                raise NoDataError(f"no questions: none is in split {name}")
            raise UsageError(
                f"`splits`: no question is in split {name!r}, there are "
                f"{', '.join(sorted(names))}: name three of them, or give `by` article"
            )


def _tasks(pairs: Sequence[Part], questions: Sequence[Part] | None) -> tuple[AskTask, ...]:
    """Return each part of the pairs with the parts of the questions that have its number."""
    return tuple(
        AskTask(part, None if questions is None else tuple(made for made in questions if made.number == part.number))
        for part in pairs
    )


def _keys(options: ClozeAnswerOptions, groups: Collection[tuple[str, str]]) -> tuple[Key, ...]:
    """Return what is trained: systems, for each language and kind, and each fold of the articles."""
    systems = [system for system in SYSTEMS if system in options.systems]
    folds = (WHOLE,) if options.by == "split" else range(options.folds)
    return tuple(
        sorted((system, language, kind, fold) for system in systems for language, kind in groups for fold in folds)
    )


def _kept(questions: Sequence[Part], columns: Sequence[str]) -> Iterator[pa.Table]:
    for rows in read_rows([checked(part) for part in questions], [*columns, "kept"]):
        yield rows.filter(rows["kept"])


def _groups_of_questions(questions: Sequence[Part]) -> set[tuple[str, str]]:
    """Return the languages and kinds of questions."""
    return {group for rows in _kept(questions, ["language", "kind"]) for group in _groups(rows)}


def _groups_of_targets(pairs: Sequence[Part]) -> set[tuple[str, str]]:
    """Return the languages and kinds of targets that stand in their summaries."""
    groups: set[tuple[str, str]] = set()
    for rows in read_rows([checked(part) for part in pairs], ["language", "targets"]):
        lists = rows["targets"].combine_chunks()
        targets = pc.list_flatten(lists)
        columns = {
            "language": rows["language"].combine_chunks().take(pc.list_parent_indices(lists)),
            "kind": pc.struct_field(targets, "kind"),
        }
        groups |= _groups(pa.table(columns).filter(pc.is_valid(pc.struct_field(targets, "token"))))
    return groups


def _groups(rows: pa.Table) -> set[tuple[str, str]]:
    combinations = rows.group_by(["language", "kind"]).aggregate([]).to_pylist()
    return {(row["language"] or "", row["kind"]) for row in combinations}


def _groups_to_encode(
    asked: tuple[tuple[int, FiveWayQuestions], ...], plan: AnswerPlan
) -> Iterator[tuple[str, GroupTask]]:
    parts = tuple(Part.of("asked", number, of.rows) for number, of in sorted(asked, key=itemgetter(0)))
    for language in plan.languages:
        yield language, GroupTask(QuestionGroup("", language), plan.pairs, parts, plan.more)


def _answer_tasks(
    element: tuple[str, NumberedTexts], keys: tuple[Key, ...], setting: NetworkSetting
) -> Iterator[tuple[Key, AnswerTask]]:
    of, encoded = element
    for key in keys:
        system, language, kind, fold = key
        if language == of:
            needed = setting if SYSTEMS[system].network else None
            yield key, AnswerTask(system, language, kind, fold, encoded, needed)


def _choice_tasks(
    element: tuple[int, FiveWayQuestions], models: tuple[ChoiceModel, ...], pairs: tuple[Part, ...]
) -> Iterator[tuple[tuple[str, int], ChoiceTask]]:
    number, asked = element
    (beside,) = (part for part in pairs if part.number == number)
    for model in models:
        yield (model.system, number), ChoiceTask(model, beside, Part.of("asked", number, asked.rows))


def _measure_tasks(
    answers: tuple[Part, ...], encoded: tuple[tuple[str, NumberedTexts], ...]
) -> Iterator[tuple[int, MeasureTask]]:
    yield 0, MeasureTask(tuple(sorted(answers)), tuple(sorted(encoded, key=itemgetter(0))))


class ClozeAnswer(Command[ClozeAnswerOptions, AnswerPlan]):
    """`lexbeam cloze answer`."""

    options = ClozeAnswerOptions
    examples = """\
  lexbeam cloze answer cloze
  lexbeam cloze answer cloze --asked targets --folds 4 --vectors news.vec
  lexbeam cloze answer cloze --systems ga5,multiple-choice:models/bert --by split --no-cross"""
    tables = (ANSWERS, CLOZE_METRICS)
    stages = (AskPart, EncodeAsked, FitSystem, AnswerQuestions, ChooseAnswers, MeasureAnswers)
    rows: Mapping[str, type] = {"asked": FiveWayQuestions, "trained": tuple[Key, FittedModel]}
    opening = Opening(
        "Answers of reading systems",
        "How many questions each system answers rightly, with an interval; chance is one in five. Systems "
        "that see no passage say how much of a question can be guessed.",
        ("systems", "splits", "folds", "cross", "seed", "resamples", "level"),
    )

    def reads(self, options: ClozeAnswerOptions) -> Sequence[TableSource]:
        pairs = [TableSource(PAIRS.name, options.folder, needed=True), *sources_of_more(options.more)]
        if options.asked == "targets":
            return pairs
        # Questions first: where neither is there, the later of the two commands is the one to run.
        return [TableSource(QUESTIONS.name, options.folder, needed=True), *pairs]

    def check(self, options: ClozeAnswerOptions) -> None:
        if options.by == "split":
            if options.asked == "targets":
                raise UsageError("`asked` targets have no splits: give `by` article")
            if len(set(options.splits)) != len(SPLITS) or not all(options.splits):
                raise UsageError(
                    "`splits` are three different ones: to train on, to stop by, and to ask, such as "
                    + ",".join(SPLITS)
                )
        trained = [SYSTEMS[name] for name in options.systems if name in SYSTEMS]
        if options.more and not trained:
            raise UsageError("`more` is for systems that are trained here: leave it out, or name one in `systems`")
        check_more(options.more, options.folder or options.out)
        if any(system.network for system in trained):
            check_torch("systems", CONTEXT)
        for name in options.systems:
            if name in SYSTEMS:
                SYSTEMS[name].check_installed(f"system `{name}`")

    def plan(self, options: ClozeAnswerOptions, inputs: Inputs) -> AnswerPlan:
        pairs, more = own_and_more(inputs)
        asked = None if options.asked == "targets" else inputs.only(QUESTIONS.name)
        questions = None if asked is None else asked.parts
        groups = _groups_of_targets(pairs) if questions is None else _groups_of_questions(questions)
        if not groups:
            raise NoDataError(
                "no questions: no pair has a target with options"
                if questions is None
                else "no questions: table cloze/questions has none that is kept"
            )
        by_split = options.by == "split"
        if by_split and asked is not None:
            _check_splits(options.splits, asked)
        languages = tuple(sorted({language for language, _ in groups}))
        languages_of(pairs, more, languages)
        vectors = (options.vectors,) if options.vectors else ()
        lexicon = prepare(LexiconOptions(resources=vectors, cache=options.resources.cache))
        return AnswerPlan(
            tasks=_tasks(pairs, questions),
            more=more,
            languages=languages,
            keys=_keys(options, groups),
            models=choice_models(options.systems),
            by=HeldBy(0 if by_split else options.folds, options.splits if by_split else (), options.seed),
            setting=NetworkSetting(ReaderNetworkOptions(**vars(options.reader), prior=0, further_each=0), lexicon),
            options=options,
        )

    def build(self, pipeline: "beam.Pipeline", plan: AnswerPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of pairs and questions in, parts of answers and metrics out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts, Once
        from lexbeam.transforms.learning.ptransforms import CrossFit

        workspace, options = graph.workspace, plan.options
        graph.expect(EncodeAsked, len(plan.languages))
        if plan.keys:
            graph.expect(FitSystem, len(plan.keys))
            graph.expect(AnswerQuestions, len(plan.keys))
        if plan.models:
            graph.expect(ChooseAnswers, len(plan.models) * len(plan.tasks))
        graph.expect(MeasureAnswers, 1)
        parts = graph.tasks(pipeline, "Parts", [(task.pairs.number, task) for task in plan.tasks], AskPart)
        rows = attrgetter("pairs.rows")
        asked = parts | "Ask" >> Each(workspace, AskPart(), lambda part: [part], lanes=graph.lanes, weight=rows)
        groups = partial(_groups_to_encode, plan=plan)
        encoded = asked | "Encode" >> Once(workspace, EncodeAsked(options.vocabulary), groups)
        trained = answered = chosen = pipeline | "None" >> beam.Create([])
        if plan.keys:
            setting = plan.setting._replace(vectors=graph.carry(plan.setting.vectors))
            systems = tuple(sorted({system for system, *_ in plan.keys}))
            trained, answered = encoded | "Read" >> CrossFit(
                workspace,
                FitSystem(plan.by),
                AnswerQuestions(plan.by, options.cross),
                partial(_answer_tasks, keys=plan.keys, setting=setting),
                lanes=graph.lanes,
                entries={REGISTRY: systems, **formats_chosen("safetensors")},
            )
        if plan.models:
            chosen = asked | "Choose" >> Each(
                workspace,
                ChooseAnswers(options.max_length, options.device, plan.tested),
                partial(_choice_tasks, models=plan.models, pairs=plan.pairs),
                lanes=graph.lanes,
                weight=lambda _: 1.0,
                entries=encoders_chosen(plan.models),
            )
        keys = (*plan.keys, *((model.system, part.number) for model in plan.models for part in plan.pairs))
        all_answers = (answered, chosen) | "AllAnswers" >> beam.Flatten()
        answers = all_answers | "Number" >> beam.ParDo(NameParts(ANSWERS.name, keys=keys))
        measured = {"answers": answers, "encoded": encoded} | "Measure" >> Once(
            workspace, MeasureAnswers(options.bootstrap, plan.tested), _measure_tasks
        )
        metrics = measured | "NameMetrics" >> beam.ParDo(NameParts(CLOZE_METRICS.name))
        all_parts = (answers, metrics) | "AllParts" >> beam.Flatten()
        return {"parts": all_parts, "asked": asked | "Counted" >> beam.Values(), "trained": trained}

    def resources(self, plan: AnswerPlan) -> Mapping[str, Any]:
        return {
            model.system: {"kind": "encoder", "name": model.info.name, "digest": model.info.digest}
            for model in plan.models
        }

    def section(self, plan: AnswerPlan, outcome: HandedBack) -> Mapping[str, Any]:
        asked: list[FiveWayQuestions] = outcome.rows["asked"]
        counts = totals({(kind, reason): number} for part in asked for kind, reason, number in part.counts)
        kinds = {kind for kind, _ in counts}
        return {
            "systems": [*dict.fromkeys(key[0] for key in plan.keys), *(model.system for model in plan.models)],
            "folds": plan.by.folds,
            "splits": list(plan.by.splits),
            "kinds": [
                {
                    "kind": kind,
                    "questions": counts[kind, ""],
                    "reasons": {name: counts[kind, name] for name in ASKED_REASONS},
                }
                for kind in KINDS
                if kind in kinds
            ],
            "training": [
                {
                    "system": system,
                    "language": language,
                    "trained_on": kind,
                    "fold": None if fold == WHOLE else fold,
                    "epochs": len(trained.figures.losses),
                    "best": trained.figures.best,
                    "questions": trained.figures.rows,
                    "held_out": trained.figures.held_out,
                    "loss": trained.figures.losses[trained.figures.best] if trained.figures.losses else None,
                }
                for (system, language, kind, fold), trained in sorted(outcome.rows["trained"], key=itemgetter(0))
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield what was asked, and how many answers are right."""
        section = snapshot.section(SECTION)
        for counts in section["kinds"]:
            yield f"{counts['kind']}: {amount(counts['questions'], 'questions')}{counts_tail(counts['reasons'])}"
        idle = sum(not row["questions"] for row in section["training"])
        if idle:
            yield f"{idle} systems had no question to be trained on: what they answer is chance"
        rows = []
        for row in snapshot.read(CLOZE_METRICS.name).sort_by("subset").to_pylist():
            interval = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            rows.append((row["subset"], row["system"], number(row["value"]), interval, str(row["n"])))
        heads = ("asked", "system", "accuracy", "interval", "n")
        yield Grid(heads, tuple(rows), frozenset((2, 4)), 2)

    def report(self, snapshot: Snapshot) -> list[Panel]:
        columns = ["subset", "system", "value", "low", "high", "n", "reason"]
        rows = snapshot.read(CLOZE_METRICS.name).select(columns)
        text = (
            "Accuracy of systems that choose among five options, on questions whose article they were "
            "not trained on, with bootstrap intervals over articles. `KIND from OTHER`: trained on "
            "another kind; `all`: all kinds together. Beside them what needs no reading: chance, the "
            "option most frequent in passages, an option that is not in the passage."
        )
        return [Rows("Reading systems", text, rows)]
