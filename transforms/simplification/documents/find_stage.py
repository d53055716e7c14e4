"""Texts read and their hard words found: what is staged of instances, with the places where they stand.

PLACE_IN_CORPUS    a part of a corpus -> staged rows, placed texts
PLACE_IN_FILES     a unit of files -> staged rows, placed texts; an engine annotates their documents

A record is a document, whether or not it has a hard word.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.formats.ingest.stage import InputFile, Unit
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.formats.spans.spanned import SPANS, spanned
from lexbeam.transforms.intake.merging import engine_of
from lexbeam.transforms.intake.staging import Loaded
from lexbeam.transforms.intake.unit_files import stage_unit
from lexbeam.transforms.simplification.documents.placed_texts import PlacedFiles, PlacedTextWriter
from lexbeam.transforms.simplification.instances.content_words import AnnotatedText
from lexbeam.transforms.simplification.instances.find_stage import (
    CORPUS,
    DOCUMENTS,
    CorpusFindOptions,
    CorpusPart,
    FoundWords,
    TextFindOptions,
    add_words,
    annotated_pieces,
    chosen_in_corpus,
    chosen_in_texts,
    corpus_texts,
    reject,
    words_found,
)
from lexbeam.transforms.simplification.instances.fixed_text import FixedPlaces, fixed_codes
from lexbeam.transforms.simplification.instances.read_stage import staging_of


@dataclass(frozen=True, kw_only=True)
class LoadedTexts(Loaded):
    """Receipt of files or of a part of a corpus: that of their instances, and the texts with their places."""

    texts: PlacedFiles


def _with_texts(loaded: Loaded, texts: PlacedFiles) -> LoadedTexts:
    return LoadedTexts(**vars(loaded), texts=texts)


def _place_in_corpus(artefact: Artefact, task: CorpusPart, options: CorpusFindOptions) -> LoadedTexts:
    with staging_of(artefact, task.name) as staging, PlacedTextWriter(artefact) as writer:

        def documents() -> Iterator[AnnotatedText]:
            for text in corpus_texts(task, options):
                if text.text is None or text.sentences["starts"].null_count:
                    detail = "it came annotated, without a text to put words into"
                    staging.reject(text.source, text.position, BadRecord("no_text", detail))
                    continue
                yield text._replace(fixed=fixed_codes(text.text))

        for found in words_found(documents(), options, staging, CORPUS):
            add_words(staging, found)
            writer.add(found.text.position, found, None)
    return _with_texts(staging.loaded(size=task.size), writer.files())


class _Entry(NamedTuple):
    """A file that was read: its words and what is kept of it, or why there is nothing."""

    name: str
    found: FoundWords | Reject
    content: bytes = b""


def _place_in_files(artefact: Artefact, task: Unit, options: TextFindOptions) -> LoadedTexts:
    """Find words in the files of a unit.

    Raises:
        Superseded: a file is no longer what the artefact is named by.
    """
    engine = engine_of(options.annotate)
    assert engine is not None  # words are found by parts of speech
    with (
        staging_of(artefact, forgotten=options.forgotten) as staging,
        PlacedTextWriter(artefact) as writer,
        one_thread(),
    ):

        def read(file: InputFile, reading: FileReading, _: Counter[str]) -> Iterator[_Entry]:
            try:
                content = _content(reading)
                texts = _texts_of(file.name, content, engine, options)
                for found in words_found(texts, options, staging, DOCUMENTS):
                    yield _Entry(file.name, found, content)
            except BadRecord as error:
                yield _Entry(file.name, Reject("", error.reason, error.detail))

        def add(entry: _Entry) -> None:
            if isinstance(entry.found, Reject):
                reject(staging, entry.name, entry.found)
                return
            add_words(staging, entry.found)
            writer.add(entry.name, entry.found, entry.content)

        inputs = stage_unit(staging, task, read, add)
    return _with_texts(staging.loaded(inputs), writer.files())


def _content(reading: FileReading) -> bytes:
    try:
        with reading.open() as stream:
            return stream.read()
    except OSError as error:
        raise BadRecord("unreadable", str(error)) from None


def _texts_of(name: str, content: bytes, engine: Engine, options: TextFindOptions) -> Iterator[AnnotatedText]:
    """Yield the text of a file, annotated, piece by piece; one of white space alone has no sentences.

    Raises:
        BadRecord: it cannot be read or edited, or the engine fails; before there is any piece.
    """
    language = options.language or options.engine_language
    language = language and short_tag(language)
    try:
        source = spanned(content, name, format=options.format, options=options.reader, language=language or "")
        text, fixed = source.text, FixedPlaces(*source.fixed)
    except UsageError as error:
        raise BadRecord("not_editable", str(error)) from None
    except BadRecord as error:
        if error.reason != "empty":
            raise
        text, fixed = "", FixedPlaces()
    for piece, table in enumerate(annotated_pieces(text, engine, options)):
        yield AnnotatedText(name, "", language, None, text, table, piece > 0, fixed)


def _chosen_in_files(task: object, options: TextFindOptions) -> dict[str, Sequence[str]]:
    """Return the entries of registries that count, what edits files among them."""
    formats = tuple(SPANS) if options.format == "auto" else (options.format,)
    return {**chosen_in_texts(task, options), "lexbeam.transforms.formats.spans.spanned:SPANS": formats}


PLACE_IN_CORPUS: Stage[CorpusPart, CorpusFindOptions, LoadedTexts] = Stage(
    name="simplification/place-in-corpus",
    noun="words to simplify",
    receipt=LoadedTexts,
    build=_place_in_corpus,
    chosen=chosen_in_corpus,
    blas=True,
    unit="parts",
)
PLACE_IN_FILES: Stage[Unit, TextFindOptions, LoadedTexts] = Stage(
    name="simplification/place-in-files",
    noun="words to simplify",
    receipt=LoadedTexts,
    build=_place_in_files,
    unused={"options.reader.layers": "documents that come annotated are left out"},
    chosen=_chosen_in_files,
    blas=True,
    unit="batches",
)
