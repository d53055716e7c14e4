"""Layouts of benchmarks: from a row's cells to a target in its sentence and its substitutes.

| layout | cells, with tabs; no header |
|---|---|
| alexsis, tsar | sentence, target, then a substitute for each annotator, repeats and all; rows are ragged |
| benchls | sentence, target, place of its token, then `rank:substitute`; ranks have gaps and ties |

Quotes are plain characters. Cells that are empty are counted, not read. What is wrong with a row but
can be lived with is a flag; a row without a sentence or target is `malformed`.

    >>> row = read_annotated("A b c.\\tb\\tx\\ty\\tX\\t\\tb".split("\\t"))
    >>> for one in graded(row.substitutes, row.target):
    ...     print(*one)
    X 2 1 False
    b 1 None True
    y 1 2 False
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from schemas.simplification.instances import FLAGS
from transforms.formats.records.base import BadRecord

__all__ = [
    "LAYOUTS",
    "BenchmarkInstance",
    "Graded",
    "RawSubstitute",
    "graded",
    "in_flag_order",
    "places_of",
    "read_annotated",
    "read_benchls",
]

_WHOLE = re.compile(r"[0-9]{1,9}")


class RawSubstitute(NamedTuple):
    """A substitute as a row has it: how many gave it, and its rank if the row says one."""

    text: str
    annotators: int
    rank: int | None = None


class BenchmarkInstance(NamedTuple):
    """A row.

    Attributes:
        sentence: the sentence.
        target: the target as the row has it.
        places: where it stands: start and end (exclusive), in code points of the sentence.
        substitutes: what people gave.
        flags: what is odd, of `schemas.simplification.instances.FLAGS`.
        source_id: the row's own id.
        complexity: how complex it is, 0 to 1.
        language: where the row, or the file's name, says it.
    """

    sentence: str
    target: str
    places: tuple[tuple[int, int], ...]
    substitutes: tuple[RawSubstitute, ...] = ()
    flags: tuple[str, ...] = ()
    source_id: str | None = None
    complexity: float | None = None
    language: str | None = None


class Graded(NamedTuple):
    """A substitute: as it is written first by code points, its annotators, dense rank among gold.

    The target among its own substitutes has no rank.
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
    sentence, target, found, flags = _begin(cells, 2)
    texts = [cell.strip() for cell in cells[2:]]
    counts = Counter(text for text in texts if text)
    given = tuple(RawSubstitute(text, counts[text]) for text in sorted(counts))
    flags += ["empty_cell"] if "" in texts else []
    return _row(sentence, target, found, given, flags)


def read_benchls(cells: Sequence[str]) -> BenchmarkInstance:
    """Read a row of BenchLS. The place is that of a token between spaces, from 0.

    Raises:
        BadRecord: it has no sentence, no target or no place, or a substitute without a rank.
    """
    sentence, target, found, flags = _begin(cells, 3)
    if not _WHOLE.fullmatch(cells[2].strip()):
        raise BadRecord("malformed", f"the place of the target is {cells[2][:60]!r}")
    given = []
    odd = []
    for cell in cells[3:]:
        rank, colon, text = cell.strip().partition(":")
        if not cell.strip():
            odd.append("empty_cell")
        elif not colon or not _WHOLE.fullmatch(rank) or not text.strip():
            raise BadRecord("malformed", f"a substitute is {cell[:60]!r}, not rank:word")
        else:
            given.append(RawSubstitute(text.strip(), 1, int(rank)))
    start = sum(len(token) + 1 for token in sentence.split(" ")[: int(cells[2])])
    there = sentence[start : start + len(target)]
    if _folded(there) == _folded(target) and not _touched(sentence, start, start + len(target)):
        found = [(start, start + len(target))]
        flags = [] if there == target else ["other_case"]
    else:
        flags.append("wrong_place")
    return _row(sentence, target, found, tuple(given), flags + odd)


def _begin(cells: Sequence[str], least: int) -> tuple[str, str, list[tuple[int, int]], list[str]]:
    if len(cells) < least or not cells[0].strip() or not cells[1].strip():
        raise BadRecord("malformed", f"{len(cells)} cells, or no sentence or target")
    sentence, target = cells[0], cells[1].strip()
    return sentence, target, *places_of(sentence, target)


def places_of(sentence: str, target: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return where a word stands: as a whole, as it is written; else in any case; else in a word.

    Returns:
        The places, start and end in code points, and flags: `other_case`, `within_word`.
    """
    folded = _folded(sentence), _folded(target)
    for text, word, flags in ((sentence, target, []), (*folded, ["other_case"])):
        found = [place for place in _occurrences(text, word) if not _touched(text, *place)]
        if found:
            return found, flags
    found = _occurrences(sentence, target)
    return found, ["within_word"] if found else []


def _occurrences(text: str, word: str) -> list[tuple[int, int]]:
    found, start = [], text.find(word)
    while start >= 0:
        found.append((start, start + len(word)))
        start = text.find(word, start + 1)
    return found


def _touched(text: str, start: int, end: int) -> bool:
    return any(c.isalnum() for c in text[max(start - 1, 0) : start] + text[end : end + 1])


def _folded(text: str) -> str:
    """Return a text in lower case, each character where it was."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _row(
    sentence: str,
    target: str,
    places: Sequence[tuple[int, int]],
    given: tuple[RawSubstitute, ...],
    flags: Iterable[str],
) -> BenchmarkInstance:
    found = set(flags)
    if len(places) > 1:
        found.add("several")
    if any(one.text.casefold() == target.casefold() for one in given):
        found.add("target_in_gold")
    return BenchmarkInstance(sentence, target, tuple(places), given, in_flag_order(found))


def in_flag_order(flags: Iterable[str]) -> tuple[str, ...]:
    """Return flags once each, in the order of `FLAGS`."""
    given = set(flags)
    return tuple(flag for flag in FLAGS if flag in given)


def graded(
    given: Iterable[RawSubstitute], target: str, as_compared: Callable[[str], str] = str.casefold
) -> list[Graded]:
    """Return distinct substitutes, capitals apart, with dense ranks: 1 for the most annotators.

    Where all rows say ranks, those are made dense instead, the least one of a repeated substitute
    counts, and how many annotators gave it is not known. The target has no rank.

    Args:
        given: what people gave.
        target: the word that they gave it for.
        as_compared: makes words equal that are one.
    """
    forms: dict[str, list[RawSubstitute]] = {}
    for one in given:
        forms.setdefault(as_compared(one.text), []).append(one)
    ranked = all(one.rank is not None for many in forms.values() for one in many)
    keys = {
        form: min(one.rank for one in many if one.rank is not None) if ranked else -sum(one.annotators for one in many)
        for form, many in forms.items()
    }
    of_target = as_compared(target)
    levels = sorted({key for form, key in keys.items() if form != of_target})
    found = [
        Graded(
            min(one.text for one in many),
            None if ranked else -keys[form],
            None if form == of_target else levels.index(keys[form]) + 1,
            form == of_target,
        )
        for form, many in forms.items()
    ]
    return sorted(found)


LAYOUTS: dict[str, Callable[[Sequence[str]], BenchmarkInstance]] = {
    "alexsis": read_annotated,
    "tsar": read_annotated,
    "benchls": read_benchls,
}
