"""Options of `lexbeam corpus`, and the plan that they make with the input files."""

import os
from dataclasses import asdict, dataclass, fields
from typing import Any

from pipelines.inputs import list_inputs
from pipelines.options import option, plain_options
from pipelines.runners import NOT_PUBLISHED, RunnerOptions
from transforms.annotation.annotate import AnnotateOptions
from transforms.annotation.base import describe_engine
from transforms.annotation.normalise import read_rules
from transforms.common import files
from transforms.common.lanes import group_by_size
from transforms.formats.base import LINES_HOLD, TEI_PARTS, ReaderOptions
from transforms.formats.dates import parse_date_rule
from transforms.formats.duplicates import DUPLICATES
from transforms.formats.ingest import IngestOptions, Unit
from transforms.formats.metadata import load_metadata
from transforms.formats.registry import FORMATS

__all__ = ["CorpusOptions", "CorpusPlan", "plan_corpus", "published_options"]

UNIT_BYTES = 4 << 20


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
class CorpusPlan:
    """What a corpus run is to do: units of files, and the options of either step."""

    units: list[Unit]
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
        IngestOptions(
            format=options.format,
            reader=ReaderOptions(**reader),
            dates=rule,
            date_range=options.date_range,
            metadata=load_metadata(rule) if rule else None,
            language=options.language or (info.language if info else None),
            genre=options.genre,
        ),
        AnnotateOptions(
            engine=engine,
            name=info.name if info else "none",
            fingerprint=info.fingerprint if info else "none",
            normalise=read_rules(options.normalise) if options.normalise else None,
            max_characters=options.max_document_characters,
        ),
    )


def _absolute_engine(spec: str) -> str:
    """Make a model folder's path absolute: workers have another working directory."""
    kind, _, model = spec.partition(":")
    return f"{kind}:{files.absolute(model)}" if os.path.isdir(model) else spec


def published_options(options: CorpusOptions) -> dict[str, Any]:
    """Return the options as the manifest has them: without paths."""
    shown = plain_options(options, without=(*NOT_PUBLISHED, "dry_run"))
    shown["inputs"] = sorted(os.path.basename(path.rstrip("/")) for path in options.inputs)
    kind, _, model = options.engine.partition(":")
    if os.path.isdir(model):
        shown["engine"] = f"{kind}:{os.path.basename(os.path.abspath(model))}"
    if options.dates and options.dates.startswith("table:"):
        shown["dates"] = "table:" + os.path.basename(options.dates.removeprefix("table:"))
    if options.normalise:
        shown["normalise"] = os.path.basename(options.normalise)
    return shown
