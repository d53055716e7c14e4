"""Layout of pairs that are documents, read as `lexbeam corpus` reads them, and cut in two."""

import functools
from collections.abc import Iterator

from transforms.annotation.engines.paragraphs import annotate_text
from transforms.annotation.engines.registry import load_splitter
from transforms.cloze.pairs.cutting import cut
from transforms.cloze.pairs.layout import InputText, PairEntry, ReadOptions
from transforms.cloze.pairs.pair import RawPair
from transforms.common.errors import LexbeamError
from transforms.formats.readers.registry import read_file
from transforms.formats.records.base import BadRecord, Record, Reject

__all__ = ["first_sentence", "read_documents"]


def read_documents(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the documents of a file as pairs, cut as `options.cut` says.

    What the first sentence is does not depend on the engine, so that pairs are the same with any:
    the rules of the document's language decide, see `load_splitter`.
    """
    found = read_file(file.path, file.name, format=options.format, options=options.reader, open=file.open)
    for source, entry in found:
        if isinstance(entry, Reject):
            yield source, entry
        elif entry.block == 0:  # others are of a document that comes annotated
            try:
                yield source, _pair(entry, options)
            except BadRecord as error:
                yield source, Reject(entry.position, error.reason, error.detail)


def _pair(record: Record, options: ReadOptions) -> RawPair:
    text = record.text
    if text is None or record.sentences is not None:
        raise BadRecord("annotated", "make a corpus of it, and give that as `layout` corpus")
    language = record.fields.get("language") or options.language or options.engine_language
    found = cut(text, options.cut, functools.partial(first_sentence, language=language))
    summary, passage = (text[start:end] for start, end in found)
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
