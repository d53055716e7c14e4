"""How many input records bytes hold, counted without the readers, by docs/formats.md's table.

What is one record follows from the definition alone, so each count is as plain as can be and need
not be fast. `PACKED` bytes are taken for a compressed file or an archive, whatever the format.

`count` is by options, too, and says None where no count is independent of the reader: how much of
a broken file comes before the break, which of two limits is met first.
"""

import csv
import dataclasses
import io
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
from lxml import etree

from transforms.formats.base import ReaderOptions

__all__ = ["COUNTS", "PACKED", "count"]

PACKED = re.compile(
    rb"\x1f\x8b|BZh\d|\xfd7zXZ\x00|\(\xb5/\xfd|PK(\x03\x04|\x05\x06|\x07\x08)"
    rb"|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"
)
BOM = b"\xef\xbb\xbf"
PLAIN = ReaderOptions()
BY_LINE = ("jsonl", "csv", "conllu", "lines")


def count(format, data, options=PLAIN, name="a"):
    """Return the records of bytes that are neither compressed nor an archive; None if unknown."""
    if format in BY_LINE:
        try:
            if "\n".encode(options.encoding) == b"\n":
                return BY_OPTIONS[format](data, options, name)
            data = data.decode(options.encoding).encode()
        except UnicodeError:
            return None  # which lines come before the break?
        options = dataclasses.replace(options, encoding="utf-8")
    return BY_OPTIONS[format](data, options, name)


def count_text(data, options=PLAIN, name=""):
    return 1


def count_tei(data, options=PLAIN, name=""):
    declared = b"encoding" in data[:200].split(b"?>")[0]
    own = None if declared or options.encoding == "utf-8" else options.encoding
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, encoding=own))
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return 1
    if len(data) > options.max_record_bytes:
        return 1
    if etree.QName(root).localname not in ("teiCorpus", "teiCorpus.2"):
        return 1
    found = max(1, int(root.xpath("count(//*[local-name()='TEI' or local-name()='TEI.2'])")))
    # Whether its entities make it one reject is for the reader to say.
    return found if root.getroottree().docinfo.internalDTD is None or found == 1 else None


def count_jsonl(data, options=PLAIN, name=""):
    lines = data.removeprefix(BOM).split(b"\n")
    limit = options.max_line_bytes
    if any(limit <= len(line) <= limit + 3 and not line.strip() for line in lines):
        return None  # blank, or too long?
    return max(1, sum(bool(line.strip()) or len(line) > limit for line in lines))


def count_json(data, options=PLAIN, name=""):
    """Count elements; None where the array is broken, as `count_json_at_once` need not ask."""
    try:
        found = json.loads(_without_mark(data.decode(options.encoding)))
    except (ValueError, RecursionError):
        return None if _elements(data, options) else 1
    if _elements(data, options) is None:
        return None
    if _elements(data, options):
        return max(1, len(found)) if len(data) <= options.max_record_bytes else None
    if len(data) > options.max_record_bytes:
        return 1
    path = options.json_path
    whole = path and isinstance(found, dict) and path in found
    for key in [path] if whole else path.split(".") if path else []:
        if isinstance(found, dict):
            found = found.get(key)
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            found = None
    return max(1, len(found)) if isinstance(found, list) else 1


def _elements(data, options):
    """Return whether an array may be read element by element."""
    try:
        text = data[:4096].decode(options.encoding, "ignore")
    except UnicodeError:  # of encodings that cannot ignore
        return None
    return not options.json_path and text.lstrip("\ufeff \t\n\r").startswith("[")


def count_json_at_once(data):
    """Count the elements of a small array, which is one reject if it is broken."""
    try:
        found = json.loads(_without_mark(data.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        return 1
    return max(1, len(found)) if isinstance(found, list) else 1


def _without_mark(text):
    return text.removeprefix("\ufeff")


def count_jsonl_with_records(data):
    lines = [line for line in data.removeprefix(BOM).split(b"\n") if line.strip()]
    return max(1, sum(_records_of(line, ["a", "b"]) for line in lines))


def count_json_with_records(data):
    try:
        found = json.loads(data.decode("utf-8-sig").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return 1
    if not isinstance(found, list):
        return _elements_of(found, ["a", "b"])
    return max(1, sum(_elements_of(one, ["a", "b"]) for one in found))


def count_csv(data, options=PLAIN, name=""):
    return _count_rows(data, options, name)


def count_csv_without_quoting(data):
    return _count_rows(data, ReaderOptions(quoting=False), "")


def count_conllu(data, options=PLAIN, name=""):
    """Count the documents that have a sentence left or never had one, and the broken sentences."""
    if len(data) > options.max_line_bytes:
        return None  # which sentence is too long?
    documents: list[list[bool]] = [[]]  # of each, which of its sentences are good
    for block in _blocks(data, options.encoding):
        comments = [line is not None and line.startswith("#") for line in block]
        opens = [bool(line and re.match(r"#\s*newdoc(\s|=|$)", line)) for line in block]
        before = comments.index(False) if False in comments else len(block)
        documents += [[] for _ in range(max(sum(opens[:before]), any(opens)))]
        if before < len(block):
            words = [line for line, comment in zip(block, comments, strict=True) if not comment]
            documents[-1].append(None not in block and _is_sentence(words))
    first, *others = documents
    whole = any(first) + sum(any(good) or not good for good in others)
    return max(1, whole + sum(good.count(False) for good in documents))


def count_lines(data, options=PLAIN, name=""):
    if options.lines_hold == "text" and len(data) > options.max_record_bytes:
        return None  # which lines come before the break?
    if any(abs(len(raw) - options.max_line_bytes) < 5 for raw in data.split(b"\n")):
        return None
    lines = _lines(data, options.encoding, options.max_line_bytes)
    words = any(line is not None and re.sub(INVISIBLE, "", line).split() for line in lines)
    return max(1, words + lines.count(None))


def count_parquet(data, options=PLAIN, name=""):
    """Return the rows of a file that Arrow reads whole; None of one that may break off later."""
    try:
        file = pq.ParquetFile(io.BytesIO(data))
    except (pa.ArrowException, OSError, ValueError):
        return 1
    path = options.text_field
    if not {path, path.partition(".")[0]} & set(file.schema_arrow.names):
        return 1
    if not file.metadata.num_rows:
        return 1
    groups = range(file.metadata.num_row_groups)
    if sum(file.metadata.row_group(n).num_rows for n in groups) != file.metadata.num_rows:
        return None  # which of the two is damaged?
    try:
        return file.read(use_threads=False).num_rows
    except (pa.ArrowException, OSError, ValueError):
        return None


def count_html(data):
    return 1


INVISIBLE = "[\u00ad\u200b\u200c\u200d\u2060\ufeff]"
COUNTS = {
    "text": count_text,
    "tei": count_tei,
    "jsonl": count_jsonl,
    "json": count_json_at_once,
    "jsonl with records": count_jsonl_with_records,
    "json with records": count_json_with_records,
    "csv": count_csv,
    "csv without quoting": count_csv_without_quoting,
    "conllu": count_conllu,
    "lines": count_lines,
    "parquet": count_parquet,
    "html": count_html,
}


# The same, by options: of bytes, options and the file's name.
BY_OPTIONS = {name: of for name, of in COUNTS.items() if " " not in name} | {"json": count_json}


def _records_of(line, names):
    try:
        return _elements_of(json.loads(line.decode("utf-8").removeprefix("\ufeff")), names)
    except (ValueError, RecursionError):
        return 1


def _elements_of(value, names):
    """Count the elements of an array within arrays; what has none of them is one."""
    if not names or not isinstance(value, dict) or not isinstance(value.get(names[0]), list):
        return 1
    return max(1, sum(_elements_of(one, names[1:]) for one in value[names[0]]))


def _decoded(data, encoding="utf-8", limit=PLAIN.max_line_bytes):
    """Return the lines as text, None for one that is not in the encoding, or too long."""
    lines = []
    for line in data.removeprefix(BOM).split(b"\n"):
        try:
            text = line.rstrip(b"\r").decode(encoding).removeprefix("\ufeff")
            lines.append(text if len(line) <= limit else None)
        except UnicodeError:
            lines.append(None)
    return lines


def _lines(data, encoding="utf-8", limit=PLAIN.max_line_bytes):
    """Return the lines as text, None for one that cannot be, or has a NUL."""
    decoded = _decoded(data, encoding, limit)
    return [None if line is None or "\x00" in line else line for line in decoded]


def _count_rows(data, options, name):
    """Count rows; one that the csv module cannot read is its first line alone."""
    limit, quoting = options.max_line_bytes, options.quoting
    if any(abs(len(raw) - limit) < 5 for raw in data.split(b"\n")):
        return None
    lines = _decoded(data, options.encoding, limit)
    if quoting and b'"' in data and len(data) + 64 * len(lines) > limit:
        return None  # which row is too long?
    delimiter = options.separator or "\t" * name.lower().endswith((".tsv", ".tab"))
    tabs = delimiter == "\t"
    rows, headed, first, place = 0, not options.header, [], 0
    while place < len(lines):
        line = lines[place]
        if line is not None and not line.strip(" \r\ufeff"):
            place += 1
            continue
        if not delimiter and line is not None:
            delimiter = max("\t,;|", key=line.count)
            tabs = "\t" in line
        cells, taken = _row(lines[place:], delimiter, quoting)
        if len(first) < 2 and cells is not None:
            first = cells
        if taken > 1 and is_stray(lines[place : place + taken], cells, delimiter, first, tabs):
            cells, taken = None, 1
        place += taken
        if cells is not None and not any(cell.strip() for cell in cells):
            continue
        if headed:
            rows += 1
        elif cells is None or options.text_field not in [cell.strip() for cell in cells]:
            return 1  # without a header nothing can be read
        headed = True
    return max(1, rows)


def _row(lines, delimiter, quoting):
    """Return the first row's cells, None if it is broken, and the number of lines it takes."""
    if lines[0] is None:
        return None, 1
    if not quoting or '"' not in lines[0]:
        return lines[0].split(delimiter), 1
    for taken in range(1, len(lines) + 1):
        if lines[taken - 1] is None:
            return None, 1
        reader = csv.reader((line + "\n" for line in lines[:taken]), strict=True,
                            delimiter=delimiter)  # fmt: skip
        try:
            return next(reader), taken
        except csv.Error as error:
            if "unexpected end" not in str(error):
                return None, 1
    return None, 1


def is_stray(lines, cells, delimiter, first, tabs):
    """Return whether the quote that makes one row of lines is a stray one, by docs/formats.md.

    `first` are the cells of the first row that has several; `tabs` tells whether the table is known
    to be separated by tabs.
    """
    width = len(first)
    between = [line.count(delimiter) for line in lines]
    if tabs:
        if width == 1 or len(cells) < width or any(cells[width:]):
            return True
        held = [cell for cell in cells if "\n" in cell and "\t" in cell]
        return bool(held) and max(between[1:]) >= width - 1
    if width > 3 and set(between) == {width - 1}:
        return True
    spaced = any(re.match(r"\s|$", cell) for cell in first[1:])
    if not spaced:  # text has white space after a comma, rows have none
        between = [len(re.sub(re.escape(delimiter) + r"(?=\s|$)", "", line).split(delimiter)) - 1
                   for line in lines]  # fmt: skip
    rows = between.count(width - 1)
    return width > 1 and between[0] == width - 1 and rows >= 0.75 * len(lines)


def _blocks(data, encoding="utf-8"):
    """Yield the lines between empty ones, None for a line that is not text."""
    block = []
    for raw in [*data.removeprefix(BOM).split(b"\n"), b""]:
        if raw.strip():
            block += _lines(b"\n".join([b"", raw]), encoding)[1:]
        elif block:
            yield block
            block = []


def _is_sentence(lines):
    """Return whether the words are numbered from 1, and ranges stand before their first word."""
    words, covered, ranges = 0, 0, []
    for line in lines:
        cells = line.split("\t")
        if len(cells) != 10:
            return False
        if "." in cells[0]:
            continue
        found = re.fullmatch(r"(\d+)(-\d+)?", cells[0])
        if not found or int(found[1]) != words + 1:
            return False
        if not re.sub(INVISIBLE, "", cells[1]).split():
            return False
        if found[2]:
            first, last = int(found[1]), -int(found[2])
            if last < first or first <= covered:
                return False
            covered = last
            ranges.append(last)
        else:
            words += 1
    return words > 0 and all(last <= words for last in ranges)
