"""Instances for lexical complexity, drawn from annotated corpora: `lexbeam complexity select`.

    lexbeam complexity select novels news --out complexity --genres novels,news \
        --quota single=3000,mwe=600 --seed 1

Targets are found by patterns of parts of speech; which of them are taken is drawn by content; see
docs/tasks/complexity/select.md.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from lexbeam.pipelines.commands.options import corpus_folders
from lexbeam.pipelines.frame.command import (
    PARTS_HELP,
    RUN,
    Command,
    Graph,
    HandedBack,
    Inputs,
    RunnerOptions,
    TableSource,
)
from lexbeam.pipelines.frame.inputs import corpora_of
from lexbeam.schemas.complexity import INSTANCES, KINDS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.portions import AUTO, LEAST_PARTS, parts_for, stated_parts
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, Grid
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.select.occurrences import (
    GATHER,
    FetchedInstances,
    FetchInstances,
    FindTargets,
    MergeInstances,
    Number,
    OccurrenceFile,
    TargetOccurrence,
    fetch_tasks,
    find_tasks,
)
from lexbeam.transforms.complexity.select.patterns import (
    PATTERNS,
    SelectOptions,
    chosen_patterns,
    parse_bands,
    parse_quotas,
)
from lexbeam.transforms.complexity.shown.instance_views import INSTANCE_VIEWS
from lexbeam.transforms.corpora.annotated_corpora import (
    Corpus,
    PartPair,
    SentencePart,
    check_columns,
    common_layers,
    languages,
    sentence_parts,
)
from lexbeam.transforms.lexicon.compiled.frequencies import Frequencies
from lexbeam.transforms.lexicon.compiled.word_list import WordList
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare

if TYPE_CHECKING:
    import apache_beam as beam


# Why sentences are left out of the draw, as a person reads it.
REASONS = {
    "no_forms": "without word forms",
    "no_upos": "without parts of speech",
    "short": "too short",
    "long": "too long",
    "no_language": "of no known language (`language` says which it is)",
    "no_pattern": "of languages without patterns",
    "repeated": "that are copies of others with a target",
}


def section_of(
    numbers: Iterable[Number],
    taken: Iterable[Mapping[str, Any]],
    kinds: Sequence[str],
    quotas: Mapping[str, int | None],
) -> dict[str, Any]:
    """Return what the manifest says.

    Args:
        numbers: counts of all parts.
        taken: rows of genre, kind and count_all, of the instances.
        kinds: kinds that were looked for.
        quotas: by kind, most instances of a genre.

    Returns:
        `sentences` in all and by reason those `left_out`; of every genre and kind, in `genres`:
        `targets` found, `instances` taken, `quota`, and how many it is `short` of (null without a quota).
    """
    sentences: Counter[str] = Counter()
    targets: Counter[tuple[str | None, str]] = Counter()
    for row in numbers:
        if row.what == "targets":
            targets[row.genre, row.kind] += row.number
        else:
            sentences[row.what] += row.number
    instances = {(row["genre"], row["kind"]): row["count_all"] for row in taken}
    genres = sorted({genre for genre, _ in targets}, key=lambda name: (name is not None, name))
    rows = []
    for genre in genres:
        for kind in kinds:
            quota, got = quotas[kind], instances.get((genre, kind), 0)
            rows.append(
                {
                    "genre": genre,
                    "kind": kind,
                    "targets": targets[genre, kind],
                    "instances": got,
                    "quota": quota,
                    "short": None if quota is None else quota - got,
                }
            )
    return {
        "sentences": sentences["sentences"],
        "left_out": {reason: sentences[reason] for reason in REASONS},
        "genres": rows,
        "instances": sum(instances.values()),
    }


def warnings(section: Mapping[str, Any]) -> Iterator[str]:
    """Yield warnings for a person."""
    if not section["instances"]:
        yield "no target was found: see why sentences were left out, and which patterns there are"
    for row in section["genres"]:
        if row["short"]:
            yield (
                f"genre {row['genre'] or '(none)'}: {row['instances']} {row['kind']} instances, "
                f"{row['short']} fewer than its quota {row['quota']}"
            )
    if any(row["genre"] is None for row in section["genres"]):
        yield "some documents have no genre, and count as one of their own: `genres` names them"


def summary(section: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the summary of a section."""
    yield f"{section['sentences']} sentences, patterns {', '.join(section['patterns'])}"
    for reason, number in section["left_out"].items():
        if number:
            yield f"  {number} {REASONS[reason]}"
    names = ("genre", "kind", "targets", "instances", "quota", "short")
    rows = (tuple("-" if row[name] is None else str(row[name]) for name in names) for row in section["genres"])
    yield Grid(names, tuple(rows), right=frozenset(range(2, len(names))))


log = logging.getLogger("lexbeam")

SHARE_SENTENCES = 1 << 20  # sentences whose hashes are compared at once, about
XPOS = "xpos"


@dataclass(frozen=True, kw_only=True)
class ComplexitySelectOptions(RunnerOptions):
    """Options of `lexbeam complexity select`."""

    corpora: tuple[str, ...] = corpus_folders()
    select: SelectOptions = embedded(SelectOptions)
    lexicon: LexiconOptions = embedded(LexiconOptions)
    parts: str = option(AUTO, help=PARTS_HELP, metavar="N", check=stated_parts, group=RUN)


@dataclass(frozen=True)
class SelectPlan:
    """What is to be done, checked against the corpora."""

    sentences: list[SentencePart]
    pairs: Mapping[str, PartPair]
    genres: Mapping[str, str | None]
    settle: bool
    find: FindTargets
    contexts: int
    quotas: Mapping[str, int | None]
    layers: tuple[str, ...]
    parts: int

    @property
    def shares(self) -> int:
        """Shares of sentences, see `ChooseTargets.ranges`."""
        return 1 + sum(part.rows for part in self.sentences) // SHARE_SENTENCES


def _lexicon(options: ComplexitySelectOptions, patterns: Sequence[str]) -> Lexicon:
    bands = parse_bands(options.select.band)
    if not bands:
        return Lexicon()
    lexicon = prepare(options.lexicon)
    for band in bands:
        for language in sorted({PATTERNS[name].language for name in patterns}):
            if not isinstance(lexicon.get(band.resource, language), WordList | Frequencies):
                raise UsageError(
                    f"`band` {band.resource}: the resource has no value for each word: name a word list, or wordfreq"
                )
    return lexicon


def _by_part(corpora: Sequence[Corpus], genres: Sequence[str]) -> tuple[dict[str, PartPair], dict[str, str | None]]:
    """Return pairs of parts and genres by digest; of equal parts those of the first corpus."""
    pairs: dict[str, PartPair] = {}
    named: dict[str, str | None] = {}
    for place, corpus in enumerate(corpora):
        for pair in corpus.pairs:
            pairs.setdefault(pair.sentences.sha256, pair)
            named.setdefault(pair.sentences.sha256, genres[place] if genres else None)
    return pairs, named


def _numbers_of(element: tuple[str, OccurrenceFile]) -> Sequence[Number]:
    return element[1].numbers


def _of_part(occurrence: TargetOccurrence) -> tuple[str, TargetOccurrence]:
    return occurrence.part, occurrence


def _staged(element: tuple[str, FetchedInstances]) -> tuple[str, Staged]:
    return INSTANCES.name, element[1].file


class ComplexitySelect(Command[ComplexitySelectOptions, SelectPlan]):
    """`lexbeam complexity select`."""

    options = ComplexitySelectOptions
    examples = """\
  lexbeam complexity select corpus --out complexity --quota 3000
  lexbeam complexity select novels news speeches --out complexity --seed 1 \\
      --genres novels,news,speeches --quota single=3000,mwe=600 --contexts 5
  lexbeam complexity select corpus --out complexity --patterns noun,adj-noun \\
      --resources zipf=wordfreq:en --band zipf=2:5"""
    tables = (INSTANCES,)
    stages = (FindTargets, FetchInstances, GATHER, MergeInstances)
    rows: Mapping[str, type] = {"numbers": Number}
    views = INSTANCE_VIEWS

    def reads(self, options: ComplexitySelectOptions) -> Sequence[TableSource]:
        tables = ("sentences", "documents")
        return [TableSource(table, folder, needed=True) for folder in options.corpora or (None,) for table in tables]

    def check(self, options: ComplexitySelectOptions) -> None:
        genres, corpora = options.select.genres, max(len(options.corpora), 1)
        if genres and len(genres) != corpora:
            raise UsageError(
                f"`genres` names {len(genres)} genres for {corpora} corpora: name one for each, in "
                "their order, or none for the documents' own"
            )

    def plan(self, options: ComplexitySelectOptions, inputs: Inputs) -> SelectPlan:
        corpora, select = corpora_of(inputs), options.select
        if select.genres and len(corpora) != len(select.genres):
            raise UsageError("`genres`: a corpus is named twice: name it once, with its genre")
        check_columns(
            corpora,
            ["forms", "upos"],
            remedy="targets are found by them: make it anew with an engine that gives them, such as "
            "spacy:en_core_web_sm, or from annotated input",
        )
        layers = tuple(common_layers(corpora))
        if not select.plurals and XPOS not in layers:
            raise UsageError("`plurals` no needs fine tags: make the corpora with `layers` xpos")
        named = languages(corpora) | ({select.language} if select.language else set())
        spoken = {short_tag(language) for language in named}
        patterns = chosen_patterns(select.patterns, spoken)
        lexicon = _lexicon(options, patterns)
        pairs, genres = _by_part(corpora, select.genres)
        return SelectPlan(
            sentences=sentence_parts(corpora),
            pairs=pairs,
            genres=genres,
            settle=len(corpora) > 1,
            find=FindTargets(
                patterns=patterns,
                proper=select.proper,
                plural=select.plurals,
                fine=XPOS in layers,
                language=select.language,
                shortest=select.min_sentence,
                longest=select.max_sentence,
                bands=parse_bands(select.band),
                lexicon=lexicon,
                seed=select.seed,
            ),
            contexts=select.contexts,
            quotas=parse_quotas(select.quota),
            layers=layers,
            parts=stated_parts(options.parts),
        )

    def weights(self, _: ComplexitySelectOptions) -> Mapping[str, float]:
        # Seconds for a million tokens on one core, with novels.
        return {FindTargets.name: 1.0, FetchInstances.name: 1.0, MergeInstances.name: 0.5}

    def build(self, pipeline: "beam.Pipeline", plan: SelectPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of `sentences` in, parts of `complexity/instances` and counts out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.merging_ptransforms import MergeTables
        from lexbeam.transforms.common.store.ptransforms import By, Each
        from lexbeam.transforms.complexity.select.ptransforms import ChooseTargets
        from lexbeam.transforms.corpora.ptransforms import FindRepeated

        workspace = graph.workspace
        step = replace(plan.find, lexicon=graph.carry(plan.find.lexicon))
        graph.expect(MergeInstances, plan.parts or LEAST_PARTS)
        sentences = graph.tasks(pipeline, "SentenceParts", plan.sentences, step)
        copies = beam.pvalue.AsDict(sentences | "FindRepeated" >> FindRepeated(plan.settle))
        sides = {"genres": plan.genres, "copies": copies}
        find = Each(workspace, step, find_tasks, sides, lanes=graph.lanes, weight=attrgetter("part.rows"))
        targets = sentences | "Find" >> find
        chosen = targets | "Choose" >> ChooseTargets(plan.contexts, plan.quotas, step.seed, plan.shares)
        fetch = FetchInstances(plan.layers, step.language)
        fetched = (
            chosen.taken
            | "KeyByPart" >> beam.Map(_of_part)
            | "Fetch" >> By(workspace, fetch, fetch_tasks, {"pairs": plan.pairs})
            | "Staged" >> beam.Map(_staged)
        )
        parts = plan.parts or (
            chosen.taken | "CountTaken" >> beam.combiners.Count.Globally() | "DecideParts" >> beam.Map(parts_for)
        )
        merge = MergeTables(workspace, {INSTANCES.name: MergeInstances(plan.layers)}, GATHER, parts)
        numbers = (targets | "Tell" >> beam.FlatMap(_numbers_of), chosen.repeated) | "AllNumbers" >> beam.Flatten()
        return {"parts": fetched | "Merge" >> merge, "numbers": numbers}

    def section(self, plan: SelectPlan, outcome: HandedBack) -> Mapping[str, Any]:
        numbers: list[Number] = outcome.rows["numbers"]
        parts = [checked(part) for part in outcome.of_table(INSTANCES.name)]
        taken = read_table(parts, ["genre", "kind"]).group_by(["genre", "kind"]).aggregate([([], "count_all")])
        kinds = sorted({PATTERNS[name].kind for name in plan.find.patterns}, key=KINDS.index)
        section = section_of(numbers, taken.to_pylist(), kinds, plan.quotas)
        section["patterns"] = list(plan.find.patterns)
        for warning in warnings(section):
            log.warning("%s", warning)
        return section

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        yield from summary(snapshot.section("complexity.select"))
