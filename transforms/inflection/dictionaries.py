"""Form dictionaries, read from files of five formats, and as arrays.

| format | a line |
|---|---|
| `unimorph` | lemma, form, tag, with tabs: `cantar⇥canto⇥V;IND;PRS;1;SG` |
| `conllu` | ten columns of a treebank's token |
| `freeling` | form, then lemmas and tags, with spaces: `canto cantar VMIP1S0 canto NCMS000` |
| `morfologik-frequency` | what Morfologik's `dict_decompile` writes: lemma, form, tag, frequency: `así_así_RGQ` |
| `morfologik` | the same of a dictionary without frequencies: `assim_assim_RG` |

A frequency is a letter behind the tag, A for the rarest forms; each counts twice as often as the letter before it.
The format is recognised by the first lines. Words are read in lower case, in NFC; those with a digit
or without a letter do not inflect and are left out, as are words of several tokens, and rows of
treebanks that are marked as a typo or foreign.

As arrays, a dictionary has words in the order of their bytes, rows by lemma and by form:

>>> from collections import Counter
>>> from lexbeam.transforms.inflection.dictionaries import FormEntry
>>> arrays = forms_as_arrays(Counter([FormEntry("voz", "NOUN Number=Plur", "voces")]))
>>> FormTable(arrays).of_form("voces")
[FormRow(lemma='voz', inflection='NOUN Number=Plur', form='voces', times=1)]
"""

import io
import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.features import feats_of, inflection, of_eagles, of_unimorph
from lexbeam.transforms.inflection.paradigms import Edit, Rule
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.model import Refused

_HEAD = 200  # lines by which a format is recognised


class FormEntry(NamedTuple):
    """A form in a dictionary; its inflection is a part of speech with features."""

    lemma: str
    inflection: str
    form: str


class ReadDictionary(NamedTuple):
    """What a file gave: entries with their counts, what was left out by reason, and the format."""

    entries: Counter[FormEntry]
    skipped: Counter[str]
    format: str


class _Reading(NamedTuple):
    """What a line says of a form, and how often it occurs."""

    lemma: str
    form: str
    inflection: str
    times: int = 1


_Line = Iterator[_Reading | str]
# Characters of a tag of EAGLES by its first, where one that is longer by a letter has a frequency.
_EAGLES_LENGTHS = {"A": 6, "C": 2, "D": 6, "F": 2, "I": 1, "M": 2, "N": 7, "P": 8, "R": 2, "S": 5, "V": 7}


def _unimorph(line: str) -> _Line:
    cells = line.split("\t")
    if len(cells) < 3:
        yield "malformed"
        return
    analysis = of_unimorph(cells[2].strip())
    yield _Reading(cells[0], cells[1], inflection(*analysis)) if analysis else "tag"


def _conllu(line: str) -> _Line:
    cells = line.split("\t")
    if line.startswith("#"):
        return
    if len(cells) != 10:
        yield "malformed"
    elif cells[0].isdecimal():
        feats = feats_of(cells[5])
        if "Typo" in feats or "Foreign" in feats:
            yield "typo_or_foreign"
        elif "_" in (cells[2], cells[3]):
            yield "tag"
        else:
            yield _Reading(cells[2], cells[1], inflection(cells[3], feats))


def _freeling(line: str) -> _Line:
    cells = line.split()
    if len(cells) < 3 or len(cells) % 2 == 0:
        yield "malformed"
        return
    for lemma, tag in zip(cells[1::2], cells[2::2], strict=True):
        analysis = of_eagles(tag)
        yield _Reading(lemma, cells[0], inflection(*analysis)) if analysis else "tag"


def _morfologik(line: str) -> _Line:
    cells = line.split("_")
    if len(cells) != 3:
        yield "malformed"
        return
    analysis = of_eagles(cells[2])
    yield _Reading(cells[0], cells[1], inflection(*analysis)) if analysis else "tag"


def _morfologik_frequency(line: str) -> _Line:
    unmarked, mark = line[:-1], line[-1:]
    tag = unmarked.rpartition("_")[2]
    if not "A" <= mark <= "Z" or (":" not in tag and len(tag) != _EAGLES_LENGTHS.get(tag[:1])):
        yield "malformed"
        return
    for reading in _morfologik(unmarked):
        yield reading if isinstance(reading, str) else reading._replace(times=1 << (ord(mark) - ord("A")))


@dataclass(frozen=True)
class DictionaryFormat(Entry):
    """A format of form dictionaries: what reads a line, as forms or as reasons why it has none."""

    read: Callable[[str], _Line]


FORMATS: Registry[DictionaryFormat] = Registry(
    {
        "unimorph": DictionaryFormat(_unimorph, doc="UniMorph: lemma, form and tag, with tabs"),
        "conllu": DictionaryFormat(_conllu, doc="CoNLL-U: the ten columns of a treebank"),
        "freeling": DictionaryFormat(_freeling, doc="FreeLing: form, then lemmas and tags, with spaces"),
        # Before the other, which reads its lines, too: of equals `detect` takes the first.
        "morfologik-frequency": DictionaryFormat(
            _morfologik_frequency, doc="Morfologik, decompiled: lemma_form_tag and a letter for the frequency"
        ),
        "morfologik": DictionaryFormat(_morfologik, doc="Morfologik, decompiled: lemma_form_tag"),
    },
    what="format of form dictionaries",
)


def detect(lines: Iterable[str]) -> str | None:
    """Return the format of the first lines of a file; None if none fits.

    It is the one that can read the most lines, if they are at least half.
    """
    head = [line for line in lines if line.strip() and not line.startswith("#")][:_HEAD]
    sound = {
        name: sum(any(isinstance(reading, _Reading) for reading in format.read(line)) for line in head)
        for name, format in FORMATS.items()
    }
    conllu = sum(line.count("\t") == 9 for line in head)
    if head and 2 * conllu >= len(head):
        return "conllu"
    best = max(FORMATS, key=lambda name: sound[name])
    return best if head and 2 * sound[best] >= len(head) else None


def read_forms(stream: BinaryIO, shown: str, format: str | None = None) -> ReadDictionary:
    """Return the forms of a file.

    Args:
        stream: of its bytes, UTF-8.
        shown: name of the file in messages.
        format: an entry of `FORMATS`; None: it is recognised by the first lines.

    Raises:
        UsageError: no format fits.
        LexbeamError: the file is not UTF-8, or holds no form.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline=None)
    entries: Counter[FormEntry] = Counter()
    skipped: Counter[str] = Counter()
    try:
        head = []
        for line in text:
            head.append(line.rstrip("\n"))
            if len(head) >= 4 * _HEAD:
                break
        format = format or detect(head)
        if format is None:
            raise UsageError(
                f"{shown} is no form dictionary of a known format: name its `format`, one of " + ", ".join(FORMATS)
            )
        read = FORMATS[format].read
        for line in _chained(head, text):
            if not line.strip():
                continue
            for reading in read(line):
                if isinstance(reading, str):
                    skipped[reading] += 1
                elif (entry := _entry(reading.lemma, reading.form, reading.inflection)) is None:
                    skipped["not_a_word"] += 1
                else:
                    entries[entry] += reading.times
    except UnicodeDecodeError as error:
        raise LexbeamError(f"{shown} is not UTF-8: convert it (iconv)") from error
    if not entries:
        raise LexbeamError(f"{shown} has no form that can be read as {format}: check its `format`")
    return ReadDictionary(entries, skipped, format)


def _chained(head: Iterable[str], text: Iterable[str]) -> Iterator[str]:
    yield from head
    for line in text:
        yield line.rstrip("\n")


def _entry(lemma: str, form: str, name: str) -> FormEntry | None:
    words = [unicodedata.normalize("NFC", word.strip()).lower() for word in (lemma, form)]
    if not all(word and all(c.isalpha() or c in "-'’" for c in word) for word in words):
        return None
    return FormEntry(words[0], name, words[1])


Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Rules = Mapping[str, Mapping[str, Sequence[Rule]]]


class FormRow(NamedTuple):
    """A form of a lemma, and how often it occurs in the dictionaries."""

    lemma: str
    inflection: str
    form: str
    times: int


class _Words:
    """Words sorted by their UTF-8 bytes, found by binary search, without a Python object for each."""

    def __init__(self, offsets: npt.NDArray[np.int64], text: npt.NDArray[np.uint8]) -> None:
        self._offsets = offsets
        self._text = text.tobytes()

    def __getitem__(self, place: int) -> str:
        return self._bytes(place).decode()

    def _bytes(self, place: int) -> bytes:
        return self._text[self._offsets[place] : self._offsets[place + 1]]

    def find(self, word: str) -> int | None:
        wanted = word.encode()
        low, high = 0, len(self._offsets) - 1
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._offsets) - 1 and self._bytes(low) == wanted else None


def forms_as_arrays(entries: Mapping[FormEntry, int]) -> dict[str, Array]:
    """Return a dictionary as arrays by name, the same whatever the order of its entries."""
    words = sorted({word for entry in entries for word in (entry.lemma, entry.form)}, key=str.encode)
    names = sorted({entry.inflection for entry in entries})
    word_ids = {word: number for number, word in enumerate(words)}
    name_ids = {name: number for number, name in enumerate(names)}
    rows = np.array(
        sorted(
            (word_ids[entry.lemma], name_ids[entry.inflection], word_ids[entry.form], count)
            for entry, count in entries.items()
        ),
        np.int64,
    ).reshape(-1, 4)
    encoded = [word.encode() for word in words]
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in encoded], dtype=np.int64)])
    return {
        "words.offsets": offsets.astype(np.int64),
        "words.text": np.frombuffer(b"".join(encoded), np.uint8),
        "inflections": pack_texts(names),
        "rows.lemma": rows[:, 0].astype(np.int32),
        "rows.inflection": rows[:, 1].astype(np.int32),
        "rows.form": rows[:, 2].astype(np.int32),
        "rows.count": np.minimum(rows[:, 3], np.iinfo(np.int32).max).astype(np.int32),
    }


class FormTable:
    """A dictionary that returns the rows of a lemma or of a form.

    Raises:
        LexbeamError: the arrays are not those of a dictionary.
    """

    def __init__(self, arrays: Arrays) -> None:
        try:
            self._names = unpack_texts(arrays["inflections"])
            self._words = _Words(arrays["words.offsets"], arrays["words.text"])
            self._rows = [arrays[f"rows.{name}"] for name in ("lemma", "inflection", "form", "count")]
            _check(self._rows, arrays, len(self._names))
        except (KeyError, Refused, ValueError) as error:
            raise LexbeamError("the arrays are not of a form dictionary: train the inflector anew") from error
        self._by_form = np.argsort(self._rows[2], kind="stable")
        self._forms = self._rows[2][self._by_form]

    def __len__(self) -> int:
        return len(self._forms)

    def of_lemma(self, lemma: str) -> list[FormRow]:
        """Return the forms of a lemma, in the order of inflections and forms."""
        number = self._words.find(lemma)
        if number is None:
            return []
        low, high = _run(self._rows[0], number)
        return self._taken(np.arange(low, high))

    def of_form(self, form: str) -> list[FormRow]:
        """Return what a form may be, in the order of lemmas and inflections."""
        number = self._words.find(form)
        if number is None:
            return []
        low, high = _run(self._forms, number)
        return self._taken(self._by_form[low:high])

    def _taken(self, places: npt.NDArray[np.int64]) -> list[FormRow]:
        columns = [column[places].tolist() for column in self._rows]
        words = {number: self._words[number] for number in {*columns[0], *columns[2]}}
        return [
            FormRow(words[lemma], self._names[name], words[form], count)
            for lemma, name, form, count in zip(*columns, strict=True)
        ]


def _run(column: Array, number: int) -> tuple[int, int]:
    """Return where a number begins and ends in a sorted column."""
    # With a number of another type the whole column would be converted.
    low, high = np.searchsorted(column, np.array([number, number + 1], column.dtype))
    return int(low), int(high)


def _check(rows: Sequence[Array], arrays: Arrays, names: int) -> None:
    offsets, words = arrays["words.offsets"], len(arrays["words.offsets"]) - 1
    lemma, name, form, count = rows
    sound = (
        len({len(column) for column in rows}) == 1
        and all(column.ndim == 1 and column.dtype.kind == "i" for column in (*rows, offsets))
        and words >= 0
        and offsets[0] == 0
        and offsets[-1] == len(arrays["words.text"])
        and (np.diff(offsets) >= 0).all()
        and (np.diff(lemma) >= 0).all()
        and all(((ids >= 0) & (ids < n)).all() for ids, n in ((lemma, words), (form, words)))
        and ((name >= 0) & (name < names)).all()
        and (count >= 0).all()
    )
    if not sound:
        raise ValueError("rows")
    bytes(arrays["words.text"]).decode()


def pack_plain(value: object) -> npt.NDArray[np.uint8]:
    """Return plain values as an array of bytes: canonical JSON."""
    return np.frombuffer(canonical_json(value), np.uint8)


def unpack_plain(array: Array) -> Any:
    """Return the values that `pack_plain` packed.

    Raises:
        LexbeamError: the array holds something else.
    """
    try:
        return json.loads(np.asarray(array, np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise LexbeamError("an array does not hold rules: train the inflector anew") from error


def rules_plain(rules: Rules) -> dict[str, dict[str, list[list[object]]]]:
    """Return rules as plain values, for JSON."""
    return {
        name: {
            suffix: [[list(rule.edit), rule.times, rule.total] for rule in suffix_rules]
            for suffix, suffix_rules in by_suffix.items()
        }
        for name, by_suffix in rules.items()
    }


def rules_of(plain: Any) -> dict[str, dict[str, tuple[Rule, ...]]]:
    """Return the rules of `rules_plain`.

    Raises:
        LexbeamError: the values are something else.
    """
    try:
        return {
            str(name): {
                str(suffix): tuple(
                    Rule(Edit(*map(str, edit)), int(count), int(total)) for edit, count, total in suffix_rules
                )
                for suffix, suffix_rules in by_suffix.items()
            }
            for name, by_suffix in plain.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise LexbeamError("a model's rules are none: train the inflector anew") from error
