"""Raw text to annotated sentences: tables documents, sentences, rejects.

    lexbeam corpus texts/ --out corpus --engine builtin:en --dates 'name:(\\d{4})'

Files are packed into units, taken in, cleared of duplicates, annotated and merged by bucket; see
docs/architecture.md for the picture.
"""

import fnmatch
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import apache_beam as beam

from pipelines.options import option, plain_options
from pipelines.runners import (
    NOT_PUBLISHED,
    RunnerConfig,
    RunnerOptions,
    load_runner_config,
    run_pipeline,
)
from schemas.rejects import NOT_COUNTED
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
from transforms.formats.ingest import IngestOptions, InputFile, Unit, acceptable
from transforms.formats.metadata import load_metadata
from transforms.formats.ptransforms import (
    IngestFiles,
    KeepAcceptable,
    SettleDuplicates,
    StagedRejects,
)
from transforms.formats.registry import FORMATS

__all__ = ["CorpusOptions", "CorpusResult", "build", "run"]

UNIT_BYTES = 4 << 20
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
    exclude: tuple[str, ...] = option((), help="name patterns of files to leave out")
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
    max_document_characters: int = option(20_000_000, help="longer documents are rejects")


class CorpusResult:
    """What a corpus run made: parts, and the section of the manifest that tells of it."""

    def __init__(self, parts: list[Part], section: dict[str, Any]) -> None:
        self.parts = parts
        self.section = section


@dataclass(frozen=True)
class _Plan:
    units: list[Unit]
    engine: str
    ingest: IngestOptions
    annotate: AnnotateOptions


def _plan(options: CorpusOptions) -> _Plan:
    units = [
        Unit(tuple(group), sum(file.size for file in group))
        for group in group_by_size(_list_inputs(options), lambda file: file.size, UNIT_BYTES)
    ]
    rule = parse_date_rule(options.dates) if options.dates else None
    names = {field.name for field in fields(ReaderOptions)}
    reader = {k: v for k, v in asdict(options).items() if k in names}
    engine = _absolute_engine(options.engine)
    info = None if engine == "none" else describe_engine(engine)
    return _Plan(
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


def _list_inputs(options: CorpusOptions) -> list[InputFile]:
    """List the input files under names relative to the named inputs, sorted by name."""
    roots = [os.path.basename(path.rstrip("/")) or "input" for path in options.inputs]
    listed = []
    for index, path in enumerate(options.inputs):
        root = roots[index]
        if roots.count(root) > 1:
            root = f"{root}~{roots[:index].count(root) + 1}"
        for entry in files.list_files(path):
            if any(fnmatch.fnmatch(entry.name, pattern) for pattern in options.exclude):
                continue
            name = f"{root}/{entry.name}" if len(roots) > 1 else entry.name
            listed.append(InputFile(name, files.absolute(entry.path), entry.size, root))
    if not listed:
        raise LexbeamError("no input files are left after --exclude")
    return sorted(listed)


def build(
    pipeline: beam.Pipeline, plan: _Plan, options: CorpusOptions, work: str, lanes: int
) -> None:
    """Add the corpus pipeline: units of files in, merged parts and counts out."""
    workspace = Workspace(work)
    ingested = (
        pipeline
        | "Units" >> beam.Create(plan.units, reshuffle=False)
        | "Ingest" >> IngestFiles(workspace, plan.ingest, lanes)
    )
    tasks = (
        ingested
        | "SettleDuplicates" >> SettleDuplicates(options.duplicates)
        | "KeepAcceptable" >> KeepAcceptable(ingested, options.max_reject_share)
    )
    annotated = tasks | "Annotate" >> AnnotateDocuments(workspace, plan.annotate, lanes)
    staged = (
        annotated | "StagedTables" >> StagedTables(),
        ingested | "StagedRejects" >> StagedRejects(),
        annotated | "StagedLateRejects" >> StagedRejects(),
    ) | "AllStaged" >> beam.Flatten()
    parts = staged | "Merge" >> MergeTables(workspace, TABLES, options.parts)
    ingested | "WriteIngested" >> WriteResult(
        files.join(work, "ingested.json"), ("inputs", "reasons")
    )
    annotated | "WriteAnnotated" >> WriteResult(
        files.join(work, "annotated.json"), ("counts", "reasons", "years", "columns")
    )
    parts | "WriteParts" >> WriteResult(files.join(work, "parts.json"))


def execute(options: CorpusOptions, config: RunnerConfig, work: str) -> CorpusResult:
    """Run the pipeline and return its parts, unpublished.

    Raises:
        LexbeamError: the pipeline failed, or too many records were rejected.
    """
    made = _plan(options)
    for table in TABLES:
        plan(Workspace(work), f"merge-{table}", options.parts)
    run_pipeline(
        lambda pipeline: build(pipeline, made, options, work, config.lanes), config, work, STAGES
    )
    ingested = _result(work, "ingested")
    annotated = _result(work, "annotated")
    section = _section(options, made, ingested, annotated)
    _check_rejects(section, options)
    return CorpusResult([Part(*row) for row in _result(work, "parts")], section)


def _result(work: str, name: str) -> list[Any]:
    path = files.join(work, name + ".json")
    return json.loads(files.read_bytes(path)) if files.exists(path) else []


def _section(
    options: CorpusOptions, made: _Plan, ingested: list[Any], annotated: list[Any]
) -> dict[str, Any]:
    inputs = sorted(row for receipt in ingested for row in receipt["inputs"])
    reasons: dict[str, int] = {}
    for receipt in ingested:
        for reason, number in receipt["reasons"].items():
            reasons[reason] = reasons.get(reason, 0) + number
    for receipt in annotated:
        for reason in receipt["reasons"]:
            reasons[reason] = reasons.get(reason, 0) + 1
    counts = {"documents": 0, "sentences": 0, "tokens": 0, "characters": 0}
    for receipt in annotated:
        for name in counts:
            counts[name] += receipt["counts"][name]
    years: Counter[int] = Counter()
    for receipt in annotated:
        years.update({int(year): number for year, number in receipt["years"].items()})
    shown = plain_options(options, without=NOT_PUBLISHED)
    shown["inputs"] = [os.path.basename(path.rstrip("/")) for path in options.inputs]
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
        "rejects": dict(sorted(reasons.items())),
        "documents_by_year": {str(year): years[year] for year in sorted(years)},
        "columns": sorted({name for receipt in annotated for name in receipt["columns"]}),
        **counts,
    }


_INPUT = ("name", "bytes", "sha256", "records", "documents", "rejects")


def _check_rejects(section: dict[str, Any], options: CorpusOptions) -> None:
    records = section["records"]
    reasons = {k: n for k, n in section["rejects"].items() if k not in NOT_COUNTED}
    refused = sum(reasons.values())
    if acceptable(records, refused, options.max_reject_share):
        if section["documents"]:
            return
        raise LexbeamError("no document is left: every input record was rejected")
    listed = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
    examples = "".join(
        f"\n  {row['name']}" for row in section["inputs"] if row["rejects"]
    )  # the files to look at first
    examples = "".join(examples.splitlines(keepends=True)[:6])
    raise LexbeamError(
        f"{refused} of {records} input records were rejected ({listed}), more than "
        f"--max-reject-share {options.max_reject_share} allows; nothing is published. Rejects are "
        f"in these files among others:{examples}\nMend them, choose another --format, --encoding "
        "or --dates, or allow more with --max-reject-share."
    )


def run(options: CorpusOptions, beam_options: Sequence[str] = ()) -> None:
    """Make and publish the tables documents, sentences and rejects at `options.out`."""
    config = load_runner_config(options.runner_config, beam_options)
    out = files.absolute(options.out)
    with locked(out, resume=options.resume, overwrite=options.overwrite) as work:
        result = execute(options, config, work)
        manifest = make_manifest(result.parts, corpus=result.section)
        publish(out, result.parts, manifest)
    print(summary(result.section))
    print(f"tables: {options.out}/documents, {options.out}/sentences, {options.out}/rejects")


def summary(section: dict[str, Any]) -> str:
    """Return what was taken in, for a person."""
    refused = sum(section["rejects"].values())
    reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
    numbers = [int(year) for year in section["documents_by_year"]]
    years = f", years {min(numbers)} to {max(numbers)}" if numbers else ""
    return (
        f"{section['records']} input records: {section['documents']} documents, "
        f"{refused} rejects{f' ({reasons})' if reasons else ''}\n"
        f"{section['sentences']} sentences, {section['tokens']} tokens{years}"
    )
