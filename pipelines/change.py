"""Lexical semantic change: slices, embeddings, alignments, scores, from annotated corpora.

    lexbeam change corpus --out change --slices 1810-1860,1960-2010 --seeds 3

The training view is derived from `sentences`, one embedding is trained per slice and seed, pairs of
slices are aligned and scored; see docs/change.md.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import apache_beam as beam

from pipelines.change_plan import ChangeOptions, ChangePlan, plan_change
from pipelines.inputs import noted_files
from pipelines.options import plain_options
from pipelines.publishing import Intended, publish_run, tables_line
from pipelines.report import missing_targets, ranking
from pipelines.results import Results
from pipelines.runners import (
    CORPUS_ONLY,
    NOT_PUBLISHED,
    RunnerConfig,
    load_runner_config,
    run_pipeline,
)
from transforms.change.aligning import ALIGN, Aligned, AlignTask
from transforms.change.listing import NEIGHBOURS, SLICE, Listed
from transforms.change.plan import PairSeed, SliceReady, SpaceKey
from transforms.change.preparing import MEASURE, VIEW, Viewed
from transforms.change.ptransforms import AlignPairs, ListNeighbours, ScorePairs, TrainSlices
from transforms.change.scoring import COMBINE, SCORE, Combined
from transforms.change.slice_merges import COUNT, SHUFFLE, SliceCounts
from transforms.change.training import TRAIN, Trained
from transforms.change.view_ptransforms import DeriveView, MergeSlices, WriteText
from transforms.common import files
from transforms.common.artefacts import Stage, Workspace, make, plan, stage_entry
from transforms.common.errors import UsageError
from transforms.common.ptransforms import WriteResult
from transforms.common.sections import Made, Read
from transforms.common.snapshots import Snapshot, open_snapshot
from transforms.common.tables import Part, PartFile
from transforms.corpora.corpus import Corpus

__all__ = ["ChangeOptions", "build", "execute", "intended", "run", "summary"]

log = logging.getLogger("lexbeam")

NAME = "change"
TABLES_MADE = ("slices", "vectors", "alignments", "scores", "neighbours")
STAGES: tuple[Stage[Any, Any, Any], ...] = (
    MEASURE, VIEW, COUNT, SHUFFLE, TRAIN, ALIGN, SCORE, COMBINE, NEIGHBOURS, SLICE,
)  # fmt: skip


class _Outside(NamedTuple):
    """Documents of a part of `sentences` that are in no slice."""

    documents: int


class _Slice(NamedTuple):
    """A slice by its place, with its counts."""

    place: int
    counts: SliceCounts


class _Space(NamedTuple):
    """A part of `vectors`, by slice and seed."""

    key: SpaceKey
    part: PartFile


class _Map(NamedTuple):
    """A part of `alignments`, by pair, seed and alignment."""

    key: PairSeed
    alignment: str
    part: PartFile


class _Scores(NamedTuple):
    """A part of `scores`, by pair."""

    pair: int
    part: PartFile


def _outside(viewed: list[Viewed]) -> _Outside:
    return _Outside(viewed[0].of - sum(slice.seen for slice in viewed))


def _slice(ready: SliceReady) -> _Slice:
    return _Slice(ready.place, ready.counts)


def _space(element: tuple[SpaceKey, Trained | Listed]) -> _Space:
    return _Space(element[0], element[1].part)


def _map(element: tuple[PairSeed, tuple[AlignTask, Aligned]]) -> _Map:
    key, (task, aligned) = element
    return _Map(key, task.alignment, aligned.part)


def _scores(element: tuple[int, Combined]) -> _Scores:
    return _Scores(element[0], element[1].part)


def build(
    pipeline: beam.Pipeline,
    made: ChangePlan,
    options: ChangeOptions,
    workspace: Workspace,
    lanes: int,
    results: Results,
) -> None:
    """Add the change pipeline: parts of `sentences` in, parts of the change tables out."""
    viewed = (
        pipeline
        | "SentenceParts" >> beam.Create(made.parts, reshuffle=False)
        | "DeriveView" >> DeriveView(workspace, made.view, made.budget, lanes, made.settle)
    )
    ready = viewed | "MergeSlices" >> MergeSlices(workspace)
    spaces = ready | "Train" >> TrainSlices(workspace, made.pairs, made.sgns, lanes)
    aligned = spaces | "Align" >> AlignPairs(
        workspace, made.pairs, made.score.alignments, made.align, ready
    )
    combined = aligned | "Score" >> ScorePairs(workspace, made.score)
    neighbours = spaces | "Neighbours" >> ListNeighbours(
        workspace, made.pairs, made.score, made.neighbours, combined
    )
    if options.write_text:
        folder = files.absolute(options.write_text)
        ready | "WriteText" >> WriteText(folder, made.pairs.names)
    for name, rows, row in (
        ("Viewed", viewed, _outside),
        ("Slices", ready, _slice),
        ("Spaces", spaces, _space),
        ("Aligned", aligned, _map),
        ("Combined", combined, _scores),
        ("Neighbours", neighbours, _space),
    ):
        (
            rows
            | f"Pick{name}" >> beam.Map(row)
            | f"Write{name}" >> WriteResult(results.path(name.lower()))
        )


def _stages(made: ChangePlan) -> dict[str, Any]:
    """Return what the manifest says of every stage, by its name."""
    chosen: dict[str, Any] = {
        ALIGN.name: {_ALIGNMENTS: made.score.alignments},
        SCORE.name: SCORE.chosen(_NO_TASK, made.score),
        COMBINE.name: COMBINE.chosen(_NO_TASK, made.score),
    }
    stages = [stage for stage in STAGES if stage is not MEASURE or made.budget is not None]
    return {stage.name: stage_entry(stage, chosen.get(stage.name)) for stage in stages}


_ALIGNMENTS = "transforms.change.alignment:ALIGNMENTS"
_NO_TASK: Any = None


def execute(
    options: ChangeOptions, corpora: Sequence[Corpus], config: RunnerConfig, workspace: Workspace
) -> Made:
    """Run the pipeline and return its section, unpublished."""
    made = plan_change(options, corpora)
    pairs = made.pairs
    for stage, number in (
        (COUNT, len(pairs.names)),
        (ALIGN, len(pairs.pairs) * len(pairs.seeds) * len(set(made.score.alignments))),
        (SCORE, len(pairs.pairs) * len(pairs.seeds)),
        (COMBINE, len(pairs.pairs)),
        (NEIGHBOURS, len(pairs.names) * len(pairs.seeds)),
    ):
        plan(workspace, stage.name, number)
    results = Results(workspace.root)
    run_pipeline(
        lambda pipeline: build(pipeline, made, options, workspace, config.lanes, results),
        config,
        workspace.root,
        [stage.name for stage in STAGES],
    )
    outside = sum(row.documents for row in results.read("viewed", _Outside))
    spaces = results.read("spaces", _Space)
    found = results.read("slices", _Slice)
    slices = list(_slice_rows(made, sorted(found, key=_place), spaces))
    combined = results.read("combined", _Scores)
    parts = [
        *_numbered("vectors", made, spaces),
        *_numbered("neighbours", made, results.read("neighbours", _Space)),
        *_maps(made, results.read("aligned", _Map)),
        *(Part.of("scores", row.pair, row.part) for row in combined),
    ]
    results.remove()
    for number, row in enumerate(slices):
        parts.append(Part.of("slices", number, make(workspace, SLICE, row, None).part))
    entry = {
        "options": published_options(options),
        "stages": _stages(made),
        "resources": {"targets": list(made.view.targets.words)},
        "view": asdict(made.view.options),
        "slices": [list(slice) for slice in made.view.slices],
        "pairs": [list(pair) for pair in pairs.pairs],
        "seeds": list(pairs.seeds),
        "alignments": [name for name in options.alignment if name != "none"],
        "targets": list(made.view.targets.words),
        "inputs": sorted([part.rows, part.sha256] for part in made.parts),
        "documents_outside_slices": outside,
    }
    _warn(slices, outside)
    return Made(
        name=NAME,
        parts=tuple(parts),
        entry=entry,
        reads=tuple(sorted((corpus.read for corpus in corpora), key=_as_plain)),
        log={
            "folders": [] if not options.corpora else [files.absolute(p) for p in options.corpora],
            "files": noted_files([options.targets]),
        },
    )


def _as_plain(read: Read) -> tuple[str, str, str]:
    return read.table, read.digest, read.section or ""


def _place(found: _Slice) -> int:
    return found.place


def published_options(options: ChangeOptions) -> dict[str, Any]:
    """Return the options as the manifest has them: without paths."""
    return plain_options(
        options, without=(*NOT_PUBLISHED, *CORPUS_ONLY, "corpora", "targets", "write_text")
    )


def _numbered(table: str, made: ChangePlan, spaces: Sequence[_Space]) -> Iterator[Part]:
    seeds = made.pairs.seeds
    for space in spaces:
        place, seed = space.key
        yield Part.of(table, place * len(seeds) + seeds.index(seed), space.part)


def _maps(made: ChangePlan, maps: Sequence[_Map]) -> Iterator[Part]:
    seeds = made.pairs.seeds
    names = sorted(set(made.score.alignments) - {"none"})
    for found in maps:
        if found.alignment != "none":
            pair, seed = found.key
            number = pair * len(seeds) + seeds.index(seed)
            place = number * len(names) + names.index(found.alignment)
            yield Part.of("alignments", place, found.part)


def _slice_rows(
    made: ChangePlan, ready: Sequence[_Slice], spaces: Sequence[_Space]
) -> Iterator[dict[str, Any]]:
    words = {space.key[0]: space.part.rows for space in spaces}  # a row per word
    for place, counts in ready:
        slice = made.view.slices[place]
        tokens = counts.tokens
        yield {
            "slice": slice.name,
            "from": slice.start,
            "to": slice.end,
            "documents": counts.documents,
            "sentences": counts.sentences,
            "tokens_before": counts.tokens_before,
            "tokens": tokens,
            "sentences_short": counts.short,
            "sentences_sampled_out": counts.sampled_out,
            "sentences_split": counts.split,
            "types": counts.types,
            "vocabulary": words[place],
            "min_count": made.pairs.min_counts[place],
            "largest_document_share": counts.largest_document / tokens if tokens else 0.0,
        }


LARGE_SHARE = 0.2
UNEVEN = 5


def _warn(slices: Sequence[Mapping[str, Any]], outside: int) -> None:
    for row in slices:
        if row["largest_document_share"] > LARGE_SHARE:
            share = row["largest_document_share"]
            log.warning(
                "slice %s: one document has %.0f %% of the tokens", row["slice"], 100 * share
            )
    sizes = [row["tokens"] for row in slices]
    if max(sizes) > UNEVEN * min(sizes):
        log.warning(
            "slices differ over fivefold in size (%d to %d tokens): --max-tokens smallest evens "
            "them out", min(sizes), max(sizes),
        )  # fmt: skip
    if outside:
        log.warning("%d documents lie outside all slices", outside)


def intended(options: ChangeOptions) -> Intended:
    """Return what a run with these options is to publish."""
    own = not options.corpora or files.real(options.out) in map(files.real, options.corpora)
    return Intended(NAME, TABLES_MADE, published_options(options), ("corpus",) if own else ())


def corpora_of(
    options: ChangeOptions, old: Snapshot | None, made: Sequence[Made] = ()
) -> list[Corpus]:
    """Return the corpora that a run reads: those named, else of the same run, else of `--out`.

    Raises:
        UsageError: a folder is named twice, or none is named and there is none at `--out`.
        LexbeamError: a folder holds no corpus.
    """
    fresh = [Corpus.made(section) for section in made if section.name == "corpus"]
    if not options.corpora:
        if fresh:
            return fresh
        if old is None or "corpus" not in old.sections:
            raise UsageError(
                f"no corpus is published at {options.out!r}: name a folder made by `lexbeam "
                "corpus`, or make one there first"
            )
        return [Corpus.published(old, own=True)]
    places = [files.real(folder) for folder in options.corpora]
    if len(set(places)) < len(places):
        raise UsageError("a corpus folder is named twice: its documents would count twice")
    found = []
    for folder, place in zip(options.corpora, places, strict=True):
        if place != files.real(options.out):
            found.append(Corpus.published(open_snapshot(folder)))
        elif fresh:  # what is published there is about to be replaced
            found += fresh
        else:
            found.append(Corpus.published(old or open_snapshot(folder), own=True))
    return found


def run(options: ChangeOptions, beam_options: Sequence[str] = ()) -> None:
    """Make and publish the change tables at `options.out`."""
    config = load_runner_config(options.runner_config, beam_options)

    def make(workspace: Workspace, old: Snapshot | None) -> list[Made]:
        return [execute(options, corpora_of(options, old), config, workspace)]

    if publish_run(options, [intended(options)], make):
        print(summary(open_snapshot(options.out)))
        print(tables_line(options.out, TABLES_MADE))


def summary(snapshot: Snapshot) -> str:
    """Return slices, targets not found, and the most changed words, for a person."""
    lines = [
        f"slice {row['slice']}: {row['documents']} documents, {row['tokens']} tokens, "
        f"{row['vocabulary']} words with {row['min_count']} uses"
        for row in snapshot.read("slices").to_pylist()
    ]
    lines += missing_targets(snapshot)
    lines += ranking(snapshot)
    return "\n".join(lines)
