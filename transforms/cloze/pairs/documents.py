"""Pairs that are documents cut in two: of files as `lexbeam corpus` reads them, or of a corpus with its annotation."""

import functools
from collections.abc import Iterator

from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_splitter
from lexbeam.transforms.cloze.pairs.annotation import annotation_columns
from lexbeam.transforms.cloze.pairs.cutting import CutOptions, cut
from lexbeam.transforms.cloze.pairs.pair import RawPair, Row
from lexbeam.transforms.cloze.pairs.read_options import InputText, PairEntry, ReadOptions
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.common.texts.languages import code_or_text
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.corpora.document_reading import AnnotatedDocument, read_annotated
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import BadRecord, Record, Reject

_COLUMNS = ("forms", "lemmas", "upos", "starts", "ends")
_OF_DOCUMENT = ("source", "position", "language", "genre", "text")


def read_documents(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the documents of a file as pairs, cut as `options.cut` says.

    What the first sentence is does not depend on the engine, so that pairs are the same with any:
    the rules of the document's language decide, see `load_splitter`.
    """
    entries = read_file(file.path, file.name, format=options.format, options=options.reader, open=file.open)
    for source, entry in entries:
        if isinstance(entry, Reject):
            yield source, entry
        elif entry.block == 0:  # others are of a document that comes annotated
            try:
                yield source, _pair_of_record(entry, options)
            except BadRecord as error:
                yield source, Reject(entry.position, error.reason, error.detail)


def _pair_of_record(record: Record, options: ReadOptions) -> RawPair:
    text = record.text
    if text is None or record.sentences is not None:
        raise BadRecord("annotated", "make a corpus of it, and give that as `layout` corpus")
    stated = record.fields.get("language")
    language = code_or_text(stated) if stated else options.language or options.engine_language
    places = cut(text, options.cut, functools.partial(first_sentence, language=language))
    summary, passage = (text[start:end] for start, end in places)
    return RawPair(
        record.position,
        passage,
        summary,
        None,
        language,
        record.fields.get("genre") or options.genre,
        record.fields.get("id") or None,
    )


def first_sentence(_: int, paragraph: str, language: str | None = None) -> int:
    """Return where the first sentence of a paragraph ends, in code points.

    Raises:
        BadRecord: `malformed`, if the splitter fails on it.
    """
    try:
        sentences = annotate_text(paragraph, load_splitter(language))
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever a tokeniser raises is about this text
        raise BadRecord("malformed", f"no sentences can be found: {error}") from None
    return sentences[0].ends[-1] if sentences and sentences[0].ends else len(paragraph)


def corpus_pairs(
    part: PartPair, options: CutOptions, language: str | None = None, genre: str | None = None
) -> Iterator[tuple[str, PairEntry]]:
    """Yield the documents of a part as pairs, with their sources; their ids are the source's ids.

    The first sentence is that of the corpus.

    Args:
        part: the parts of `documents` and `sentences`.
        options: how documents are cut.
        language, genre: of documents that do not say.
    """
    for annotated in read_annotated(part, columns=_COLUMNS, document_columns=_OF_DOCUMENT):
        document = annotated.document
        try:
            pair = _pair_of_document(annotated, options)
        except BadRecord as error:
            yield document.source, Reject(document.position, error.reason, error.detail)
            continue
        yield (
            document.source,
            pair._replace(
                language=document.language or language, genre=document.genre or genre, source_id=document.document_id
            ),
        )


def _pair_of_document(annotated: AnnotatedDocument, options: CutOptions) -> RawPair:
    document = annotated.document
    if document.text is None:
        raise BadRecord("no_text", "annotated before it was taken in: its words have no places")
    sentences = [Sentence(**row) for row in annotated.sentences.to_pylist()]

    def end_of_first(start: int, paragraph: str) -> int:
        for sentence in sentences:
            if sentence.starts and sentence.ends and sentence.starts[0] >= start:
                return min(sentence.ends[-1] - start, len(paragraph))
        return len(paragraph)

    where = cut(document.text, options, end_of_first)
    annotation: Row = {}
    for name, (start, end) in zip(("summary", "passage"), where, strict=True):
        inside = [sentence for sentence in sentences if sentence.starts and start <= sentence.starts[0] < end]
        annotation |= annotation_columns(name, inside, start)
    summary, passage = (document.text[start:end] for start, end in where)
    return RawPair(document.position, passage, summary, annotation=annotation)
