"""How `lexbeam init` finds out how an input is read: its encodings, pages, and the field of the text.

It tries some records of some files by the reader's defaults, and again by what would read what these refuse.
"""

import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from lexbeam.pipelines.commands.corpus.dry_run import looked_at
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.annotation.guessing import CODE_PAGES, code_page, guess_language
from lexbeam.transforms.formats.dates.guessing import guess_text_field
from lexbeam.transforms.formats.ingest.stage import IngestOptions, InputFile
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.records.fields import listed_fields

PROBED = 100  # files that are tried,
PROBED_BYTES = 4 << 20  # of so many bytes or one file;
RECORDS, RECORDS_OF_A_FILE = 1000, 5  # in all, and at least of each
LANGUAGE = 2_000  # characters of a document that its language is told by
# Share of words in lower case, in capitals, or with the first letter as a capital, in text that is read right.
PLAIN = 0.95


def guess_reader(inputs: Sequence[InputFile], encoding: tuple[str, ...]) -> ReaderOptions:
    """Return how input is read.

    That is: pages, where there are any; in which encodings; and the field of the text, if most lack the usual one.
    """
    inputs = _spread(inputs)
    reader = _fitting(inputs, ReaderOptions(encoding=encoding) if encoding else ReaderOptions())
    if encoding:
        return reader
    refused = [file for file in inputs if _is_undecodable(_probe([file], reader))]
    for page in CODE_PAGES if refused else ():
        other = _fitting(refused, ReaderOptions(encoding=(*reader.encoding, page)))
        rows = list(_probe(refused, other))
        text = " ".join(row[:LANGUAGE] for row in rows if isinstance(row, str))
        language = guess_language(text)
        if language and code_page(language) == page and _has_plain_words(text) and not _is_undecodable(rows):
            return _fitting(inputs, ReaderOptions(encoding=other.encoding))
    return reader


def _fitting(inputs: Sequence[InputFile], reader: ReaderOptions) -> ReaderOptions:
    """Return a reader that takes pages where there are any, and the field that holds the text."""
    probed = list(_probe(inputs, reader))
    refused = Counter(row.reason for row in probed if isinstance(row, RejectRow))
    if refused["html"]:
        reader = replace(reader, html="main" if importlib.util.find_spec("trafilatura") else "all")
    if refused["missing_field"] * 2 >= max(len(probed), 1):
        names = dict.fromkeys(
            name for row in probed if isinstance(row, RejectRow) for name in listed_fields(row.detail)
        )
        lengths = {name: _length(inputs, replace(reader, text_field=name)) for name in names}
        if name := guess_text_field(lengths):
            reader = replace(reader, text_field=name)
    return reader


def _spread(inputs: Sequence[InputFile]) -> list[InputFile]:
    """Return files at even distances, not too many, of not too many bytes."""
    number = min(len(inputs), PROBED)
    spread = [inputs[place * len(inputs) // number] for place in range(number)]
    some: list[InputFile] = []
    left = PROBED_BYTES
    for file in sorted(spread, key=lambda file: file.size):
        if some and file.size > left:
            break
        some.append(file)
        left -= file.size
    return [file for file in spread if file in some]


def _has_plain_words(text: str) -> bool:
    """Return whether capitals stand where people put them, as they do not in text that is read in a wrong code page."""
    words: list[str] = re.findall(r"[^\W\d_]+", text)
    plain = sum(word.islower() or word.isupper() or word.istitle() for word in words)
    return plain >= PLAIN * len(words)


def _is_undecodable(rows: Iterable[RejectRow | str]) -> bool:
    return any(isinstance(row, RejectRow) and row.reason == "undecodable" for row in rows)


def _probe(inputs: Sequence[InputFile], reader: ReaderOptions) -> Iterator[RejectRow | str]:
    for file in inputs:
        rows = looked_at([file], IngestOptions(reader=reader))
        for row, record in islice(rows, max(RECORDS // len(inputs), RECORDS_OF_A_FILE)):
            yield row if isinstance(row, RejectRow) else record.text or ""


def _length(inputs: Sequence[InputFile], reader: ReaderOptions) -> float:
    """Return the mean length of texts; of those in another encoding nothing is known but that there are some."""
    lengths = []
    for row in _probe(inputs, reader):
        if isinstance(row, str):
            lengths.append(len(row))
        elif row.reason == "undecodable":
            lengths.append(1)
    return sum(lengths) / max(len(lengths), 1)
