"""Raw text to annotated sentences: tables documents, sentences, rejects.

    lexbeam corpus texts/ --out corpus --engine builtin:en --dates 'name:(\\d{4})'

Files are packed into units, taken in, cleared of duplicates, annotated and merged by bucket; see
docs/architecture.md for the picture.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import apache_beam as beam

from pipelines.corpus_plan import CorpusOptions, CorpusPlan, plan_corpus, published_options
from pipelines.dry_run import dry_run
from pipelines.inputs import noted_files, refuse_output_as_input
from pipelines.publishing import Intended, publish_run, tables_line
from pipelines.results import Results
from pipelines.runners import (
    RunnerConfig,
    load_runner_config,
    run_pipeline,
)
from schemas.rejects import NOT_COUNTED, REMEDIES, RejectRow
from transforms.annotation.annotate import ANNOTATE, Annotated
from transforms.annotation.merges import MERGE_DOCUMENTS, MERGE_SENTENCES
from transforms.annotation.ptransforms import AnnotateDocuments, ListStaged
from transforms.common import files
from transforms.common.artefacts import Stage, Workspace, plan, stage_entry
from transforms.common.errors import LexbeamError
from transforms.common.fingerprints import digest
from transforms.common.merge import MergeTask
from transforms.common.ptransforms import MergeTables, WriteResult
from transforms.common.receipts import ArtefactPath
from transforms.common.sections import Made
from transforms.common.snapshots import Snapshot, open_snapshot
from transforms.common.tables import Part, PartFile
from transforms.formats.ingest import (
    INGEST,
    Ingested,
    InputCount,
    acceptable,
)
from transforms.formats.merges import MERGE_REJECTS
from transforms.formats.ptransforms import (
    IngestFiles,
    KeepAcceptable,
    ListRejects,
    SettleDuplicates,
)

__all__ = [
    "CorpusOptions", "CorpusPlan", "build", "execute", "intended", "plan_corpus", "run",
    "summary",
]  # fmt: skip

NAME = "corpus"
EXAMPLES_SHOWN = 5
MERGES: dict[str, Stage[MergeTask, None, PartFile]] = {
    "documents": MERGE_DOCUMENTS, "sentences": MERGE_SENTENCES, "rejects": MERGE_REJECTS,
}  # fmt: skip
STAGES: tuple[Stage[Any, Any, Any], ...] = (INGEST, ANNOTATE, *MERGES.values())


@dataclass(frozen=True, kw_only=True)
class _IngestSummary:
    """What the driver needs of a receipt of ingestion."""

    inputs: tuple[InputCount, ...]
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]


@dataclass(frozen=True, kw_only=True)
class _AnnotateSummary:
    """What the driver needs of a receipt of annotation."""

    counts: dict[str, int]
    reasons: tuple[tuple[str, str], ...]
    examples: tuple[RejectRow, ...]
    years: dict[int, int]
    tokens_by_year: dict[int, int]
    columns: tuple[str, ...]


def _of_ingested(receipt: Ingested) -> _IngestSummary:
    return _IngestSummary(inputs=receipt.inputs, reasons=receipt.reasons, examples=receipt.examples)


def _of_annotated(receipt: Annotated) -> _AnnotateSummary:
    return _AnnotateSummary(
        counts=receipt.counts,
        reasons=receipt.reasons,
        examples=receipt.examples,
        years=receipt.years,
        tokens_by_year=receipt.tokens_by_year,
        columns=receipt.columns,
    )


def build(
    pipeline: beam.Pipeline,
    made: CorpusPlan,
    options: CorpusOptions,
    workspace: Workspace,
    lanes: int,
    results: Results,
) -> None:
    """Add the corpus pipeline: units of files in, merged parts and counts out."""
    ingested = (
        pipeline
        | "Units" >> beam.Create([(unit.files[0].name, unit) for unit in made.units], False)
        | "Ingest" >> IngestFiles(workspace, made.ingest, lanes)
    )
    tasks = (
        ingested
        | "SettleDuplicates" >> SettleDuplicates(options.duplicates)
        | "KeepAcceptable" >> KeepAcceptable(ingested, options.max_reject_share)
    )
    annotated = tasks | "Annotate" >> AnnotateDocuments(workspace, made.annotate, lanes)
    staged = (
        annotated | "ListStaged" >> ListStaged(options.parts),
        ingested | "ListRejects" >> ListRejects(options.parts),
        annotated | "ListLateRejects" >> ListRejects(options.parts),
    ) | "AllStaged" >> beam.Flatten()
    parts = staged | "Merge" >> MergeTables(workspace, MERGES, options.parts)
    for name, rows in (
        ("Ingested", ingested | "SumIngested" >> beam.Map(_of_ingested)),
        ("Annotated", annotated | "SumAnnotated" >> beam.Map(_of_annotated)),
        ("Parts", parts),
    ):
        rows | f"Write{name}" >> WriteResult(results.path(name.lower()))


def _stages(made: CorpusPlan) -> dict[str, Any]:
    """Return what the manifest says of every stage, by its name."""
    chosen: dict[str, Any] = {
        INGEST.name: INGEST.chosen(made.units[0], made.ingest),
        ANNOTATE.name: ANNOTATE.chosen(_NO_TASK, made.annotate),
    }
    return {stage.name: stage_entry(stage, chosen.get(stage.name)) for stage in STAGES}


_NO_TASK: Any = None


def execute(options: CorpusOptions, config: RunnerConfig, workspace: Workspace) -> Made:
    """Run the pipeline and return its section, unpublished.

    Raises:
        LexbeamError: the pipeline failed, or too many records were rejected.
    """
    listed = time.time_ns()
    made = plan_corpus(options)
    for stage in MERGES.values():
        plan(workspace, stage.name, options.parts)
    results = Results(workspace.root)
    run_pipeline(
        lambda pipeline: build(pipeline, made, options, workspace, config.lanes, results),
        config,
        workspace.root,
        [stage.name for stage in STAGES],
    )
    ingested = results.read("ingested", _IngestSummary)
    annotated = results.read("annotated", _AnnotateSummary)
    parts = [part._replace(path=ArtefactPath(part.path)) for part in results.read("parts", Part)]
    results.remove()
    entry = _entry(options, made, ingested, annotated)
    examples = [row for found in ingested for row in found.examples]
    examples += [row for found in annotated for row in found.examples]
    _check_rejects(entry, examples, options)
    return Made(name=NAME, parts=tuple(parts), entry=entry, log=_log(options, made, listed))


def _log(options: CorpusOptions, made: CorpusPlan, listed: int) -> dict[str, Any]:
    """Return what is noted beside the snapshot, by which `lexbeam status` finds changed inputs."""
    rule = made.ingest.dates
    tables = [options.normalise, rule.path if rule and rule.path else None]
    return {
        "inputs": [files.absolute(path) for path in options.inputs],
        "exclude": list(options.exclude),
        "files": noted_files(tables),
        "listed": listed,
    }


def _entry(
    options: CorpusOptions,
    made: CorpusPlan,
    ingested: Sequence[_IngestSummary],
    annotated: Sequence[_AnnotateSummary],
) -> dict[str, Any]:
    inputs = {row.name: row for receipt in ingested for row in receipt.inputs}
    reasons: Counter[str] = Counter()
    for receipt in ingested:
        reasons.update(receipt.reasons)
    for source, reason in (row for receipt in annotated for row in receipt.reasons):
        reasons[reason] += 1
        name = _file_of(source, inputs)
        row = inputs[name]  # taken in, then left out
        inputs[name] = row._replace(documents=row.documents - 1, rejects=row.rejects + 1)
    rules = made.annotate.normalise
    counts: Counter[str] = Counter(documents=0, sentences=0, tokens=0, characters=0)
    years: Counter[int] = Counter()
    tokens: Counter[int] = Counter()
    for summary in annotated:
        counts.update(summary.counts)
        years.update(summary.years)
        tokens.update(summary.tokens_by_year)
    return {
        "options": published_options(options),
        "stages": _stages(made),
        "engine": {"name": made.annotate.name, "fingerprint": made.annotate.fingerprint},
        "resources": {
            "engine": made.annotate.fingerprint,
            "normalise": digest(asdict(rules)) if rules else None,
            "metadata": made.ingest.metadata.fingerprint if made.ingest.metadata else None,
        },
        "inputs": [inputs[name]._asdict() for name in sorted(inputs)],
        "records": sum(row.records for row in inputs.values()),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
        "documents_by_year": {str(year): years[year] for year in sorted(years)},
        "tokens_by_year": {str(year): tokens[year] for year in sorted(tokens)},
        "columns": sorted({name for summary in annotated for name in summary.columns}),
        **counts,
    }


def _file_of(source: str, names: Mapping[str, Any]) -> str:
    """Return the file that a source is, or is a member of; names may hold the mark of members."""
    while source and source not in names:
        source = source.rpartition("!")[0]
    return source


def _check_rejects(
    section: Mapping[str, Any], examples: Sequence[RejectRow], options: CorpusOptions
) -> None:
    records = section["records"]
    reasons = {k: n for k, n in section["rejects"].items() if k not in NOT_COUNTED}
    refused = sum(reasons.values())
    if acceptable(records, refused, options.max_reject_share):
        return
    listed = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
    shown = [row for row in sorted(examples) if row.reason not in NOT_COUNTED][:EXAMPLES_SHOWN]
    first = "".join(
        f"\n  {row.source} {row.position}".rstrip() + f": {row.reason}, {row.detail}"
        for row in shown
    )
    remedies = sorted({REMEDIES[reason] for reason in reasons if reason in REMEDIES})
    raise LexbeamError(
        f"{refused} of {records} input records were rejected ({listed}), more than "
        f"--max-reject-share {options.max_reject_share} allows; nothing is published. Some of "
        f"them:{first}\nMend them, {''.join(f'{remedy}, ' for remedy in remedies)}or allow more "
        "with --max-reject-share."
    )


def intended(options: CorpusOptions) -> Intended:
    """Return what a run with these options is to publish.

    Raises:
        UsageError: it would be published among its inputs.
    """
    refuse_output_as_input(options.inputs, options.out)
    return Intended(NAME, tuple(MERGES), published_options(options))


def run(options: CorpusOptions, beam_options: Sequence[str] = ()) -> None:
    """Make and publish the tables documents, sentences and rejects at `options.out`."""
    config = load_runner_config(options.runner_config, beam_options)
    if options.dry_run:
        made = plan_corpus(options)
        for line in dry_run(made.units, made.ingest, made.annotate):
            print(line)
        return

    def make(workspace: Workspace, _: Snapshot | None) -> list[Made]:
        return [execute(options, config, workspace)]

    if publish_run(options, [intended(options)], make):
        print(summary(open_snapshot(options.out).section(NAME)))
        print(tables_line(options.out, MERGES))


def summary(section: Mapping[str, Any]) -> str:
    """Return what was taken in, for a person."""
    reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
    numbers = [int(year) for year in section["documents_by_year"]]
    years = f", years {min(numbers)} to {max(numbers)}" if numbers else ""
    return (
        f"{section['records']} input records: {section['documents']} documents, "
        f"{section['rejected']} rejects{f' ({reasons})' if reasons else ''}\n"
        f"{section['sentences']} sentences, {section['tokens']} tokens{years}"
    )
