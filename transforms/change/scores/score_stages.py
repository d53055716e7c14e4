"""Scores as artefacts: of a pair of slices per seed, then combined over seeds.

SCORE     two spaces of one seed and their maps  -> one seed's scores
COMBINE   scores of all seeds and null pairs     -> parts of `scores`, `change/nulls` and `change/pairs`, rankings
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.change.scores import NULLS, PAIRS, SCORES
from schemas.change.summary import SummaryColumns, SummedKind
from schemas.change.systems import SYSTEM_SCORES
from schemas.columns import Table
from transforms.change.nulls.deal_stages import Deal
from transforms.change.scores.combining import combine_seeds
from transforms.change.scores.ensembles import with_made, with_parts
from transforms.change.scores.evidence_rows import ScoreRows, judge, null_rows
from transforms.change.scores.measures import (
    FREQUENCY,
    MADE,
    MEASURES,
    REGISTRY,
    kinds_of,
    needs_alignment,
    of_usage,
    suffix_of,
)
from transforms.change.scores.named_systems import REGISTRY as SYSTEMS_REGISTRY
from transforms.change.scores.named_systems import SYSTEMS, NamedSystem, system_rows
from transforms.change.scores.ranking import RankedWordOptions, spearman_with_log_count, top
from transforms.change.scores.scores import ScoredSlice, score_pair
from transforms.change.scores.system_settings import as_texts, parsed, presets, system_of
from transforms.change.scores.thresholds import REGISTRY as THRESHOLDS_REGISTRY
from transforms.change.scores.thresholds import THRESHOLDS
from transforms.change.spaces.alignment_stage import SliceFacts, load_alignments, load_spaces
from transforms.change.view.counts import majority_tags
from transforms.change.view.feeds import read_counts
from transforms.common.errors import UsageError
from transforms.common.options.fields import embedded, option, options_of
from transforms.common.store import files
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.sound import checked
from transforms.common.store.tables import PartFile, sort_rows, write_part, write_rows
from transforms.embeddings.alignment import named_alignment

__all__ = [
    "COMBINE",
    "SCORE",
    "ChangeScoreOptions",
    "CombineTask",
    "Combined",
    "MostChanged",
    "ScoreTask",
    "ScoredSeed",
    "VariantSpaces",
    "rankings",
    "summary_columns",
]

TOP_WORDS = 10  # of a ranking, at least


@dataclass(frozen=True, kw_only=True)
class ChangeScoreOptions:
    """What decides scores, and which words are shown.

    Attributes:
        alignments: names, see `alignment.ALIGNMENTS`; rankings come in this order.
        measures: names, see `measures.MEASURES`; `frequency` is always scored.
        neighbourhood, pivots, pivot_draws, graph_words, topic_words: what some of these use.
        targets: target words.
        thresholds: names, see `thresholds.THRESHOLDS`; the first has columns without suffix.
        threshold_sd, threshold_quantile: what some of these use.
        votes: whether seeds vote on classes.
        systems: names, see `named_systems.SYSTEMS`.
        configured: options of single systems, see `system_settings`.
        ensembles: names, see `system_ensembles.ENSEMBLES`.
        rank: which words rankings take.
        neighbour_words: how many of the most changed words get neighbours, beside the targets.
    """

    alignments: tuple[str, ...] = option(
        ("op", "cca"),
        name="alignment",
        help="alignments; procrustes is another name for op",
        choices="transforms.embeddings.alignment:ALIGNMENTS",
        stands_for=named_alignment,
    )
    measures: tuple[str, ...] = option(
        ("cosine",), name="measure", help="measures", choices="transforms.change.scores.measures:MEASURES"
    )
    neighbourhood: int = option(
        25,
        help="words of a neighbourhood, the word itself among them",
        least=2,
        most=10_000,
        of="transforms.change.scores.measures:MEASURES=lnd,neighbour-overlap,mapped-neighbours,ecdf,ecdf-ranked",
    )
    pivots: int = option(
        100,
        help="stable words that a profile is of",
        least=2,
        most=10_000,
        of="transforms.change.scores.measures:MEASURES=pivots",
    )
    pivot_draws: int = option(
        10,
        help="draws of pivots that are averaged over",
        least=1,
        most=1_000,
        of="transforms.change.scores.measures:MEASURES=pivots",
    )
    graph_words: int = option(
        300,
        help="most frequent words that a graph has, beside the one compared",
        least=2,
        most=2_000,
        of="transforms.change.scores.measures:MEASURES=resistance",
    )
    topic_words: int = option(
        500,
        help="most frequent words whose contexts make topics, and that are contexts",
        least=2,
        most=20_000,
        of="transforms.change.scores.measures:MEASURES=topics",
    )
    targets: tuple[str, ...] = ()
    thresholds: tuple[str, ...] = option(
        ("mean",),
        name="threshold",
        help="thresholds above which a score counts as change; rankings go by none of them",
        choices="transforms.change.scores.thresholds:THRESHOLDS",
    )
    threshold_sd: float = option(
        1.0,
        help="standard deviations of the threshold mean-sd",
        least=-10,
        most=10,
        of="transforms.change.scores.thresholds:THRESHOLDS=mean-sd,mean-sd-ranked",
    )
    votes: bool = option(
        False, help="classes are what most seeds say, each by the thresholds of its own scores, and not mean scores"
    )
    threshold_quantile: float = option(
        0.75,
        help="quantile of the thresholds quantile and gamma",
        least=0,
        most=1,
        of="transforms.change.scores.thresholds:THRESHOLDS=quantile,quantile-ranked,gamma,gamma-ranked",
    )
    systems: tuple[str, ...] = option(
        (),
        name="system",
        help="systems by name, of SemEval-2020 Task 1 or `systems`, side by side; they set options that are not given",
        listed="transforms.change.scores.named_systems:SYSTEMS",
        presets=presets,
        lists="list-systems",
    )
    configured: tuple[str, ...] = option(
        (),
        name="systems",
        help="options of single systems, and systems of one's own; in a file options by name",
        metavar="NAME:OPTION=VALUE",
        check=parsed,
        flattens=as_texts,
    )
    ensembles: tuple[str, ...] = option(
        (),
        name="ensemble",
        help="systems more, made of those that `system` names",
        choices="transforms.change.scores.system_ensembles:ENSEMBLES",
    )
    rank: RankedWordOptions = embedded(RankedWordOptions)
    neighbour_words: int = option(
        100, help="first words of rankings that get neighbours, beside the targets", least=0, most=1_000_000
    )

    @property
    def named(self) -> dict[str, NamedSystem]:
        """The systems by name."""
        settings = parsed(self.configured)
        return {name: system_of(name, settings) for name in self.systems}

    def __post_init__(self) -> None:
        """Refuse systems that there are not, and ensembles of nothing."""
        scoring = [name for name, system in self.named.items() if system.measure]
        if self.ensembles and len(scoring) < 2:
            raise UsageError(
                f"`ensemble` {','.join(self.ensembles)}: it is of systems that score words, two or more: name them by "
                "`system`"
            )


class VariantSpaces(NamedTuple):
    """The spaces of a pair of slices and a seed, made in one way, and what compares them.

    Attributes:
        variant: how they are made.
        spaces: of the earlier and the later slice.
        alignments: the maps by alignment; None: no map.
        of_targets: whether targets alone have a vector in each slice.
    """

    variant: str
    spaces: tuple[File, File]
    alignments: dict[str, File | None]
    of_targets: bool = False


class ScoreTask(NamedTuple):
    """A pair of slices with their spaces of a seed; the first are what measures take that take no aligned vectors."""

    slices: tuple[SliceFacts, SliceFacts]
    seed: int
    variants: tuple[VariantSpaces, ...]

    @property
    def spaces(self) -> list[File]:
        """All spaces."""
        return [file for variant in self.variants for file in variant.spaces]


@dataclass(frozen=True)
class ScoredSeed:
    """One seed's rows of table scores, before they are combined; documents of the smaller slice."""

    rows: File
    documents: int


def summary_columns(options: ChangeScoreOptions) -> SummaryColumns:
    """Return what `change/summary` has columns of: by what usage is scored, and thresholds, in the order of options."""
    kinds = tuple(
        SummedKind(alignment, measure, suffix_of(alignment, measure), MEASURES[measure].doc, MEASURES[measure].range)
        for alignment, measure in kinds_of(options.alignments, filter(of_usage, options.measures))
    )
    return SummaryColumns(kinds, tuple(dict.fromkeys(options.thresholds)))


def _all_measures(options: ChangeScoreOptions) -> list[str]:
    return with_parts({*options.measures, FREQUENCY})


def _score_chosen(_: ScoreTask, options: ChangeScoreOptions) -> dict[str, tuple[str, ...]]:
    return {REGISTRY: tuple(_all_measures(options))}


def _score(artefact: Artefact, task: ScoreTask, options: ChangeScoreOptions) -> ScoredSeed:
    measures = [name for name in _all_measures(options) if MEASURES[name].takes != MADE]
    tables: list[pa.Table] = []
    for variant in task.variants:
        spaces = load_spaces(task.slices, variant.spaces, task.seed, variant.variant)
        earlier, later = (
            ScoredSlice(facts.name, space, read_counts(facts.counts), facts.tokens, facts.documents, facts.min_count)
            for facts, space in zip(task.slices, spaces, strict=True)
        )
        of_first = not tables
        tables.append(
            score_pair(
                earlier,
                later,
                seed=task.seed,
                alignments=load_alignments(variant.alignments),
                measures=[name for name in measures if of_first or needs_alignment(name)],
                targets=options.targets,
                rank=options.rank,
                parameters={name: getattr(options, name) for measure in measures for name in MEASURES[measure].uses},
                of_targets=variant.of_targets,
            )
        )
    rows = tables[0] if len(tables) == 1 else sort_rows(pa.concat_tables(tables), ("alignment", "measure", "word"))
    rows = with_made(rows, options.measures)
    with artefact.writing(".parquet") as stream:
        pq.write_table(rows, pa.PythonFile(stream, "w"), compression="lz4")
    documents = min(facts.documents for facts in task.slices)
    return ScoredSeed(artefact.file(".parquet"), documents)


class CombineTask(NamedTuple):
    """Scores of one pair of slices by seed, the counts of both slices, and the pair's nulls.

    Attributes:
        seeds: scores by seed.
        counts: of the earlier and the later slice.
        nulls: scores of its null pairs.
        deal: how their documents were dealt.
    """

    seeds: tuple[ScoredSeed, ...]
    counts: tuple[File, ...] = ()
    nulls: tuple[ScoredSeed, ...] = ()
    deal: Deal | None = None


@dataclass(frozen=True, kw_only=True)
class MostChanged:
    """The most changed words of a pair by one alignment and measure.

    `ranked` is how many words the ranking takes; the last two are Spearman's correlation of score
    with log count in either slice, None where undefined.
    """

    alignment: str
    measure: str
    slice_from: str
    slice_to: str
    words: tuple[str, ...]
    scores: tuple[float, ...]
    ranked: int
    threshold: float | None
    spearman_from: float | None
    spearman_to: float | None


@dataclass(frozen=True, kw_only=True)
class Combined:
    """A part of `scores`, one of `change/pairs`, and what rankings show.

    There is one of `change/nulls` if there are nulls, and one of `change/systems` if systems are named; with both, rows
    of systems of the null pairs.
    """

    part: PartFile
    pair: PartFile
    nulls: PartFile | None
    systems: PartFile | None
    system_nulls: PartFile | None
    tops: tuple[MostChanged, ...]


def _combine_chosen(_: CombineTask, options: ChangeScoreOptions) -> dict[str, tuple[str, ...]]:
    return {
        THRESHOLDS_REGISTRY: options.thresholds,
        SYSTEMS_REGISTRY: tuple(name for name in options.systems if name in SYSTEMS),
    }


def _combine(artefact: Artefact, task: CombineTask, options: ChangeScoreOptions) -> Combined:
    seeds, nulls = (
        [ScoreRows(pq.read_table(_open(scored.rows)), scored.documents) for scored in sorted(group, key=_sha256)]
        for group in (task.seeds, task.nulls)
    )
    thresholds = tuple(dict.fromkeys(options.thresholds))
    parameters = {name: getattr(options, name) for threshold in thresholds for name in THRESHOLDS[threshold].uses}
    combined = combine_seeds(
        [seed.rows for seed in seeds], thresholds=thresholds, parameters=parameters, votes=options.votes
    )
    rows, pairs = judge(ScoreRows(combined.rows, seeds[0].documents), nulls, task.deal, combined.cuts, thresholds)
    part = write_part(artefact, SCORES.schema(thresholds=thresholds), [rows], sort_keys=SCORES.key)
    with artefact.writing("-pairs.parquet") as stream:
        write_rows(stream, PAIRS.schema(thresholds=thresholds), [pairs], sort_keys=PAIRS.key)
    null_part = _write(artefact, "-nulls.parquet", NULLS, null_rows(rows, nulls)) if nulls else None
    system_part = system_nulls = None
    if options.systems:
        named = system_rows(rows, options.named, thresholds, combined.cuts)
        system_part = _write(artefact, "-systems.parquet", SYSTEM_SCORES, named)
    if options.systems and nulls:
        dealt = [_dealt_systems(null.rows, options, thresholds, parameters) for null in nulls]
        system_nulls = _write(artefact, "-system-nulls.parquet", SYSTEM_SCORES, pa.concat_tables(dealt))
    most = max(TOP_WORDS, options.neighbour_words)
    words = pc.unique(rows["word"])
    upos = majority_tags([read_counts(file) for file in task.counts], words).upos
    tagged = rows.append_column("upos", upos.take(pc.index_in(rows["word"], value_set=words)))
    tops = rankings(tagged, options.alignments, options.measures, most, pos=options.rank.pos)
    pair_part = PartFile(artefact.file("-pairs.parquet"), pairs.num_rows)
    return Combined(
        part=part, pair=pair_part, nulls=null_part, systems=system_part, system_nulls=system_nulls, tops=tuple(tops)
    )


def _dealt_systems(
    null: pa.Table, options: ChangeScoreOptions, thresholds: Sequence[str], parameters: Mapping[str, Any]
) -> pa.Table:
    """Return what systems say of the ranked words and targets of a null pair."""
    tested = null.filter(pc.or_(null["ranked"], null["target"]))
    found = combine_seeds([tested], thresholds=thresholds, parameters=parameters)
    return system_rows(found.rows, options.named, thresholds, found.cuts)


def _write(artefact: Artefact, suffix: str, table: Table, rows: pa.Table) -> PartFile:
    with artefact.writing(suffix) as stream:
        write_rows(stream, table.schema(), [rows], sort_keys=table.key)
    return PartFile(artefact.file(suffix), rows.num_rows)


def _sha256(scored: ScoredSeed) -> str:
    return scored.rows.sha256


def _open(file: File) -> Any:
    return pa.PythonFile(files.open_read(checked(file)), "r")


def rankings(
    rows: pa.Table, alignments: Sequence[str], measures: Sequence[str], most: int, *, pos: Sequence[str] = ()
) -> Iterator[MostChanged]:
    """Yield the `most` changed words of a pair, for each alignment and measure of usage.

    Where `rows` have a column `upos`, they are of the parts of speech `pos` alone.
    """
    means = rows.filter(pc.is_null(rows["seed"]))
    for alignment, measure in kinds_of(alignments, filter(of_usage, measures)):
        same = means.filter(pc.and_(pc.equal(means["alignment"], alignment), pc.equal(means["measure"], measure)))
        head = top(rows, most, alignment=alignment, measure=measure, pos=pos)
        ranked = same.filter(same["ranked"])
        scores = ranked["score"].to_numpy(zero_copy_only=False)
        yield MostChanged(
            alignment=alignment,
            measure=measure,
            slice_from=same["slice_from"][0].as_py() if same.num_rows else "",
            slice_to=same["slice_to"][0].as_py() if same.num_rows else "",
            words=tuple(head["word"].to_pylist()),
            scores=tuple(head["score"].to_pylist()),
            ranked=ranked.num_rows,
            threshold=pc.first(same["threshold"]).as_py() if same.num_rows else None,
            spearman_from=_number(spearman_with_log_count(scores, ranked["count_from"].to_numpy())),
            spearman_to=_number(spearman_with_log_count(scores, ranked["count_to"].to_numpy())),
        )


def _number(value: float) -> float | None:
    return None if value != value else value


def _used(registry: str) -> list[str]:
    """Return the options that entries of a registry use."""
    return [name for name, entry in options_of(ChangeScoreOptions).items() if entry.of.startswith(f"{registry}=")]


SCORE: Stage[ScoreTask, ChangeScoreOptions, ScoredSeed] = Stage(
    name="change/score",
    receipt=ScoredSeed,
    build=_score,
    unused={
        **dict.fromkeys(
            (
                "options.thresholds",
                *(f"options.{name}" for name in _used(THRESHOLDS_REGISTRY)),
                "options.votes",
                "options.systems",
                "options.configured",
                "options.ensembles",
                "options.neighbour_words",
                "options.rank.pos",
            ),
            "used where seeds are combined",
        ),
        "options.alignments": "the task has the maps by alignment",
    },
    unordered=("options.measures", "options.targets"),
    chosen=_score_chosen,
    blas=True,
    unit="seeds of pairs",
)
COMBINE: Stage[CombineTask, ChangeScoreOptions, Combined] = Stage(
    name="change/combine",
    receipt=Combined,
    build=_combine,
    unused={
        **dict.fromkeys(
            ("options.targets", "options.rank.min_count", "options.rank.min_documents", "options.rank.max_proper"),
            "used where a seed is scored: rows say what is a target and what is ranked",
        ),
        **dict.fromkeys((f"options.{name}" for name in _used(REGISTRY)), "used where a seed is scored"),
        "options.ensembles": "used where systems are brought together",
        "task.deal.nulls": "their scores are in `task.nulls`",
    },
    unordered=("task.seeds", "task.nulls"),
    chosen=_combine_chosen,
    blas=True,
    unit="pairs",
)
