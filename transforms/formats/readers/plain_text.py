"""Plain text: the file is the document, an empty line separates its paragraphs."""

from collections.abc import Iterator

from transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.records.text_cleaning import clean_bytes, cleaning
from transforms.formats.sources.streams import encodings_of, read_all

__all__ = ["read_text"]


def read_text(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the file as one record without fields.

    Raises:
        BadRecord: `undecodable`, `control`, `too_many_marks`, `empty`, `too_large`.
    """
    data = read_all(source, options)
    text = clean_bytes(data, encodings_of(data, source, options), cleaning(source, options))
    if not text:
        raise BadRecord("empty", "nothing but white space")
    yield Record("", {}, text, None)
