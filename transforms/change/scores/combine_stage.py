"""Scores of a pair of slices over all seeds as artefacts, weighed against its null pairs.

COMBINE   scores of all seeds and null pairs  -> parts of `scores`, `change/nulls`, `change/pairs`, `change/systems`
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.change.scores import NULLS, PAIRS, SCORES
from lexbeam.schemas.change.systems import SYSTEM_SCORES
from lexbeam.schemas.columns import Table
from lexbeam.transforms.change.nulls.deal_stages import Deal
from lexbeam.transforms.change.scores.combining import combine_seeds
from lexbeam.transforms.change.scores.evidence_rows import ScoreRows, judge, null_rows
from lexbeam.transforms.change.scores.measures import REGISTRY, kinds_of, of_usage
from lexbeam.transforms.change.scores.named_systems import REGISTRY as SYSTEMS_REGISTRY
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, system_rows
from lexbeam.transforms.change.scores.ranking import spearman_with_log_count, top
from lexbeam.transforms.change.scores.score_stage import ChangeScoreOptions, ScoredSeed, options_used
from lexbeam.transforms.change.scores.thresholds import REGISTRY as THRESHOLDS_REGISTRY
from lexbeam.transforms.change.scores.thresholds import THRESHOLDS
from lexbeam.transforms.change.view.counts import majority_tags
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, write_part, write_rows

TOP_WORDS = 10  # of a ranking, at least


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


COMBINE: Stage[CombineTask, ChangeScoreOptions, Combined] = Stage(
    name="change/combine",
    noun="scores",
    receipt=Combined,
    build=_combine,
    unused={
        **dict.fromkeys(
            (
                "options.targets",
                *(f"options.rank.{name}" for name in ("min_count", "min_documents", "stop_words", "max_proper")),
            ),
            "used where a seed is scored: rows say what is a target and what is ranked",
        ),
        **dict.fromkeys((f"options.{name}" for name in options_used(REGISTRY)), "used where a seed is scored"),
        "options.ensembles": "used where systems are brought together",
        "task.deal.nulls": "their scores are in `task.nulls`",
    },
    unordered=("task.seeds", "task.nulls"),
    chosen=_combine_chosen,
    blas=True,
    unit="pairs",
)
