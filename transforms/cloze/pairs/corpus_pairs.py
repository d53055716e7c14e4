"""Pairs that are the documents of an annotated corpus, cut in two, with the corpus's annotation."""

from collections.abc import Iterator
from typing import Any

from transforms.cloze.pairs.annotation import annotation_columns
from transforms.cloze.pairs.cutting import CutOptions, cut
from transforms.cloze.pairs.layout import PairEntry
from transforms.cloze.pairs.pair import RawPair
from transforms.common.records import Sentence
from transforms.corpora.corpus import PartPair
from transforms.corpora.reading import AnnotatedDocument, read_annotated
from transforms.formats.records.base import BadRecord, Reject

__all__ = ["corpus_pairs"]

_COLUMNS = ("forms", "lemmas", "upos", "starts", "ends")
_OF_DOCUMENT = ("source", "position", "language", "genre", "text")


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
    for found in read_annotated(part, columns=_COLUMNS, document_columns=_OF_DOCUMENT):
        document = found.document
        try:
            given = _pair(found, options)
        except BadRecord as error:
            yield document.source, Reject(document.position, error.reason, error.detail)
            continue
        yield (
            document.source,
            given._replace(
                language=document.language or language, genre=document.genre or genre, source_id=document.document_id
            ),
        )


def _pair(found: AnnotatedDocument, options: CutOptions) -> RawPair:
    document = found.document
    if document.text is None:
        raise BadRecord("no_text", "annotated before it was taken in: its words have no places")
    sentences = [Sentence(**row) for row in found.sentences.to_pylist()]

    def first_sentence(start: int, paragraph: str) -> int:
        for one in sentences:
            if one.starts and one.ends and one.starts[0] >= start:
                return min(one.ends[-1] - start, len(paragraph))
        return len(paragraph)

    where = cut(document.text, options, first_sentence)
    annotation: dict[str, Any] = {}
    for name, (start, end) in zip(("summary", "passage"), where, strict=True):
        inside = [one for one in sentences if one.starts and start <= one.starts[0] < end]
        annotation |= annotation_columns(name, inside, start)
    summary, passage = (document.text[start:end] for start, end in where)
    return RawPair(document.position, passage, summary, annotation=annotation)
