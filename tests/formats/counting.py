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


def count_html(data):
    return 1


INVISIBLE = "[\u00ad\u200b\u200c\u200d\u2060\ufeff]"
COUNTS = {
    "text": count_text,
    "tei": count_tei,
    "jsonl": count_jsonl,
    "json": count_json,
    "csv": count_csv,
    "csv without quoting": count_csv_without_quoting,
    "conllu": count_conllu,
    "lines": count_lines,
    "parquet": count_parquet,
    "html": count_html,
}


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
    rows, columns, delimiter, place = 0, None, "", 0
    while place < len(lines):
        line = lines[place]
        if line is not None and not line.strip(" \r\ufeff"):
            place += 1
            continue
        delimiter = delimiter or max("\t,;|", key=(line or "").count)
        cells, taken = _row(lines[place:], delimiter, quoting)
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
            cells = next(reader)
        except csv.Error as error:
            if "unexpected end" not in str(error):
                return None, 1
            continue
        # A quote that makes one row of lines that look like rows themselves is a stray one.
        widths = {len(line.split(delimiter)) for line in lines[:taken]}
        stray = taken > 1 and widths == {len(cells)} and len(cells) >= least_width(delimiter)
        return (None, 1) if stray else (cells, taken)
    return None, 1


def least_width(delimiter):
    """Return how many cells make it sure that lines with as many are rows."""
    return 3 if delimiter == "\t" else 4


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
