r"""Layouts of benchmarks: from a row's cells to a target in its sentence and its substitutes; and the ids of instances.

| layout | cells, with tabs; no header |
|---|---|
| alexsis, tsar | sentence, target, then a substitute for each annotator, repeats and all; rows are ragged |
| benchls | sentence, target, place of its token, then `rank:substitute`; ranks have gaps and ties |
| easier | ids of document and target, target, sentence, substitutes with commas; also with semicolons for tabs |

Quotes are plain characters. Empty cells are flagged, not read. Oddities of a row that do no harm are
flags; a row without a sentence or target is `malformed`.

    >>> row = read_annotated("A b c.\tb\tx\ty\tX\t\tb".split("\t"))
    >>> for substitute in graded(row.substitutes, row.target):
    ...     print(*substitute)
    X 2 1 False
    b 1 None True
    y 1 2 False

The id is a hash of content. It begins with the hash of the sentence and continues with that of the
target, so that the targets of a sentence stand together in the table, and a pair of sentence and
target can be found by the first 20 digits.

    >>> instance_id("A cat sat.", "cat", 2)[:20] == pair_key("A  cat sat. ", "cat")
    True
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.schemas.simplification import FLAGS
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.intake.labelled_targets import occurrences_of
from lexbeam.transforms.intake.row_files import in_order

_WHOLE = re.compile(r"[0-9]{1,9}")


class RawSubstitute(NamedTuple):
    """A substitute as a row has it: how many people gave it, and its rank if the row has one."""

    text: str
    annotators: int
    rank: int | None = None


class BenchmarkInstance(NamedTuple):
    """A row: a target in its sentence.

    Attributes:
        target: the target as the row has it.
        places: where it stands: start and end (exclusive), in code points of the sentence.
        substitutes: what people gave.
        flags: what is odd, from `lexbeam.schemas.simplification.FLAGS`.
        source_id: the row's own id.
        complexity: how complex it is, 0 to 1.
        language: None: neither the row nor the file's name says it.
        chosen_by: why it is an instance, from `lexbeam.schemas.simplification.CHOSEN_BY`.
        chosen_value: the value that decided it; None: none did.
    """

    sentence: str
    target: str
    places: tuple[tuple[int, int], ...]
    substitutes: tuple[RawSubstitute, ...] = ()
    flags: tuple[str, ...] = ()
    source_id: str | None = None
    complexity: float | None = None
    language: str | None = None
    chosen_by: str = "marked"
    chosen_value: float | None = None


class Graded(NamedTuple):
    """A substitute: its first spelling by code points, its annotators, and its dense rank in gold.

    The target, where it is among its own substitutes, has no rank.
    """

    substitute: str
    annotators: int | None
    gold_rank: int | None
    is_target: bool


def read_annotated(cells: Sequence[str]) -> BenchmarkInstance:
    """Read a row of ALEXSIS or TSAR-2022.

    Raises:
        BadRecord: it has no sentence or no target.
    """
    sentence, target, places, flags = _begin(cells, 2)
    texts = [cell.strip() for cell in cells[2:]]
    counts = Counter(text for text in texts if text)
    substitutes = tuple(RawSubstitute(text, counts[text]) for text in sorted(counts))
    flags += ["empty_cell"] if "" in texts else []
    return _row(sentence, target, places, substitutes, flags)


def read_benchls(cells: Sequence[str]) -> BenchmarkInstance:
    """Read a row of BenchLS. The place counts tokens between spaces, from 0.

    Raises:
        BadRecord: it has no sentence, no target or no place, or a substitute without a rank.
    """
    sentence, target, places, flags = _begin(cells, 3)
    if not _WHOLE.fullmatch(cells[2].strip()):
        raise BadRecord("malformed", f"the place of the target is {cells[2][:60]!r}")
    substitutes = []
    odd = []
    for cell in cells[3:]:
        rank, colon, text = cell.strip().partition(":")
        if not cell.strip():
            odd.append("empty_cell")
        elif not colon or not _WHOLE.fullmatch(rank) or not text.strip():
            raise BadRecord("malformed", f"a substitute is {cell[:60]!r}, not rank:word")
        else:
            substitutes.append(RawSubstitute(text.strip(), 1, int(rank)))
    start = sum(len(token) + 1 for token in sentence.split(" ")[: int(cells[2])])
    standing = sentence[start : start + len(target)]
    if _folded(standing) == _folded(target) and not _touched(sentence, start, start + len(target)):
        places = [(start, start + len(target))]
        flags = [] if straight(standing) == straight(target) else ["other_case"]
    else:
        flags.append("wrong_place")
    return _row(sentence, target, places, tuple(substitutes), flags + odd)


_EASIER = 5  # cells


def easier_cells(cells: Sequence[str]) -> list[str]:
    """Return the five cells of a row of EASIER, where semicolons may stand for tabs, and in the sentence.

    >>> easier_cells(['1;7;cesar;"Cesó; \"\"dijo\"\".";parar, acabar'])
    ['1', '7', 'cesar', 'Cesó; "dijo".', 'parar, acabar']

    Raises:
        BadRecord: it has another number.
    """
    if len(cells) == 1:
        first = cells[0].split(";", 3)
        cells = [*first[:3], *first[3].rsplit(";", 1)] if len(first) > 3 else first
    cells = [cell.strip() for cell in cells]
    if len(cells) != _EASIER:
        raise BadRecord("malformed", f"{len(cells)} cells, not {_EASIER}")
    return [cell[1:-1].replace('""', '"') if re.fullmatch(r'".*"', cell, re.DOTALL) else cell for cell in cells]


def read_easier(cells: Sequence[str]) -> BenchmarkInstance:
    """Read a row of the substitutes of EASIER. One annotator gave them, each once.

    Raises:
        BadRecord: it has another number of cells, no sentence or no target.
    """
    document, number, word, text, given = easier_cells(cells)
    sentence, target, places, flags = _begin([text, word], 2)
    substitutes = tuple(RawSubstitute(word, 1) for word in sorted({word.strip() for word in given.split(",")} - {""}))
    row = _row(sentence, target, places, substitutes, [*flags, *([] if substitutes else ["empty_cell"])])
    return row._replace(source_id=f"{document} {number}")


def with_substitutes(row: BenchmarkInstance, substitutes: tuple[RawSubstitute, ...]) -> BenchmarkInstance:
    """Return a row with other substitutes, and the flags that they bring."""
    return _row(row.sentence, row.target, row.places, substitutes, row.flags)._replace(
        source_id=row.source_id, complexity=row.complexity, language=row.language
    )


def _begin(cells: Sequence[str], least: int) -> tuple[str, str, list[tuple[int, int]], list[str]]:
    if len(cells) < least or not cells[0].strip() or not cells[1].strip():
        raise BadRecord("malformed", f"{len(cells)} cells, or no sentence or target")
    sentence, target = cells[0], cells[1].strip()
    return sentence, target, *places_of(sentence, target)


def places_of(sentence: str, target: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return where a word stands: as a whole word as written; with other apostrophes; in other case; else within one.

    Returns:
        The places, start and end in code points, and flags: `other_case`, `within_word`.
    """
    plain = straight(sentence), straight(target)
    folded = _folded(sentence), _folded(target)
    for text, word, flags in ((sentence, target, []), (*plain, []), (*folded, ["other_case"])):
        places = [place for place in _occurrences(text, word) if not _touched(text, *place)]
        if places:
            return places, flags
    places = _occurrences(*plain)
    return places, ["within_word"] if places else []


def _occurrences(text: str, word: str) -> list[tuple[int, int]]:
    return [(place, place + len(word)) for place in occurrences_of(word, text)]


def _touched(text: str, start: int, end: int) -> bool:
    return any(c.isalnum() for c in text[max(start - 1, 0) : start] + text[end : end + 1])


def _folded(text: str) -> str:
    """Return a text in lower case, with straight apostrophes, and every character in its place."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in straight(text))


def _compared(text: str) -> str:
    return straight(text.casefold())


def _row(
    sentence: str,
    target: str,
    places: Sequence[tuple[int, int]],
    substitutes: tuple[RawSubstitute, ...],
    flags: Iterable[str],
) -> BenchmarkInstance:
    all_flags = set(flags)
    if len(places) > 1:
        all_flags.add("several")
    if any(_compared(substitute.text) == _compared(target) for substitute in substitutes):
        all_flags.add("target_in_gold")
    return BenchmarkInstance(sentence, target, tuple(places), substitutes, tuple(in_order(all_flags, FLAGS)))


def graded(
    substitutes: Iterable[RawSubstitute], target: str, as_compared: Callable[[str], str] = _compared
) -> list[Graded]:
    """Return distinct substitutes, whatever their capitals and apostrophes, with dense ranks: 1 for most annotators.

    Where all rows have ranks, these are made dense instead; the best rank of a repeated substitute
    counts, and the number of its annotators is not known. The target has no rank.

    Args:
        substitutes: as people gave them.
        target: the word that they are for.
        as_compared: makes words equal that count as one.
    """
    forms: dict[str, list[RawSubstitute]] = {}
    for substitute in substitutes:
        forms.setdefault(as_compared(substitute.text), []).append(substitute)
    ranked = all(substitute.rank is not None for many in forms.values() for substitute in many)
    keys = {
        form: min(substitute.rank for substitute in many if substitute.rank is not None)
        if ranked
        else -sum(substitute.annotators for substitute in many)
        for form, many in forms.items()
    }
    of_target = as_compared(target)
    levels = sorted({key for form, key in keys.items() if form != of_target})
    grades = [
        Graded(
            min(substitute.text for substitute in many),
            None if ranked else -keys[form],
            None if form == of_target else levels.index(keys[form]) + 1,
            form == of_target,
        )
        for form, many in forms.items()
    ]
    return sorted(grades)


@dataclass(frozen=True)
class BenchmarkLayout(Entry):
    """A layout of a benchmark: what reads a row from its cells."""

    read: Callable[[Sequence[str]], BenchmarkInstance]


LAYOUTS: Registry[BenchmarkLayout] = Registry(
    {
        "alexsis": BenchmarkLayout(read_annotated, doc="sentence, target, a substitute for each of 25 annotators"),
        "tsar": BenchmarkLayout(read_annotated, doc="TSAR-2022: sentence, target, a substitute for each annotator"),
        "benchls": BenchmarkLayout(read_benchls, doc="BenchLS: sentence, target, its place, rank:substitute"),
        "easier": BenchmarkLayout(read_easier, doc="EASIER: ids of document and target, target, sentence, substitutes"),
    },
    what="layout of benchmarks",
)


LONGEST_TARGET = 1000  # code points: no word and no phrase is longer
OCCURRENCES = ("first", "all", "reject")
_SENTENCE, _TARGET, _REST = 12, 8, 12
PAIR_DIGITS = _SENTENCE + _TARGET


def pair_key(sentence: str, target: str) -> str:
    """Return the first 20 digits of the ids of a target in a sentence; runs of space count as one.

    Args:
        target: the target as it stands there.
    """
    first = digest(["sentence", clean_field(sentence)])[:_SENTENCE]
    return first + digest(["target", clean_field(target)])[:_TARGET]


def instance_id(sentence: str, target: str, start: int) -> str:
    """Return the id of an instance, 32 hexadecimal digits.

    Args:
        sentence: in NFC, stripped.
        target: as it stands there.
        start: where it starts, in code points.
    """
    return pair_key(sentence, target) + digest([sentence, target, start])[:_REST]


def placed(row: BenchmarkInstance, occurrences: str) -> Iterator[tuple[str, str, int, int, tuple[str, ...]]]:
    """Yield the instances of a row: sentence, target as it stands, start, end, flags.

    Args:
        row: its sentence and target cleaned; the sentence may have white space around it.
        occurrences: which of several places count: `first`, `all`, or none of them (`reject`).

    Raises:
        BadRecord: `not_in_sentence`, `several`, `too_large`.
    """
    shown = repr(row.target[:60])
    if len(row.target) > LONGEST_TARGET:
        raise BadRecord("too_large", f"a target of {len(row.target)} characters")
    if not row.places:
        raise BadRecord("not_in_sentence", f"{shown} does not stand in the sentence")
    if len(row.places) > 1 and occurrences == "reject":
        raise BadRecord("several", f"{shown} stands there {len(row.places)} times")
    sentence = row.sentence.strip()
    before = len(row.sentence) - len(row.sentence.lstrip())
    for start, end in row.places if occurrences == "all" else row.places[:1]:
        begin, after = start - before, end - before
        yield sentence, sentence[begin:after], begin, after, tuple(in_order(row.flags, FLAGS))
