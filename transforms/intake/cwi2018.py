"""Words labelled for complexity, and the files of CWI-2018, which two tasks read.

A row of CWI-2018 has id, sentence, start, end, target, native annotators, others, how many of each marked it, a
binary label and a probability. There is no header; files without labels have fewer cells.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.intake.header import About, FileRows, whole_number

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
        token: the target.
        sentence: the sentence; None or blank: there is none.
        kind: single or mwe.
        genre, language, source_id: None if unknown.
        offsets: start and end of the target in the sentence, in code points; None: not given.
        labels: those that it has.
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
        try:
            if isinstance(cells, BadRecord):
                raise cells
            if first and len(cells) < min(_UNLABELLED):
                raise LexbeamError(
                    f"{about.name}: {len(cells)} cells in its first row, and CWI-2018 has "
                    f"{_LABELLED}: another `layout`?"
                )
            first = False
            yield _cwi_entry(line, cells, genre, language)
        except BadRecord as error:
            yield Reject(str(line), error.reason, error.detail)


def _cwi_entry(line: int, cells: list[str], genre: str | None, language: str | None) -> Cwi2018Row:
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
