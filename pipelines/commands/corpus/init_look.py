"""What `lexbeam init` sees of an input: formats, documents, dates, language, and how it is read, without writing.

It reads at most `BYTES` of the input, by the same readers as a run, and keeps a sample of the documents. Tokens are
counted where there is little text; else they are estimated from the characters. To find encodings, pages, and the field
of the text (`guess_reader`), it tries some records of some files by the reader's defaults, and again by what would read
what these refuse.
"""

import importlib.util
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat, tee
from typing import Any

from lexbeam.pipelines.commands.corpus.init_sample import (
    BYTES,
    DrawnFiles,
    FileRows,
    LeastDigests,
    looked_at,
    most_of_each,
)
from lexbeam.schemas.common_tables import REMEDIES, RejectRow
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_splitter
from lexbeam.transforms.annotation.language_guessing import CODE_PAGES, code_page, guess_language
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.formats.ingest.date_guessing import (
    Dates,
    SeenDocument,
    guess_dates,
    guess_text_field,
    undated,
    unread,
    years_by,
)
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile
from lexbeam.transforms.formats.readers.registry import detect
from lexbeam.transforms.formats.records.base import ReaderOptions, Record
from lexbeam.transforms.formats.records.fields import Fields, listed_fields

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


DOCUMENTS = 5_000  # of which fields are kept
ASKED = 100  # documents that the language is told by
COUNTED = 1_000_000  # characters of which all tokens are counted; of more,
STRETCH, STRETCHES = 5_000, 300_000  # those of so many of a document, and of so many in all
UNKNOWN = "en"  # the language whose rules count where none is recognised
NAMED = 3  # documents without a date that are named
LONGEST = 100  # characters of a field that may be a date
TABLES = {"csv", "json", "jsonl", "parquet"}  # formats in which a date is a field, and no header
# Bytes that take as long to read as one of plain text, about, in formats that take longer.
COSTS = {"html": 10, "docx": 3, "odt": 3, "epub": 3}


@dataclass
class _Kept:
    document: SeenDocument
    names: frozenset[str]
    key: str
    text: str
    characters: int
    tokens: int  # of one that came annotated


@dataclass
class Look:
    """What was seen.

    Attributes:
        files: input files.
        size: their bytes.
        looked: how many of them were looked into.
        read: about how many bytes of them were read.
        whole: whether these files were read to their end.
        number: documents that were met.
        formats: documents by format.
        documents: those of the sample: all, or those whose texts have the least digests.
        sizes: their tokens, in the same order.
        counted: whether these are as a run counts them; else they are estimates.
        keys: what those of the same text share, in the same order; empty of one in several blocks.
        names: documents of the sample by the names of their fields.
        rejects: rejects by reason.
        example: a reject, for a person.
        exclude: files that are no texts, by pattern where all of a suffix are such, with what is wrong with the
            first; their rejects are not among those above.
        languages: documents by language: as they say themselves, else as it was guessed.
        said: whether they say it themselves.
        annotated: whether all came annotated.
        reader: how they were read.
        found: the rules that find dates, the likeliest first.
        undated: the first documents without a date by that one, and why.
        unread: where there are none, fields that look like dates, each with a value that no rule reads.
    """

    files: int
    size: int = 0
    looked: int = 0
    read: int = 0
    whole: bool = True
    number: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    documents: list[SeenDocument] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    counted: bool = False
    keys: list[str] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)
    rejects: Counter[str] = field(default_factory=Counter)
    example: str = ""
    exclude: dict[str, str] = field(default_factory=dict)
    languages: Counter[str] = field(default_factory=Counter)
    said: bool = False
    annotated: bool = False
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    found: list[Dates] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)

    @property
    def dates(self) -> Dates | None:
        """Where the dates are, if that is sure."""
        return next((dates for dates in self.found[:1] if not dates.doubt), None)

    @property
    def by_names(self) -> bool:
        """Whether the names of all files tell the years, those of files not looked into, too."""
        return bool(self.found) and self.found[0].rule.startswith("name:") and self.looked < self.files

    @property
    def complete(self) -> bool:
        """Whether all documents were seen."""
        return self.whole and self.looked == self.files and len(self.documents) == self.number

    @property
    def documents_in_all(self) -> int:
        """How many documents the input has, by an estimate unless all files were read to their end."""
        return round(self.number * max(1.0, self.size / max(self.read, 1)))

    @property
    def tokens_in_all(self) -> int:
        """How many tokens the input has, likewise."""
        return round(sum(self.sizes) / max(len(self.sizes), 1) * self.documents_in_all)

    @property
    def different(self) -> int:
        """How many documents of the sample differ in text or year, as far as a rule finds one; a run keeps these."""
        years = years_by(self.found[0].rule, self.documents) if self.found else repeat(None)
        kept = {(key or str(place), year) for place, (key, year) in enumerate(zip(self.keys, years, strict=False))}
        return len(kept)

    def over_time(self, inputs: Iterable[InputFile]) -> tuple[dict[int, int], dict[int, int]]:
        """Return documents and their tokens by year, as far as the likeliest rule for dates finds one.

        Of documents of the same text and year one counts, as in a run. Where not all were seen, the numbers are
        estimates; where names of files have the dates, all files count, by their bytes; `inputs` are these.
        """
        if not self.found:
            return {}, {}
        rule = self.found[0].rule
        seen: Iterable[SeenDocument] = self.documents
        sizes: Iterable[float] = self.sizes
        keys: Iterable[str] = self.keys
        scale = self.documents_in_all / max(len(self.documents), 1)
        if self.by_names:
            names, files = tee(inputs)
            seen = (SeenDocument(file.name, {}) for file in names)
            sizes = (file.size * self.tokens_in_all / max(self.size, 1) for file in files)
            keys = repeat("")
            scale = 1.0
        documents: Counter[int] = Counter()
        tokens: dict[int, float] = {}
        known: set[tuple[str, int]] = set()
        for year, size, key in zip(years_by(rule, seen), sizes, keys, strict=False):
            if year is not None and (not key or (key, year) not in known):
                known.add((key, year))
                documents[year] += 1
                tokens[year] = tokens.get(year, 0) + size
        return _scaled(documents, scale), _scaled(tokens, scale)


def _scaled(numbers: Mapping[int, float], scale: float) -> dict[int, int]:
    return {year: round(number * scale) for year, number in numbers.items()}


def look_at(drawn: DrawnFiles, encoding: tuple[str, ...] = ()) -> Look:
    """Return what is seen of an input, in encodings that are given or, where none is, found out."""
    look = Look(files=drawn.number, size=drawn.size)
    look.reader = guess_reader(drawn.files, encoding)
    view = _View(look)
    spent = 0
    for file in drawn.files:
        if spent >= BYTES:
            break
        spent += view.add(file, most_of_each(drawn))
    view.conclude(drawn.beside)
    return look


class _View:
    """What is seen of files, gathered into a look."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._sample: LeastDigests[_Kept] = LeastDigests(DOCUMENTS)
        self._characters = 0  # of all texts
        self._annotated = 0
        self._languages: Counter[str] = Counter()  # that documents say
        self._refused: dict[str, list[RejectRow]] = {}  # by files of which nothing can be taken in
        self._suffixes: set[str] = set()  # of other files

    def add(self, file: InputFile, most: int) -> int:
        """Look into a file, of which so many bytes are read at most; return what it cost."""
        look, before = self._look, self._sample.number
        formats: dict[str, str] = {}
        rejects: list[RejectRow] = []
        rows = FileRows(file, IngestOptions(reader=look.reader), most)
        last: _Kept | None = None
        cost = 1
        for row, record in rows.rows(formats.__setitem__):
            if isinstance(row, RejectRow):
                rejects.append(row)
                continue
            if record.block:
                if last is not None:
                    self._extend(last, record)
                continue
            format = formats.get(row["source"]) or detect(row["source"], b"") or "text"
            look.formats[format] += 1
            cost = max(cost, COSTS.get(format, 1))
            last = self._add_document(row, record)
        look.looked += 1
        look.read += rows.read
        look.whole &= rows.whole
        if rejects and self._sample.number == before:
            self._refused[file.name] = rejects
        else:
            self._suffixes.add(_suffix(file.name))
            _note_rejects(look, rejects)
        return cost * rows.spent

    def _add_document(self, row: dict[str, Any], record: Record) -> _Kept | None:
        self._annotated += record.sentences is not None
        if row["language"]:
            self._languages[short_tag(row["language"])] += 1
        text = record.text or ""
        had = self._characters
        self._characters += len(text)
        if had <= COUNTED < self._characters:  # from now on a part of each is enough
            for kept in self._sample.by_arrival():
                kept.text = _stretch(kept.text)
        text_kept = text if self._characters <= COUNTED else _stretch(text)

        def make() -> _Kept:
            fields = _fields(record, self._look.reader.text_field)
            document = SeenDocument(row["source"], fields, row["position"] or "")
            names = frozenset(record.fields)
            return _Kept(document, names, row["key"], text_kept, len(text), _annotated_tokens(record))

        return self._sample.add(row["key"], make)

    def _extend(self, kept: _Kept, record: Record) -> None:
        kept.tokens += _annotated_tokens(record)
        kept.key = ""

    def conclude(self, beside: Sequence[str]) -> None:
        """Tell languages and dates by the sample, and count tokens."""
        look, sample = self._look, self._sample.by_arrival()
        look.number = self._sample.number
        look.documents = [kept.document for kept in sample]
        look.keys = [kept.key for kept in sample]
        look.names.update(name for kept in sample for name in kept.names)
        self._exclude(beside)
        look.annotated = bool(look.documents) and self._annotated == look.number
        look.said = bool(self._languages)
        beginnings = (kept.text[:LANGUAGE] for kept in self._sample.by_digest()[:ASKED] if kept.text)
        look.languages = self._languages or Counter(filter(None, map(guess_language, beginnings)))
        look.found = guess_dates(look.documents, tabular=look.formats.keys() <= TABLES)
        look.unread = [] if look.found else list(unread(look.documents))
        if look.found and look.found[0].dated < look.found[0].of:
            look.undated = undated(look.found[0].rule, look.documents, NAMED)
        self._count(sample)

    def _count(self, sample: Sequence[_Kept]) -> None:
        """Count the tokens of the sample, or of some stretches of it, as `lexbeam corpus` does.

        They are those of the rules of spaCy for the language, which the engines share that `init` proposes.
        """
        look = self._look
        language, _ = (look.languages.most_common(1) or [(UNKNOWN, 0)])[0]
        splitter = load_splitter(language)
        if self._characters <= COUNTED and look.number == len(sample):
            look.counted = True
            look.sizes = [kept.tokens or _tokens(kept.text, splitter) for kept in sample]
        else:
            tokens = characters = 0
            for kept in self._sample.by_digest():
                if characters < STRETCHES and not kept.tokens:
                    tokens += _tokens(_stretch(kept.text), splitter)
                    characters += min(len(kept.text), STRETCH)
            look.sizes = [kept.tokens or round(kept.characters * tokens / max(characters, 1)) for kept in sample]

    def _exclude(self, beside: Sequence[str]) -> None:
        """Exclude files of which nothing can be taken in: by suffix, or by name where others of theirs are read."""
        names: dict[str, list[str]] = {}
        for name in sorted(self._refused):
            names.setdefault(_suffix(name), []).append(name)
        for suffix, refused in names.items():
            is_whole = bool(suffix) and suffix not in self._suffixes
            for name in refused:
                rows = self._refused[name]
                if not self._look.documents or (_is_pattern(name) and not is_whole):
                    _note_rejects(self._look, rows)
                else:
                    self._look.exclude.setdefault(f"*{suffix}" if is_whole else name, _why(rows[0]))
        for name in beside:
            if not _is_pattern(name):
                self._look.exclude[name] = "about the texts, by its name, and none of them"


def _stretch(text: str) -> str:
    """Return a stretch from the middle of a text, where titles and licences are not."""
    start = max(0, len(text) - STRETCH) // 2
    return text[start : start + STRETCH]


def _fields(record: Record, text_field: str) -> dict[str, str]:
    """Return the fields of a record that may be dates, those within objects by their paths."""
    fields = record.fields
    names = dict.fromkeys(fields)
    if isinstance(fields, Fields):
        names.update(dict.fromkeys(path for path in fields.paths if "." in path and "[" not in path))
    values = {name: fields.get(name, "") for name in names if name != text_field}
    if values.get("date"):  # the header, of which fields are another way to write the name
        values = {name: value for name, value in values.items() if name == "date" or name.lower() != "date"}
    return {name: value for name, value in values.items() if value and len(value) <= LONGEST}


def _why(row: RejectRow) -> str:
    # The details of other reasons say it themselves.
    return row.detail + (f"; {REMEDIES[row.reason]}" if row.reason == "undecodable" else "")


def _suffix(name: str) -> str:
    suffix = posixpath.splitext(name)[1]
    return "" if _is_pattern(suffix) else suffix


def _is_pattern(name: str) -> bool:
    return re.search(r"[*?\[\]\\,]", name) is not None


def _tokens(text: str, splitter: Engine) -> int:
    return sum(len(sentence.forms or ()) for sentence in annotate_text(text, splitter))


def _annotated_tokens(record: Record) -> int:
    return sum(len(sentence.lemmas or sentence.forms or ()) for sentence in record.sentences or ())


def _note_rejects(look: Look, rejects: Sequence[RejectRow]) -> None:
    if rejects and not look.rejects:
        row = rejects[0]
        look.example = f"{row.source} {row.position}".rstrip() + f": {row.reason}, {row.detail}"
    look.rejects.update(row.reason for row in rejects)
