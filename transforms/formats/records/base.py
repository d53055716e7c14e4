r"""What every reader takes and yields: sources in, records or rejects out; and paths into nested values.

A reader is a plain function `reader(source, options)` that yields a `Record` or a `Reject` for
each input record, and raises `BadRecord` (or anything else) where nothing more can be read of the
source; that then counts as one more reject. What one input record is:

| format | an input record is | position |
|---|---|---|
| text | the file | empty |
| tei | the file; each `<TEI>` of a `<teiCorpus>` | empty; its number from 1 |
| jsonl | a line that is not blank | line number |
| json | an element of the array, or the one object | its number from 1; empty |
| csv | a row that is not blank, the header left out | line number where it starts |
| parquet | a row | its number from 1 |
| conllu | a `# newdoc`, or the file; each broken sentence is one more | line number |
| vertical | a `<text>` or the like, or what stands in none; each broken sentence or tag is one more | line number |
| lines | the file; each line that must be left out is one more | empty; line number |
| markdown | the file | empty |
| html | the file | empty |

With `records` the input records of jsonl, json and parquet are the elements of the array that it names
(`transforms/formats/records/fields.py`), and so is an object that has no elements there.

If nothing is left of a file of `conllu`, `vertical` or `lines`, only what was left out of it counts.

A file or archive that cannot be read at all is one record; if it breaks off later, the missing rest is
one more. So documents and rejects together always are the input records.

    >>> import io
    >>> from lexbeam.transforms.formats.readers.registry import read_file
    >>> text = b"One. Two.\r\n\r\nThree."
    >>> for name, record in read_file("a.txt", "a.txt", open=lambda: io.BytesIO(text)):
    ...     print(name, repr(record.text))
    a.txt 'One. Two.\n\nThree.'

Paths lead into nested values: `meta.date`, `parts.0.text`, and `speeches[].text` through an array.

>>> debate = {"date": "1850", "speeches": [{"text": "One."}, {"by": "A"}, {"text": "Two."}]}
>>> look_up(debate, "speeches.0.text"), look_up(debate, "speeches[].text")
('One.', ['One.', 'Two.'])
>>> list(paths_of(debate))
['date', 'speeches[].text']
"""

import codecs
import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, TypeVar

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.formats.records.hyphens import HYPHENS, HyphenWords

T = TypeVar("T")
V = TypeVar("V")


class CutPiece(NamedTuple):
    """What lies between two borders of a file's records.

    Read one after another, the pieces of a file give what the file gives.

    Attributes:
        number: among the pieces of the file, from 0.
        start: its first byte.
        end: the byte behind its last.
        before: lines of the file that stand before it; of Parquet, rows; of an archive, members.
        head: bytes of the file's beginning that say how to read it, such as the header of a table.
        groups: of Parquet, its first row group and the one behind its last; of a zip archive, where its part of the
            directory begins and ends.
        tail: byte from which on the end of the file says how to read it; -1: it does not.
        archive: `zip` or `tar` if it has members of an archive, which are read as files are; else empty.
    """

    number: int
    start: int
    end: int
    before: int
    head: int = 0
    groups: tuple[int, int] = (0, 0)
    tail: int = -1
    archive: str = ""


class Uncuttable(Exception):
    """Raised by what cuts a file: it is read as a whole, for the reason that the exception states."""


ARRAY = "[]"
_DEEPEST = 16  # arrays within each other that `records` may name
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_MISPLACED = re.compile(r"(?:^|[.\]])\[\]|\[\](?!\.|$)")


def check_path(path: str, option: str) -> None:
    """Check that the brackets of a path are those of arrays, or pairs within names.

    Raises:
        UsageError: they are not; the message names `option`.
    """
    if re.search(r"[\[\]]", _IN_BRACKETS.sub("", path)) or _MISPLACED.search(path):
        raise UsageError(f"`{option}`: {path!r} is not a path: an array is NAME[], as in speeches[].text")


def check_records(records: str, text_field: str, paths: list[str]) -> None:
    """Check a path of `records`, and that the paths of fields leave no more than it enters.

    Raises:
        UsageError: the path does not end in an array, or others do not fit it.
    """
    check_path(records, "records")
    if records.startswith("."):
        raise UsageError(f"`records`: {records!r} begins with a dot: it starts at the object")
    if not records.endswith(ARRAY):
        raise UsageError(f"`records`: {records!r} is not an array: write {records + ARRAY!r}")
    if len(routes(records)) > _DEEPEST:
        raise UsageError(f"`records`: more than {_DEEPEST} arrays within each other")
    if text_field.startswith("."):
        raise UsageError(f"`text_field`: {text_field!r} leaves the record that holds the text")
    for path in paths:
        if len(path) - len(path.lstrip(".")) > len(routes(records)):
            raise UsageError(f"`fields`: {path!r} has more dots than {records!r} has arrays")


def routes(records: str) -> list[str]:
    """Return the way to each array of `records`, from the object that the one before holds.

    >>> routes("data.debates[].speeches[]")
    ['data.debates', 'speeches']
    """
    return records.removesuffix(ARRAY).split(ARRAY + ".")


def look_up(values: object, path: str) -> object:
    """Return the value at a path, or None; with `[]` in it, a list of all values there but None.

    The list is empty if the arrays are. A key equal to the whole path takes precedence.
    """
    if isinstance(values, Mapping) and path in values:
        return values[path]
    if ARRAY in path:
        return _all_at(values, path)
    for name in path.split("."):
        values = _child(values, name)
    return values


def _child(values: object, name: str) -> object:
    if isinstance(values, Mapping):
        return values.get(name)
    if isinstance(values, list) and name.isdecimal() and len(name) < 10 and int(name) < len(values):
        return values[int(name)]
    return None


def _all_at(values: object, path: str) -> list[object] | None:
    reached = [values]
    for name, array in _steps(path):
        reached = [child for value in reached if (child := _child(value, name)) is not None]
        if array:
            lists = [value for value in reached if isinstance(value, list)]
            reached = [element for value in lists for element in value]
            if lists and not reached:
                return []
    return [value for value in reached if value is not None] or None


@functools.lru_cache(256)
def _steps(path: str) -> list[tuple[str, bool]]:
    names = path.split(".")
    return [(name.removesuffix(ARRAY), name.endswith(ARRAY)) for name in names]


def paths_of(values: Mapping[str, object], limit: int = 12) -> Iterator[str]:
    """Yield the first paths to values that are neither objects nor arrays, by the first element of arrays.

    Values over three levels deep are represented by what holds them.
    """
    return itertools.islice(_paths_of(values, "", 3), limit)


def _paths_of(values: Mapping[str, object], before: str, deep: int) -> Iterator[str]:
    for name, value in values.items():
        path = f"{before}{name}"
        if isinstance(value, list) and value:
            path, value = path + ARRAY, value[0]
        if isinstance(value, Mapping) and value and deep:
            yield from _paths_of(value, path + ".", deep - 1)
        else:
            yield path


# Sentences (`conllu`) or lines (`lines`) of one block of a long document.
BLOCK = 2000

MOST_BYTES = 1 << 50
_LIMIT: dict[str, Any] = {"metavar": "BYTES", "least": 1, "most": MOST_BYTES, "group": "limits"}
CONTROL: Registry[Entry] = Registry(
    {
        "reject": Entry(doc="the record is a reject"),
        "drop": Entry(doc="they are removed, and with them all other control characters but white space"),
    },
    what="treatment of control characters",
)
MARKS: Registry[Entry] = Registry(
    {"reject": Entry(doc="the record is a reject"), "break": Entry(doc="U+034F is put before each excess mark")},
    what="treatment of combining marks",
)
TEI_PARTS: Registry[Entry] = Registry(
    {
        "body": Entry(doc="the text proper"),
        "front": Entry(doc="what precedes it, such as title page and preface"),
        "back": Entry(doc="what follows it, such as appendices"),
    },
    what="part of a TEI text",
)
LINES_HOLD: Registry[Entry] = Registry(
    {
        "lemmas": Entry(doc="a sentence of lemmas"),
        "forms": Entry(doc="a sentence of word forms"),
        "text": Entry(doc="a paragraph of running text, for an engine"),
    },
    what="content of lines",
)
HTML_READ: Registry[Entry] = Registry(
    {
        "reject": Entry(doc="nothing, a page is a reject; where `format` is html, its main text"),
        "main": Entry(doc="its main text, without menus and advertisements"),
        "all": Entry(doc="all that a reader sees"),
    },
    what="part of a page",
)
# What Python decodes, too: names of hosts, in time that grows with the square of their length, and
# source code. `charmap` is latin-1 by another name.
_NO_FILES = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "charmap")
_TAB = {"tab": "\t", "\\t": "\t"}


class Record(NamedTuple):
    """An input record, or one block of a long one that came annotated.

    Attributes:
        position: place in the source, see the table above; empty where the source is the record.
        fields: strings as found: `date`, `title`, `author`, `genre`, `language` where there are
            such, and the record's other fields under their own names. Never empty strings.
        text: in NFC, without soft hyphens and zero-width characters; lines end in a line feed, an
            empty line parts paragraphs. None if annotation came without text.
        sentences: annotation that came with the record, else None; offsets refer to `text`.
        block: a number that orders the blocks of a record; that of the first is 0, others may be missing.
    """

    position: str
    fields: Mapping[str, str]
    text: str | None
    sentences: list[Sentence] | None
    block: int = 0


class Reject(NamedTuple):
    """An input record left out; `reason` is a key of `lexbeam.schemas.common_tables.REASONS`."""

    position: str
    reason: str
    detail: str


@dataclass(slots=True)
class Source:
    """A stream of bytes with a name.

    Attributes:
        name: published name: path relative to the named input, or `archive!member`.
        open: opens the stream of decompressed bytes; for a member of a tar archive only once, and
            before the next member is asked for.
        path: where the file (of a member: the archive) really lies.
        package: the reader of an archive that is one document; empty of all else.
        piece: what is to be read of a file that is cut; None for all of it. `open` gives the whole file.
        notes: counts what readers changed or guessed. A note is a few plain words for a person who
            reads the manifest, such as `encoding cp1252`.
        language: of its text, where it is known and words of it are to be replaced.
    """

    name: str
    open: Callable[[], BinaryIO]
    path: str
    notes: Counter[str] = field(default_factory=Counter)
    package: str = ""
    piece: CutPiece | None = None
    language: str = ""

    @property
    def begins(self) -> bool:
        """Whether what is to be read begins where the file begins."""
        return self.piece is None or self.piece.number == 0

    @property
    def before(self) -> int:
        """The number of lines of the file before what is to be read."""
        return 0 if self.piece is None else self.piece.before


class BadRecord(Exception):
    """Raised within readers: what is being read becomes a reject; `reason` as in `Reject`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def made_of(position: object, values: V | BadRecord, make: Callable[[V], T]) -> T | Reject:
    """Return what is made of the values of a record, or the reject that it is, if it has none or `make` refuses."""
    try:
        if isinstance(values, BadRecord):
            raise values
        return make(values)
    except BadRecord as error:
        return Reject(str(position), error.reason, error.detail)


@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """How input is read; each reader uses the options that concern it. What `help` says is not said here.

    Attributes:
        encoding: of text, lines, jsonl, json, csv, conllu and vertical, strictly; XML declares its own. Of
            several the first that takes a file (text, json) or line (the others) counts. Where
            UTF-8 is among them, a file with a byte order mark of UTF-16 or UTF-32 is read so.
        fields: `NAME=FIELD` pairs: the field, column or path of a record that gives `title`, `author`,
            `genre`, `language`, `date`, or a field of any other name. Without a pair the five are
            found by name, whatever its case.
        text_field: field, column or path that holds the text (jsonl, json, csv, parquet); where
            `[]` in it leads to several, they are paragraphs.
        json_path: path of the array within a JSON file; empty if the file is the array. Whatever
            surrounds the array is ignored.
        records: path of the array within each line, element, object or row whose elements are the
            records (jsonl, json, parquet), as `speeches[]`; empty if it is a record itself.
        delimiter: of csv; empty: a tab for .tsv and .tab, else the commonest of tab, comma,
            semicolon and bar in the first line. `\\t` and `tab` are names of the tab.
        quoting: whether quotes (`"`) in csv have a meaning. Switch it off if quotes are stray.
        columns: names of the columns of csv without header, else they are `1`, `2`, ...; of vertical.
        hyphens: what becomes of words that line ends cut in two, TEI aside, which is always joined.
        max_record_bytes: of a file that cannot be read in pieces (text, tei, html, json that is not
            an array or is read at a path, and parquet in an archive), and of an element of a JSON
            array; larger ones are rejects.
        max_line_bytes: of a line of lines, jsonl, conllu and vertical and of a row of csv.
        max_expansion_ratio: of a compressed file, archive or Parquet file to what comes out of it; the
            first 16 MiB are free.
        words: those of `hyphen_words`; set by the command, as `layers` is, not an option here.
        layers: layers to read from input that comes annotated.
    """

    encoding: tuple[str, ...] = option(
        ("utf-8",), help="encoding of text, lines, JSON, CSV and CoNLL-U; of several the first that fits a file or line"
    )
    control: str = option(
        "reject", help="what becomes of NUL and halves of surrogate pairs, which no text holds", choices=CONTROL
    )
    marks: str = option("reject", help="what becomes of over 30 combining marks in a row", choices=MARKS)
    fields: tuple[str, ...] = option(
        (), help="fields by another name or path: title=headline,author=meta.by", metavar="NAME=FIELD"
    )
    text_field: str = option("text", help="field, column or path that holds the text: text, a.b, speeches[].text")
    json_path: str = option("", help="path of the array within a JSON file")
    records: str = option(
        "", help="array in JSON or Parquet whose elements are the records: debates[].speeches[]", metavar="PATH"
    )
    tei_parts: tuple[str, ...] = option(("body",), help="parts of a TEI text that are read", choices=TEI_PARTS)
    delimiter: str = option("", help="of CSV; by default found out file by file")
    quoting: bool = option(True, help="whether quotes in CSV have a meaning")
    header: bool = option(True, help="whether the first row of CSV names the columns")
    columns: tuple[str, ...] = option(
        (), help="names of the columns of CSV without header, and of vertical text: word,pos,lemma"
    )
    lines_hold: str = option("lemmas", help="what a line of `lines` holds", choices=LINES_HOLD)
    html: str = option("reject", help="what is read of a web page", choices=HTML_READ)
    hyphens: str = option("keep", help="what becomes of words that line ends cut in two", choices=HYPHENS)
    hyphen_words: str | None = option(
        None,
        help="words as they are written, for `hyphens` join: a text file with a word a line",
        metavar="FILE",
        path="file",
        data="words",
    )
    max_record_bytes: int = option(
        200_000_000,
        help="larger JSON elements, and larger files that are read whole (text, TEI, JSON object), are rejects",
        **_LIMIT,
    )
    max_line_bytes: int = option(
        32 << 20, help="longer lines of JSON lines, CSV, CoNLL-U and `lines` are rejects", **_LIMIT
    )
    max_expansion_ratio: int = option(
        200,
        help="compressed files, archives and Parquet that expand more, and to over 16 MiB, are rejects",
        **{**_LIMIT, "metavar": "TIMES"},
    )
    max_expanded_bytes: int = option(
        1 << 40, help="compressed files, archives and Parquet that expand to more are rejects", **_LIMIT
    )
    words: HyphenWords | None = None
    layers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values that no reader could use."""
        object.__setattr__(self, "encoding", tuple(map(python_name, self.encoding)))
        _check_encodings(self.encoding)
        for pair in self.fields:
            if not all(pair.partition("=")):
                raise UsageError(f"`fields`: {pair!r} is not of the form NAME=FIELD")
        paths = [pair.partition("=")[2] for pair in self.fields]
        for name, path in (
            ("text_field", self.text_field),
            ("json_path", self.json_path),
            *(("fields", path) for path in paths),
        ):
            check_path(path, name)
        if self.records:
            check_records(self.records, self.text_field, paths)
        LINES_HOLD.check([self.lines_hold], "`lines_hold`")
        TEI_PARTS.check(self.tei_parts, "`tei_parts`")
        CONTROL.check([self.control], "`control`")
        MARKS.check([self.marks], "`marks`")
        HTML_READ.check([self.html], "`html`")
        HYPHENS.check([self.hyphens], "`hyphens`")
        if len(_TAB.get(self.delimiter, self.delimiter)) > 1:
            raise UsageError(f"`delimiter` is one character or `tab`, not {self.delimiter!r}")

    @property
    def separator(self) -> str:
        """The delimiter as one character; empty if it is found out file by file."""
        return _TAB.get(self.delimiter, self.delimiter)


def is_of_files(encoding: str) -> bool:
    """Return whether an encoding is known to Python and used for text files.

    Raises:
        LookupError, ValueError: Python does not know it.
    """
    codec = codecs.lookup(python_name(encoding))
    return codec._is_text_encoding and codec.name not in _NO_FILES


def _check_encodings(names: tuple[str, ...]) -> None:
    if not names:
        raise UsageError("`encoding` needs at least one")
    for name in names:
        try:
            known = is_of_files(name)
            feed = "\n".encode(name) if known else b""
        except (LookupError, ValueError):
            known = False
        if not known:
            raise UsageError(
                f"`encoding`: no text encoding is called {name!r}; name one that Python knows, such as utf-8 or latin-1"
            )
        if len(names) > 1 and feed != b"\n":
            raise UsageError(
                f"`encoding`: {name!r} stands alone or not at all, since its line feed is not that "
                "of ASCII; byte order marks of UTF-8, UTF-16 and UTF-32 are seen without it"
            )
    for name, following in itertools.pairwise(names):
        try:
            bytes(range(256)).decode(name)
        except UnicodeError:
            continue
        raise UsageError(f"`encoding`: {name!r} takes any bytes, so {following!r} behind it is never tried")


Reader = Callable[[Source, ReaderOptions], Iterator[Record | Reject]]
Cutter = Callable[[Source, ReaderOptions, int], list[CutPiece]]
