"""Lexical semantic change: slices, embeddings, alignments, scores, from annotated corpora.

    lexbeam change corpus --out change --slices 1810-1860,1960-2010 --seeds 3

The training view is derived from `sentences`, one embedding is trained per slice and seed, pairs of
slices are aligned and scored; see docs/change.md.
"""

import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import apache_beam as beam
import pyarrow as pa

from pipelines.change_plan import ChangeOptions, ChangePlan, Corpus, plan_change
from pipelines.options import plain_options
from pipelines.report import missing_targets, ranking
from pipelines.results import Results
from pipelines.runners import (
    CORPUS_ONLY,
    NOT_PUBLISHED,
    RunnerConfig,
    load_runner_config,
    run_pipeline,
)
from schemas import TABLES
from transforms.change.ptransforms import AlignPairs, ListNeighbours, ScorePairs, TrainSlices
from transforms.change.view_ptransforms import DeriveView, MergeSlices, WriteText
from transforms.common import files
from transforms.common.artefacts import Workspace, plan
from transforms.common.errors import UsageError
from transforms.common.ptransforms import WriteResult
from transforms.common.publish import locked, make_manifest, publish
from transforms.common.tables import Part, write_part

__all__ = ["ChangeOptions", "ChangeResult", "Corpus", "build", "execute", "run", "summary"]

log = logging.getLogger("lexbeam")

TABLES_MADE = ("slices", "vectors", "alignments", "scores", "neighbours")
STAGES = (
    "measure", "view", "count", "shuffle", "train", "align", "score", "combine", "neighbours",
)  # fmt: skip


@dataclass(frozen=True)
class ChangeResult:
    """What a change run made: parts, the manifest's section, and what a person is shown."""

    parts: list[Part]
    section: dict[str, Any]
    combined: list[dict[str, Any]]
    slices: list[dict[str, Any]]


def build(
    pipeline: beam.Pipeline,
    made: ChangePlan,
    options: ChangeOptions,
    work: str,
    lanes: int,
    results: Results,
) -> None:
    """Add the change pipeline: parts of `sentences` in, parts of the change tables out."""
    workspace = Workspace(work)
    viewed = (
        pipeline
        | "SentenceParts" >> beam.Create(made.parts, reshuffle=False)
        | "DeriveView" >> DeriveView(workspace, made.view, made.budget, lanes, made.settle)
    )
    ready = viewed | "MergeSlices" >> MergeSlices(workspace, len(made.view.slices))
    spaces = ready | "Train" >> TrainSlices(workspace, made.pairs, made.sgns, lanes)
    aligned = spaces | "Align" >> AlignPairs(workspace, made.pairs, made.score, ready)
    combined = aligned | "Score" >> ScorePairs(workspace, made.score)
    neighbours = spaces | "Neighbours" >> ListNeighbours(
        workspace, made.pairs, made.score, ready, combined
    )
    if options.write_text:
        folder = files.absolute(options.write_text)
        ready | "WriteText" >> WriteText(folder, made.pairs.names)
    for name, rows, fields in (
        ("viewed", viewed, ("outside",)),
        ("slices", ready, ()),
        ("spaces", spaces, ("part",)),
        ("aligned", aligned, ()),
        ("combined", combined, ()),
        ("neighbours", neighbours, ("part",)),
    ):
        rows | f"Write{name.title()}" >> WriteResult(results.path(name), fields)


def execute(
    options: ChangeOptions, corpora: Sequence[Corpus], config: RunnerConfig, work: str
) -> ChangeResult:
    """Run the pipeline and return its parts, unpublished."""
    made = plan_change(options, corpora)
    for stage, number in (
        ("count", len(made.pairs.names)),
        ("align", len(made.pairs.pairs) * len(made.pairs.seeds)),
        ("score", len(made.pairs.pairs) * len(made.pairs.seeds)),
        ("combine", len(made.pairs.pairs)),
        ("neighbours", len(made.pairs.names) * len(made.pairs.seeds)),
    ):
        plan(Workspace(work), stage, number)
    results = Results(work)
    run_pipeline(
        lambda pipeline: build(pipeline, made, options, work, config.lanes, results),
        config,
        work,
        STAGES,
    )
    found = {
        name: results.read(name)
        for name in ("viewed", "slices", "spaces", "aligned", "combined", "neighbours")
    }
    spaces = [Part(*row["part"]) for row in found["spaces"]]
    slices = _slice_rows(made, sorted(found["slices"]), spaces)
    combined = sorted(found["combined"], key=lambda receipt: receipt["pair"])
    parts = spaces + [Part(*row["part"]) for row in (*found["neighbours"], *combined)]
    parts += [Part(*part) for _, part in found["aligned"]]
    parts += [_slice_part(work, number, row) for number, row in enumerate(slices)]
    outside = sum(row["outside"] for row in found["viewed"])
    section = {
        "options": plain_options(
            options,
            without=(*NOT_PUBLISHED, *CORPUS_ONLY, "corpora", "targets", "write_text"),
        ),
        "view": asdict(made.view.options),
        "slices": [list(slice) for slice in made.view.slices],
        "pairs": [list(pair) for pair in made.pairs.pairs],
        "seeds": list(made.pairs.seeds),
        "alignments": [name for name in options.alignment if name != "none"],
        "targets": list(made.view.targets.words),
        "sentences": sorted([part.rows, part.sha256] for part in made.parts),
        "documents_outside_slices": outside,
    }
    _warn(slices, outside)
    return ChangeResult(parts, section, combined, slices)


def _slice_part(work: str, number: int, row: dict[str, Any]) -> Part:
    schema = TABLES["slices"].schema()
    path = files.join(work, f"slices-{number}.parquet")
    table = pa.Table.from_pylist([row], schema=schema)
    return write_part(path, schema, [table], table="slices", number=number)


def _slice_rows(made: ChangePlan, ready: list[Any], spaces: Sequence[Part]) -> list[dict[str, Any]]:
    # A space has a row per word, and its part's number tells its slice (see train_tasks).
    words = {part.number // len(made.pairs.seeds): part.rows for part in spaces}
    rows = []
    for index, receipt, _ in ready:
        slice = made.view.slices[index]
        cut = made.pairs.min_counts[index]
        tokens = receipt["tokens"]
        rows.append(
            {
                "slice": slice.name,
                "from": slice.start,
                "to": slice.end,
                "documents": receipt["documents"],
                "sentences": receipt["sentences"],
                "tokens_before": receipt["tokens_before"],
                "tokens": tokens,
                "sentences_short": receipt["short"],
                "sentences_sampled_out": receipt["sampled_out"],
                "sentences_split": receipt["split"],
                "types": receipt["types"],
                "vocabulary": words[index],
                "min_count": cut,
                "largest_document_share": receipt["largest_document"] / tokens if tokens else 0.0,
            }
        )
    return rows


LARGE_SHARE = 0.2
UNEVEN = 5


def _warn(slices: list[dict[str, Any]], outside: int) -> None:
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


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder)) if files.is_local(folder) else folder


def run(options: ChangeOptions, beam_options: Sequence[str] = ()) -> None:
    """Make and publish the change tables at `options.out`."""
    config = load_runner_config(options.runner_config, beam_options)
    out = files.absolute(options.out)
    folders = [_real(folder) for folder in options.corpora]
    if _real(out) in folders:
        raise UsageError(f"--out {options.out!r} is a corpus that is read: give another --out")
    if len(set(folders)) < len(folders):
        raise UsageError("a corpus folder is named twice: its documents would count twice")
    corpora = [Corpus.published(folder) for folder in folders]
    with locked(
        out, tables=TABLES_MADE, resume=options.resume, overwrite=options.overwrite
    ) as work:
        result = execute(options, corpora, config, work)
        manifest = make_manifest(result.parts, change=result.section)
        publish(out, result.parts, manifest)
    print(summary(result, out))
    print(f"tables: {options.out}/{{{','.join(sorted(manifest['tables']))}}}")


def summary(result: ChangeResult, out: str) -> str:
    """Return slices, targets not found, and the most changed words, for a person."""
    lines = []
    for row in result.slices:
        lines.append(
            f"slice {row['slice']}: {row['documents']} documents, {row['tokens']} tokens, "
            f"{row['vocabulary']} words with {row['min_count']} uses"
        )
    lines += missing_targets(out, result.section["targets"])
    lines += ranking(out, result)
    return "\n".join(lines)
