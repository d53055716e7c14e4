"""What `lexbeam init` sees of an input: formats, documents, dates, language, without writing.

It reads the whole input where that is small, else the beginnings of some of its files, by the same readers as a run.
Of other files nothing is kept.
"""

import importlib.util
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import islice, repeat, tee
from operator import attrgetter
from typing import Any

from pipelines.commands.corpus.dry_run import looked_at
from pipelines.progress.progress import counting
from schemas.rejects import REMEDIES, RejectRow
from transforms.annotation.engines.paragraphs import annotate_text
from transforms.annotation.engines.registry import load_splitter
from transforms.annotation.guessing import CODE_PAGES, code_page, guess_language
from transforms.common.texts.languages import short_tag
from transforms.formats.dates.guessing import Dates, SeenDocument, date_fields, guess_dates, guess_text_field, years_by
from transforms.formats.ingest.stage import IngestOptions, InputFile
from transforms.formats.ingest.units import key_of
from transforms.formats.records.base import ReaderOptions
from transforms.formats.records.fields import listed_fields

__all__ = ["KeptTexts", "Look", "about", "look_at", "sample"]

FILES = 500  # that are looked into
PROBED = 100  # records by which the reader is found, of as many files
PROBED_OF_A_FILE = 5  # records, where there are many
BYTES = 64 << 20  # of files that are read whole
CHARACTERS = 50_000_000  # that are read of more
LANGUAGE = 2_000  # characters of a document that its language is told by
ASKED = 100  # documents that are
PLAIN = (
    0.95  # share of words in lower case, in capitals, or with the first letter as a capital, in text that is read right
)
UNKNOWN = "en"  # the language whose rules count where none is recognised

KEPT_CHARACTERS = 64 << 20  # characters of texts that are kept, to count their tokens
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass
class Look:
    """What was seen.

    Attributes:
        files: input files.
        looked: how many of them were looked into.
        whole: whether these were read to their end.
        formats: documents by format.
        documents: the documents.
        sizes: their tokens, in the same order.
        counted: whether these are as a run counts them; else they are estimates.
        keys: what those of the same text share, in the same order; empty of one in several blocks.
        names: documents by the names of their fields.
        rejects: rejects by reason.
        example: a reject, for a person.
        exclude: files of which nothing can be taken in, by pattern where all of a suffix are such, with
            what is wrong with the first; their rejects are not among those above.
        languages: documents by language: as they say themselves, else as it was guessed.
        said: whether they say it themselves.
        annotated: whether all came annotated.
        reader: how they were read.
        dates: where their dates are; None if nowhere.
    """

    files: int
    looked: int = 0
    whole: bool = True
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
    dates: Dates | None = None

    @property
    def by_names(self) -> bool:
        """Whether the names of all files tell the years, those of files not looked into, too."""
        rule = self.dates.rule if self.dates is not None else ""
        return rule.startswith("name:") and self.looked < self.files

    @property
    def complete(self) -> bool:
        """Whether `over_time` tells of all documents, as far as their number goes."""
        return self.by_names or (self.whole and self.looked == self.files)

    def over_time(self, inputs: Iterable[InputFile]) -> tuple[dict[int, int], dict[int, int]]:
        """Return documents and their sizes by year, as far as the rule for dates finds one.

        Of documents of the same text and year one counts, as in a run. Where files were left out
        and their names have the dates, all files count, by their bytes; `inputs` are these.
        """
        rule = self.dates
        if rule is None:
            return {}, {}
        seen: Iterable[SeenDocument] = self.documents
        sizes: Iterable[int] = self.sizes
        keys: Iterable[str] = self.keys
        if self.by_names:
            names, files = tee(inputs)
            seen = (SeenDocument(file.name, {}) for file in names)
            sizes = (file.size for file in files)
            keys = repeat("")
        documents: Counter[int] = Counter()
        tokens: Counter[int] = Counter()
        known: set[tuple[str, int]] = set()
        for year, size, key in zip(years_by(rule.rule, seen), sizes, keys, strict=False):
            if year is not None and (not key or (key, year) not in known):
                known.add((key, year))
                documents[year] += 1
                tokens[year] += size
        return dict(documents), dict(tokens)


def about(text: str) -> int:
    """Return about how many tokens a text has: stretches of word characters, and marks.

    >>> about("The ship, it's said, sails.")
    10
    """
    return sum(1 for _ in _TOKEN.finditer(text))


class KeptTexts:
    """The texts of documents, kept to count their tokens when their language is known."""

    def __init__(self) -> None:
        """Begin with no document."""
        self._texts: list[list[str]] | None = []
        self._characters = 0

    def add(self, text: str | None, *, block: bool) -> None:
        """Keep a document's text, or a further block of it; None where it came annotated.

        Once there is too much to keep all, nothing is kept.
        """
        if self._texts is None:
            return
        if not block:
            self._texts.append([])
        if text is not None:
            self._texts[-1].append(text)
            self._characters += len(text)
        if self._characters > KEPT_CHARACTERS:
            self._texts = None

    def counted(self, sizes: Sequence[int], language: str | None) -> list[int] | None:
        """Return the tokens of each document as `lexbeam corpus` counts them.

        They are those of the rules of spaCy for the language, which the engines share that `init`
        proposes.

        Args:
            sizes: of each document, what counts for one that came annotated.
            language: of the texts.

        Returns None where not all texts were kept.
        """
        if self._texts is None or len(self._texts) != len(sizes):
            return None
        if not self._characters:
            return list(sizes)
        tokens = []
        with counting("init/tokens", "documents", len(sizes)) as add:
            for texts, size in zip(self._texts, sizes, strict=True):
                tokens.append(_tokens(texts, language) if texts else size)
                add(1)
        return tokens


def _tokens(texts: Iterable[str], language: str | None) -> int:
    splitter = load_splitter(language)
    return sum(len(sentence.forms or ()) for text in texts for sentence in annotate_text(text, splitter))


def sample(inputs: Iterable[InputFile]) -> tuple[int, list[InputFile]]:
    """Return how many files there are, and those to look into, by name: all, or the first by the digests of names."""
    number = 0

    def counted() -> Iterator[InputFile]:
        nonlocal number
        for file in inputs:
            number += 1
            yield file

    first = nsmallest(FILES, counted(), key=lambda file: (key_of(file.name), file.name))
    return number, sorted(first, key=attrgetter("name"))


def look_at(spread: Sequence[InputFile], number: int, encoding: tuple[str, ...] = ()) -> Look:
    """Return what is seen of some of `number` files, in encodings that are given or, where none is, found out."""
    look = Look(files=number, looked=len(spread))
    look.reader = _reader(spread, encoding)
    is_small = sum(file.size for file in spread) <= BYTES
    budget = None if is_small else max(CHARACTERS // len(spread), 1)
    view = _View(look, KeptTexts() if is_small else None)
    for file in spread:
        view.add(file, budget)
    view.conclude()
    return look


class _View:
    """What is seen of files, gathered into a look."""

    def __init__(self, look: Look, texts: KeptTexts | None) -> None:
        self._look = look
        self._texts = texts  # None: tokens are not counted
        self._annotated = 0
        self._languages: Counter[str] = Counter()  # that documents say
        self._beginnings: list[str] = []  # of texts that do not say theirs
        self._refused: dict[str, list[RejectRow]] = {}  # by files of which nothing can be taken in
        self._suffixes: set[str] = set()  # of other files

    def add(self, file: InputFile, budget: int | None) -> None:
        """Look into a file: to its end, or for so many characters."""
        look, left, before = self._look, budget, len(self._look.documents)
        formats: dict[str, str] = {}
        rejects: list[RejectRow] = []
        for row, record in looked_at([file], IngestOptions(reader=look.reader), formats.__setitem__):
            if isinstance(row, RejectRow):
                rejects.append(row)
                continue
            size = _size(record)
            if self._texts is not None:
                self._texts.add(record.text, block=bool(record.block))
            left = None if left is None else left - max(len(record.text or ""), size, 1)
            if record.block:
                look.sizes[-1] += size
                look.keys[-1] = ""
                continue
            look.formats[formats[row["source"]]] += 1
            self._add_document(row, record, size)
            if left is not None and left <= 0:
                look.whole = False
                break
        if rejects and len(look.documents) == before:
            self._refused[file.name] = rejects
        else:
            self._suffixes.add(_suffix(file.name))
            _note_rejects(look, rejects)

    def _add_document(self, row: dict[str, Any], record: Any, size: int) -> None:
        look = self._look
        look.documents.append(SeenDocument(row["source"], date_fields(record.fields)))
        look.sizes.append(size)
        look.keys.append(row["key"])
        look.names.update(set(record.fields))
        self._annotated += record.sentences is not None
        if row["language"]:
            self._languages[short_tag(row["language"])] += 1
        elif record.text and len(self._beginnings) < ASKED:
            self._beginnings.append(record.text[:LANGUAGE])

    def conclude(self) -> None:
        """Tell languages and dates by all documents, and count tokens where all were read to their end."""
        look = self._look
        self._exclude()
        look.annotated = bool(look.documents) and self._annotated == len(look.documents)
        look.said = bool(self._languages)
        look.languages = self._languages or Counter(filter(None, map(guess_language, self._beginnings)))
        look.dates = guess_dates(look.documents)
        if self._texts is not None and look.dates is not None and look.complete and not look.by_names:
            _count(look, self._texts)

    def _exclude(self) -> None:
        """Exclude files of which nothing can be taken in: by suffix, or by name where others of theirs are read."""
        names: dict[str, list[str]] = {}
        for name in self._refused:
            names.setdefault(_suffix(name), []).append(name)
        for suffix, refused in names.items():
            is_whole = bool(suffix) and suffix not in self._suffixes
            for name in refused:
                rows = self._refused[name]
                if not self._look.documents or (set(name) & set("*?[]\\,") and not is_whole):
                    _note_rejects(self._look, rows)
                else:
                    self._look.exclude.setdefault(f"*{suffix}" if is_whole else name, _why(rows[0]))


def _why(row: RejectRow) -> str:
    # The details of other reasons say it themselves.
    return row.detail + (f"; {REMEDIES[row.reason]}" if row.reason == "undecodable" else "")


def _suffix(name: str) -> str:
    suffix = posixpath.splitext(name)[1]
    return "" if set(suffix) & set("*?[]\\,") else suffix


def _size(record: Any) -> int:
    """Return about how many tokens a record has; of one that came annotated, how many."""
    if record.text is not None:
        return about(record.text)
    return sum(len(sentence.lemmas or sentence.forms or ()) for sentence in record.sentences or ())


def _count(look: Look, texts: KeptTexts) -> None:
    """Count the tokens of documents that were all read to their end."""
    language, _ = (look.languages.most_common(1) or [("", 0)])[0]
    if (sizes := texts.counted(look.sizes, language or UNKNOWN)) is not None:
        look.sizes, look.counted = sizes, True


def _note_rejects(look: Look, rejects: Sequence[RejectRow]) -> None:
    """Note what could not be taken in."""
    if rejects and not look.rejects:
        row = rejects[0]
        look.example = f"{row.source} {row.position}".rstrip() + f": {row.reason}, {row.detail}"
    look.rejects.update(row.reason for row in rejects)


def _spread(inputs: Sequence[InputFile], most: int) -> list[InputFile]:
    """Return the files, or so many at even distances."""
    if len(inputs) <= most:
        return list(inputs)
    return [inputs[place * len(inputs) // most] for place in range(most)]


def _reader(inputs: Sequence[InputFile], encoding: tuple[str, ...]) -> ReaderOptions:
    """Return how input is read.

    That is: pages, where there are any; in which encodings; and the field of the text, if most lack the usual one.
    """
    reader = ReaderOptions(encoding=encoding) if encoding else ReaderOptions()
    probed = list(_probe(inputs, reader))
    refused = Counter(row.reason for row in probed if isinstance(row, RejectRow))
    if refused["undecodable"] and not encoding:
        reader = replace(reader, encoding=_encodings(inputs, reader))
        probed = list(_probe(inputs, reader))
    if refused["html"]:
        reader = replace(reader, html="main" if importlib.util.find_spec("trafilatura") else "all")
    if refused["missing_field"] * 2 >= max(len(probed), 1):
        names = dict.fromkeys(
            name for row in probed if isinstance(row, RejectRow) for name in listed_fields(row.detail)
        )
        lengths = {name: _length(inputs, replace(reader, text_field=name)) for name in names}
        if name := guess_text_field(lengths):
            return replace(reader, text_field=name)
    return reader


def _encodings(inputs: Sequence[InputFile], reader: ReaderOptions) -> tuple[str, ...]:
    """Return the encodings: if files are no UTF-8, with the code page that fits the language they are in by it."""
    refused = [file for file in _spread(inputs, PROBED) if _is_undecodable(_probe([file], reader))]
    for page in CODE_PAGES:
        encoding = (*reader.encoding, page)
        rows = list(_probe(refused, replace(reader, encoding=encoding)))
        text = " ".join(row[:LANGUAGE] for row in rows if isinstance(row, str))
        language = guess_language(text)
        if language and code_page(language) == page and _has_plain_words(text) and not _is_undecodable(rows):
            return encoding
    return reader.encoding


def _has_plain_words(text: str) -> bool:
    """Return whether capitals stand where people put them, as they do not in text that is read in a wrong code page."""
    words: list[str] = re.findall(r"[^\W\d_]+", text)
    plain = sum(word.islower() or word.isupper() or word.istitle() for word in words)
    return plain >= PLAIN * len(words)


def _is_undecodable(rows: Iterable[RejectRow | str]) -> bool:
    return any(isinstance(row, RejectRow) and row.reason == "undecodable" for row in rows)


def _probe(inputs: Sequence[InputFile], reader: ReaderOptions) -> Iterator[RejectRow | str]:
    spread = _spread(inputs, PROBED)
    for file in spread:
        rows = looked_at([file], IngestOptions(reader=reader))
        for row, record in islice(rows, max(PROBED // len(spread), PROBED_OF_A_FILE)):
            yield row if isinstance(row, RejectRow) else record.text or ""


def _length(inputs: Sequence[InputFile], reader: ReaderOptions) -> float:
    texts = [row for row in _probe(inputs, reader) if not isinstance(row, RejectRow)]
    return sum(map(len, texts)) / max(len(texts), 1)
