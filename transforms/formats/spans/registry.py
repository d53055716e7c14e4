"""Formats whose text can be edited in its source, by name.

An entry has one function, from the bytes of a source to its `Origin`: what the text is, the reader of the format
says alone.
"""

import io
from dataclasses import dataclass, replace

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.formats.readers.registry import READERS, read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source
from lexbeam.transforms.formats.sources.compression import SUFFIXES
from lexbeam.transforms.formats.spans.aligning import Unaligned, align
from lexbeam.transforms.formats.spans.markdown import find_in_markdown
from lexbeam.transforms.formats.spans.origin import Find, whole
from lexbeam.transforms.formats.spans.page import find_in_page
from lexbeam.transforms.formats.spans.source import SpannedSource
from lexbeam.transforms.formats.spans.tei import find_in_tei


@dataclass(frozen=True)
class Editable(Entry):
    """How the text of a format is found in its sources.

    Attributes:
        find: from the bytes of a source, the source and options, where text stands.
    """

    find: Find


SPANS: Registry[Editable] = Registry(
    {
        "text": Editable(whole, doc="plain text"),
        "tei": Editable(find_in_tei, doc="TEI P5: the parts of its text that are read"),
        "markdown": Editable(find_in_markdown, doc="Markdown: words outside code, addresses and HTML"),
        "html": Editable(find_in_page, doc="web pages, all that a reader sees"),
    },
    what="format that can be edited",
    group="lexbeam.spans",
)


def spanned(
    data: bytes, name: str, *, format: str = "auto", options: ReaderOptions | None = None, language: str = ""
) -> SpannedSource:
    """Return a source's text and where it stands in its bytes.

    The text is that of the format's reader: of a page all that a reader sees, whatever `options.html` says.

    Args:
        data: the bytes of the source.
        name: of the source; with `auto` its ending and the first bytes decide the format.
        format: a key of `SPANS`, or `auto`.
        options: of the reader, but for `marks`, since a run of too many combining marks cannot be edited, and
            `hyphens`: words that line ends cut stay so.
        language: of the text, if it is known: what the source says is in another one is left alone.

    Raises:
        UsageError: no format that can be edited has this name, or the source is in none.
        BadRecord: the source cannot be read; it is compressed or an archive; or where its text stands cannot be told.
    """
    if format != "auto":
        SPANS.check([format])
    if data.startswith(tuple(SUFFIXES.values())):
        raise BadRecord("binary", "a compressed file cannot be edited; decompress it first")
    options = replace(options or ReaderOptions(), html="all", marks="reject", hyphens="keep")
    formats: list[str] = []
    texts: list[str] = []

    def found(_: str, format: str) -> None:
        SPANS.check([format], f"{name}")
        formats.append(format)

    for _, record in read_file(
        name, name, format=format, options=options, open=lambda: io.BytesIO(data), on_format=found
    ):
        if isinstance(record, Reject):
            raise BadRecord(record.reason, record.detail)
        texts.append(record.text or "")
    text = "\n\n".join(texts)
    origin = SPANS[formats[0]].find(data, Source(name, lambda: io.BytesIO(data), name, language=language), options)
    try:
        units = align(text, origin.coded.text, origin.pieces)
    except Unaligned:
        title = READERS[formats[0]].title or formats[0]
        raise BadRecord(
            "malformed", f"where its text stands in the source cannot be told; is it valid {title}?"
        ) from None
    return SpannedSource(name, formats[0], text, origin, units)
