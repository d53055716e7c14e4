"""Options of `lexbeam corpus`, and the plan that they make with the input files, and with a corpus that is kept."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lexbeam.pipelines.commands.corpus.accepting import check_look
from lexbeam.pipelines.commands.keeping import kept_snapshot
from lexbeam.pipelines.frame.command import Inputs, IntakeOptions, model_folder
from lexbeam.pipelines.frame.inputs import check_patterns, first_inputs
from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus_tables import DOCUMENTS, INPUTS, SENTENCES
from lexbeam.transforms.annotation.annotate import AnnotateOptions
from lexbeam.transforms.annotation.engines.engine import EngineInfo
from lexbeam.transforms.annotation.engines.known_engines import check_engine, describe_engine, stated_engine
from lexbeam.transforms.annotation.engines.normalise import read_rules
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.portions import stated_parts
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.formats.ingest.date_rules import load_metadata, parse_date_rule
from lexbeam.transforms.formats.ingest.duplicates import DUPLICATES
from lexbeam.transforms.formats.ingest.file_changes import CHECKS
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile, YearChecks
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.formats.ingest.kept_files import KeepPart, KeptPart
from lexbeam.transforms.formats.readers.html import check_html
from lexbeam.transforms.formats.readers.registry import FORMATS, READERS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.records.hyphens import read_hyphen_words
from lexbeam.transforms.formats.records.layers import LayerOptions, check_layers
from lexbeam.transforms.formats.records.scripts import scripts_of

_TABLES: tuple[Table, ...] = (DOCUMENTS, SENTENCES, REJECTS, INPUTS)


class KeptCorpus(NamedTuple):
    """A published corpus: the name of the snapshot, the parts of its tables, what is kept of documents."""

    snapshot: str
    parts: tuple[KeptPart, ...]
    keep: KeepPart


def kept_corpus(snapshot: Snapshot, keep: KeepPart) -> KeptCorpus:
    """Return a published corpus as what is kept of it.

    Raises:
        LexbeamError: the snapshot has no corpus, or one whose tables or layers are others.
    """
    section = snapshot.section("corpus")
    for table in _TABLES:
        if snapshot.tables[table.name]["schema_version"] != table.version:
            raise LexbeamError(
                f"`keep_missing`: table {table.name} at {snapshot.out!r} is of another version of Lexbeam, so that "
                "nothing can be kept of it: leave `keep_missing` out once"
            )
    # Without an engine, annotation is what is kept, and with one that of documents that have no text.
    layers = set(section["options"].get("layers", ()))
    if not layers >= set(keep.layers):
        raise LexbeamError(
            f"`keep_missing`: the corpus at {snapshot.out!r} lacks the layers "
            f"{', '.join(sorted(set(keep.layers) - layers))}: leave `keep_missing` out once"
        )
    return KeptCorpus(
        snapshot.name,
        tuple(map(KeptPart._make, zip(*(snapshot.parts(table.name) for table in _TABLES), strict=True))),
        keep,
    )


log = logging.getLogger("lexbeam")

INPUT, ANNOTATION = "input", "annotation"
WITHOUT_UPOS = (
    "engine %s gives no parts of speech, so that rankings of `lexbeam change` list function words, too: "
    "`rank_stop_words` 100 leaves most of them out there (docs/reference/annotation.md)"
)


def _table_of_dates(rule: str) -> Within | None:
    """Return where the path is in `table:FILE:key=COLUMN,date=COLUMN`."""
    if not rule.startswith("table:"):
        return None
    path, colon, columns = rule.removeprefix("table:").rpartition(":")
    return Within("table:", path, colon + columns) if path else None  # the rule's own check reports it


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(IntakeOptions):
    """Options of `lexbeam corpus`."""

    inputs: tuple[str, ...] = option(
        help="files, folders or globs, on any file system that Beam takes",
        metavar="INPUT",
        positional=True,
        path="input",
        data="records",
    )
    format: str = option("auto", help="format of the input", choices=FORMATS, group=INPUT)
    exclude: tuple[str, ...] = option(
        (),
        help="patterns of files to leave out: of the path below the input, or of its last parts",
        check=check_patterns,
        group=INPUT,
    )
    reader: ReaderOptions = embedded(ReaderOptions, group=INPUT)
    language: str | None = option(
        None, help="language where the source does not say", metavar="L", stands_for=stated_language, group=INPUT
    )
    genre: str | None = option(None, help="genre where the source does not say", group=INPUT)
    about: str | None = option(
        None,
        help="what the texts are, in a sentence or two, for the summary and the report",
        metavar="TEXT",
        published=False,
        group=INPUT,
    )
    check: str = option(
        "time",
        help="how input files are found to be those of an earlier run: by size and time of change, or by content",
        choices=CHECKS,
        published=False,
        group=INPUT,
    )
    keep_missing: str | None = option(
        None,
        help="folder of a published corpus, or one of its snapshots: documents of files that have gone since are kept "
        "as they are there",
        metavar="DIR",
        path="place",
        published=False,
        group=INPUT,
    )
    duplicates: str = option("reject", help="what becomes of equal documents", choices=DUPLICATES, group=INPUT)
    dry_run: bool = option(
        False, help="show the first 20 documents and their rejects, and write nothing", published=False, group=INPUT
    )
    dates: str | None = option(
        None,
        help="where dates come from: name:REGEX, header, field:NAME (numbers: epoch:NAME, excel:NAME, ymd:NAME ...), "
        "table:FILE:key=COLUMN,date=COLUMN, or one period FROM..TO",
        metavar="RULE",
        path="file",
        within=_table_of_dates,
        check=parse_date_rule,
        group="dates",
    )
    date_range: str = option(
        "first",
        help="year that counts of a date that is a range",
        choices="lexbeam.transforms.formats.ingest.date_rules:DATE_RANGES",
        group="dates",
    )
    engine: str = option(
        "none",
        help="annotation engine: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG, or none "
        "for input that comes annotated",
        path="place",
        within=model_folder,
        stands_for=stated_engine,
        check=check_engine,
        group=ANNOTATION,
    )
    normalise: str | None = option(
        None,
        help="TSV of rules for forms and lemmas, see docs/reference/annotation.md",
        metavar="FILE",
        path="file",
        group=ANNOTATION,
    )
    layers: LayerOptions = embedded(LayerOptions, group=ANNOTATION)
    max_document_characters: int = option(20_000_000, help="longer documents are rejects", least=1, group="limits")

    def __post_init__(self) -> None:
        """Refuse options with which nothing can be kept."""
        if self.keep_missing is not None and self.duplicates == "keep":
            raise UsageError(
                "`keep_missing`: with `duplicates` keep, equal documents of files that have gone cannot be told from "
                "those that are there: reject duplicates"
            )
        if self.keep_missing is not None and self.engine == "none" and self.normalise:
            raise UsageError("`keep_missing`: what is kept has been normalised, and `normalise` would do it again")


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus run is to do: what names its files, and the options of every step.

    Attributes:
        patterns: what names the files.
        look: some of the files, by name; all if there are few.
        ingest: how files become documents.
        annotate: how documents are annotated.
        duplicates: what becomes of equal documents.
        parts: parts of each table; 0: the corpus decides.
        max_reject_share: share of rejects above which nothing is published.
        asked: what other sections of the run ask of the documents' years.
        about: what the texts are, as the manifest says if it is given.
        check_content: whether files are read even if size and time of change say that they are those of before.
        kept: what was published of files that may have gone since; None: nothing is kept of them.
    """

    patterns: InputPatterns
    look: tuple[InputFile, ...]
    ingest: IngestOptions
    annotate: AnnotateOptions
    duplicates: str
    parts: int
    max_reject_share: float
    asked: YearChecks = field(default_factory=dict)
    about: str | None = None
    check_content: bool = False
    kept: KeptCorpus | None = None


def plan_corpus(options: CorpusOptions, inputs: Inputs | None = None) -> CorpusPlan:
    """Look at the first inputs and check the options; nothing else is read but tables and rules.

    Raises:
        UsageError: an option is wrong, or another section of the run needs dates and there are no
            `dates`.
        LexbeamError: there are no input files, no reader takes any, or their names tell that the years that
            another section needs are not there.
    """
    asked = dict(inputs.year_checks) if inputs is not None else {}
    _check_dates(options, asked)
    patterns, look, is_all = first_inputs(
        options.inputs, options.exclude, options.out, drained=options.keep_missing is not None
    )
    ingest, annotate = steps_of(options)
    if not options.dry_run:
        check_look(look, ingest, options.max_reject_share, asked, is_all=is_all)
    return CorpusPlan(
        patterns,
        tuple(look),
        ingest,
        annotate,
        options.duplicates,
        stated_parts(options.parts),
        options.max_reject_share,
        asked,
        options.about,
        options.check == "content",
        _kept(options),
    )


def steps_of(options: CorpusOptions) -> tuple[IngestOptions, AnnotateOptions]:
    """Return how files become documents, and how these are annotated; tables and rules are read, no input is.

    Raises:
        UsageError: an option is wrong.
    """
    if options.format == "html" or (options.format == "auto" and options.reader.html != "reject"):
        check_html(options.reader)
    rule = parse_date_rule(options.dates) if options.dates else None
    layers = options.layers.layers
    info = _engine(options)
    ingest = IngestOptions(
        format=options.format,
        reader=replace(
            options.reader, words=read_hyphen_words(options.reader.hyphen_words, options.reader.hyphens), layers=layers
        ),
        dates=rule,
        date_range=options.date_range,
        metadata=load_metadata(rule) if rule else None,
        language=options.language or (info.language if info else None),
        genre=options.genre,
        forgotten=forgotten_at(options.out),
        scripts=scripts_of(info.language) if info else None,
    )
    annotate = AnnotateOptions(
        engine=options.engine,
        name=info.name if info else "none",
        fingerprint=info.fingerprint if info else "none",
        normalise=read_rules(options.normalise) if options.normalise else None,
        max_characters=options.max_document_characters,
        layers=layers,
    )
    return ingest, annotate


def _kept(options: CorpusOptions) -> KeptCorpus | None:
    kept = kept_snapshot(options.keep_missing, options.out, DOCUMENTS.name)
    if kept is None:
        return None
    keep = KeepPart(
        annotated=options.engine == "none", layers=options.layers.layers, forgotten=forgotten_at(options.out)
    )
    return kept_corpus(kept, keep)


def _check_dates(options: CorpusOptions, asked: Collection[str]) -> None:
    if options.dates is None and asked:
        raise UsageError(
            f"`dates` must be given: {', '.join(asked)} compares periods, and without it no document has a "
            "year (docs/reference/formats.md)"
        )


def _engine(options: CorpusOptions) -> EngineInfo | None:
    """Return the engine; None: the input comes annotated, in formats that have the layers."""
    layers = options.layers.layers
    if options.engine != "none":
        info = describe_engine(options.engine, layers=layers)
        if not info.has_upos:
            log.warning(WITHOUT_UPOS, info.name)
        return info
    formats = tuple(READERS) if options.format == "auto" else (options.format,)
    source = "input that comes annotated" if len(formats) > 1 else f"format {formats[0]!r}"
    check_layers(layers, formats, source)
    return None
