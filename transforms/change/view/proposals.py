"""Slices that suit a corpus: two periods with about the same number of tokens.

The rule. A cut lies between two successive years that have documents; what comes before it is one
slice, what comes after it the other. Only cuts with 20 documents on each side count, or, if there
are none, with 10; with fewer, no score differs reliably from chance, and nothing is proposed. If a
cut in a gap (years without documents, at least a tenth of all years from the first to the last)
leaves 40 % of the tokens or more on each side, the one in the longest gap is taken; among equals,
and if there is none, the one with the most even tokens; then the one in the longer gap, then the
earlier one. A slice reaches from its first year with documents to its last.

>>> found = propose_slices({1810: 30, 1850: 20, 1960: 50}, {1810: 300, 1850: 250, 1960: 500})
>>> found.spec, found.documents, found.tokens
('1810-1850,1960', (50, 50), (550, 500))
>>> propose_slices({1810: 30, 1850: 5}, {1810: 300, 1850: 250}).reason
'no year separates the 35 documents with a date into sides of 10'
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

from lexbeam.transforms.change.view.slices import Slice, span_name

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
    usable = next(filter(None, (_with(cuts, least) for least in (ENOUGH, LEAST))), [])
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


def _with(cuts: list[_Cut], least: int) -> list[_Cut]:
    return [cut for cut in cuts if min(cut.documents) >= least]


def _best(cuts: list[_Cut], years: int) -> _Cut:
    even = [cut for cut in cuts if min(cut.tokens) >= EVEN * sum(cut.tokens)]
    if in_gaps := [cut for cut in even if cut.gap >= GAP * years]:
        return min(in_gaps, key=lambda cut: (-cut.gap, cut.uneven, cut.before))
    return min(cuts, key=lambda cut: (cut.uneven, -cut.gap, cut.before))
