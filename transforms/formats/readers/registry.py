"""The readers by name, and how a file goes through one.

>>> detect("a/letters.jsonl.gz", b""), detect("page", b"<?xml version='1.0'?><TEI>")
('jsonl', 'tei')
"""

import functools
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.line_ends import with_line_feeds
from lexbeam.transforms.formats.readers.conllu import cut_conllu, read_conllu
from lexbeam.transforms.formats.readers.delimited import cut_csv, read_csv
from lexbeam.transforms.formats.readers.epub import read_epub
from lexbeam.transforms.formats.readers.html import read_html
from lexbeam.transforms.formats.readers.json_records import cut_jsonl, read_json, read_jsonl
from lexbeam.transforms.formats.readers.markdown import read_markdown
from lexbeam.transforms.formats.readers.office import read_docx, read_odt
from lexbeam.transforms.formats.readers.parquet import cut_parquet, read_parquet
from lexbeam.transforms.formats.readers.tei import read_tei
from lexbeam.transforms.formats.readers.text import cut_lines, read_lines, read_text
from lexbeam.transforms.formats.readers.vertical import cut_vertical, read_vertical
from lexbeam.transforms.formats.records.base import (
    BadRecord,
    CutPiece,
    Cutter,
    Reader,
    ReaderOptions,
    Record,
    Reject,
    Source,
    Uncuttable,
)
from lexbeam.transforms.formats.records.hyphens import mended
from lexbeam.transforms.formats.records.vertical_layout import table_of_words
from lexbeam.transforms.formats.sources.archives import ARCHIVE, cut_archive, open_piece, open_sources, wrapping
from lexbeam.transforms.formats.sources.content import HEAD, content_of, is_binary
from lexbeam.transforms.formats.sources.streams import (
    marked_encoding,
    open_already,
    peek,
    reject_of,
    without_compression,
)

_LOOK = 4096
_DETAIL = 300
# What a person may do about content that no reader takes, or that the named one does not.
_REMEDIES = {
    "HTML": "; see --format html",
    "HTML without a page around it": "; see --format html",
    "PDF": "; convert it: pdftotext FILE",
    "PostScript": "; convert it: ps2ascii FILE",
    "RTF": "; convert it: soffice --convert-to docx FILE",
    "Word, Excel or PowerPoint": "; convert it: soffice --convert-to docx FILE",
}
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def detect(name: str, head: bytes) -> str | None:
    """Return the format of a source by its name and first bytes; None if they suggest none."""
    lower = without_compression(name.lower())
    wide = marked_encoding(head)
    if wide:
        head = head.decode(wide, "ignore").encode()
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    by_name = next((format for format, entry in READERS.items() if lower.endswith(entry.suffixes)), None)
    if by_name in (None, "text", "tei", "vertical") and (words := _table_of_words(head)) is not None:
        return words
    # A document of Markdown may begin with HTML, vertical text with what looks like it.
    if (content := content_of(head)) is not None and content.reason == "html" and by_name != "markdown":
        return "html"
    if by_name == "json" and _json_lines(start):
        return "jsonl"
    is_xml = start.startswith((b"<?xml", b"<TEI", b"<!DOCTYPE TEI"))
    if by_name is not None and not (is_xml and by_name == "text"):
        return by_name
    if is_xml:
        return "tei"
    if content is not None:
        return None
    if start.startswith(b"{") and not start.startswith(b"{\\"):  # which begins a group in TeX and RTF
        return "jsonl" if _json_lines(start) else "json"
    if start.startswith((b"[{", b"[\n", b"[ {")):
        return "json"
    return "text" if wide or not is_binary(head[:_LOOK]) else None


def _table_of_words(head: bytes) -> str | None:
    return table_of_words(head[:_LOOK], whole=len(head) < _LOOK)


def _json_lines(start: bytes) -> bool:
    """Return whether an object ends with the first line, and another begins the next."""
    first, _, rest = with_line_feeds(start).partition(b"\n")
    return first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")


def read_file(
    path: str,
    name: str,
    *,
    format: str = "auto",
    options: ReaderOptions | None = None,
    open: Callable[[], BinaryIO],
    on_format: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
) -> Iterator[tuple[str, Record | Reject]]:
    """Yield what a file holds: records and rejects, each with the name of its source.

    Archives are opened, compression is undone, and with `auto` the format of each member is found
    out. Whatever a reader raises becomes one reject.

    Args:
        path: where the file really lies.
        name: its published name.
        format: a key of `READERS`, or `auto`.
        open: opens the stream of the file's bytes, as they are.
        on_format: called with the name of each source and the format that it is read in.
        notes: counts what readers changed or guessed, see `Source`.

    Raises:
        UsageError: no format has this name.
        LexbeamError: something must be corrected before anything can be read.
    """
    options = options or ReaderOptions()
    if format != "auto":
        READERS.check([format])
    try:
        yield from _entries(open_sources(path, name, open, options), format, options, on_format, notes)
    except LexbeamError:
        raise
    except Exception as error:
        yield name, _clean(reject_of(error))


def _entries(
    sources: Iterable[tuple[str, Source | Reject]],
    format: str,
    options: ReaderOptions,
    on_format: Callable[[str, str], None],
    notes: Counter[str] | None,
) -> Iterator[tuple[str, Record | Reject]]:
    for shown, source in sources:
        if isinstance(source, Reject):
            yield shown, _clean(source)
            continue
        if notes is not None:
            source = replace(source, notes=notes)
        for entry in _read(source, format, options, functools.partial(on_format, shown)):
            yield shown, entry


def _read(
    source: Source, format: str, options: ReaderOptions, on_format: Callable[[str], None]
) -> Iterator[Record | Reject]:
    try:
        head, stream = peek(source.open(), HEAD)
        source = replace(source, open=open_already(stream, source.open))
        name = _format_of(source, head, format, options)
        on_format(name)
        for entry in READERS[name].read(source, options):
            yield _finished(entry, source, options)
    except LexbeamError:
        raise
    except Exception as error:
        yield _clean(reject_of(error))


def _finished(entry: Record | Reject, source: Source, options: ReaderOptions) -> Record | Reject:
    """Return what a reader yields as it is handed on: words cut at line ends mended, what a reject says printable."""
    if isinstance(entry, Reject):
        return _clean(entry)
    if entry.text is None or entry.sentences is not None:
        return entry
    return entry._replace(text=mended(entry.text, options.hyphens, source.notes, options.words))


def cutter_of(source: Source, head: bytes, format: str, options: ReaderOptions) -> tuple[str, Cutter]:
    """Return the format of a large file, and what cuts it; of an archive, the format of its members.

    The file is not opened.

    Raises:
        Uncuttable: it is read as a whole, with the reason.
    """
    kind = wrapping(source.name, head)
    if kind == ARCHIVE:
        return format, cut_archive
    if kind is not None:
        raise Uncuttable(kind)
    try:
        name = _format_of(source, head, format, options)
    except BadRecord as error:  # is told when the file is read
        raise Uncuttable(error.detail) from None
    cut = READERS[name].cut
    if cut is None:
        raise Uncuttable(_called(name))
    return name, cut


def refusal_of(source: Source, head: bytes, format: str, options: ReaderOptions) -> Reject | None:
    """Return the one reject that a file is, if its first bytes tell; None: it may hold records. It is not opened."""
    if wrapping(source.name, head) is None:
        try:
            _format_of(source, head, format, options)
        except BadRecord as error:
            return _clean(reject_of(error))
    return None


def read_piece(
    path: str,
    name: str,
    piece: CutPiece,
    *,
    format: str,
    options: ReaderOptions,
    open: Callable[[], BinaryIO],
    notes: Counter[str],
) -> Iterator[tuple[str, Record | Reject]]:
    """Yield what a piece of a file holds, as `read_file` does for all of the file.

    Args:
        format: a key of `READERS`; of an archive, `auto`, too.
        options: those with which the file was cut.

    Raises:
        LexbeamError: something must be corrected before anything can be read.
    """
    source = Source(name, open, path, notes, piece=piece)
    try:
        if piece.archive:
            yield from _entries(open_piece(path, name, piece, open, options), format, options, lambda *_: None, notes)
            return
        for entry in READERS[format].read(source, options):
            yield name, _finished(entry, source, options)
    except LexbeamError:
        raise
    except Exception as error:
        reject = _clean(reject_of(error))
        yield name, reject if source.begins else reject._replace(position=str(source.before + 1))


def _format_of(source: Source, head: bytes, format: str, options: ReaderOptions) -> str:
    """Return the reader of a source.

    Raises:
        BadRecord: its content is certainly not what the reader, or any reader, takes.
    """
    if source.package:
        if format not in ("auto", source.package):
            raise BadRecord("office", f"{_called(source.package)}, not {_called(format)}; see --format auto")
        return source.package
    name = format if format != "auto" else detect(source.name, head)
    content = None if name is not None and READERS[name].any_content else content_of(head)
    refused = name == "html" and format == "auto" and options.html == "reject"
    if refused and (content is None or content.reason == "html"):
        raise BadRecord("html", "a page in HTML; see --html")
    if content is not None and content.reason == "html" and (name == "html" or _may_hold(name, head, options)):
        content = None
    if head.startswith(b"PAR1") and is_binary(head[:_LOOK]) and format not in ("auto", "parquet"):
        raise BadRecord("binary", f"Parquet, not {_called(format)}; see --format parquet")
    if content is not None:
        wanted = _called(name) if name is not None else "text"
        raise BadRecord(content.reason, f"{content.what}, not {wanted}{_REMEDIES.get(content.what, '')}")
    if name is None:
        raise BadRecord("binary", "bytes of no known format; see --format")
    return name


def _called(format: str) -> str:
    return READERS[format].title or format


def _may_hold(name: str | None, head: bytes, options: ReaderOptions) -> bool:
    """Return whether what begins like a page may be of a format with tags, or a table whose first cell is one."""
    if name == "vertical":
        return _table_of_words(head) is not None
    return name == "markdown" or (name == "csv" and not options.header)


def _clean(reject: Reject) -> Reject:
    return reject._replace(detail=" ".join(printable(reject.detail).split())[:_DETAIL])


def printable(text: str) -> str:
    """Return text that any table and terminal can show: what it cannot is U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text)


@dataclass(frozen=True)
class Format(Entry):
    """A format.

    Attributes:
        read: from a source and options, its records and rejects.
        suffixes: how names of its files end, in lower case, compression apart.
        title: what details of rejects call it; empty: its name in the registry. A doc line must not stand in
            published rows, since the identity of code passes over it.
        any_content: whether it reads what begins like a picture, a page or a program.
        cut: from a source, options and a number of bytes, pieces of at least that size that can be read by
            themselves, see `CutPiece`; None: a file is read as a whole.
    """

    read: Reader
    suffixes: tuple[str, ...] = ()
    title: str = ""
    any_content: bool = False
    cut: Cutter | None = None


READERS: Registry[Format] = Registry(
    {
        "text": Format(read_text, (".txt",), "plain text", doc="plain text, paragraphs separated by empty lines"),
        "tei": Format(read_tei, (".xml", ".tei"), "TEI", doc="TEI P5"),
        "jsonl": Format(
            read_jsonl, (".jsonl", ".ndjson"), "JSON lines", cut=cut_jsonl, doc="JSON lines, a record a line"
        ),
        "json": Format(read_json, (".json",), "JSON", doc="JSON, an array of records or one object"),
        "csv": Format(read_csv, (".csv", ".tsv", ".tab"), "CSV", cut=cut_csv, doc="CSV or TSV, a record a row"),
        "parquet": Format(read_parquet, (".parquet", ".pq"), "Parquet", cut=cut_parquet, doc="Parquet, a record a row"),
        "conllu": Format(
            read_conllu, (".conllu", ".conll"), "CoNLL-U", cut=cut_conllu, doc="annotated text in CoNLL-U"
        ),
        "vertical": Format(
            read_vertical,
            (".vrt", ".vert", ".vertical"),
            "vertical text",
            cut=cut_vertical,
            doc="vertical text of TreeTagger, CWB, Sketch Engine and Korp: annotated, a token a line",
        ),
        "lines": Format(
            read_lines,
            (),
            "lines of text",
            cut=cut_lines,
            doc="ready-made sentences, one a line, tokens separated by spaces",
        ),
        "markdown": Format(
            read_markdown,
            (".md", ".markdown", ".mdx", ".qmd", ".rmd"),
            "Markdown",
            doc="Markdown, without code and HTML",
        ),
        "html": Format(read_html, (".html", ".htm", ".xhtml"), "HTML", doc="web pages"),
        "docx": Format(read_docx, (".docx",), "a document of Word", doc="documents of Word (Office Open XML)"),
        "odt": Format(read_odt, (".odt",), "an OpenDocument text", doc="documents of LibreOffice (OpenDocument)"),
        "epub": Format(read_epub, (".epub",), "an e-book", doc="e-books (EPUB)"),
    },
    what="format",
    group="lexbeam.formats",
)
# A live view: what is added to the readers is a choice at once.
FORMATS: Mapping[str, Entry] = ChainMap(
    cast(Registry[Entry], READERS), {"auto": Entry(doc="by the ending of a file's name, then by its first bytes")}
)
