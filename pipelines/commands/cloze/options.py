"""Options of cloze questions: tables cloze/predictions and cloze/options.

    lexbeam cloze options cloze --readers ga,ar,ar-gloss
    lexbeam cloze options cloze --readers frequency --vectors news.vec

docs/tasks/cloze/options.md says what readers compute and how options are chosen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.cloze.pairs import CANDIDATES, KINDS, OPTION_REASONS, OPTIONS, PAIRS, PREDICTIONS
from schemas.columns import column
from transforms.cloze.filters.base import VECTORS, WORDNET
from transforms.cloze.filters.word_resources import as_vectors, as_wordnet, check_spec, within_vectors, within_wordnet
from transforms.cloze.options.choice import OptionRules
from transforms.cloze.options.choice_stage import CHOOSE, ChooseOptions, ChosenOptions
from transforms.cloze.readers.data import EncodeOptions, GroupTask, QuestionGroup, asked_rows
from transforms.cloze.readers.encoding import ENCODE
from transforms.cloze.readers.frequency import BandOptions
from transforms.cloze.readers.options import FREQUENCY, READERS, ReaderNetworkOptions, check_torch
from transforms.cloze.readers.stages import (
    CUTS,
    NAMED,
    READ_PREDICT,
    READ_TRAIN,
    FoldOptions,
    PredictedWords,
    TrainedReader,
)
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows
from transforms.lexicon.resources import CacheOptions, LexiconOptions, prepare
from transforms.report.panels import Panel, Rows

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["CLOZE_OPTIONS", "GLOSS_TOKENS", "ClozeOptionsOptions"]

SECTION = "cloze.options"
GLOSS_TOKENS = 30  # words of a gloss that a reader sees: 98.8 % of the definitions of WordNet have no more


@dataclass(frozen=True, kw_only=True)
class ClozeOptionsOptions(RunnerOptions):
    """Options of `lexbeam cloze options`."""

    folder: str | None = option(
        None,
        help="folder with candidates, of `lexbeam cloze candidates`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    readers: tuple[str, ...] = option(
        ("ga", "ar", "ar-gloss"), help="who names words", metavar="READER", choices=READERS, group="readers"
    )
    folds: int = option(
        4, help="parts of the articles; a reader is asked the one that it is not trained on", least=2, group="readers"
    )
    seed: int = option(1, help="of folds, training and draws", group="readers")
    reader: ReaderNetworkOptions = embedded(ReaderNetworkOptions, group="readers")
    encode: EncodeOptions = embedded(EncodeOptions, group="questions")
    rules: OptionRules = embedded(OptionRules, group="options")
    bands: BandOptions = embedded(BandOptions, group="reader frequency")
    wordnet: str | None = option(
        None,
        help="folder of the database files of WordNet, "
        "see docs/reference/wordnet.md; if not given, where Debian has them",
        metavar="PATH",
        path="resource",
        within=within_wordnet,
        stands_for=as_wordnet,
        check=check_spec,
        group="resources",
    )
    vectors: str | None = option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=within_vectors,
        stands_for=as_vectors,
        check=check_spec,
        group="resources",
    )
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
    options: FoldOptions
    choose: ChooseOptions
    candidates: tuple[Part, ...]
    pairs: tuple[Part, ...]


def _reads(options: ClozeOptionsOptions) -> Sequence[TableSource]:
    return [TableSource(PAIRS.name, options.folder), TableSource(CANDIDATES.name, options.folder)]


def _check(options: ClozeOptionsOptions) -> None:
    if not options.readers:
        raise UsageError("`readers` names none: give at least one")
    if FREQUENCY in options.readers and len(options.readers) > 1:
        raise UsageError(
            f"`readers` {FREQUENCY} draws words by the answer, others do not know it: give it alone, or leave it out"
        )
    if options.bands.least_similar > options.bands.most_similar:
        raise UsageError("`least_similar` is above `most_similar`: no word is left")
    if max(options.rules.list_sizes, default=0) > NAMED or not options.rules.list_sizes:
        raise UsageError(f"`list_sizes` are 1 to {NAMED}, for readers name {NAMED} words")
    if options.readers != (FREQUENCY,):
        check_torch()


def _plan(options: ClozeOptionsOptions, inputs: Inputs) -> OptionsPlan:
    pairs, found = inputs.only(PAIRS.name).parts, inputs.only(CANDIDATES.name).parts
    languages: set[str] = set()
    for rows in read_rows([checked(part) for part in pairs], ["language"]):
        languages.update(pc.unique(pc.fill_null(rows["language"], "")).to_pylist())
    kinds: set[str] = set()
    for rows in read_rows([checked(part) for part in found], ["kind", "passed", "target"]):
        kinds.update(kind for kind in KINDS if asked_rows(rows, kind, options.encode.asked).num_rows)
    if not kinds:
        raise LexbeamError(
            "no word of table cloze/candidates is asked for: none passed all filters, or, with "
            "`asked` targets, none is a target of the files"
        )
    wordnet = options.wordnet or f"{WORDNET}=wordnet"
    resources = (wordnet, *([options.vectors] if options.vectors else []))
    lexicon = prepare(LexiconOptions(resources=resources, cache=options.resources.cache))
    groups = [QuestionGroup(kind, language) for kind in KINDS for language in sorted(languages) if kind in kinds]
    readers = tuple(reader for reader in READERS if reader in options.readers)
    return OptionsPlan(
        groups=tuple(GroupTask(group, pairs, found) for group in groups),
        readers=readers,
        encode=options.encode,
        options=FoldOptions(
            options.folds,
            options.seed,
            options.reader,
            options.bands,
            GLOSS_TOKENS,
            lexicon.only(VECTORS),
            lexicon.only(WORDNET),
        ),
        choose=ChooseOptions(options.rules, options.encode.asked, lexicon),
        candidates=found,
        pairs=pairs,
    )


def _keys(plan: OptionsPlan) -> list[tuple[QuestionGroup, str, int]]:
    return sorted(
        (task.group, reader, fold)
        for task in plan.groups
        for reader in plan.readers
        for fold in range(plan.options.folds)
    )


def _build(pipeline: "beam.Pipeline", plan: OptionsPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Groups of questions in, parts of predictions and options out."""
    import apache_beam as beam

    from transforms.cloze.options.ptransforms import ChooseAllOptions as ChooseAll
    from transforms.cloze.options.ptransforms import ReadInFolds

    lexicon = graph.carry(plan.choose.lexicon)
    options = plan.options._replace(lexicon=lexicon.only(VECTORS), glosses=lexicon.only(WORDNET))
    encoded, trained, predicted = (
        pipeline
        | "Groups" >> beam.Create([(task.group, task) for task in plan.groups], reshuffle=False)
        | "Read" >> ReadInFolds(graph.workspace, plan.readers, plan.encode, options, graph.lanes)
    )
    chosen, parts = (encoded, predicted) | "Choose" >> ChooseAll(
        graph.workspace,
        plan.choose._replace(lexicon=lexicon),
        tuple(_keys(plan)),
        plan.candidates,
        plan.pairs,
        graph.lanes,
    )
    return {"parts": parts, "chosen": chosen, "trained": trained, "predicted": predicted}


def _expected(plan: OptionsPlan) -> Mapping[str, int]:
    keys = _keys(plan)
    trained = sum(reader != FREQUENCY for _, reader, _ in keys)
    parts = len(plan.candidates) if keys else 0
    expected = {ENCODE.name: len(plan.groups), READ_PREDICT.name: len(keys), CHOOSE.name: parts}
    return {**expected, READ_TRAIN.name: trained} if trained else expected


def _section(plan: OptionsPlan, outcome: HandedBack) -> Mapping[str, Any]:
    chosen: list[ChosenOptions] = outcome.rows["chosen"]
    questions: Counter[str] = Counter()
    few: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    for one in chosen:
        for count in one.counts:
            questions[count.kind] += count.questions
            few[count.kind] += count.too_few
            reasons.setdefault(count.kind, Counter()).update(count.reasons)
    return {
        "readers": list(plan.readers),
        "folds": plan.options.folds,
        "kinds": [
            {
                "kind": kind,
                "questions": questions[kind],
                "too_few_options": few[kind],
                "dropped": {name: reasons[kind][name] for name in OPTION_REASONS},
            }
            for kind in KINDS
            if kind in questions
        ],
        "training": [
            {
                "kind": key[0][0],
                "language": key[0][1],
                "reader": key[1],
                "fold": key[2],
                "epochs": len(one.losses),
                "best": one.best,
                "questions": one.questions,
                "held_out": one.held_out,
                "further": one.further,
                "loss": one.losses[one.best] if one.losses else None,
            }
            for key, one in sorted(outcome.rows["trained"], key=_key)
        ],
        "measured": _measured(outcome.rows["predicted"]),
    }


def _key(element: Any) -> Any:
    return element[0]


def _measured(predicted: list[Any]) -> list[dict[str, Any]]:
    """Return how good readers are, over all folds."""
    found: dict[tuple[str, str, str], list[PredictedWords]] = {}
    for ((kind, language), reader, _), one in sorted(predicted, key=_key):
        if one.tally is not None:
            found.setdefault((kind, language, reader), []).append(one)
    rows = []
    for (kind, language, reader), folds in found.items():
        tallies = [one.tally for one in folds if one.tally is not None]
        number = sum(one.questions for one in tallies)
        unseen = sum(one.unseen for one in tallies)
        reciprocal = sum(one.reciprocal for one in tallies)
        hits = [sum(one.hits[place] for one in tallies) for place in range(len(CUTS))]
        rows.append(
            {
                "kind": kind,
                "language": language,
                "reader": reader,
                "questions": number,
                "unseen": unseen,
                "mrr": reciprocal / number if number else None,
                "mrr_seen": reciprocal / (number - unseen) if number > unseen else None,
                **{f"recall_at_{k}": hit / number if number else None for k, hit in zip(CUTS, hits, strict=True)},
            }
        )
    return rows


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield how many questions have their options, and how good readers are."""
    section = snapshot.section(SECTION)
    for own in section["kinds"]:
        yield (
            f"{own['kind']}: {own['questions'] - own['too_few_options']} of {own['questions']} "
            "questions have four options"
        )
    if section["measured"]:
        texts = _texts(section)
        names = (*texts, "questions", "unseen", "mrr", "mrr_seen", *(f"recall_at_{k}" for k in CUTS))
        heads = (*texts, "questions", "unseen", "MRR", "MRR seen", *(f"R@{k}" for k in CUTS))
        rows = tuple(tuple(_shown(row[name]) for name in names) for row in section["measured"])
        yield Grid(heads, rows, frozenset(range(len(texts), len(heads))), 2)


def _texts(section: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what tells rows of measures apart: the language only where there are several."""
    several = len({row["language"] for row in section["measured"]}) > 1
    return ("kind", "language", "reader") if several else ("kind", "reader")


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _panels(snapshot: Snapshot) -> list[Panel]:
    section = snapshot.section(SECTION)
    panels: list[Panel] = []
    dropped = [
        {"kind": own["kind"], "reason": name, "words": number}
        for own in section["kinds"]
        for name, number in own["dropped"].items()
    ]
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("reason", pa.string(), "why words that readers named are no options"),
            column("words", pa.int64(), "how many"),
        ]
    )
    panels.append(
        Rows(
            "Words that are no options",
            "By the reason for which they were dropped.",
            pa.Table.from_pylist(dropped, schema),
        )
    )
    if section["measured"]:
        columns = {
            **dict.fromkeys(_texts(section), pa.string()),
            "questions": pa.int64(),
            "unseen": pa.int64(),
            "mrr": pa.float64(),
            "mrr_seen": pa.float64(),
            **{f"recall_at_{k}": pa.float64() for k in CUTS},
        }
        docs = {
            "kind": "what makes the answer abstract",
            "reader": "the reader",
            "language": "of the texts",
            "questions": "questions that it was asked",
            "unseen": "of these, answers that no other fold has: misses",
            "mrr": "mean reciprocal rank of the answer",
            "mrr_seen": "that of answers seen",
        }
        measured = pa.schema(
            [
                column(name, kind, docs.get(name, f"answers among the first {name[10:]} words"), nullable=True)
                for name, kind in columns.items()
            ]
        )
        rows = [{name: row[name] for name in columns} for row in section["measured"]]
        panels.append(
            Rows("Readers", "How often readers name the answer, folds together.", pa.Table.from_pylist(rows, measured))
        )
    return panels


CLOZE_OPTIONS: Command[ClozeOptionsOptions, OptionsPlan] = Command(
    options=ClozeOptionsOptions,
    examples="""\
  lexbeam cloze options cloze
  lexbeam cloze options cloze --readers ar --vectors news.vec --folds 4 --seed 2
  lexbeam cloze options cloze --readers frequency --options-in-passage reject""",
    tables=(PREDICTIONS, OPTIONS),
    reads=_reads,
    check=_check,
    stages=(ENCODE, READ_TRAIN, READ_PREDICT, CHOOSE),
    plan=_plan,
    build=_build,
    rows={
        "chosen": ChosenOptions,
        "trained": tuple[tuple[QuestionGroup, str, int], TrainedReader],
        "predicted": tuple[tuple[QuestionGroup, str, int], PredictedWords],
    },
    expected=_expected,
    section=_section,
    summary=_summary,
    report=_panels,
)
