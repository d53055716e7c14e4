"""Scores of a pair of slices over all seeds, as artefacts, weighed against its null pairs, and summed up by word.

CombineSeeds   scores of all seeds and null pairs    -> parts of `scores`, and of `nulls`, `pairs` and `systems`
Summarise      scores of all seeds, counts of slices -> a part of `change/summary`
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.change.scores import (
    NULLS,
    PAIRS,
    SCORES,
    SUMMARY,
    SYSTEM_SCORES,
    SummaryColumns,
    SummedKind,
    of_threshold,
    suffixed,
)
from lexbeam.schemas.columns import Table
from lexbeam.transforms.change.scores.evidence_rows import EVIDENCE, ScoreRows, judge, null_rows
from lexbeam.transforms.change.scores.measures import MEASURES, kinds_of, of_usage, suffix_of
from lexbeam.transforms.change.scores.named_systems import REGISTRY as SYSTEMS_REGISTRY
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, NamedSystem, system_rows, systems_of
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.pair_scores import Floats, combine_seeds
from lexbeam.transforms.change.scores.ranking import by_change, spearman_with_log_count, top
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions, ScoredSeed
from lexbeam.transforms.change.scores.thresholds import REGISTRY as THRESHOLDS_REGISTRY
from lexbeam.transforms.change.scores.thresholds import THRESHOLDS
from lexbeam.transforms.change.view.counts import majority_tags
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.change.view.words import Majority
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, read_table, write_part

TOP_WORDS = 10  # of a ranking, at least


class CombineTask(NamedTuple):
    """Scores of one pair of slices by seed, the counts of both slices, and the pair's nulls.

    Attributes:
        counts: of the earlier and the later slice.
        nulls: scores of its null pairs.
        deal: how their documents were dealt, without the nulls themselves.
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


@dataclass(frozen=True, kw_only=True)
class CombineSeeds(Step[CombineTask, Combined]):
    """Combine the scores of a pair over seeds, and weigh them against its null pairs.

    Attributes:
        alignments, measures: names; rankings come in this order.
        thresholds: names, each once; the first has columns without suffix.
        parameters: what these use, by name.
        votes: whether seeds vote on classes.
        configured: options of single systems, see `named_systems.parsed`.
        pos: parts of speech that rankings take; empty: all.
        most: words of a ranking, at least `TOP_WORDS`.
    """

    alignments: tuple[str, ...]
    measures: tuple[str, ...]
    thresholds: tuple[str, ...]
    parameters: Mapping[str, Any]
    votes: bool
    systems: tuple[str, ...]
    configured: tuple[str, ...]
    pos: tuple[str, ...]
    most: int

    name = "change/combine"
    noun = "scores"
    unit = "pairs"
    blas = True

    @classmethod
    def of(cls, options: ChangeScoreOptions) -> "CombineSeeds":
        """Return the step that combines what was scored with some options."""
        thresholds = tuple(dict.fromkeys(options.thresholds))
        uses = sorted({name for threshold in thresholds for name in THRESHOLDS[threshold].uses})
        return cls(
            alignments=options.alignments,
            measures=options.measures,
            thresholds=thresholds,
            parameters={name: getattr(options, name) for name in uses},
            votes=options.votes,
            systems=options.systems,
            configured=options.configured,
            pos=options.rank.pos,
            most=max(TOP_WORDS, options.neighbour_words),
        )

    @property
    def named(self) -> dict[str, NamedSystem]:
        """The systems by name."""
        return systems_of(self.systems, self.configured)

    def chosen(self, task: CombineTask) -> dict[str, tuple[str, ...]]:
        """Return the thresholds, and the systems that have an entry."""
        systems = tuple(name for name in self.systems if name in SYSTEMS)
        return {THRESHOLDS_REGISTRY: self.thresholds, SYSTEMS_REGISTRY: systems}

    def make(self, artefact: Artefact, task: CombineTask) -> Combined:
        """Write the parts of the tables."""
        seeds, nulls = (
            [
                ScoreRows(pq.read_table(_open(scored.rows)), scored.documents)
                for scored in sorted(group, key=attrgetter("rows.sha256"))
            ]
            for group in (task.seeds, task.nulls)
        )
        thresholds = self.thresholds
        combined = combine_seeds(
            [seed.rows for seed in seeds], thresholds=thresholds, parameters=self.parameters, votes=self.votes
        )
        rows, pairs = judge(ScoreRows(combined.rows, seeds[0].documents), nulls, task.deal, combined.cuts, thresholds)
        part = write_part(artefact, SCORES.schema(thresholds=thresholds), [rows], sort_keys=SCORES.key)
        schema = PAIRS.schema(thresholds=thresholds)
        pair_part = write_part(artefact, schema, [pairs], sort_keys=PAIRS.key, suffix="-pairs")
        null_part = _write(artefact, "-nulls", NULLS, null_rows(rows, nulls)) if nulls else None
        system_part = system_nulls = None
        if self.systems:
            named = system_rows(rows, self.named, thresholds, combined.cuts)
            system_part = _write(artefact, "-systems", SYSTEM_SCORES, named)
        if self.systems and nulls:
            dealt = [self._dealt_systems(null.rows) for null in nulls]
            system_nulls = _write(artefact, "-system-nulls", SYSTEM_SCORES, pa.concat_tables(dealt))
        words = pc.unique(rows["word"])
        upos = majority_tags([read_counts(file) for file in task.counts], words).upos
        tagged = rows.append_column("upos", upos.take(pc.index_in(rows["word"], value_set=words)))
        tops = rankings(tagged, self.alignments, self.measures, self.most, pos=self.pos)
        return Combined(
            part=part, pair=pair_part, nulls=null_part, systems=system_part, system_nulls=system_nulls, tops=tuple(tops)
        )

    def _dealt_systems(self, null: pa.Table) -> pa.Table:
        """Return what systems say of the ranked words and targets of a null pair."""
        tested = null.filter(pc.or_(null["ranked"], null["target"]))
        found = combine_seeds([tested], thresholds=self.thresholds, parameters=self.parameters)
        return system_rows(found.rows, self.named, self.thresholds, found.cuts)


def _write(artefact: Artefact, suffix: str, table: Table, rows: pa.Table) -> PartFile:
    return write_part(artefact, table.schema(), [rows], sort_keys=table.key, suffix=suffix)


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


def summary_columns(options: ChangeScoreOptions) -> SummaryColumns:
    """Return what `change/summary` has columns of: by what usage is scored, and thresholds, in the order of options."""
    kinds = tuple(
        SummedKind(alignment, measure, suffix_of(alignment, measure), MEASURES[measure].doc, MEASURES[measure].range)
        for alignment, measure in kinds_of(options.alignments, filter(of_usage, options.measures))
    )
    return SummaryColumns(kinds, tuple(dict.fromkeys(options.thresholds)))


class SummaryTask(NamedTuple):
    """A part of table `scores`, which is a pair, and the counts of its two slices."""

    scores: File
    counts: tuple[File, ...]


@dataclass(frozen=True)
class Summarise(Step[SummaryTask, PartFile]):
    """Bring together all that is known of the words of a pair.

    Attributes:
        columns: what the table has columns of.
    """

    columns: SummaryColumns

    name = "change/summarise"
    noun = "scores"
    unit = "pairs"

    def make(self, artefact: Artefact, task: SummaryTask) -> PartFile:
        """Write a row for each word."""
        scores = read_table([checked(task.scores)])
        words = pc.unique(scores["word"])
        tags = majority_tags([read_counts(file) for file in task.counts], words.take(pc.sort_indices(words)))
        rows = summarise(scores, self.columns, tags)
        schema = SUMMARY.schema(**self.columns._asdict())
        return write_part(artefact, schema, [rows], sort_keys=SUMMARY.key)


FIRST = 50  # words of a seed's own ranking that `top50` counts


_OF_WORD = (
    "word",
    "slice_from",
    "slice_to",
    "target",
    "ranked",
    "count_from",
    "count_to",
    "relative_from",
    "relative_to",
    "documents_from",
    "documents_to",
)
_OF_KIND = ("score", "score_sd", *EVIDENCE, "reason")


def summarise(scores: pa.Table, published: SummaryColumns, tags: Majority) -> pa.Table:
    """Return the rows of table `change/summary` of a pair of slices, by word.

    Args:
        scores: all rows of table `scores` of the pair; columns about a null may be missing.
        published: what the table has columns of, in their order.
        tags: of the words, sorted.
    """
    means = scores.filter(pc.is_null(scores["seed"]))
    plain = _words_once(means)
    words = plain["word"].combine_chunks()
    columns = {name: plain[name] for name in _OF_WORD}
    columns |= {"upos": tags.upos, "upos_share": tags.share}
    columns["relative_change"] = _change(plain)
    classes = [of_threshold("changed", name, published.thresholds) for name in published.thresholds]
    for kind in published.kinds:
        same = scores.filter((pc.field("alignment") == kind.alignment) & (pc.field("measure") == kind.measure))
        for name, values in _of_kind(same, words, classes).items():
            columns[suffixed(name, kind.suffix)] = values
    schema = SUMMARY.schema(**published._asdict())
    arrays = [columns[field.name].cast(field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _words_once(means: pa.Table) -> pa.Table:
    """Return a row for each word, sorted: all alignments and measures have the same words."""
    first = means.slice(0, 1).to_pylist()
    same = [pc.field(name) == row[name] for row in first for name in ("alignment", "measure")]
    return (means.filter(same[0] & same[1]) if same else means).sort_by("word")


def _change(rows: pa.Table) -> pa.Array:
    earlier = rows["relative_from"].to_numpy()
    change = np.full(len(earlier), np.nan)
    np.divide(rows["relative_to"].to_numpy(), earlier, out=change, where=earlier > 0)
    return pa.array(change - 1.0, from_pandas=True)


def _of_kind(rows: pa.Table, words: pa.Array, classes: Sequence[str]) -> dict[str, pa.Array]:
    """Return the columns of an alignment and measure, of which `rows` are all scores, for some words."""
    means = rows.filter(pc.is_null(rows["seed"]))
    place = pc.index_in(words, value_set=means["word"].combine_chunks())
    columns = {
        name: means[name].take(place) if name in means.column_names else pa.nulls(len(words))
        for name in (*_OF_KIND, *classes)
    }
    ranked = by_change(_rankable(means))["word"].combine_chunks()
    rank = pc.index_in(words, value_set=ranked)
    first = pa.array(_share_of_seeds(rows, words), mask=rank.is_null().to_numpy(False))
    return columns | {"rank": pc.add(rank, 1), "top50": first}


def _rankable(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.field("ranked") & pc.field("score").is_valid())


def _share_of_seeds(rows: pa.Table, words: pa.Array) -> Floats:
    """Return for each word the share of seeds in whose ranking it is among the first."""
    seeds = pc.unique(rows["seed"].drop_null())
    times = np.zeros(len(words), np.int64)
    for seed in seeds:
        seed_rows = _rankable(rows.filter(pc.equal(rows["seed"], seed)))
        # By score alone, for a null is one of the mean and not of a seed.
        head = seed_rows.sort_by([("score", "descending"), ("word", "ascending")]).slice(0, FIRST)
        times += pc.is_in(words, value_set=head["word"].combine_chunks()).to_numpy(False)
    return times / max(len(seeds), 1)
