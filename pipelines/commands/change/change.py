"""Lexical semantic change: slices, embeddings, alignments, scores, from annotated corpora.

The training view is derived from `sentences`, one embedding is trained per slice and seed, pairs of
slices are aligned and scored; see docs/tasks/change/methods.md.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from lexbeam.pipelines.commands.change.options import ChangeOptions, read_targets
from lexbeam.pipelines.commands.change.plan import (
    STAGES,
    ChangePlan,
    expected_artefacts,
    groups_in,
    plan_change,
    weights_of,
)
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Moved, Opening, TableSource
from lexbeam.schemas.change.scores import NULLS, PAIRS, SCORES, SUMMARY, SYSTEM_CONTROLS, SYSTEM_SCORES
from lexbeam.schemas.change.spaces import ALIGNMENTS, NEIGHBOURS, POINTS, SERIES, SLICES, VECTORS
from lexbeam.transforms.change.graph.comparisons import (
    RunKey,
    SliceReady,
    SpaceKey,
    by_place,
    combine_tasks,
    neighbour_tasks,
    series_tasks,
    slice_rows,
    summary_tasks,
    systems_tasks,
)
from lexbeam.transforms.change.graph.pair_tasks import (
    by_group,
    deal_tasks,
    dealt_tasks,
    first_place,
    null_ready,
    null_sides,
    null_slices,
    of_groups,
    score_tasks,
    sizes_tasks,
)
from lexbeam.transforms.change.scores.combined_scores import CombineSeeds, Summarise, summary_columns
from lexbeam.transforms.change.scores.null_deals import CountDealt, DealDocuments, SizeDocuments
from lexbeam.transforms.change.scores.seed_scores import ScoreSeed
from lexbeam.transforms.change.scores.series import MakeSeries
from lexbeam.transforms.change.scores.system_ensembles import CompareSystems
from lexbeam.transforms.change.scores.traces import SeriesOptions, Traced
from lexbeam.transforms.change.shown.panels import panels, quotes
from lexbeam.transforms.change.shown.ranking_rows import NO_NULL, told_systems
from lexbeam.transforms.change.shown.rankings import missing_targets, moved_scores, ranking
from lexbeam.transforms.change.shown.verdict import short_text, slice_warnings
from lexbeam.transforms.change.shown.views import VIEWS, turning
from lexbeam.transforms.change.spaces.aligning import DescribeSlice, ListNeighbours
from lexbeam.transforms.change.view.feeds import write_text
from lexbeam.transforms.change.view.slices import lacking
from lexbeam.transforms.change.view.view_stage import Viewed
from lexbeam.transforms.change.view.words import ViewOptions, case_text
from lexbeam.transforms.common.publish.holding import Gauge
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import PartFile, read_table
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint_trainings import JOINT_TRAININGS
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, SHARED

if TYPE_CHECKING:
    import apache_beam as beam

log = logging.getLogger("lexbeam")


class Outside(NamedTuple):
    """Documents of a part of `sentences` that are in no slice."""

    documents: int


def _outside(element: tuple[str, list[Viewed]]) -> Outside:
    _, viewed = element
    return Outside(viewed[0].of - sum(slice.seen for slice in viewed))


def _words(element: tuple[SpaceKey, PartFile]) -> tuple[int, int]:
    (_, place, _), trained = element
    return place, trained.rows  # a row per word, in every variant


def _of_series(element: tuple[RunKey, Traced]) -> tuple[int, Traced]:
    return 0, element[1]


def _write_text(element: SliceReady, folder: str, names: tuple[str, ...]) -> str:
    return write_text(folder, names[element.place], *element.feeds)


class _Nulls(NamedTuple):
    """What chance gives, as pairs and series are combined with it: keyword arguments, by what they are of.

    Attributes:
        pairs: `deals` and `nulls` of pairs of slices.
        series: `deals` and `nulls` of series.
        slices: the null slices, `ready` for training.
    """

    pairs: Mapping[str, "beam.PCollection"]
    series: Mapping[str, "beam.PCollection"]
    slices: Mapping[str, "beam.PCollection"]


def _of_chance(
    viewed: "beam.PCollection",
    made: tuple["beam.PCollection", Any, "beam.PCollection"],
    dealt: "beam.PCollection",
    plan: ChangePlan,
    graph: Graph,
) -> _Nulls:
    """Score pairs and series of slices that are made of documents dealt out anew.

    `made` are the real slices, ready for training, their counts by place, and their spaces.
    """
    import apache_beam as beam

    from lexbeam.transforms.change.graph.ptransforms import AlignPairs, ScorePairs, TraceSeries, counts_by_place
    from lexbeam.transforms.change.graph.space_ptransforms import MergeCounts, TrainSlices
    from lexbeam.transforms.common.store.ptransforms import Each

    workspace, number, pairs = graph.workspace, plan.null.nulls, len(plan.pairs.pairs)
    real, real_slices, real_spaces = made
    groups = groups_in(plan)
    comparisons = null_slices(plan.pairs, groups, number)
    deals = beam.pvalue.AsDict(dealt)
    ready = (
        viewed
        | "CountDealt" >> Each(workspace, CountDealt(), dealt_tasks, {"groups": groups, "deals": deals})
        | "NullCounts" >> MergeCounts(workspace, len(plan.parts))
        | "NullsReady"
        >> beam.Map(null_ready, groups, deals=deals, ready=beam.pvalue.AsDict(real | "KeyReal" >> beam.Map(by_place)))
    )
    spaces = ready | "TrainNulls" >> TrainSlices(
        workspace,
        comparisons,
        plan.sgns,
        plan.sharding,
        plan.representation,
        plan.score.targets,
        graph.lanes,
        plan.frees,
        {"ready": real},
    )
    others = {}
    if plan.pairs.frame is not None:
        others["others"] = real_spaces | "RealSides" >> beam.FlatMap(
            null_sides, comparisons, plan.pairs, slices=real_slices
        )
    slices = counts_by_place(ready, "KeyNullCounts")
    align = AlignPairs(workspace, comparisons, plan.align, slices, others)
    of_pairs = {
        "deals": dealt | "OfPairs" >> beam.FlatMap(of_groups, range(pairs)),
        "nulls": spaces | "ScoreNulls" >> ScorePairs(align, plan.score, number, plan.frees),
    }
    if not plan.series:
        return _Nulls(of_pairs, {}, {"ready": ready})
    of_series = dealt | "OfSeries" >> beam.FlatMap(of_groups, range(pairs, pairs + 1))
    first = first_place(groups, pairs, number)
    traced = spaces | "TraceNulls" >> TraceSeries(
        workspace, comparisons, first, len(plan.pairs.names), _series_options(plan), slices, {}, plan.frees
    )
    return _Nulls(
        of_pairs, {"deals": of_series, "nulls": traced | "OfOneSeries" >> beam.Map(_of_series)}, {"ready": ready}
    )


def _series(
    spaces: "beam.PCollection", aligned: "beam.PCollection", slices: Any, nulls: _Nulls, plan: ChangePlan, graph: Graph
) -> "beam.PCollection":
    """Trace words through all slices, and combine seeds with what chance gives."""
    import apache_beam as beam

    from lexbeam.transforms.change.graph.ptransforms import TraceSeries
    from lexbeam.transforms.common.store.ptransforms import By

    options = _series_options(plan)
    # Series align every pair by itself, and take over what the run has aligned so.
    maps = {} if plan.pairs.frame is not None else {"maps": aligned}
    traced = spaces | "Trace" >> TraceSeries(
        graph.workspace, plan.pairs, 0, len(plan.pairs.names), options, slices, maps
    )
    return {"seeds": traced | "OfSeries0" >> beam.Map(_of_series), **nulls.series} | "CombineSeries" >> By(
        graph.workspace, MakeSeries.of(options), series_tasks, {"comparisons": plan.pairs, "slices": slices}
    )


def _series_options(plan: ChangePlan) -> SeriesOptions:
    entry, first = REPRESENTATIONS[plan.representation.representation], plan.pairs.variants[0].name
    options = SeriesOptions(
        align=plan.align, rank=plan.score.rank, alignment=entry.alignments[0], axes=entry.axes, variant=first
    )
    if first == APART:
        return options
    return replace(
        options,
        alignment=plan.pairs.variants[0].alignments[0],
        axes=SHARED,
        of_targets=JOINT_TRAININGS[first].of_targets,
    )


def _expect(plan: ChangePlan, graph: Graph) -> None:
    artefacts = expected_artefacts(plan)
    for stage in STAGES:
        if stage.name in artefacts:
            graph.expect(stage, artefacts[stage.name])


def _slice_tokens(made: Made) -> Mapping[str, float]:
    rows = read_table([checked(part) for part in made.of_table(SLICES.name)], ["slice", "tokens"]).to_pylist()
    return {row["slice"]: row["tokens"] for row in rows}


def _null_shares(made: Made) -> Mapping[str, float]:
    """Return the share of the words' scores over all seeds that are null, by pair of slices, in every measure."""
    shares: dict[str, float] = {}
    for part in made.of_table(SCORES.name):  # one for each pair
        rows = read_table([checked(part)], ["slice_from", "slice_to", "seed", "score"])
        rows = rows.filter(pc.is_null(rows["seed"]))
        if len(rows):
            pair = f"{rows['slice_from'][0].as_py()} to {rows['slice_to'][0].as_py()}"
            shares[pair] = rows["score"].null_count / len(rows)
    return shares


def _subject(section: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} ({first} to {last})" for name, first, last in section["slices"])


class Change(Command[ChangeOptions, ChangePlan]):
    """`lexbeam change`."""

    options = ChangeOptions
    examples = """\
  lexbeam change corpus --out change --slices 1810-1860,1960-2010 --null 5
  lexbeam change results --slices 1810-1860,1960-2010 --null 5
  lexbeam change corpus --out change --slices bc=..-1,ad=0.. --targets words.txt \\
      --dim 100 --window 10 --epochs 5 --min-count 1,6 --seeds 3 --alignment op,cca"""
    tables = (
        SUMMARY,
        PAIRS,
        SERIES,
        POINTS,
        SLICES,
        SCORES,
        NULLS,
        SYSTEM_SCORES,
        SYSTEM_CONTROLS,
        NEIGHBOURS,
        VECTORS,
        ALIGNMENTS,
    )
    stages = STAGES
    rows: Mapping[str, type] = {"outside": Outside}
    gauges: Mapping[str, Gauge] = {
        "slice-tokens": Gauge(_slice_tokens, doc="tokens of a slice that are trained on"),
        "null-scores": Gauge(
            _null_shares, doc="share of the scores of a pair of slices, FROM to TO, that are null", share=True
        ),
    }
    views = VIEWS
    opening = Opening(
        "Change of usage",
        "How differently words are used in two periods: a score compares the contexts of a word, by default by the "
        "cosine distance of its vectors after alignment; 0 means the same contexts. Read a score beside what "
        "chance gives (evidence) and the sentences themselves: that usage differs does not say that a meaning "
        "changed.",
        ("dim", "window", "epochs", "min-count", "seeds", "alignment", "measure", "null", "unit", "case", "pairs"),
        subject=_subject,
    )
    check = staticmethod(read_targets)
    plan = staticmethod(plan_change)
    weights = staticmethod(weights_of)
    report = staticmethod(panels)
    quotes = staticmethod(quotes)

    def reads(self, options: ChangeOptions) -> Sequence[TableSource]:
        # Documents say who wrote them, and what else slices are compared by.
        tables = ("sentences", "documents")
        return [TableSource(table, folder, needed=True) for folder in options.corpora or (None,) for table in tables]

    def year_check(self, options: ChangeOptions) -> Callable[[Collection[int]], str | None] | None:
        # Where there are several corpora, another one may have what this one lacks.
        return None if len(options.corpora) > 1 else partial(lacking, spec=options.slices)

    def build(self, pipeline: "beam.Pipeline", plan: ChangePlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of `sentences` in, parts of the change tables out."""
        import apache_beam as beam

        from lexbeam.transforms.change.graph.ptransforms import AlignPairs, NumberParts, ScoreBeside, counts_by_place
        from lexbeam.transforms.change.graph.space_ptransforms import DeriveView, MergeSlices, TrainSlices, each_slice
        from lexbeam.transforms.common.store.ptransforms import By, Each

        graph = graph._replace(workspace=graph.workspace._replace(keeps=plan.shares))
        workspace, lanes = graph.workspace, graph.lanes
        _expect(plan, graph)
        viewed = graph.tasks(pipeline, "SentenceParts", plan.parts) | "DeriveView" >> DeriveView(
            workspace, plan.view, plan.budget, lanes, plan.settle
        )
        ready = (
            viewed | "EachSlice" >> beam.FlatMap(each_slice) | "MergeSlices" >> MergeSlices(workspace, len(plan.parts))
        )
        spaces = ready | "Train" >> TrainSlices(
            workspace, plan.pairs, plan.sgns, plan.sharding, plan.representation, plan.score.targets, lanes
        )
        slices = counts_by_place(ready)
        of_pairs = {"comparisons": plan.pairs, "slices": slices}
        aligned = spaces | "Align" >> AlignPairs(workspace, plan.pairs, plan.align, slices)
        seeds = aligned | "Score" >> By(workspace, ScoreSeed.of(plan.score), score_tasks, of_pairs)
        groups = {"groups": groups_in(plan)}
        of_documents = {**groups, "documents": plan.documents, "sentences": plan.null.sentences}
        deals = (
            viewed
            | "SizeDocuments" >> Each(workspace, SizeDocuments(), sizes_tasks, of_documents)
            | "KeyByGroup" >> beam.FlatMap(by_group, groups["groups"])
            | "Deal" >> By(workspace, DealDocuments(plan.null), deal_tasks, groups)
        )
        nulls = _Nulls({"deals": deals}, {}, {})
        if plan.null.nulls:
            nulls = _of_chance(viewed, (ready, slices, spaces), deals, plan, graph)
        combined = {"seeds": seeds, **nulls.pairs} | "Combine" >> By(
            workspace, CombineSeeds.of(plan.score), combine_tasks, of_pairs
        )
        summary = combined | "Summarise" >> Each(
            workspace, Summarise(summary_columns(plan.score)), summary_tasks, of_pairs
        )
        shown = {"targets": plan.score.targets, "most": plan.score.neighbour_words}
        neighbours = spaces | "Neighbours" >> Each(
            workspace,
            ListNeighbours(plan.neighbours),
            neighbour_tasks,
            {"comparisons": plan.pairs, "combined": beam.pvalue.AsDict(combined), **shown},
        )
        if plan.write_text and graph.writes:
            ready | "WriteText" >> beam.Map(_write_text, plan.write_text, plan.pairs.names)
        described = (
            spaces
            | "KeyWords" >> beam.Map(_words)
            | "DescribeSlices" >> By(workspace, DescribeSlice(), slice_rows, {**of_pairs, "periods": plan.view.slices})
        )
        made = {
            VECTORS.name: spaces,
            NEIGHBOURS.name: neighbours,
            ALIGNMENTS.name: aligned,
            SCORES.name: combined,
            PAIRS.name: combined,
            SUMMARY.name: summary,
            SLICES.name: described,
        }
        if plan.null.nulls:
            made[NULLS.name] = combined
        runs = {"": combined}
        for other in plan.beside:
            name = ",".join(other.score.systems)
            training = TrainSlices(
                workspace,
                other.pairs,
                other.sgns,
                other.sharding,
                other.representation,
                other.score.targets,
                lanes,
                plan.frees,
            )
            runs[name] = ready | f"Beside {name}" >> ScoreBeside(
                training, other.align, other.score, plan.null.nulls, {**nulls.pairs, **nulls.slices}
            )
        if plan.score.systems or plan.beside:
            ensembles = CompareSystems(tuple(sorted(set(plan.ensembles))))
            systems = (
                [runs[name] for name in sorted(runs)]
                | "AllRuns" >> beam.Flatten()
                | "Systems" >> By(workspace, ensembles, systems_tasks)
            )
            made |= {SYSTEM_SCORES.name: systems, SYSTEM_CONTROLS.name: systems}
        if plan.series:
            series = _series(spaces, aligned, slices, nulls, plan, graph)
            made |= {SERIES.name: series, POINTS.name: series}
        parts = made | "NumberParts" >> NumberParts(plan.pairs, plan.score.alignments)
        return {"parts": parts, "outside": viewed | "CountOutside" >> beam.Map(_outside)}

    def resources(self, plan: ChangePlan) -> Mapping[str, Any]:
        return {"targets": list(plan.view.targets.words)}

    def section(self, plan: ChangePlan, outcome: HandedBack) -> Mapping[str, Any]:
        outside = sum(row.documents for row in outcome.rows["outside"])
        slices = read_table([checked(part) for part in outcome.of_table(SLICES.name)])
        for warning in slice_warnings(slices.to_pylist(), outside):
            log.warning("%s", warning)
        return {
            "view": asdict(plan.view.options),
            "slices": [list(slice) for slice in plan.view.slices],
            "pairs": [list(pair) for pair in plan.pairs.pairs],
            "seeds": list(plan.pairs.seeds),
            "alignments": [name for name in plan.score.alignments if name != "none"],
            "variants": [variant.name for variant in plan.pairs.variants],
            "targets": list(plan.view.targets.words),
            "documents_outside_slices": outside,
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        for row in snapshot.read("slices").to_pylist():
            text = (
                f"slice {row['slice']}: {row['documents']} documents, {row['tokens']} tokens, "
                f"{row['vocabulary']} words with {row['min_count']} uses"
            )
            yield "; ".join(filter(None, (text, short_text(row))))
        section = snapshot.section("change")
        yield case_text(ViewOptions(**section["view"]), section["options"]["case"])
        yield from missing_targets(snapshot)
        yield from ranking(snapshot)
        yield from told_systems(snapshot)
        yield from turning(snapshot)

    def reworded(self, section: Mapping[str, Any]) -> Mapping[str, str | None]:
        """Return slices with their years, pairs by the names of their slices, and the view in words."""
        view, names = section["view"], [name for name, *_ in section["slices"]]
        return {
            "slices": _subject(section),
            "pairs": ", ".join(f"{names[first]} to {names[last]}" for first, last in section["pairs"]),
            "view": f"by {view['unit']}, letter case {view['case']}, "
            f"sentences of {view['min_sentence']} tokens or more",
        }

    def moved(self, before: Snapshot, after: Snapshot, top: int) -> Moved:
        rows = moved_scores(before, after, top)
        note = "score_sd: the noise of training over seeds; null_mean, null_sd: what chance gives"
        if not rows["null_mean_after"].null_count < len(rows):
            note = f"score_sd: the noise of training over seeds; {NO_NULL}"
        return Moved(rows, note)
