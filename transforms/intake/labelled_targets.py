"""Targets that people label: words of CWI-2018, whose files two tasks read, and their places in sentences.

A row of CWI-2018 has id, sentence, start, end, target, native annotators, others, how many of each marked it, a
binary label and a probability. There is no header; files without labels have fewer cells.

>>> locate("A cat sat on the catalogue.", "cat")
Located(start=2, end=5, flags=())
>>> locate("The catalogue of cats.", "cat").flags
('within_word', 'several')
"""

import math
import unicodedata
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.formats.records.base import BadRecord, Reject, made_of
from lexbeam.transforms.formats.records.text_cleaning import clean_value
from lexbeam.transforms.intake.row_files import About, FileRows, in_order, whole_number

# Words of the names of CWI-2018's files that say a language.
_LANGUAGES = {"english": "en", "german": "de", "spanish": "es", "french": "fr"}
_GENRES = ("news", "wikinews", "wikipedia")  # in English
_LABELLED = 11
_UNLABELLED = (5, 7)  # without and with the numbers of annotators
CELLS = (_LABELLED, *_UNLABELLED)


class FileLabel(NamedTuple):
    """A label in a file: a row of `complexity/labels` without its instance."""

    group: str
    complexity: float
    annotations: int | None
    spread: float | None


class Cwi2018Row(NamedTuple):
    """An instance as a file has it, its texts not cleaned yet.

    Attributes:
        line: number of its row.
        sentence: the sentence; None or blank: there is none.
        kind: single or mwe.
        genre, language, source_id: None if unknown.
        offsets: start and end of the target in the sentence, in code points; None: not given.
    """

    line: int
    token: str
    sentence: str | None
    kind: str
    genre: str | None
    language: str | None
    source_id: str | None
    offsets: tuple[int, int] | None
    labels: tuple[FileLabel, ...]


def kind_of(token: str) -> str:
    """Return `mwe` for a target that holds white space, `single` for any other."""
    return "mwe" if len(token.split()) > 1 else "single"


_LIKERT = "; scale ratings: (rating - 1) / 4 of ratings 1 to 5, (rating - 1) / 6 of 1 to 7"


def labels_of(cell: str, annotations: str) -> tuple[FileLabel, ...]:
    """Return the label of a complexity and its number of annotations; none if the complexity is empty.

    Raises:
        BadRecord: `malformed`.
    """
    if not cell.strip():
        return ()
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        likert = _LIKERT if 1 < value <= 7 else ""
        raise BadRecord("malformed", f"complexity is {cell.strip()[:40]!r}, not a number 0 to 1{likert}")
    number = whole_number(annotations, "annotations") if annotations.strip() else None
    return (FileLabel("", value, number, None),)


def read_cwi2018(rows: FileRows, about: About) -> Iterator[Cwi2018Row | Reject]:
    """Read CWI-2018. Complexity is the share of annotators who marked the target.

    Each group, `native` and `other`, that has annotators also gets a label. Genre (news, wikinews,
    wikipedia) and language come from the file's name, unless `about` has them.

    Raises:
        LexbeamError: the first row does not have this layout.
    """
    words = about.words()
    language = about.language or next((_LANGUAGES[w] for w in words if w in _LANGUAGES), None)
    if language is None and any(word in _GENRES for word in words):
        language = "en"
    genre = about.genre or next((word for word in words if word in _GENRES), None)
    first = True
    for line, cells in rows:
        if first and not isinstance(cells, BadRecord):
            if len(cells) < min(_UNLABELLED):
                raise LexbeamError(
                    f"{about.name}: {len(cells)} cells in its first row, and CWI-2018 has "
                    f"{_LABELLED}: another `layout`?"
                )
            first = False
        yield made_of(line, cells, partial(_cwi_entry, line, genre, language))


def _cwi_entry(line: int, genre: str | None, language: str | None, cells: list[str]) -> Cwi2018Row:
    if len(cells) not in CELLS:
        raise BadRecord("malformed", f"{len(cells)} cells, and CWI-2018 has {_LABELLED}")
    start, end = (whole_number(cells[at], name) for at, name in ((2, "start"), (3, "end")))
    labels: list[FileLabel] = []
    if len(cells) == _LABELLED and cells[10].strip():
        native, other, marked, other_marked = (whole_number(cells[at], "a count") for at in range(5, 9))
        label = labels_of(cells[10], "")[0]
        labels.append(_counted("", label.complexity, marked + other_marked, native + other))
        for group, hits, number in (("native", marked, native), ("other", other_marked, other)):
            if number:
                labels.append(_counted(group, hits / number, hits, number))
    return Cwi2018Row(
        line,
        cells[4],
        cells[1],
        kind_of(cells[4]),
        genre,
        language,
        cells[0].strip() or None,
        (start, end),
        tuple(labels),
    )


def _counted(group: str, complexity: float, marked: int, number: int) -> FileLabel:
    """Return a label whose judgments are all 0 or 1, with their sample standard deviation."""
    if marked > number:
        raise BadRecord("malformed", f"{marked} of {number} annotators marked it")
    spread = None
    if number > 1:
        spread = math.sqrt(marked * (number - marked) / (number * (number - 1)))
    return FileLabel(group, complexity, number, spread)


_FLAGS = ("not_in_sentence", "within_word", "several", "wrong_offsets")


class Located(NamedTuple):
    """The place of a target.

    Attributes:
        start: its first code point in the sentence; None if it does not occur.
        end: the code point after its last one.
        flags: of `not_in_sentence`, `within_word`, `several`, `wrong_offsets`, in this order.
    """

    start: int | None
    end: int | None
    flags: tuple[str, ...]


def locate(sentence: str, token: str, near: int | None = None, *, sure: bool = False) -> Located:
    """Find a target in its sentence; case counts, the kind of apostrophe does not.

    Whole words come first: where a letter, digit or mark touches the target, it is part of a longer
    word. Of several places the first one counts, of those first that have the apostrophes of the target.

    Args:
        sentence: in NFC.
        token: the target, not empty, in NFC.
        near: where it starts according to a file; of several places the nearest one counts, and
            `wrong_offsets` is flagged.
        sure: whether that place is right, apart from changes by cleaning; nothing is flagged then.
    """
    if near is not None or token not in sentence:
        sentence, token = straight(sentence), straight(token)  # of the same length
    whole: list[int] = []
    within: list[int] = []
    for place in occurrences_of(token, sentence):
        # Of each kind two are kept: the nearest, and another one as proof that there are several.
        _keep(within if _touched(sentence, token, place) else whole, place, near)
    if sure and near is not None:
        best = min([*whole[:1], *within[:1]], key=lambda place: abs(place - near), default=None)
        if best is not None:
            return Located(best, best + len(token), ())
    flags = ["wrong_offsets"] if near is not None else []
    places = whole or within
    if not places:
        return Located(None, None, tuple(in_order(["not_in_sentence", *flags], _FLAGS)))
    if not whole:
        flags.append("within_word")
    if near is None and len(places) > 1:
        flags.append("several")
    return Located(places[0], places[0] + len(token), tuple(in_order(flags, _FLAGS)))


def locate_at_offsets(raw: str, sentence: str, token: str, offsets: tuple[int, int] | None) -> Located:
    """Find a target at the offsets that a file gives; see `locate`.

    Args:
        raw: the sentence as the file has it, in which the offsets are counted.
        sentence: the same after `clean_value`, stripped.
        token: the target, cleaned in the same way.
        offsets: start and end; None if the file has none.
    """
    if offsets is None:
        return locate(sentence, token)
    start, end = offsets
    # Where it starts in the clean text, which has lost some characters.
    near = len(clean_value(raw[:start]).lstrip())
    sure = start < end and straight(clean_value(raw[start:end]).strip()) == straight(token)
    return locate(sentence, token, near, sure=sure)


def occurrences_of(word: str, text: str) -> Iterator[int]:
    """Yield where a word begins in a text, also within itself."""
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _keep(nearest: list[int], place: int, near: int | None) -> None:
    if not nearest:
        nearest.append(place)
    elif near is not None and abs(place - near) < abs(nearest[0] - near):
        nearest[:] = [place, nearest[0]]
    elif len(nearest) == 1:
        nearest.append(place)


def _touched(sentence: str, token: str, place: int) -> bool:
    end = place + len(token)
    before = place > 0 and _of_word(sentence[place - 1]) and _of_word(token[0])
    after = end < len(sentence) and _of_word(sentence[end]) and _of_word(token[-1])
    return before or after


def _of_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"
