"""Time slices: how periods are written, which slice a year falls into, which are compared, which suit a corpus.

A slice is a span of years, both ends included, either end open. Years before our era are negative;
a year 0, where the dates have one, is a year like any other.

>>> parse_slices("bc=..-1,ad=0..")
(Slice(name='bc', start=None, end=-1), Slice(name='ad', start=0, end=None))
>>> [slice.name for slice in parse_slices("every 20", years=(1805, 1861))]
['1800-1819', '1820-1839', '1840-1859', '1860-1879']
>>> slice_of(1850, parse_slices("1810-1860,1960-2010"))
0

Slices that suit a corpus are two periods with about the same number of tokens. The rule: a cut lies between two
successive years that have documents; what comes before it is one slice, what comes after it the other. Only cuts with
20 documents on each side count, or, if there are none, with 10; with fewer, no score differs reliably from chance, and
nothing is proposed. If a cut in a gap (years without documents, at least a tenth of all years from the first to the
last) leaves 40 % of the tokens or more on each side, the one in the longest gap is taken; among equals, and if there is
none, the one with the most even tokens; then the one in the longer gap, then the earlier one. A slice reaches from its
first year with documents to its last.

>>> found = propose_slices({1810: 30, 1850: 20, 1960: 50}, {1810: 300, 1850: 250, 1960: 500})
>>> found.spec, found.documents, found.tokens
('1810-1850,1960', (50, 50), (550, 500))
>>> propose_slices({1810: 30, 1850: 5}, {1810: 300, 1850: 250}).reason
'no year separates the 35 documents with a date into sides of 10'
"""

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from numbers import Real
from typing import Annotated, NamedTuple, NoReturn

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, UsageError, quoted
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.corpora.annotated_corpora import UNDATED

FORMS = "write FROM-TO, FROM..TO, FROM.. or ..TO, each perhaps as NAME=..., or 'every YEARS'"
MAX_SLICES = 1_000
LONGEST_NAME = 100  # bytes

_EVERY = re.compile(r"every\s+(\d{1,9})")
_YEAR = re.compile(r"\d{1,9}")
_CLOSED = re.compile(r"(\d{1,9})\s*-\s*(\d{1,9})")
_EN_DASH = re.compile(r"(?<=\d)(\s*)\u2013(?=\s*\d)")
_DECADE = re.compile(r"(\d{1,3}0)\s*['’]?(?:s|er)", re.IGNORECASE)
_DOTTED = re.compile(r"([+-]?\d{1,9})?\s*\.\.\s*([+-]?\d{1,9})?")


Pairs = tuple[tuple[int, int], ...]  # of slices by their indices


class Slice(NamedTuple):
    """A span of years, both ends included; None is an open end."""

    name: Annotated[str, Uncounted("the years decide what is in a slice")]
    start: int | None
    end: int | None


def with_hyphens(text: str) -> str:
    """Return slices as typed: an en dash between digits is a hyphen."""
    return _EN_DASH.sub(r"\1-", text)


def spans_text(stated: object) -> object:
    """Return slices that are stated as pairs of years as they are written; a text stays as it is.

    A pair may have a name before it, and may be a range, whose end is not included.

    >>> spans_text([(1800, 1849), ("late", "1950", 1999.0)]), spans_text({"bc": (None, -1), "ad": (0, None)})
    ('1800-1849,late=1950-1999', 'bc=..-1,ad=0..')
    >>> spans_text([range(1800, 1850)])
    '1800-1849'

    Raises:
        UsageError: it is neither.
    """
    stated = stated.tolist() if hasattr(stated, "tolist") else stated  # of NumPy
    if isinstance(stated, str | Real):
        return stated
    if isinstance(stated, Mapping):
        return ",".join(f"{name}={_span_text(span)}" for name, span in stated.items()) or _refuse(stated)
    if not isinstance(stated, list | tuple | range):
        _refuse(stated)
    # A pair of years alone is one slice; two texts are two, and so are a text and a pair.
    are_several = all(isinstance(item, str) for item in stated) or any(
        isinstance(item, list | tuple | range) for item in stated
    )
    is_one = not are_several and _span_or_none(stated) is not None
    return ",".join(map(_span_text, [stated] if is_one else stated)) or _refuse(stated)


def _refuse(stated: object) -> NoReturn:
    shown = " ".join(quoted(stated).split())
    raise UsageError(
        f"`slices`: {shown} is no period: give pairs of years, [(1800, 1849), (1950, 1999)], perhaps by their names, "
        "{'early': (1800, 1849), 'late': (1950, 1999)}"
    )


def _span_text(stated: object) -> str:
    return stated if isinstance(stated, str) else _span_or_none(stated) or _refuse(stated)


def _span_or_none(stated: object) -> str | None:
    """Return a pair of years as it is written, its name before it if it has one; None: it is no pair."""
    if isinstance(stated, range):
        return span_name(stated.start, stated.stop - 1) if len(stated) and stated.step == 1 else None
    if not isinstance(stated, list | tuple) or not stated:
        return None
    name, *years = stated
    if isinstance(name, str) and _whole(name) is None:
        span = _span_or_none(years[0] if len(years) == 1 else years)
        return span and f"{name}={span}"
    wholes = [_whole(year) for year in stated]
    is_pair = len(stated) == 2 and wholes.count(None) == sum(year is None for year in stated)
    return span_name(*wholes) if is_pair else None


def _whole(year: object) -> int | None:
    """Return a year, which may be written as a text or as a float; None: it is none."""
    if isinstance(year, str):
        return int(year) if re.fullmatch(r"\s*[+-]?\d{1,9}\s*", year) else None
    is_whole = isinstance(year, Real) and not isinstance(year, bool) and float(year).is_integer()
    return int(year) if is_whole else None  # type: ignore[call-overload]


def parse_slices(spec: str, *, years: tuple[int, int] | None = None) -> tuple[Slice, ...]:
    """Return the slices that `spec` names, in the order of time.

    Args:
        spec: comma-separated spans (`1810-1860,1960-2010`, `bc=..-1,ad=0..`, `-100..-1,0..200`, a
            single year; an en dash counts as a hyphen), or `every 20`: spans of 20 years from
            multiples of 20, rounded down before year 0 too (-20..-1, 0-19). A span's name is the
            span, unless given.
        years: first and last year of the corpus, which `every` needs. Slices without a document
            are among those returned.

    Raises:
        UsageError: a span cannot be read, ends before it starts or overlaps another, a name is
            used twice, or `every` has no years.
    """
    spec = with_hyphens(spec)
    equal = _EVERY.fullmatch(spec.strip())
    if equal:
        return _equal_spans(int(equal[1]), spec, years)
    slices = [_parse_span(item.strip(), spec) for item in spec.split(",")]
    slices.sort(key=_start)
    for earlier, later in pairwise(slices):
        if earlier.end is None or later.start is None or earlier.end >= later.start:
            raise UsageError(
                f"slices {earlier.name!r} and {later.name!r} of {spec!r} overlap: both ends of a "
                "slice belong to it, so let the next one start a year later"
            )
    names = [slice.name for slice in slices]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"slice name {name!r} is used twice in {spec!r}: give each slice its own name")
    return tuple(slices)


def _start(slice: Slice) -> float:
    return float("-inf") if slice.start is None else slice.start


def _parse_span(item: str, spec: str) -> Slice:
    name, named, span = item.rpartition("=")
    name, span = name.strip(), span.strip()
    if match := _CLOSED.fullmatch(span) or _DOTTED.fullmatch(span):
        start, end = (None if year is None else int(year) for year in match.groups())
    elif _YEAR.fullmatch(span):
        start = end = int(span)
    else:
        raise UsageError(f"{item!r} in slices {spec!r} is not a span of years: {_meant(span)}{FORMS}")
    if start is not None and end is not None and start > end:
        raise UsageError(f"slice {item!r} ends before it starts: write the earlier year first")
    if named and not name:
        raise UsageError(f"slice {item!r} has an empty name: write NAME={span}")
    if any(char in "/\\" for char in name):
        raise UsageError(f"slice {item!r}: a name is part of file names, so it cannot contain a slash")
    if not name.isprintable() or len(name.encode()) > LONGEST_NAME:
        raise UsageError(
            f"slice {item!r}: a name is part of file names, so it has at most {LONGEST_NAME} bytes "
            "and nothing unprintable"
        )
    return Slice(name or span_name(start, end), start, end)


def _meant(span: str) -> str:
    """Return, for a message, the years that are written in another way: a decade, a century, two years."""
    if match := _DECADE.fullmatch(span):
        first = int(match[1])
        decade = f"{first}-{first + 9}"
        return f"{decade} for the decade, {first}-{first + 99} for the century; " if first % 100 == 0 else f"{decade}; "
    years = re.findall(r"\d+", span)
    return f"perhaps {years[0]}-{years[1]}; " if len(years) == 2 else ""


def span_name(start: int | None, end: int | None) -> str:
    """Return a span of years as `parse_slices` reads it, which is the name of an unnamed slice."""
    if start is not None and end is not None and start >= 0:
        return str(start) if start == end else f"{start}-{end}"
    return f"{'' if start is None else start}..{'' if end is None else end}"


def _equal_spans(step: int, spec: str, years: tuple[int, int] | None) -> tuple[Slice, ...]:
    if step < 1:
        raise UsageError(f"slices {spec!r}: the number of years must be at least 1")
    if years is None:
        raise UsageError(f"slices {spec!r} need dated documents, and none has a year: {FORMS}")
    first, last = years[0] // step, years[1] // step
    if last - first >= MAX_SLICES:
        raise UsageError(
            f"slices {spec!r} over the years {years[0]} to {years[1]} would be "
            f"{last - first + 1} slices, more than {MAX_SLICES}: take longer ones"
        )
    starts = [number * step for number in range(first, last + 1)]
    return tuple(Slice(span_name(y, y + step - 1), y, y + step - 1) for y in starts)


def filled_slices(spec: str, years: Collection[int]) -> tuple[Slice, ...]:
    """Return the slices that `spec` names, of `every 20` those with documents.

    Args:
        spec: as for `parse_slices`.
        years: the years that have documents.

    Raises:
        UsageError: as `parse_slices`.
        NoDataError: slices are drawn by the years that there are, and all documents are of one.
        LexbeamError: there are no years, or a slice has no document.
    """
    if not years:
        raise LexbeamError(UNDATED)
    slices = parse_slices(spec, years=(min(years), max(years)))
    filled = {slice_of(year, slices) for year in years}
    if _EVERY.fullmatch(spec.strip()):
        found = tuple(slice for index, slice in enumerate(slices) if index in filled)
        if len(found) < 2:
            raise NoDataError(f"no pair of slices: all documents are of {found[0].name}")
        return found
    for index, slice in enumerate(slices):
        if index not in filled:
            raise LexbeamError(
                f"slice {slice.name!r} has no document: the corpus has the years {min(years)} to {max(years)}"
            )
    return slices


def lacking(years: Collection[int], *, spec: str) -> str | None:
    """Return why years of documents do not suffice for slices and a pair of them; None if they do."""
    try:
        slice_pairs(filled_slices(spec, years))
    except NoDataError:  # nothing is to be compared, which is no error
        return None
    except LexbeamError as error:
        return str(error)
    return None


def slice_of(year: int | None, slices: Sequence[Slice]) -> int | None:
    """Return the index of the slice that `year` falls into; None if there is none."""
    if year is None:
        return None
    for index, (_, start, end) in enumerate(slices):
        if (start is None or start <= year) and (end is None or year <= end):
            return index
    return None


def slice_pairs(slices: Sequence[Slice], pairs: str = "consecutive") -> Pairs:
    """Return the pairs of slices to compare, as indices, the earlier slice first.

    Args:
        slices: slices in the order of time.
        pairs: key of `PAIRINGS`.

    Raises:
        UsageError: fewer than two slices, or no such choice of pairs.
    """
    PAIRINGS.check([pairs], "`pairs`")
    if len(slices) < 2:
        names = ", ".join(slice.name for slice in slices) or "none"
        raise UsageError(f"change needs at least two slices, but there is only: {names}")
    return PAIRINGS[pairs].pairs(len(slices))


def per_slice(values: Sequence[int], slices: Sequence[Slice], option: str = "min_count") -> list[int]:
    """Return one value per slice from one value for all, or one each in the order of time.

    Raises:
        UsageError: a wrong number of values, or a value below 1.
    """
    if len(values) not in (1, len(slices)):
        names = ", ".join(slice.name for slice in slices)
        raise UsageError(
            f"`{option}` has {len(values)} values for {len(slices)} slices ({names}): give one "
            "value, or one per slice in the order of time"
        )
    for value in values:
        if value < 1:
            raise UsageError(f"`{option}` {value}: must be at least 1")
    return list(values) * (len(slices) if len(values) == 1 else 1)


def _consecutive(number: int) -> Pairs:
    return tuple(pairwise(range(number)))


def _first(number: int) -> Pairs:
    return tuple((0, other) for other in range(1, number))


def _all(number: int) -> Pairs:
    return tuple(combinations(range(number), 2))


@dataclass(frozen=True)
class Pairing(Entry):
    """Which slices are compared: `pairs` has them for a number of slices."""

    pairs: Callable[[int], Pairs]


PAIRINGS: Registry[Pairing] = Registry(
    {
        "consecutive": Pairing(_consecutive, doc="each slice with the next"),
        "first": Pairing(_first, doc="the first slice with each of the others"),
        "all": Pairing(_all, doc="every two slices"),
    },
    what="choice of pairs",
)


LEAST = 10  # documents of a slice
ENOUGH = 20
ENOUGH_TOKENS = 250_000  # of a slice, for words of real text that changed altogether (docs/tasks/change/evidence.md)
EVEN = 0.4  # of the tokens
GAP = 0.1  # of the years


class SliceProposal(NamedTuple):
    """Two slices, the earlier one first, or the reason why none are proposed.

    Attributes:
        slices: the slices; empty if none can be proposed.
        documents: documents of each.
        tokens: tokens of each.
        reason: why none can be proposed; empty if some are.
    """

    slices: tuple[Slice, ...] = ()
    documents: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()
    reason: str = ""

    @property
    def spec(self) -> str:
        """The slices as `parse_slices` reads them."""
        return ",".join(slice.name for slice in self.slices)

    @property
    def sizes(self) -> str:
        """How the sizes of the slices compare, for a person."""
        return "about equal size" if min(self.tokens) >= EVEN * sum(self.tokens) else "different size"


class _Cut(NamedTuple):
    """A cut: the years beside it, and documents and tokens on both sides."""

    before: int
    after: int
    documents: tuple[int, int]
    tokens: tuple[int, int]

    @property
    def gap(self) -> int:
        return self.after - self.before - 1

    @property
    def uneven(self) -> int:
        return abs(self.tokens[0] - self.tokens[1])


def propose_slices(documents: Mapping[int, int], tokens: Mapping[int, int]) -> SliceProposal:
    """Return the two slices that the rule above gives.

    Args:
        documents: documents by year.
        tokens: tokens by year, or an estimate of them, such as bytes.
    """
    years = sorted(year for year, number in documents.items() if number)
    cuts = _cuts(years, documents, tokens)
    total = sum(documents[year] for year in years)
    if not years:
        return SliceProposal(reason="no document has a date")
    if total < 2 * LEAST:
        have = "document has" if total == 1 else "documents have"
        return SliceProposal(reason=f"only {total} {have} a date, and each slice needs {LEAST}")
    if not cuts:
        return SliceProposal(reason=f"all {total} documents with a date are of the year {years[0]}")
    usable = next(filter(None, ([cut for cut in cuts if min(cut.documents) >= least] for least in (ENOUGH, LEAST))), [])
    if not usable:
        return SliceProposal(reason=f"no year separates the {total} documents with a date into sides of {LEAST}")
    if not sum(usable[0].tokens):
        return SliceProposal(reason="the documents with a date have no tokens")
    cut = _best(usable, years[-1] - years[0] + 1)
    ends = ((years[0], cut.before), (cut.after, years[-1]))
    slices = tuple(Slice(span_name(*end), *end) for end in ends)
    return SliceProposal(slices, cut.documents, cut.tokens)


def _cuts(years: list[int], documents: Mapping[int, int], tokens: Mapping[int, int]) -> list[_Cut]:
    all_documents = sum(documents[year] for year in years)
    all_tokens = sum(tokens.get(year, 0) for year in years)
    cuts = []
    left_documents = left_tokens = 0
    for before, after in itertools.pairwise(years):
        left_documents += documents[before]
        left_tokens += tokens.get(before, 0)
        cuts.append(
            _Cut(
                before, after, (left_documents, all_documents - left_documents), (left_tokens, all_tokens - left_tokens)
            )
        )
    return cuts


def _best(cuts: list[_Cut], years: int) -> _Cut:
    even = [cut for cut in cuts if min(cut.tokens) >= EVEN * sum(cut.tokens)]
    if in_gaps := [cut for cut in even if cut.gap >= GAP * years]:
        return min(in_gaps, key=lambda cut: (-cut.gap, cut.uneven, cut.before))
    return min(cuts, key=lambda cut: (cut.uneven, -cut.gap, cut.before))
