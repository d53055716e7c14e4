"""Plain text: the file is the document, an empty line separates its paragraphs."""

from collections.abc import Iterator

from transforms.formats.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.streams import read_all
from transforms.formats.text_cleaning import clean_bytes

__all__ = ["read_text"]


def read_text(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the file as one record without fields.

    Raises:
        BadRecord: `undecodable`, `malformed` (a NUL), `empty`, `too_large`.
    """
    text = clean_bytes(read_all(source, options), options.encoding)
    if not text:
        raise BadRecord("empty", "nothing but white space")
    yield Record("", {}, text, None)
