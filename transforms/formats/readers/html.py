r"""Web pages: their main text, without menus and advertisements, or all that a reader sees.

Main text is found by trafilatura (extra `html`), without its cache of texts seen before and its
guesses at dates, which depend on the order of pages and on the day; it needs no network. Title,
author, date and language are those that the page's head states; nothing is guessed.

The bytes are decoded by the byte order mark, else by what the page declares, with the encodings
that browsers take for it, else by `encoding`; if what it declares is wrong, by `encoding`, too.
Scripts, styles and comments go before anything is parsed. Parsers need time that is quadratic in
the attributes of an element, and trafilatura in depth and elements: what exceeds the limits is
`too_large`.

    >>> paragraphs(parsed("<p>One <b>w</b>ord.<p>Two<br>lines.<script>x</script>"))
    ['One word.', 'Two\nlines.']
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree
from lxml.html import HTMLParser

from lexbeam.transforms.common.errors import check_packages
from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.formats.readers.html_tree import head_fields, main_paragraphs, without_scripts
from lexbeam.transforms.formats.readers.page_marks import without_marks
from lexbeam.transforms.formats.readers.page_text import paragraphs
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source, is_of_files
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, clean_markup, clean_text, cleaning, decode
from lexbeam.transforms.formats.sources.streams import encodings_of, marked_encoding, read_all

_DECLARED = re.compile(
    rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)"
    rb"|<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)",
    re.IGNORECASE,
)
# What browsers take for these (https://encoding.spec.whatwg.org/#names-and-labels).
_TAKEN_FOR = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_DEPTH = 256  # where libxml2 stops, unless told otherwise


def check_html(options: ReaderOptions) -> None:
    """Check that pages can be read as `options.html` says.

    Raises:
        UsageError: main text is to be read, and the extra `html` is not installed.
    """
    if options.html != "all":
        check_packages(
            "the main text of pages needs", ("trafilatura",), "html", otherwise="`html` all, which does without it"
        )


def read_html(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the page as one record: its main text, or with `html` all the whole of it.

    Raises:
        BadRecord: `undecodable`, `empty`, `too_large`, and what `clean_text` raises.
    """
    everything = options.html == "all"
    how = cleaning(source, options)
    page = _page(read_all(source, options), source, options, how)
    cleaned = without_scripts(page, None if everything else 50_000)
    root = without_marks(parsed(cleaned.page, deep=everything), source.notes)
    texts = paragraphs(root) if everything else main_paragraphs(root, cleaned.tags)
    text = clean_text("\n\n".join(texts), how)
    if not text:
        raise BadRecord("empty", "no text" if everything else "no main text; see --html all")
    yield Record("", head_fields(root, cleaned.linked), text, None)


def page_paragraphs(data: bytes, source: Source, options: ReaderOptions) -> list[str]:
    """Return the paragraphs of the bytes of a page, all that a reader sees.

    Raises:
        BadRecord: `undecodable`, `empty`, `too_large`.
    """
    return paragraphs_of_page(_page(data, source, options, cleaning(source, options)), source.notes)


def paragraphs_of_page(page: str, notes: Counter[str] | None = None) -> list[str]:
    """Return the paragraphs of a page, all that a reader sees; `notes` counts what is left out.

    Raises:
        BadRecord: `empty`, `too_large`.
    """
    return paragraphs(page_root(page, notes))


def page_root(page: str, notes: Counter[str] | None = None) -> etree._Element:
    """Return the root element of a page of which all is read that a reader sees; `notes` counts what is left out.

    Raises:
        BadRecord: `empty`, `too_large`.
    """
    return without_marks(parsed(without_scripts(page).page, deep=True), notes)


def _page(data: bytes, source: Source, options: ReaderOptions, how: Cleaning) -> str:
    return clean_markup(_decoded(data, source, options, how), how)


def parsed(page: str, *, deep: bool = False) -> etree._Element:
    """Return a page's root element.

    Raises:
        BadRecord: `too_large`, if its elements lie too deep in each other (2,048 if `deep`).
    """
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=deep)
    try:
        root = etree.fromstring(page.encode(), parser)
    except etree.ParserError:
        root = None
    except etree.XMLSyntaxError as error:
        raise BadRecord("malformed", str(error)) from None
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        remedy = "" if deep else "; see --html all"
        depth = _DEPTH * (8 if deep else 1)
        raise BadRecord("too_large", f"elements over {depth} deep, or one of over 10 MB{remedy}")
    if root is None:
        raise BadRecord("empty", "no element in the page")
    return root


def declared_encoding(data: bytes) -> str:
    """Return the encoding that browsers take for what a page declares; empty if that counts for nothing."""
    match = _DECLARED.search(data[:4096])
    if match is None or data.startswith(codecs.BOM_UTF8) or marked_encoding(data):
        return ""
    declared = (match[1] or match[2]).decode("ascii")
    try:
        codec = codecs.lookup(python_name(declared))
        return _TAKEN_FOR.get(codec.name, codec.name) if is_of_files(declared) else ""
    except LookupError:
        return ""


def _decoded(data: bytes, source: Source, options: ReaderOptions, how: Cleaning) -> str:
    encodings = encodings_of(data, source, options)
    encoding = declared_encoding(data)
    if not encoding:
        return decode(data, encodings, how)
    try:
        return decode(data, (encoding,))
    except BadRecord as error:
        try:
            return decode(data, encodings, how)
        except BadRecord:
            raise error from None
