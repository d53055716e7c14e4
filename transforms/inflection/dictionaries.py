"""Form dictionaries as they are: UniMorph's tables, CoNLL-U, FreeLing's dictionaries.

| format | a line |
|---|---|
| `unimorph` | lemma, form, tag, with tabs: `cantar⇥canto⇥V;IND;PRS;1;SG` |
| `conllu` | ten columns of a treebank's token |
| `freeling` | form, then lemmas and tags, with spaces: `canto cantar VMIP1S0 canto NCMS000` |

A format is told from the first lines. Words are read in lower case, in NFC; what has a digit or no
letter does not inflect and is left out, as are words of several tokens, and rows of treebanks that
are marked as a typo or foreign.
"""

import io
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from transforms.common.errors import LexbeamError, UsageError
from transforms.inflection.features import feats_of, inflection, of_eagles, of_unimorph

__all__ = ["FORMATS", "FormEntry", "ReadDictionary", "detect", "read_forms"]

_HEAD = 200  # lines that tell the format


class FormEntry(NamedTuple):
    """A form in a dictionary; its inflection is a part of speech with features."""

    lemma: str
    inflection: str
    form: str


class ReadDictionary(NamedTuple):
    """What a file gave: entries, how often they stand there, and what was left out, by reason."""

    entries: Counter[FormEntry]
    skipped: Counter[str]
    format: str


_Line = Iterator[tuple[str, str, str] | str]


def _unimorph(line: str) -> _Line:
    cells = line.split("\t")
    if len(cells) < 3:
        yield "malformed"
        return
    found = of_unimorph(cells[2].strip())
    yield (cells[0], cells[1], inflection(*found)) if found else "tag"


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
            yield cells[2], cells[1], inflection(cells[3], feats)


def _freeling(line: str) -> _Line:
    cells = line.split()
    if len(cells) < 3 or len(cells) % 2 == 0:
        yield "malformed"
        return
    for lemma, tag in zip(cells[1::2], cells[2::2], strict=True):
        found = of_eagles(tag)
        yield (lemma, cells[0], inflection(*found)) if found else "tag"


FORMATS: dict[str, Callable[[str], _Line]] = {"unimorph": _unimorph, "conllu": _conllu, "freeling": _freeling}


def detect(lines: Iterable[str]) -> str | None:
    """Return the format of the first lines of a file; None if it is none of ours.

    It is that by which the most lines are read, if it is half of them.
    """
    head = [line for line in lines if line.strip() and not line.startswith("#")][:_HEAD]
    sound = {
        name: sum(any(isinstance(one, tuple) for one in read(line)) for line in head) for name, read in FORMATS.items()
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
        shown: what messages call the file.
        format: an entry of `FORMATS`; None: it is told from the first lines.

    Raises:
        UsageError: the format cannot be told.
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
                f"{shown} is no form dictionary that can be told: name its `format`, one of " + ", ".join(FORMATS)
            )
        read = FORMATS[format]
        for line in _chained(head, text):
            if not line.strip():
                continue
            for found in read(line):
                if isinstance(found, str):
                    skipped[found] += 1
                elif (entry := _entry(*found)) is None:
                    skipped["not_a_word"] += 1
                else:
                    entries[entry] += 1
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
    words = [unicodedata.normalize("NFC", one.strip()).lower() for one in (lemma, form)]
    if not all(word and all(c.isalpha() or c in "-'’" for c in word) for word in words):
        return None
    return FormEntry(words[0], name, words[1])
