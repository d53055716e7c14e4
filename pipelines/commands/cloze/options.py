"""Options of cloze questions: tables cloze/predictions and cloze/options.

    lexbeam cloze options cloze --readers context,ga,ar,ar-gloss --more news
    lexbeam cloze options cloze --readers frequency --vectors news.vec

docs/tasks/cloze/options.md says what readers compute and how options are chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from lexbeam.pipelines.commands.cloze.more_pairs import (
    check_more,
    languages_of,
    more_option,
    own_and_more,
    sources_of_more,
)
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.cloze import CANDIDATES, KINDS, OPTION_REASONS, OPTIONS, PAIRS, PREDICTIONS
from lexbeam.transforms.cloze.questions.choice import OptionRules
from lexbeam.transforms.cloze.questions.choice_stage import ChooseOptions, ChosenOptions, choose_tasks
from lexbeam.transforms.cloze.readers.data import EncodeOptions, GroupTask, QuestionGroup, asked_rows
from lexbeam.transforms.cloze.readers.encoding import EncodeGroup
from lexbeam.transforms.cloze.readers.options import CONTEXT, FREQUENCY, READERS, ReaderNetworkOptions, check_torch
from lexbeam.transforms.cloze.readers.reading_in_folds import (
    CUTS,
    NAMED,
    REGISTRY,
    FitReader,
    NameWords,
    PredictedWords,
    ReadSettings,
    Tally,
    read_tasks,
    untrained_tasks,
)
from lexbeam.transforms.cloze.readers.words import BandOptions
from lexbeam.transforms.cloze.word_resources import (
    VECTORS,
    WORDNET,
    inflector_option,
    vectors_option,
    warn_of_inflector,
)
from lexbeam.transforms.common.errors import NoDataError, UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import checked, summed, totals
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.inflection.models import inflector_reference
from lexbeam.transforms.learning.crossfitting import FittedModel, formats_chosen
from lexbeam.transforms.lexicon.resources import CacheOptions, LexiconOptions, prepare, wordnet_option
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "cloze.options"
GLOSS_TOKENS = 30  # words of a gloss that a reader sees: 98.8 % of the definitions of WordNet have no more


@dataclass(frozen=True, kw_only=True)
class ClozeOptionsOptions(RunnerOptions):
    """Options of `lexbeam cloze options`."""

    folder: str | None = input_folder("candidates, of `lexbeam cloze candidates`")
    readers: tuple[str, ...] = option(
        ("context", "ga", "ar", "ar-gloss"), help="who names words", metavar="READER", choices=READERS, group="readers"
    )
    folds: int = option(
        4, help="parts of the articles; a reader is asked the one that it is not trained on", least=2, group="readers"
    )
    more: tuple[str, ...] = more_option()
    seed: int = option(1, help="of folds, training and draws", group="readers")
    reader: ReaderNetworkOptions = embedded(ReaderNetworkOptions, group="readers")
    encode: EncodeOptions = embedded(EncodeOptions, group="questions")
    rules: OptionRules = embedded(OptionRules, group="options")
    bands: BandOptions = embedded(BandOptions, group="reader frequency")
    wordnet: str | None = wordnet_option()
    vectors: str | None = vectors_option()
    inflector: str | None = inflector_option("forms like the answer's")
    resources: CacheOptions = embedded(CacheOptions, group="resources")


class OptionsPlan(NamedTuple):
    """What is to be done.

    Attributes:
        groups: questions that are read together.
        readers: who names words.
        encode: which questions there are.
        options: how readers are trained and asked.
        choose: what may be an option.
    """

    groups: tuple[GroupTask, ...]
    readers: tuple[str, ...]
    encode: EncodeOptions
    options: ReadSettings
    choose: ChooseOptions
    candidates: tuple[Part, ...]
    pairs: tuple[Part, ...]


def _keys(plan: OptionsPlan) -> list[tuple[QuestionGroup, str, int]]:
    return sorted(
        (task.group, reader, fold)
        for task in plan.groups
        for reader in plan.readers
        for fold in range(plan.options.folds)
    )


def _measured(predicted: list[tuple[tuple[QuestionGroup, str, int], PredictedWords]]) -> list[dict[str, Any]]:
    """Return how good readers are, over all folds."""
    tallies: dict[tuple[str, str, str], list[Tally]] = {}
    for ((kind, language), reader, _), words in sorted(predicted, key=itemgetter(0)):
        if words.tally is not None:
            tallies.setdefault((kind, language, reader), []).append(words.tally)
    return [
        {"kind": kind, "language": language, "reader": reader, **_measures(folds)}
        for (kind, language, reader), folds in tallies.items()
    ]


def _measures(folds: Sequence[Tally]) -> dict[str, int | float | None]:
    """Return the questions of all folds, and the mean reciprocal rank and recall of the answers."""
    questions = sum(tally.questions for tally in folds)
    unseen = sum(tally.unseen for tally in folds)
    reciprocal = sum(tally.reciprocal for tally in folds)
    of_seen = sum(tally.reciprocal_seen for tally in folds)
    hits = (sum(tally.hits[place] for tally in folds) for place in range(len(CUTS)))
    return {
        "questions": questions,
        "unseen": unseen,
        "mrr": reciprocal / questions if questions else None,
        "mrr_seen": of_seen / (questions - unseen) if questions > unseen else None,
        **{f"recall_at_{k}": hit / questions if questions else None for k, hit in zip(CUTS, hits, strict=True)},
    }


_DROPPED = SectionTable(
    "Words that are no options",
    "By the reason for which they were dropped.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn("reason", "why words that readers named are no options", pa.string()),
        TableColumn("words", "how many"),
    ),
)

_READERS = SectionTable(
    "Readers",
    "How often readers name the answer, folds together.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn("language", "of the texts", pa.string()),
        TableColumn("reader", "the reader", pa.string()),
        TableColumn("questions", "questions that it was asked"),
        TableColumn("unseen", "of these, those whose answer no question of another fold has"),
        TableColumn("mrr", "mean reciprocal rank of the answer", pa.float64(), "MRR"),
        TableColumn("mrr_seen", "that of the others", pa.float64(), "MRR seen"),
        *(TableColumn(f"recall_at_{k}", f"answers among the first {k} words", pa.float64(), f"R@{k}") for k in CUTS),
    ),
)


# What to do where questions come to nothing, as they do with a dozen articles.
_MORE = "take in more articles, by `lexbeam cloze pairs`, or give other `readers`"


def _not_shown(section: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that tell no rows of measures apart: the language where there is one."""
    several = len({row["language"] for row in section["measured"]}) > 1
    return () if several else ("language",)


class ClozeOptions(Command[ClozeOptionsOptions, OptionsPlan]):
    """`lexbeam cloze options`."""

    options = ClozeOptionsOptions
    examples = """\
  lexbeam cloze options cloze
  lexbeam cloze options cloze --readers context --more news,reports
  lexbeam cloze options cloze --readers ar --vectors news.vec --folds 4 --seed 2
  lexbeam cloze options cloze --readers frequency --options-in-passage reject --inflector lemminflect"""
    tables = (PREDICTIONS, OPTIONS)
    stages = (EncodeGroup, FitReader, NameWords, ChooseOptions)
    rows: Mapping[str, type] = {
        "chosen": ChosenOptions,
        "trained": tuple[tuple[QuestionGroup, str, int], FittedModel],
        "predicted": tuple[tuple[QuestionGroup, str, int], PredictedWords],
    }
    opening = Opening(
        "Options beside the answers",
        "The four wrong options beside each answer: words that readers name for the gap, and that rules leave "
        "over. The counts say why other words were dropped, and how often readers name the answer itself.",
        ("readers", "folds", "most-similar", "least-similar", "seed"),
    )

    def reads(self, options: ClozeOptionsOptions) -> Sequence[TableSource]:
        own = [TableSource(PAIRS.name, options.folder), TableSource(CANDIDATES.name, options.folder, needed=True)]
        return [*own, *sources_of_more(options.more)]

    def check(self, options: ClozeOptionsOptions) -> None:
        if not options.readers:
            raise UsageError("`readers` names none: give at least one")
        if FREQUENCY in options.readers and len(options.readers) > 1:
            raise UsageError(
                f"`readers` {FREQUENCY} draws words by the answer, others do not know it: "
                "give it alone, or leave it out"
            )
        if options.bands.least_similar > options.bands.most_similar:
            raise UsageError("`least_similar` is above `most_similar`: no word is left")
        if max(options.rules.list_sizes, default=0) > NAMED or not options.rules.list_sizes:
            raise UsageError(f"`list_sizes` are 1 to {NAMED}, for readers name {NAMED} words")
        if options.more and FREQUENCY in options.readers:
            raise UsageError(f"`readers` {FREQUENCY} learns from no texts: leave out `more`")
        check_more(options.more, options.folder or options.out)
        if any(READERS[name].network for name in options.readers):
            check_torch(other=CONTEXT)
        for name in options.readers:
            READERS[name].check_installed(f"reader `{name}`")

    def plan(self, options: ClozeOptionsOptions, inputs: Inputs) -> OptionsPlan:
        (pairs, more), candidates = own_and_more(inputs), inputs.only(CANDIDATES.name).parts
        languages = languages_of(pairs, more)
        kinds: set[str] = set()
        for rows in read_rows([checked(part) for part in candidates], ["kind", "passed", "target"]):
            kinds.update(kind for kind in KINDS if asked_rows(rows, kind, options.encode.asked).num_rows)
        if not kinds:
            lacks = "passed all filters" if options.encode.asked == "passed" else "is a target of the files"
            raise NoDataError(f"no questions: no candidate {lacks}")
        wordnet = options.wordnet or f"{WORDNET}=wordnet"
        resources = (wordnet, *([options.vectors] if options.vectors else []))
        lexicon = prepare(LexiconOptions(resources=resources, cache=options.resources.cache))
        inflector = inflector_reference(options.inflector) if options.inflector and options.rules.inflect else None
        warn_of_inflector(languages, inflector)
        groups = [QuestionGroup(kind, language) for kind in KINDS for language in sorted(languages) if kind in kinds]
        readers = tuple(reader for reader in READERS if reader in options.readers)
        return OptionsPlan(
            groups=tuple(GroupTask(group, pairs, candidates, more) for group in groups),
            readers=readers,
            encode=options.encode,
            options=ReadSettings(
                options.folds,
                options.seed,
                options.reader,
                options.bands,
                GLOSS_TOKENS,
                lexicon.only(VECTORS),
                lexicon.only(WORDNET),
            ),
            choose=ChooseOptions(options.rules, options.encode.asked, lexicon, inflector),
            candidates=candidates,
            pairs=pairs,
        )

    def build(self, pipeline: "beam.Pipeline", plan: OptionsPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Groups of questions in, parts of predictions and options out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts, Once
        from lexbeam.transforms.learning.ptransforms import CrossFit

        lexicon = graph.carry(plan.choose.lexicon)
        settings = plan.options._replace(vectors=lexicon.only(VECTORS), glosses=lexicon.only(WORDNET))
        keys = _keys(plan)
        graph.expect(NameWords, len(keys))
        graph.expect(ChooseOptions, len(plan.candidates) if keys else 0)
        groups = graph.tasks(pipeline, "Groups", [(task.group, task) for task in plan.groups], EncodeGroup)
        encoded = groups | "Encode" >> Each(graph.workspace, EncodeGroup(plan.encode), lambda group: [group])
        entries = {REGISTRY: plan.readers, **formats_chosen("safetensors")}
        name_words = NameWords(settings.folds, settings.seed)
        if FREQUENCY in plan.readers:  # alone, and not trained
            draws = partial(untrained_tasks, readers=plan.readers, settings=settings)
            trained = pipeline | "NoneTrained" >> beam.Create([])
            predicted = encoded | "Draw" >> Each(graph.workspace, name_words, draws, entries={REGISTRY: plan.readers})
        else:
            graph.expect(FitReader, len(keys))
            trained, predicted = encoded | "Read" >> CrossFit(
                graph.workspace,
                FitReader(settings.folds, settings.seed),
                name_words,
                partial(read_tasks, readers=plan.readers, settings=settings),
                lanes=graph.lanes,
                entries=entries,
            )
        predictions = predicted | "NamePredictions" >> beam.ParDo(NameParts(PREDICTIONS.name, "part", keys))
        chosen = predictions | "Choose" >> Once(
            graph.workspace,
            replace(plan.choose, lexicon=lexicon),
            partial(choose_tasks, candidates=plan.candidates, pairs=plan.pairs),
            {"groups": beam.pvalue.AsList(encoded)},
            lanes=graph.lanes,
            weight=attrgetter("candidates.rows"),
        )
        options = chosen | "NameOptions" >> beam.ParDo(NameParts(OPTIONS.name, "part"))
        return {
            "parts": (predictions, options) | "AllParts" >> beam.Flatten(),
            "chosen": chosen | "Chosen" >> beam.Values(),
            "trained": trained,
            "predicted": predicted,
        }

    def section(self, plan: OptionsPlan, outcome: HandedBack) -> Mapping[str, Any]:
        chosen: list[ChosenOptions] = outcome.rows["chosen"]
        counts = {row["kind"]: row for row in summed(chosen, ("kind",), ("questions", "too_few", "unlike"))}
        dropped = totals(
            {(count.kind, name): number}
            for part in chosen
            for count in part.counts
            for name, number in count.reasons.items()
        )
        return {
            "readers": list(plan.readers),
            "folds": plan.options.folds,
            "inflector": None if plan.choose.inflector is None else plan.choose.inflector.described(),
            "kinds": [
                {
                    "kind": kind,
                    "questions": counts[kind]["questions"],
                    "too_few_options": counts[kind]["too_few"],
                    "unlike_forms": counts[kind]["unlike"],
                    "dropped": {name: dropped[kind, name] for name in OPTION_REASONS},
                }
                for kind in KINDS
                if kind in counts
            ],
            "training": [
                {
                    "kind": kind,
                    "language": language,
                    "reader": reader,
                    "fold": fold,
                    "epochs": len(trained.figures.losses),
                    "best": trained.figures.best,
                    "questions": trained.figures.rows,
                    "held_out": trained.figures.held_out,
                    "further": trained.figures.further,
                    "loss": trained.figures.losses[trained.figures.best] if trained.figures.losses else None,
                }
                for ((kind, language), reader, fold), trained in sorted(outcome.rows["trained"], key=itemgetter(0))
            ],
            "measured": _measured(outcome.rows["predicted"]),
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield how many questions have their options, and how good readers are."""
        section = snapshot.section(SECTION)
        remedy = "" if section["inflector"] else "; `inflector` gives them one (lemminflect: English)"
        for counts in section["kinds"]:
            enough = counts["questions"] - counts["too_few_options"]
            yield f"{counts['kind']}: {enough} of {counts['questions']} questions have four options"
            if unlike := counts.get("unlike_forms"):  # 0.1.0 counted something else
                yield f"  {unlike} more would have, but their other words have no form like the answer's" + remedy
            if counts["questions"] and not enough:
                yield f"none has: options are words that fit elsewhere in the texts, so {_MORE}"
        if section["measured"]:
            yield _READERS.grid(section["measured"], _not_shown(section))

    def report(self, snapshot: Snapshot) -> list[Panel]:
        section = snapshot.section(SECTION)
        dropped = [
            {"kind": counts["kind"], "reason": name, "words": number}
            for counts in section["kinds"]
            for name, number in counts["dropped"].items()
        ]
        measured = section["measured"]
        return [_DROPPED.panel(dropped), *([_READERS.panel(measured, _not_shown(section))] if measured else [])]
