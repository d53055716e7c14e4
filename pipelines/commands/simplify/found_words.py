"""What `lexbeam simplify instances` finds words in: corpora and texts, in place of files that name them."""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.commands.corpus.accepting import check_look
from lexbeam.pipelines.commands.intake import TextEngine
from lexbeam.pipelines.frame.command import Graph, Inputs, TableSource
from lexbeam.pipelines.frame.inputs import corpora_of, first_inputs
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.features.base import LAYERS
from lexbeam.transforms.corpora.annotated_corpora import check_columns, common_layers, languages
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.formats.readers.html import check_html
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.simplification.instances.found_instances import (
    CORPUS,
    DOCUMENTS,
    FEATS,
    CorpusPart,
    FindInCorpus,
    FindInTexts,
    sentences_of,
    without_copies,
)
from lexbeam.transforms.simplification.instances.hard_words import TargetOptions, word_choice

if TYPE_CHECKING:
    import apache_beam as beam

_TABLES = ("sentences", "documents")


class FoundIn(NamedTuple):
    """What words are found in, and how: parts of corpora, or files.

    Attributes:
        parts: of corpora.
        patterns: what names files; None: corpora are read.
        read: finds them.
        several: whether there are several corpora.
    """

    parts: tuple[CorpusPart, ...]
    patterns: InputPatterns | None
    read: FindInCorpus | FindInTexts
    several: bool = False


def layout_of_inputs(inputs: Sequence[str], layout: str, auto: str) -> str:
    """Return the layout, `corpus` or `documents`; where it is not given, what the inputs are says it.

    Args:
        inputs: paths; none: the corpus of the folder that is published to.
        layout: as given.
        auto: what it is called where it is not given.
    """
    if layout != auto:
        return layout
    snapshots = [find_snapshot(path) for path in inputs]
    corpora = all(snapshot is not None and _TABLES[0] in snapshot.tables for snapshot in snapshots)
    return CORPUS if corpora else DOCUMENTS


def reads_corpora(inputs: Sequence[str]) -> list[TableSource]:
    """Return the tables of corpora."""
    return [TableSource(table, folder, needed=True) for folder in inputs or (None,) for table in _TABLES]


def found_in_corpora(
    inputs: Inputs, targets: TargetOptions, language: str | None, step: type[FindInCorpus] = FindInCorpus
) -> FoundIn:
    """Return what words of corpora are found in.

    Raises:
        UsageError: a corpus has no parts of speech, nothing says its language, or a resource does not suit it.
    """
    corpora = corpora_of(inputs)
    check_columns(
        corpora,
        ["forms", "upos"],
        remedy="content words are found by them: make it anew with an engine that gives them, such as "
        "spacy:en_core_web_sm, or from annotated input",
    )
    spoken = {language} if language else languages(corpora)
    if not spoken:
        raise UsageError("give `language`: the corpora do not say it")
    layers = tuple(name for name in common_layers(corpora) if name in (FEATS, *LAYERS))
    choice = word_choice(targets, sorted({short_tag(name) for name in spoken}), layers)
    parts = {pair.sentences.sha256: CorpusPart(pair) for corpus in corpora for pair in corpus.pairs}
    read = step(choice=choice, language=language, layers=layers)
    return FoundIn(tuple(parts[name] for name in sorted(parts)), None, read, len(corpora) > 1)


def named_texts(
    inputs: Sequence[str], exclude: Sequence[str], out: str, format: str, reader: ReaderOptions, share: float
) -> InputPatterns:
    """Return what names files of texts, of which at most a share may be rejects.

    Raises:
        LexbeamError: there are none, or no reader takes any.
    """
    patterns, look, is_all = first_inputs(inputs, exclude, out)
    check_look(look, IngestOptions(format=format, reader=reader), share, {}, is_all=is_all)
    return patterns


def found_in_texts(
    patterns: InputPatterns,
    targets: TargetOptions,
    engine: TextEngine,
    language: str | None,
    format: str,
    reader: ReaderOptions,
    step: type[FindInTexts] = FindInTexts,
) -> FoundIn:
    """Return what words of texts are found in.

    Raises:
        UsageError: there is no engine that gives parts of speech, or none says the language.
    """
    spec = engine.options.engine
    if not spec or not describe_engine(spec).has_upos:
        raise UsageError("content words of texts are found by parts of speech: give an `engine` that has them")
    spoken = language or engine.language
    if not spoken:
        raise UsageError(f"give `language`: the engine {engine.name} is of none in particular")
    if format == "html":
        check_html(reader)
    read = step(
        choice=word_choice(targets, [short_tag(spoken)], engine.options.layers),
        annotate=engine.options,
        format=format,
        reader=reader,
        language=language,
        engine_language=engine.language,
        forgotten=forgotten_at(patterns.out),
    )
    return FoundIn((), patterns, read)


def find_words(
    pipeline: "beam.Pipeline", found: FoundIn, graph: Graph, *, numbered: bool = False
) -> "beam.PCollection":
    """Put corpora or texts into a pipeline, and find words in them; yields receipts with keys.

    Args:
        pipeline: the pipeline.
        found: what words are found in.
        graph: of the command.
        numbered: whether keys are the numbers of parts or units.
    """
    import apache_beam as beam

    from lexbeam.transforms.common.store.ptransforms import Each
    from lexbeam.transforms.corpora.ptransforms import FindRepeated
    from lexbeam.transforms.intake.intake_ptransforms import LoadFiles

    workspace, choice = graph.workspace, found.read.choice
    scorer = choice.scorer
    if scorer is not None:
        setting = scorer.setting._replace(lexicon=graph.carry(scorer.setting.lexicon))
        scorer = scorer._replace(setting=setting)
    read: Any = replace(found.read, choice=choice._replace(lexicon=graph.carry(choice.lexicon), scorer=scorer))
    if found.patterns is not None:
        patterns = graph.tasks(pipeline, "Inputs", [found.patterns])
        return patterns | "FindWords" >> LoadFiles(workspace, graph.scratch, read, graph.lanes, numbered)
    parts = graph.tasks(pipeline, "CorpusParts", enumerate(found.parts), read)
    copies = parts | "Sentences" >> beam.Map(sentences_of) | "FindRepeated" >> FindRepeated(found.several)
    sides = {"copies": beam.pvalue.AsDict(copies)}
    return parts | "FindWords" >> Each(
        workspace, read, without_copies, sides, lanes=graph.lanes, weight=attrgetter("size")
    )
