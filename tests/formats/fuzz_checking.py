"""What must hold of anything that readers make of an input; see `fuzzing.py`.

`check` reads an input twice: once whole, and once from a stream that gives few bytes at a time, by
readers whose inner limits (sentences of a block, rows of a batch) are so small that small inputs
pass them. It raises `Wrong` if anything does not hold, and returns what was counted.
"""

import contextlib
import io
import random
import re
import signal
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from counting import breaks_off
from counting_text import CONTROL, longest_run
from fuzz_mutating import Input
from fuzz_signing import OF_NO_TEXT
from fuzz_trickling import Trickle

from lexbeam.schemas.rejects import REASONS
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.names import file_of, unescape
from lexbeam.transforms.common.records import annotation_batch
from lexbeam.transforms.formats.readers import conllu, json_records, parquet, text
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records import hyphens, text_cleaning
from lexbeam.transforms.formats.records.base import ReaderOptions, Record, Reject

SECONDS = 5.0  # of processor time for an input; thousands of times what one takes
# Inner limits that tests make small, so that small inputs go where otherwise only long ones do.
SMALL = (
    (conllu, "BLOCK", 2),
    (text, "BLOCK", 2),
    (parquet, "_BATCH_ROWS", 2),
    (json_records, "_SMALL", 8),
    (json_records, "_PIECE", 24),
    (text_cleaning, "_SHORT", 4),
    (hyphens.TextForms, "_BUDGET", 0),
)
RARELY_SMALL = ((text_cleaning, "_FEW", 4),)  # for it takes milliseconds
CUT_IN_BLOCKS = ("conllu", "vertical", "lines")
# Rejects of sentences and lines that were left out of a document are beside it, not instead of it.
BESIDE = ("conllu", "vertical", "lines")
AT_A_BREAK = ("malformed", "undecodable", "too_large", "control")
# Encodings of host names, whose decoders in Python take each piece for a whole.
BY_PIECE = {("idna",), ("punycode",)}
NOTE = re.compile(
    "encoding (.+?)( by its byte order mark)?|[a-z ]+ dropped|words [a-z ]+ at line ends|U\\+(034F|200B) .*"
)
LEFT_OUT = {
    "symbols of a font left out",
    "pages of e-books beside the order of reading left out",
    "places in the order of reading of e-books that their packages do not list",
    "places in the order of reading of e-books that hold no page left out",
    "chapters of e-books by another media type than XHTML",
    "text of documents of Word left out",
    "sections of open documents in other files left out",
    "printed page numbers left out",
    "ruby readings left out",
    "annotations of formulas left out",
    "formulas in TeX left out",
    "template code left out",
}
OF_VERTICAL = re.compile(
    "lemmas of which the first of several was taken|tags of an unknown set.*|tags that .* not have"
)
COUNTER = re.compile(r"(?<!\\)((?:\\\\)*)\\~\d+$")
# Of those that texts are made of, words that stand in no detail by themselves.
OF_TEXTS = ("dogs", "bark", "zoë", "schiff", "fahrt", "l’eau", "中文", "ελλάδα", "мир", "שלום", "नमस्ते")
NO_TEXT = re.compile("[\x00\ud800-\udfff]")


class Wrong(AssertionError):
    """Something does not hold that must."""


class _TooSlow(BaseException):
    """Raised within readers, which take any `Exception` for a bad record."""


class Counted(NamedTuple):
    """Records of an input, documents and rejects among them, and whether they could be counted."""

    records: int
    documents: int
    rejects: int
    known: bool


class Entry(NamedTuple):
    """A record or reject as plain values, which can be compared."""

    source: str
    position: str
    reason: str
    block: int
    text: str | None
    fields: dict[str, str]
    sentences: Any


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Stop, with `Wrong`, what takes `SECONDS` of processor time without `rest` being called."""

    def stop(number: int, frame: Any) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def limited(limits: Any) -> Iterator[None]:
    """Give inner limits other values for a while."""
    before = [getattr(module, name) for module, name, _ in limits]
    for module, name, value in limits:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(limits, before, strict=True):
            setattr(module, name, value)


def check(made: Input, rng: random.Random, tables: "Tables") -> Counted:
    """Read an input and check what comes of it.

    Raises:
        Wrong: something does not hold.
    """
    told: set[str] = set()
    notes: Counter[str] = Counter()
    found = _read(made, io.BytesIO, told, notes)
    _check_notes(made, notes)
    counted = _counted(made, found, told)
    _check_entries(made, found, told)
    size = max(rng.choice((1, 2, 3, 7, 64)), len(made.data) // 40)
    seekable = b"PK" in made.data[:2] or made.format == "parquet" or rng.random() < 0.2
    small = rng.random() < 0.5
    limits = SMALL * small + RARELY_SMALL * (rng.random() < 0.02)
    with limited(limits):
        noted: Counter[str] = Counter()
        again = _read(made, lambda data: Trickle(data, size, seekable), set(), noted)
    if found == again and notes != noted and not small:
        raise Wrong(f"in pieces other things are noted: {notes} and {noted}")
    if found != again:
        _check_same(made, found, again, told if small else set())
    for entry in found:
        tables.add(entry)
    return counted


def _read(made: Input, stream: Any, told: set[str], notes: Counter[str]) -> list[Entry]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    start = time.process_time()
    try:
        options = ReaderOptions(**made.options)
        read = read_file(
            "/there/" + made.name,
            made.name,
            format=made.asked,
            options=options,
            open=lambda: stream(made.data),
            on_format=lambda _, format: told.add(format),
            notes=notes,
        )
        found = [_plain(name, entry) for name, entry in read]
    except LexbeamError:
        raise
    except Exception as error:
        raise Wrong(f"raised {type(error).__name__}: {error}") from error
    except _TooSlow:
        raise Wrong(f"took more than {SECONDS} s of processor time") from None
    if (spent := time.process_time() - start) > SECONDS:
        raise Wrong(f"took {spent:.1f} s of processor time")
    return found


def _plain(name: str, entry: Record | Reject) -> Entry:
    if isinstance(entry, Reject):
        detail = {"detail": entry.detail} if entry.detail else {}
        return Entry(name, entry.position, entry.reason, 0, None, detail, None)
    fields = dict(entry.fields.items())
    return Entry(name, entry.position, "", entry.block, entry.text, fields, entry.sentences)


def _counted(made: Input, found: list[Entry], told: set[str]) -> Counted:
    rejects = sum(bool(entry.reason) for entry in found)
    documents = sum(not entry.reason and entry.block == 0 for entry in found)
    expected = made.expected(told)
    if rejects + documents < 1:
        raise Wrong("neither a document nor a reject")
    if made.cut and not rejects:
        raise Wrong("its end is missing, but nothing was rejected")
    plain = made.members is not None and [member.data for member in made.members] == [made.data]
    broken = plain and told and breaks_off(made.format, made.data, ReaderOptions(**made.options))
    if broken and not any(entry.reason and not entry.position for entry in found):
        raise Wrong("it cannot be decoded to the end, but nothing says so")
    if made.reason and [entry.reason for entry in found] != [made.reason]:
        raise Wrong(f"not one reject for {made.reason}, but {found}")
    if expected is not None and expected != documents + rejects:
        raise Wrong(f"{documents} documents and {rejects} rejects of {expected} records")
    return Counted(documents + rejects, documents, rejects, expected is not None)


def _check_entries(made: Input, found: list[Entry], told: set[str]) -> None:
    beside = not told.isdisjoint(BESIDE)
    seen: set[Any] = set()
    blocks: dict[Any, int] = {}
    for entry in found:
        _check_source(made, entry.source)
        place = (entry.source, entry.position, bool(entry.reason) and beside)
        if not entry.block:
            if place in seen:
                raise Wrong(f"two entries at {entry.position!r} of {entry.source!r}")
            seen.add(place)
            blocks[place] = 0
        elif blocks.get(place, entry.block) >= entry.block:
            raise Wrong(f"block {entry.block} after {blocks.get(place)}")
        blocks[place] = entry.block
        if entry.reason:
            _check_reject(made, entry)
        else:
            _check_record(made, entry, told)


def _check_source(made: Input, source: str) -> None:
    file = file_of(source)
    if _unfit(source) or file != made.name:
        raise Wrong(f"the source {source!r}")
    try:
        unescape(COUNTER.sub(r"\1", source[len(file) + 1 :]))
    except ValueError:
        raise Wrong(f"{source!r} is no published name") from None


def _check_notes(made: Input, notes: Counter[str]) -> None:
    """Refuse notes that the documentation has not, or options did not ask for."""
    options = ReaderOptions(**made.options)
    for note, times in notes.items():
        of_vertical = made.format == "vertical" and OF_VERTICAL.fullmatch(note)
        if (of_vertical or note.partition(", w:")[0] in LEFT_OUT) and times > 0:
            continue
        found = NOTE.fullmatch(note)
        asked = note.startswith("U+0") <= (options.marks == "break")
        asked = asked and note.startswith("control") <= (options.control == "drop")
        if found and found[1]:
            several = len(options.encoding) > 1 and found[1] in options.encoding
            asked = found[1] in ("utf-16", "utf-32") if found[2] else several
        if not found or not asked or times < 1:
            raise Wrong(f"the note {note!r}, {times} times")


def _check_reject(made: Input, entry: Entry) -> None:
    if entry.reason not in REASONS:
        raise Wrong(f"no reason is called {entry.reason!r}")
    if made.text and entry.reason in OF_NO_TEXT and (made.format, entry.reason) != ("html",) * 2:
        raise Wrong(f"a text is taken for {entry.reason}")
    detail = entry.fields.get("detail", "")
    if not detail or _unfit(detail) or "\n" in detail:
        raise Wrong(f"the detail {detail!r}")
    if entry.reason != "missing_field" and (quoted := [word for word in OF_TEXTS if word in detail.casefold()]):
        raise Wrong(f"the detail quotes the text, which may be forgotten: {quoted}")  # but for names of fields


def _check_record(made: Input, entry: Entry, told: set[str]) -> None:
    for name, value in entry.fields.items():
        if not value or _unfit(value) or not unicodedata.is_normalized("NFC", value):
            raise Wrong(f"the field {name!r} is {value!r}")
    if entry.text is not None:
        if _unfit(entry.text) or not unicodedata.is_normalized("NFC", entry.text):
            raise Wrong(f"no clean text: {entry.text!r}")
        if entry.text.strip() != entry.text or not entry.text:
            raise Wrong(f"an empty text, or white space about it: {entry.text!r}")
        _check_bounded(made, entry.text)
        if told not in ({"conllu"}, {"vertical"}) and entry.sentences is None:
            _check_clean(entry.text)
    if entry.sentences is not None:
        _check_sentences(made, entry)
    elif entry.text is None:
        raise Wrong("neither text nor sentences")


def _check_bounded(made: Input, text: str) -> None:
    if longest_run(text) > 30:
        raise Wrong(f"over 30 marks in a row: {text!r}")
    if made.options.get("control") == "drop" and CONTROL.search(text):
        raise Wrong(f"control characters are left: {text!r}")


def _check_clean(text: str) -> None:
    again = text_cleaning.clean_text(text)
    if again != text:
        raise Wrong(f"cleaning {text!r} once more gives {again!r}")


def _check_sentences(made: Input, entry: Entry) -> None:
    if not entry.sentences:
        raise Wrong("no sentence")
    for sentence in entry.sentences:
        columns = [column for column in sentence[:5] if column is not None]
        columns += [layer for layer in sentence.layers if layer is not None]
        tokens = sentence.forms if sentence.forms is not None else sentence.lemmas
        if not tokens or {len(column) for column in columns} != {len(tokens)}:
            raise Wrong(f"columns of different lengths: {sentence}")
        for words in (sentence.forms, sentence.lemmas, sentence.upos):
            for word in words or ():
                if not word or _unfit(word):
                    raise Wrong(f"the word {word!r} in {sentence}")
                _check_bounded(made, word)
        if sentence.starts is None:
            continue
        if entry.text is None:
            raise Wrong("offsets without text")
        for form, start, end in zip(tokens, sentence.starts, sentence.ends, strict=True):
            shown = entry.text[start:end]
            if not 0 <= start < end <= len(entry.text) or (
                shown != form and made.format != "conllu"  # where ranges share their span
            ):
                raise Wrong(f"the form {form!r} is {shown!r} in the text")


def _unfit(text: Any) -> bool:
    return not isinstance(text, str) or NO_TEXT.search(text) is not None


def _check_same(made: Input, found: list[Entry], again: list[Entry], told: set[str]) -> None:
    """Refuse readings that differ; by small limits, given as `told`, some may within bounds."""
    if told and any(entry.reason in AT_A_BREAK and not entry.position for entry in found):
        # How much comes before a break depends on how much is read at once.
        _check_entries(made, again, told)
        return
    if told and made.options.get("encoding") in BY_PIECE:
        return
    if not told.isdisjoint(CUT_IN_BLOCKS):
        _check_entries(made, again, told)
        if _flat(found) == _flat(again):
            return
    both = zip([*found, None], [*again, None], strict=False)
    different = next((one, other) for one, other in both if one != other)
    raise Wrong(f"in pieces{' and small blocks' * bool(told)} it is read differently: {different}")


def _flat(found: list[Entry]) -> Any:
    """Return entries without regard to blocks, and to text, which long documents come without."""
    words: Counter[Any] = Counter()
    for entry in found:
        words[entry.source, entry.position, entry.reason] += 0 if entry.block else 1
        for sentence in entry.sentences or ():
            words[str((sentence.forms, sentence.lemmas, sentence.upos, sentence.layers))] += 1
    return words


class Tables:
    """Texts, fields and annotation of many inputs, put into Parquet and read back at once."""

    MOST = 1000

    def __init__(self) -> None:
        self._texts: list[str | None] = []
        self._sentences: list[Any] = []

    def add(self, entry: Entry) -> None:
        """Take an entry.

        Raises:
            Wrong: this or one of those before it is not what was put in.
        """
        self._texts += (entry.source, entry.position, entry.text, *entry.fields.values())
        self._sentences += entry.sentences or ()
        if len(self._texts) > self.MOST:
            self.flush()

    def flush(self) -> None:
        """Write and read what was taken.

        Raises:
            Wrong: it is not what was put in.
        """
        texts, sentences = self._texts, self._sentences
        self._texts, self._sentences = [], []
        try:
            batch = annotation_batch(sentences)
            for table in (pa.table({"text": texts}), pa.Table.from_batches([batch])):
                out = io.BytesIO()
                pq.write_table(table, out)
                if pq.read_table(io.BytesIO(out.getvalue())) != table:
                    raise Wrong("other values came back from Parquet")
            given = [list(sentence[:5]) for sentence in sentences]
            if [list(row.values()) for row in batch.to_pylist()] != given:
                raise Wrong("other values came back from Arrow")
            if pa.array(texts, pa.string()).to_pylist() != texts:
                raise Wrong("other texts came back from Arrow")
        except (pa.ArrowException, UnicodeError, TypeError) as error:
            raise Wrong(f"cannot be put into a table: {error}") from error
