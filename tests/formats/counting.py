"""How many input records bytes hold, counted without the readers, by docs/reference/formats.md's table.

What is one record follows from the definition alone, so each count is as plain as can be and need
not be fast. `PACKED` bytes are taken for a compressed file or an archive, whatever the format.

`count` is by options, too, and says None where no count is independent of the reader: how much of
a broken file comes before the break, which of two limits is met first.
"""

import dataclasses
import html
import io
import json
import re
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
from counting_rows import count_rows
from counting_text import INVISIBLE, NO_TEXT, decoded, decoded_lines, encodings_of, raw_lines, refused, without_control
from lxml import etree

from lexbeam.transforms.formats.records.base import ReaderOptions

PACKED = re.compile(
    rb"\x1f\x8b|BZh\d|\xfd7zXZ\x00|\(\xb5/\xfd|PK(\x03\x04|\x05\x06|\x07\x08)"
    rb"|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"
)
PLAIN = ReaderOptions()
MIMETYPES = (b"application/epub+zip", b"application/vnd.oasis.opendocument.text")
BY_LINE = ("jsonl", "csv", "conllu", "vertical", "lines")


def count(format, data, options=PLAIN, name="a"):
    """Return the records of bytes that are neither compressed nor an archive; None if unknown."""
    if format in BY_LINE:
        encodings = encodings_of(data, options)
        wide = _is_wide(encodings)
        try:
            data = data.decode(encodings[0]).encode() if wide else data
        except UnicodeError:
            return None  # which lines come before the break?
        options = dataclasses.replace(options, encoding=("utf-8",) if wide else encodings)
    return COUNTS[format](data, options, name)


def breaks_off(format, data, options):
    """Return whether lines cannot be read to the end, since their encoding is of several bytes."""
    encodings = encodings_of(data, options)
    if format not in BY_LINE or not _is_wide(encodings):
        return False
    try:
        data.decode(encodings[0]).encode()
    except UnicodeError:
        return True
    return False


def is_package(data):
    """Return whether bytes are a zip archive that is one document, or is damaged: one record in either case."""
    try:
        names = set(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except Exception:
        return data.startswith(b"PK\x03\x04")
    word = "[Content_Types].xml" in names and "word/document.xml" in names
    return word or bool({"META-INF/container.xml"} & names) or _mimetype(data) in MIMETYPES


def _mimetype(data):
    try:
        return zipfile.ZipFile(io.BytesIO(data)).read("mimetype")
    except Exception:
        return b""


def _is_wide(encodings):
    return len(encodings) == 1 and "\n".encode(encodings[0]) != b"\n"


def count_one(data, options=PLAIN, name=""):
    return 1


def count_tei(data, options=PLAIN, name=""):
    if len(data) > options.max_record_bytes:
        return 1
    marked = encodings_of(data, PLAIN) != PLAIN.encoding
    declared = marked or b"encoding" in data[:200].split(b"?>")[0]
    if not marked and b"\x00" not in data[:4]:
        if options.control == "drop":
            data = re.sub(rb"[\x0b\x0c\x1c-\x1f]", b" ", data)
            data = re.sub(rb"[\x00-\x08\x0e-\x1a]", b"", data)
        elif b"\x00" in data:
            return 1
    found = []
    for encoding in (None,) if declared else options.encoding:
        own = None if encoding == "utf-8" else encoding
        try:
            found.append(_count_texts(etree.fromstring(data, _parser(own))))
            break
        except (etree.XMLSyntaxError, ValueError, LookupError):
            found.append(1)
    # Whether it is for its encoding that the first try failed is for the reader to say.
    return found[-1] if len(found) == 1 or found[-1] == 1 else None


def _parser(encoding):
    return etree.XMLParser(resolve_entities=False, encoding=encoding)


def _count_texts(root):
    if etree.QName(root).localname not in ("teiCorpus", "teiCorpus.2"):
        return 1
    found = max(1, int(root.xpath("count(//*[local-name()='TEI' or local-name()='TEI.2'])")))
    # Whether its entities make it one reject is for the reader to say.
    return found if root.getroottree().docinfo.internalDTD is None or found == 1 else None


def count_jsonl(data, options=PLAIN, name=""):
    lines = raw_lines(data)
    limit = options.max_line_bytes
    if any(limit <= len(line) <= limit + 3 and not line.strip() for line in lines):
        return None  # blank, or too long?
    there = [line for line in lines if line.strip() or len(line) > limit]
    if not options.records:
        return max(1, len(there))
    # One that is at the limit may have a return at its end.
    if any(abs(len(line) - limit) < 3 for line in there):
        return None
    return max(1, sum(_count_line(line, options) for line in there))


def _count_line(line, options):
    try:
        fits = len(line) <= options.max_line_bytes
        return _elements(_parsed(line, options.encoding, options), options) if fits else 1
    except (ValueError, RecursionError):
        return 1


def _parsed(data, encodings, options):
    """Return what JSON says, control characters dropped where they may be."""
    text = decoded(data, encodings)
    if text is None:
        raise ValueError("in none of the encodings")
    if options.control == "drop":
        return json.loads(re.sub("[\x00-\x08\x0e-\x1b\ud800-\udfff]", "", text))
    if NO_TEXT.search(text):
        raise ValueError("control characters")
    return json.loads(text)


def count_json(data, options=PLAIN, name=""):
    """Count elements; None of an array over the limit, which is read element by element."""
    encodings = encodings_of(data, options)
    whole = options.json_path or len(encodings) > 1
    try:
        head = data[:4096].decode(encodings[0], "ignore").lstrip("\ufeff \t\n\r")
    except UnicodeError:  # of encodings that cannot ignore
        return None
    if len(data) > options.max_record_bytes:
        return None if head.startswith("[") and not whole else 1
    try:
        found = _parsed(data, encodings, options)
    except (ValueError, RecursionError):
        return 1
    if options.json_path:
        found = _at(found, options.json_path)
    if not isinstance(found, list):
        return _elements(found, options)
    return max(1, sum(_elements(one, options) for one in found))


def _at(value, path):
    """Return what lies at a path, as docs/reference/formats.md has it."""
    if isinstance(value, dict) and path in value:
        return value[path]
    found = [value]
    for step in path.split("."):
        key = step.removesuffix("[]") if "[]" in path else step
        found = [child for one in found if (child := _child(one, key)) is not None]
        if step.endswith("[]"):
            found = [element for one in found if isinstance(one, list) for element in one]
    if "[]" in path:
        return [one for one in found if one is not None]
    return found[0] if found else None


def _child(value, key):
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        return value[int(key)]
    return None


def _elements(value, options, names=None):
    """Count the elements of an array within arrays; what has none of them is one."""
    if names is None:
        names = options.records.removesuffix("[]").split("[].") if options.records else []
    if not names or not isinstance(value, dict):
        return 1
    named = names[0] + "[]"
    found = value[named] if named in value else _at(value, names[0])
    if not isinstance(found, list):
        return 1
    return max(1, sum(_elements(one, options, names[1:]) for one in found))


def count_csv(data, options=PLAIN, name=""):
    return count_rows(data, options, name)


def count_conllu(data, options=PLAIN, name=""):
    """Count the documents that have a sentence left or never had one, and the broken sentences."""
    if len(data) > options.max_line_bytes:
        return None  # which sentence is too long?
    documents: list[list[bool]] = [[]]  # of each, which of its sentences are good
    for block in _blocks(data, options):
        comments = [line is not None and line.startswith("#") for line in block]
        opens = [bool(line and re.match(r"#\s*newdoc(\s|=|$)", line)) for line in block]
        before = comments.index(False) if False in comments else len(block)
        documents += [[] for _ in range(max(sum(opens[:before]), any(opens)))]
        if before < len(block):
            words = [line for line, comment in zip(block, comments, strict=True) if not comment]
            documents[-1].append(None not in block and _is_sentence(words, options))
    first, *others = documents
    whole = any(first) + sum(any(good) or not good for good in others)
    return max(1, whole + sum(good.count(False) for good in documents))


NAMED_COLUMNS = "<!-- #vrt positional-attributes: word pos lemma -->"


def count_vertical(data, options=PLAIN, name=""):
    """Count documents and what is left out of them; None where other columns or structures than `text` count."""
    lines = _lines(data, options)
    if lines[0] != NAMED_COLUMNS or options.columns or len(data) > options.max_line_bytes:
        return None
    if any(re.search(r"</?(doc|file|art|bnc)", line) for line in lines if line):
        return None
    there = [line for line in lines if line is not None]
    words = [line for line in there if "\t" in line or (line.strip() and not re.match("</?[^\\W\\d]|<!--|<[?!]", line))]
    if words and all(line.count("\t") != 2 for line in words):
        return 1
    documents, lost, within = [None], 0, False  # of each, which of its sentences are good

    def end():
        if documents[-1]:
            documents[-1] = [sentence for sentence in documents[-1] if sentence != []]
            documents[-1].append([])

    for line, raw in zip(lines, raw_lines(data), strict=True):
        if line is None:
            if raw.startswith(b"<"):
                documents.append(None)
                lost, within = lost + 1, False
            else:
                documents[-1] = documents[-1] or [[]]
                documents[-1][-1].append(False)
            continue
        tags = re.findall(rf"<(/?)([^\W\d][\w.:-]*)(?:{_VALUE})*\s*(/?)>", line) if _is_of_tags(line) else []
        if [tag for closes, tag, empty in tags if not closes and not empty].count("text") > 1:
            documents.append(None)
            lost, within = lost + 1, False
            continue
        if not line or line.isspace():
            if not within:
                end()
        elif tags:
            for closes, tag, empty in tags:
                if tag in ("s", "sentence"):
                    end()
                    within = not closes and not empty
                elif tag in _OF_PARAGRAPHS:
                    end()
                    within = False
                elif tag == "text":
                    within = False
                    documents.append(None if closes or empty else [[]])
        elif re.fullmatch(r"<!--.*-->\s*|<[?!][^<>]*>\s*", line):
            continue
        elif "\t" not in line and re.match(r"</?[^\W\d]|<!--|<[?!]", line):
            documents.append(None)
            lost, within = lost + 1, False
        else:
            documents[-1] = documents[-1] or [[]]
            cells = line.split("\t")
            documents[-1][-1].append(_is_word(cells, options))
            if not within and any(cell in (*".!?…", "...", "SENT") for cell in cells[:2]):
                end()
    for document in filter(None, documents):
        sentences = [all(sentence) for sentence in document if sentence]
        lost += sentences.count(False) + (any(sentences) or not sentences)
    return max(1, lost)


_OF_PARAGRAPHS = ("p", "para", "paragraph", "head", "heading", "title", "div", "item", "l", "u", "turn")


_VALUE = r"""\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>/]+)"""


def _is_of_tags(line):
    return re.fullmatch(rf"(?:</?[^\W\d][\w.:-]*(?:{_VALUE})*\s*/?>\s*)+", line)


def _is_word(cells, options):
    if len(cells) != 3 or any(refused(cell, options) for cell in (cells[0], cells[2])):
        return False
    return bool(re.sub(INVISIBLE, "", html.unescape(cells[0])).split())


def count_lines(data, options=PLAIN, name=""):
    if options.lines_hold == "text" and len(data) > options.max_record_bytes:
        return None  # which lines come before the break?
    if any(abs(len(raw) - options.max_line_bytes) < 5 for raw in raw_lines(data)):
        return None
    lines = _lines(data, options)
    lines = [None if line is None or refused(line, options) else line for line in lines]
    words = any(line is not None and re.sub(INVISIBLE, "", line).split() for line in lines)
    return max(1, words + lines.count(None))


def count_parquet(data, options=PLAIN, name=""):
    """Return the rows of a file that Arrow reads whole; None of one that may break off later."""
    try:
        file = pq.ParquetFile(io.BytesIO(data))
    except (pa.ArrowException, OSError, ValueError):
        return 1
    path = options.records or options.text_field
    if not {path, path.partition(".")[0].removesuffix("[]")} & set(file.schema_arrow.names):
        return 1
    if not file.metadata.num_rows:
        return 1
    groups = range(file.metadata.num_row_groups)
    if sum(file.metadata.row_group(n).num_rows for n in groups) != file.metadata.num_rows:
        return None  # which of the two is damaged?
    try:
        table = file.read(use_threads=False)
        if table.num_rows != file.metadata.num_rows:
            return None
        rows = table.to_pylist() if options.records else [None] * table.num_rows
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        return None
    return sum(_elements(row, options) for row in rows)


COUNTS = {
    "text": count_one,
    "tei": count_tei,
    "jsonl": count_jsonl,
    "json": count_json,
    "csv": count_csv,
    "conllu": count_conllu,
    "vertical": count_vertical,
    "lines": count_lines,
    "parquet": count_parquet,
    "markdown": count_one,
    "html": count_one,
    "docx": count_one,
    "odt": count_one,
    "epub": count_one,
}


def _lines(data, options):
    """Return the lines as text, None for one that cannot be, or holds what no text does."""
    lines = decoded_lines(data, options)
    return [None if line is None else without_control(line, options) for line in lines]


def _blocks(data, options):
    """Yield the lines between empty ones, None for a line that is not text."""
    block = []
    for raw in [*raw_lines(data), b""]:
        if raw.strip():
            block += _lines(b"\n".join([b"", raw]), options)[1:]
        elif block:
            yield block
            block = []


def _is_sentence(lines, options):
    """Return whether the words are numbered from 1, and ranges stand before their first word."""
    words, covered, ranges = 0, 0, []
    for line in lines:
        cells = line.split("\t")
        if len(cells) != 10 or any(refused(cell, options) for cell in cells[1:3]):
            return False
        if "." in cells[0]:
            continue
        found = re.fullmatch(r"(\d+)(-\d+)?", cells[0])
        if not found or int(found[1]) != words + 1:
            return False
        if not cells[1].split():
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
