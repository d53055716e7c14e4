"""How many input records bytes hold, counted without the readers, by docs/formats.md's table.

What is one record follows from the definition alone, so each count is as plain as can be and need
not be fast. `PACKED` bytes are taken for a compressed file or an archive, whatever the format.
"""

import csv
import io
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
from lxml import etree

__all__ = ["COUNTS", "PACKED"]

PACKED = re.compile(
    rb"\x1f\x8b|BZh\d|\xfd7zXZ\x00|\(\xb5/\xfd|PK(\x03\x04|\x05\x06|\x07\x08)"
    rb"|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"
)
BOM = b"\xef\xbb\xbf"


def count_text(data):
    return 1


def count_tei(data):
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return 1
    if etree.QName(root).localname != "teiCorpus":
        return 1
    return max(1, int(root.xpath("count(//*[local-name()='TEI'])")))


def count_jsonl(data):
    return max(1, sum(bool(line.strip()) for line in data.removeprefix(BOM).split(b"\n")))


def count_json(data):
    try:
        found = json.loads(data.decode("utf-8-sig").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return 1
    return max(1, len(found)) if isinstance(found, list) else 1


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


def count_csv(data):
    return _count_rows(data, quoting=True)


def count_csv_without_quoting(data):
    return _count_rows(data, quoting=False)


def count_conllu(data):
    """Count the documents that have a sentence left or never had one, and the broken sentences."""
    documents: list[list[bool]] = [[]]  # of each, which of its sentences are good
    for block in _blocks(data):
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


def count_lines(data):
    lines = _lines(data)
    words = any(line is not None and re.sub(INVISIBLE, "", line).split() for line in lines)
    return max(1, words + lines.count(None))


def count_parquet(data):
    """Return the rows of a file that Arrow reads whole; None of one that may break off later."""
    try:
        file = pq.ParquetFile(io.BytesIO(data))
    except (pa.ArrowException, OSError):
        return 1
    if not file.metadata.num_rows or "text" not in file.schema_arrow.names:
        return 1
    try:
        return file.read(use_threads=False).num_rows
    except (pa.ArrowException, OSError, ValueError):
        return None


INVISIBLE = "[\u00ad\u200b\u200c\u200d\u2060\ufeff]"
COUNTS = {
    "text": count_text,
    "tei": count_tei,
    "jsonl": count_jsonl,
    "json": count_json,
    "jsonl with records": count_jsonl_with_records,
    "json with records": count_json_with_records,
    "csv": count_csv,
    "csv without quoting": count_csv_without_quoting,
    "conllu": count_conllu,
    "lines": count_lines,
    "parquet": count_parquet,
}


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


def _decoded(data):
    """Return the lines as text, None for one that is not UTF-8."""
    lines = []
    for line in data.removeprefix(BOM).split(b"\n"):
        try:
            lines.append(line.rstrip(b"\r").decode("utf-8").removeprefix("\ufeff"))
        except UnicodeDecodeError:
            lines.append(None)
    return lines


def _lines(data):
    """Return the lines as text, None for one that is not UTF-8 or has a NUL."""
    return [None if line is None or "\x00" in line else line for line in _decoded(data)]


def _count_rows(data, quoting):
    """Count rows; one that the csv module cannot read is its first line alone."""
    lines = _decoded(data)
    rows, columns, delimiter, tabs, first, place = 0, None, "", False, [], 0
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
        if columns is not None:
            rows += 1
        elif cells is None or "text" not in (columns := [cell.strip() for cell in cells]):
            return 1  # without a header nothing can be read
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


def _blocks(data):
    """Yield the lines between empty ones, None for a line that is not text."""
    block = []
    for raw in [*data.removeprefix(BOM).split(b"\n"), b""]:
        if raw.strip():
            block += _lines(b"\n".join([b"", raw]))[1:]
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
