"""Raw text to annotated sentences: tables documents, sentences, rejects.

    lexbeam corpus texts/ --out corpus --engine builtin:en --dates 'name:(\\d{4})'

Files are packed into units, taken in, cleared of duplicates, annotated and merged by bucket; see
docs/architecture.md for the picture.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import apache_beam as beam

from pipelines.dry_run import dry_run
from pipelines.inputs import list_inputs
from pipelines.options import option, plain_options
from pipelines.results import Results
from pipelines.runners import (
    NOT_PUBLISHED,
    RunnerConfig,
    RunnerOptions,
    load_runner_config,
    run_pipeline,
)
from schemas.rejects import NOT_COUNTED, REMEDIES, RejectRow
from transforms.annotation.annotate import AnnotateOptions
from transforms.annotation.base import describe_engine
from transforms.annotation.normalise import read_rules
from transforms.annotation.ptransforms import AnnotateDocuments, StagedTables
from transforms.common import files
from transforms.common.artefacts import Workspace, plan
from transforms.common.errors import LexbeamError
from transforms.common.fingerprints import digest
from transforms.common.lanes import group_by_size
from transforms.common.ptransforms import MergeTables, WriteResult
from transforms.common.publish import locked, make_manifest, publish
from transforms.common.tables import Part
from transforms.formats.base import LINES_HOLD, TEI_PARTS, ReaderOptions
from transforms.formats.dates import parse_date_rule
from transforms.formats.duplicates import DUPLICATES
from transforms.formats.ingest import IngestOptions, Unit, acceptable
from transforms.formats.metadata import load_metadata
from transforms.formats.ptransforms import (
    IngestFiles,
    KeepAcceptable,
    SettleDuplicates,
    StagedRejects,
)
from transforms.formats.registry import FORMATS

__all__ = ["CorpusOptions", "CorpusPlan", "CorpusResult", "build", "execute", "plan_corpus", "run"]

UNIT_BYTES = 4 << 20
EXAMPLES_SHOWN = 5
TABLES = ("documents", "sentences", "rejects")
STAGES = ("ingest", "annotate", "merge-documents", "merge-sentences", "merge-rejects")


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(RunnerOptions):
    """Options of `lexbeam corpus`."""

    inputs: tuple[str, ...] = option(
        help="files, folders or globs, on any file system that Beam takes",
        metavar="INPUT",
        positional=True,
    )
    format: str = option(
        "auto",
        help="format of the input",
        choices=FORMATS,
    )
    engine: str = option(
        "none",
        help="annotation engine: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG, or none "
        "for input that comes annotated",
    )
    dates: str | None = option(
        None,
        help="where dates come from: name:REGEX, header, field:NAME, "
        "table:FILE:key=COLUMN,date=COLUMN, or one period FROM..TO",
        metavar="RULE",
    )
    date_range: str = option(
        "first",
        help="year that counts of a date that is a range",
        choices=("first", "middle", "last", "reject"),
    )
    exclude: tuple[str, ...] = option(
        (), help="patterns of files to leave out: of the path below the input, or of its last parts"
    )
    encoding: str = option("utf-8", help="encoding of text, lines, JSON, CSV and CoNLL-U")
    fields: tuple[str, ...] = option(
        (), help="which field gives what: title=headline,author=meta.by", metavar="NAME=FIELD"
    )
    text_field: str = option("text", help="field, column or dotted path that holds the text")
    json_path: str = option("", help="dotted path of the array within a JSON file")
    tei_parts: tuple[str, ...] = option(("body",), help="parts of a TEI text", choices=TEI_PARTS)
    delimiter: str = option("", help="of CSV; found out if not given")
    quoting: bool = option(True, help="whether quotes mean something in CSV")
    header: bool = option(True, help="whether the first row of CSV names the columns")
    columns: tuple[str, ...] = option((), help="names of the columns of CSV without header")
    lines_hold: str = option(
        "lemmas", help="what `lines` are made of; text is for an engine", choices=LINES_HOLD
    )
    language: str | None = option(None, help="language where the source does not say", metavar="L")
    genre: str | None = option(None, help="genre where the source does not say")
    duplicates: str = option("reject", help="what becomes of equal documents", choices=DUPLICATES)
    normalise: str | None = option(
        None, help="TSV of rules for forms and lemmas, see docs/annotation.md", metavar="FILE"
    )
    max_document_characters: int = option(20_000_000, help="longer documents are rejects", least=1)
    max_record_bytes: int = option(
        ReaderOptions.max_record_bytes,
        help="larger files read whole (text, TEI, JSON object) or JSON elements are rejects",
        metavar="BYTES",
        least=1,
    )
    max_line_bytes: int = option(
        ReaderOptions.max_line_bytes,
        help="longer lines are rejects: JSON lines, CSV, CoNLL-U, lines",
        metavar="BYTES",
        least=1,
    )
    max_expansion_ratio: int = option(
        ReaderOptions.max_expansion_ratio,
        help="what expands more, and to over 16 MiB, is a reject: compressed files, archives",
        metavar="TIMES",
        least=1,
    )
    max_expanded_bytes: int = option(
        ReaderOptions.max_expanded_bytes,
        help="what expands to more is a reject: compressed files, archives",
        metavar="BYTES",
        least=1,
    )
    dry_run: bool = option(
        False, help="show the first 20 documents and their rejects, and write nothing"
    )


@dataclass(frozen=True)
class CorpusResult:
    """What a corpus run made: parts, and the section of the manifest that tells of it."""

    parts: list[Part]
    section: dict[str, Any]


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus run is to do: units of files, and the options of either step."""

    units: list[Unit]
    engine: str
    ingest: IngestOptions
    annotate: AnnotateOptions


def plan_corpus(options: CorpusOptions) -> CorpusPlan:
    """List the inputs and check the options; nothing is read but tables and rules."""
    inputs = list_inputs(options.inputs, options.exclude, options.out)
    units = [
        Unit(tuple(group), sum(file.size for file in group))
        for group in group_by_size(inputs, lambda file: file.size, UNIT_BYTES)
    ]
    rule = parse_date_rule(options.dates) if options.dates else None
    names = {field.name for field in fields(ReaderOptions)}
    reader = {k: v for k, v in asdict(options).items() if k in names}
    engine = _absolute_engine(options.engine)
    info = None if engine == "none" else describe_engine(engine)
    return CorpusPlan(
        units,
        info.name if info else "none",
        IngestOptions(
            format=options.format,
            reader=ReaderOptions(**reader),
            dates=rule,
            date_range=options.date_range,
            metadata=load_metadata(rule) if rule else None,
            language=options.language or (info.language if info else None),
            genre=options.genre,
            parts=options.parts,
        ),
        AnnotateOptions(
            engine=engine,
            fingerprint=info.fingerprint if info else "none",
            normalise=read_rules(options.normalise) if options.normalise else None,
            max_characters=options.max_document_characters,
            parts=options.parts,
        ),
    )


def _absolute_engine(spec: str) -> str:
    """Make a model folder's path absolute: workers have another working directory."""
    kind, _, model = spec.partition(":")
    return f"{kind}:{files.absolute(model)}" if os.path.isdir(model) else spec


def build(
    pipeline: beam.Pipeline,
    made: CorpusPlan,
    options: CorpusOptions,
    work: str,
    lanes: int,
    results: Results,
) -> None:
    """Add the corpus pipeline: units of files in, merged parts and counts out."""
    workspace = Workspace(work)
    ingested = (
        pipeline
        | "Units" >> beam.Create(made.units, reshuffle=False)
        | "Ingest" >> IngestFiles(workspace, made.ingest, lanes)
    )
    tasks = (
        ingested
        | "SettleDuplicates" >> SettleDuplicates(options.duplicates)
        | "KeepAcceptable" >> KeepAcceptable(ingested, options.max_reject_share)
    )
    annotated = tasks | "Annotate" >> AnnotateDocuments(workspace, made.annotate, lanes)
    staged = (
        annotated | "StagedTables" >> StagedTables(),
        ingested | "StagedRejects" >> StagedRejects(),
        annotated | "StagedLateRejects" >> StagedRejects(),
    ) | "AllStaged" >> beam.Flatten()
    parts = staged | "Merge" >> MergeTables(workspace, TABLES, options.parts)
    ingested | "WriteIngested" >> WriteResult(
        results.path("ingested"), ("inputs", "reasons", "examples")
    )
    annotated | "WriteAnnotated" >> WriteResult(
        results.path("annotated"), ("counts", "reasons", "examples", "years", "columns")
    )
    parts | "WriteParts" >> WriteResult(results.path("parts"))


def execute(options: CorpusOptions, config: RunnerConfig, work: str) -> CorpusResult:
    """Run the pipeline and return its parts, unpublished.

    Raises:
        LexbeamError: the pipeline failed, or too many records were rejected.
    """
    made = plan_corpus(options)
    for table in TABLES:
        plan(Workspace(work), f"merge-{table}", options.parts)
    results = Results(work)
    run_pipeline(
        lambda pipeline: build(pipeline, made, options, work, config.lanes, results),
        config,
        work,
        STAGES,
    )
    ingested, annotated = results.read("ingested"), results.read("annotated")
    section = _section(options, made, ingested, annotated)
    examples = [row for receipt in (*ingested, *annotated) for row in receipt["examples"]]
    _check_rejects(section, examples, options)
    return CorpusResult([Part(*row) for row in results.read("parts")], section)


def _section(
    options: CorpusOptions, made: CorpusPlan, ingested: list[Any], annotated: list[Any]
) -> dict[str, Any]:
    inputs = sorted(row for receipt in ingested for row in receipt["inputs"])
    by_name = {row[0]: row for row in inputs}
    reasons: dict[str, int] = {}
    for receipt in ingested:
        for reason, number in receipt["reasons"].items():
            reasons[reason] = reasons.get(reason, 0) + number
    late = [row for receipt in annotated for row in receipt["reasons"]]
    for source, reason in late:
        reasons[reason] = reasons.get(reason, 0) + 1
        row = by_name[_file_of(source, by_name)]
        row[4], row[5] = row[4] - 1, row[5] + 1  # taken in, then left out
    counts = {"documents": 0, "sentences": 0, "tokens": 0, "characters": 0}
    for receipt in annotated:
        for name in counts:
            counts[name] += receipt["counts"][name]
    years: Counter[int] = Counter()
    for receipt in annotated:
        years.update({int(year): number for year, number in receipt["years"].items()})
    shown = plain_options(options, without=(*NOT_PUBLISHED, "dry_run"))
    shown["inputs"] = sorted(os.path.basename(path.rstrip("/")) for path in options.inputs)
    shown["engine"] = made.engine
    if options.dates and options.dates.startswith("table:"):
        shown["dates"] = "table:" + os.path.basename(options.dates.removeprefix("table:"))
    if options.normalise:
        shown["normalise"] = os.path.basename(options.normalise)
    return {
        "options": shown,
        "engine": {"name": made.engine, "fingerprint": made.annotate.fingerprint},
        "normalise": digest(asdict(made.annotate.normalise)) if made.annotate.normalise else None,
        "metadata": made.ingest.metadata.fingerprint if made.ingest.metadata else None,
        "inputs": [dict(zip(_INPUT, row, strict=True)) for row in inputs],
        "records": sum(row[3] for row in inputs),
        "rejected": sum(reasons.values()),
        "rejects": dict(sorted(reasons.items())),
        "documents_by_year": {str(year): years[year] for year in sorted(years)},
        "columns": sorted({name for receipt in annotated for name in receipt["columns"]}),
        **counts,
    }


def _file_of(source: str, names: Mapping[str, Any]) -> str:
    """Return the file that a source is, or is a member of; names may hold the mark of members."""
    while source and source not in names:
        source = source.rpartition("!")[0]
    return source


_INPUT = ("name", "bytes", "sha256", "records", "documents", "rejects")


def _check_rejects(
    section: dict[str, Any], examples: list[list[str]], options: CorpusOptions
) -> None:
    records = section["records"]
    reasons = {k: n for k, n in section["rejects"].items() if k not in NOT_COUNTED}
    refused = sum(reasons.values())
    if acceptable(records, refused, options.max_reject_share):
        return
    listed = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
    shown = [RejectRow(*row) for row in sorted(examples)]
    shown = [row for row in shown if row.reason not in NOT_COUNTED][:EXAMPLES_SHOWN]
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


def run(options: CorpusOptions, beam_options: Sequence[str] = ()) -> None:
    """Make and publish the tables documents, sentences and rejects at `options.out`."""
    config = load_runner_config(options.runner_config, beam_options)
    if options.dry_run:
        made = plan_corpus(options)
        for line in dry_run(made.units, made.ingest, made.annotate):
            print(line)
        return
    out = files.absolute(options.out)
    with locked(out, tables=TABLES, resume=options.resume, overwrite=options.overwrite) as work:
        result = execute(options, config, work)
        manifest = make_manifest(result.parts, corpus=result.section)
        publish(out, result.parts, manifest)
    print(summary(result.section))
    print(f"tables: {options.out}/documents, {options.out}/sentences, {options.out}/rejects")


def summary(section: dict[str, Any]) -> str:
    """Return what was taken in, for a person."""
    reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
    numbers = [int(year) for year in section["documents_by_year"]]
    years = f", years {min(numbers)} to {max(numbers)}" if numbers else ""
    return (
        f"{section['records']} input records: {section['documents']} documents, "
        f"{section['rejected']} rejects{f' ({reasons})' if reasons else ''}\n"
        f"{section['sentences']} sentences, {section['tokens']} tokens{years}"
    )
