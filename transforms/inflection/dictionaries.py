"""Form dictionaries as they are: UniMorph's tables, CoNLL-U, the dictionaries of FreeLing and of Morfologik.

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
"""

import io
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.features import feats_of, inflection, of_eagles, of_unimorph

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
