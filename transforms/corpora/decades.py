"""How a corpus is spread over time, as text: a bar of tokens for each decade that has documents.

>>> for line in histogram({1811: 2, 1819: 1, 1820: 1}, {1811: 300, 1819: 100, 1820: 200}, bar=4):
...     print(line)
tokens per decade, documents in brackets
  1810 to 1819  ####  400 (3)
  1820 to 1829  ##    200 (1)
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST_LINES = 30
BAR = 40  # characters of the longest bar
_UNITS = {10: "decade", 100: "century"}


class Span(NamedTuple):
    """Years, both ends included, with the documents and tokens that they have."""

    first: int
    last: int
    documents: int
    tokens: int


def spans(documents: Mapping[int, int], tokens: Mapping[int, int], most: int = MOST_LINES) -> list[Span]:
    """Return the decades that have documents, in order; if there are many, centuries or longer spans.

    Spans begin at multiples of their width, rounded down before year 0 as well.

    Args:
        documents: documents by year.
        tokens: tokens by year.
        most: the most spans; if there are more, spans become ten times as long, as often as needed.
    """
    width = 10
    while len({year // width for year in documents}) > most:
        width *= 10
    sums: dict[int, list[int]] = {}
    for year in sorted(documents):
        total = sums.setdefault(year // width * width, [0, 0])
        total[0] += documents[year]
        total[1] += tokens.get(year, 0)
    return [Span(start, start + width - 1, *total) for start, total in sums.items()]


def histogram(documents: Mapping[int, int], tokens: Mapping[int, int], *, bar: int = BAR) -> Iterator[str]:
    """Yield a heading and a line for each of the `spans`; nothing if no document has a year.

    Bars are proportional to tokens: at most `bar` characters, and at least one if there are tokens.
    """
    bars = spans(documents, tokens)
    if not bars:
        return
    most = max(span.tokens for span in bars)
    width = bars[0].last - bars[0].first + 1
    unit = _UNITS.get(width, f"{width} years")
    years = max(len(str(year)) for span in bars for year in span[:2])
    digits = len(f"{most:,}")
    yield f"tokens per {unit}, documents in brackets"
    for span in bars:
        length = max(1, round(bar * span.tokens / most)) if span.tokens else 0
        yield (
            f"  {span.first:>{years}} to {span.last:>{years}}  {'#' * length:{bar}}  "
            f"{span.tokens:>{digits},} ({span.documents:,})"
        )
